"""Episodes of any accepted form as a checked table."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from judged_useless.episodes.codes import ListCodes
from judged_useless.episodes.kinds import unencodable_field
from judged_useless.episodes.schema import PROBED, EpisodeError, Episodes, checked_codes, fill_judgments

#: Fields that every stopping measure needs.
MINIMUM = ("question_id", "actions", "judgments")


def as_frame(episodes: Episodes, required: Sequence[str] = MINIMUM, *, beside: bool = False) -> pd.DataFrame:
    """Return episodes of any accepted form as a checked table.

    Parameters
    ----------
    episodes : pandas.DataFrame, or iterable of mappings
        Rows of ``datasets``, parsed JSON lines, dictionaries, or a table of episodes.
    required : sequence of str
        Fields that must be there.
    beside : bool, default False
        Whether what probes add is read too; it is checked if so, or if a column of it is required.

    Returns
    -------
    pandas.DataFrame
        One row an episode, with a fresh index.

    Raises
    ------
    EpisodeError
        If there is no episode, or one of them is not what the schema says.
    """
    frame = _table(episodes, required)
    checked_codes(frame, required=required, beside=beside or not set(PROBED).isdisjoint(required))
    return frame


def as_codes(episodes: Episodes, required: Sequence[str] = MINIMUM) -> tuple[pd.DataFrame, ListCodes]:
    """Return episodes of any accepted form as a checked table, and their lists as codes.

    Parameters
    ----------
    episodes, required
        As in :func:`as_frame`; ``actions`` must be among the fields required.

    Returns
    -------
    tuple of pandas.DataFrame and ListCodes

    Raises
    ------
    EpisodeError
        As in :func:`as_frame`.
    """
    frame = _table(episodes, required)
    codes = checked_codes(frame, required=required, beside=False)
    if codes is None:
        raise ValueError("codes need the field 'actions'")
    return frame, codes


def _table(episodes: Episodes, required: Sequence[str]) -> pd.DataFrame:
    if isinstance(episodes, str | bytes | Mapping):
        raise TypeError(
            f"expected episodes (a table or mappings), not {type(episodes).__name__}; load them first"
        )
    if isinstance(episodes, pd.DataFrame):
        frame = episodes.reset_index(drop=True)
    else:
        records = list(episodes)
        for row, record in enumerate(records, 1):
            if not isinstance(record, Mapping):
                raise EpisodeError(f"episodes, row {row}: expected a mapping, found {type(record).__name__}")
            for name in required:
                if name not in record:
                    raise EpisodeError(f"episodes, row {row}: field {name!r} is missing")
        frame = _from_records(records)
    if frame.empty:
        raise EpisodeError("there are no episodes; check the filters that chose them")
    return fill_judgments(frame)


def _from_records(records: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    try:
        return pd.DataFrame.from_records(records)
    except UnicodeEncodeError as error:
        for row, record in enumerate(records, 1):
            if field := unencodable_field(record):
                raise EpisodeError(
                    f"episodes, row {row}: field {field}: half of a surrogate pair, expected a text"
                ) from error
        raise
