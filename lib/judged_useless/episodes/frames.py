"""Episodes of any accepted form as a table, checked where they enter."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from judged_useless.episodes.schema import (
    MINIMUM,
    OPTIONAL,
    PROBED,
    WHOLE,
    EpisodeError,
    Episodes,
    missing,
    require_columns,
    validate,
)


def fill_judgments(frame: pd.DataFrame) -> pd.DataFrame:
    """Return episodes with an empty list where there is no list of judgments.

    The released episodes of the clean and plausible regimes have no judgment; whether a file says so with an
    empty list or with null is the writer's choice.
    """
    require_columns(frame, ())
    if "judgments" not in frame or not frame["judgments"].isna().any():
        return frame
    filled = [[] if missing(value) else value for value in frame["judgments"]]
    return frame.assign(judgments=pd.Series(filled, index=frame.index, dtype=object))


def from_records(records: Iterable[Mapping[str, Any]]) -> pd.DataFrame:
    """Return records as a table whose values are as they were: no whole number becomes a float."""
    return pd.DataFrame(list(records), dtype=object)


def settled(frame: pd.DataFrame) -> pd.DataFrame:
    """Return checked episodes with typed columns, and without optional fields that say nothing."""
    return typed(without_silent(frame))


def without_silent(frame: pd.DataFrame) -> pd.DataFrame:
    """Return episodes without optional fields that say nothing."""
    silent = [name for name in (*OPTIONAL, *PROBED) if name in frame and frame[name].isna().all()]
    return frame.drop(columns=silent) if silent else frame


def typed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return checked episodes with the type of column that each field has: whole also beside nulls."""
    return frame.astype({name: "Int64" for name in WHOLE if name in frame}).infer_objects()


def as_frame(episodes: Episodes, required: Sequence[str] = MINIMUM, *, beside: bool = False) -> pd.DataFrame:
    """Return episodes of any accepted form as a table, checked in the fields that a measure reads.

    Parameters
    ----------
    episodes : pandas.DataFrame, or iterable of mappings
        Rows of ``datasets``, parsed JSON lines, dictionaries, or a table of episodes.
    required : sequence of str
        Fields that must be there.
    beside : bool, default False
        Whether what probes add is read as well, and so checked.

    Returns
    -------
    pandas.DataFrame
        One row an episode, with a fresh index.

    Raises
    ------
    EpisodeError
        If there is no episode, or one of them is not what the schema says.
    """
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
        frame = from_records(records)
    if frame.empty:
        raise EpisodeError("there are no episodes; check the filters that chose them")
    frame = fill_judgments(frame)
    unread = [name for name in PROBED if name in frame and not beside and name not in required]
    validate(frame.drop(columns=unread), required=required)
    return frame if isinstance(episodes, pd.DataFrame) else typed(frame)
