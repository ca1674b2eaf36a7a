"""Episodes of any accepted form as a checked table, and their steps as flat arrays of small integers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.environment.regimes import get_regime
from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS

from .schema import (
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

Ints = NDArray[np.int64]

#: Code of a missing word; a run that cannot be known, because a judgment in it is missing.
NONE = UNKNOWN = -1
USELESS, USEFUL, UNPARSED = (JUDGMENTS.index(word) for word in ("USELESS", "USEFUL", "UNPARSED"))
FINISH, _BACKUP, _LOOKUP = (ACTIONS.index(word) for word in ("finish", "backup_search", "lookup"))


def fill_judgments(frame: pd.DataFrame) -> pd.DataFrame:
    """Return episodes with an empty list where there is none of judgments, which some writers leave null."""
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


class CheckedEpisodes(pd.DataFrame):
    """Episodes that were checked where they entered; what is made of them is an ordinary table again."""


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
    if isinstance(episodes, CheckedEpisodes) and len(episodes):
        require_columns(episodes, required)
        return episodes
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
    validate(frame.drop(columns=unread) if unread else frame, required=required)
    return frame if isinstance(episodes, pd.DataFrame) else typed(frame)


@dataclass(frozen=True)
class Steps:
    """All actions of some episodes, one after the other.

    Attributes
    ----------
    n_actions : numpy.ndarray of int, shape (episodes,)
        Actions of each episode.
    action, judgment, failed : numpy.ndarray of int, shape (steps,)
        Code of the action; of the judgment of its result, and whether that failed by design (1 or 0), with
        -1 where there is none or it is not known.
    """

    n_actions: Ints
    action: Ints
    judgment: Ints
    failed: Ints

    @property
    def episode(self) -> Ints:
        """Row of the episode of each step."""
        return np.repeat(np.arange(len(self.n_actions)), self.n_actions)

    @property
    def start(self) -> Ints:
        """Place of the first step of each step's episode."""
        return np.repeat(np.cumsum(self.n_actions) - self.n_actions, self.n_actions)


def _codes(lists: Sequence[Any], words: Sequence[object]) -> tuple[Ints, Ints]:
    """Return the words of lists as codes, one after the other, and the lists' lengths."""
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    flat = np.empty(lengths.sum(), dtype=object)
    flat[:] = list(chain.from_iterable(lists))
    place, distinct = pd.factorize(flat)
    known: Mapping[object, int] = {word: code for code, word in enumerate(words)}
    # The last entry stands for a missing word, whose place is -1.
    return np.array([*map(known.__getitem__, distinct), NONE], dtype=np.int64)[place], lengths


def _laid_along(lists: Sequence[Any], words: Sequence[object], n_actions: Ints) -> Ints:
    """Return lists with at most one entry an action as codes beside the actions."""
    codes, lengths = _codes(lists, words)
    along = np.full(n_actions.sum(), NONE, dtype=np.int64)
    shift = np.cumsum(n_actions) - n_actions - (np.cumsum(lengths) - lengths)
    along[np.arange(len(codes)) + np.repeat(shift, lengths)] = codes
    return along


def steps_of(frame: pd.DataFrame) -> Steps:
    """Return the steps of checked episodes; those without ``judgments`` have none."""
    action, n_actions = _codes(frame["actions"].tolist(), ACTIONS)
    judgment = np.full(len(action), NONE, dtype=np.int64)
    if "judgments" in frame:
        judgment = _laid_along(frame["judgments"].tolist(), JUDGMENTS, n_actions)
    failed = _by_design(frame, action, n_actions)
    if "failed" in frame:
        given = frame["failed"].notna().to_numpy()
        lists = [each if there else () for each, there in zip(frame["failed"], given, strict=True)]
        failed = np.where(np.repeat(given, n_actions), _laid_along(lists, (False, True), n_actions), failed)
    return Steps(n_actions, action, judgment, failed)


def _by_design(frame: pd.DataFrame, action: Ints, n_actions: Ints) -> Ints:
    """Return which results fail in the schedule of their regime; -1 for a regime that has none."""
    failed = np.full(len(action), NONE, dtype=np.int64)
    if "regime" not in frame:
        return failed
    t = np.arange(len(action)) - np.repeat(np.cumsum(n_actions) - n_actions, n_actions) + 1
    codes, names = pd.factorize(frame["regime"])
    regime_of = np.repeat(codes, n_actions)
    for code, name in enumerate(names):
        try:
            regime = get_regime(name)
        except ValueError:
            continue
        here = regime_of == code
        schedule = np.array([regime.failed(each) for each in range(1, t[here].max(initial=0) + 1)], np.int64)
        failed[here] = schedule[t[here] - 1]
        failed[here & (action == _BACKUP)] = 0  # the backup source never fails
        if regime.how == "distractor":  # among those pages only searches fail (paper §6, "plausible")
            failed[here & (action == _LOOKUP)] = 0
    return failed


def current_run(judgments: Ints, start: Ints | int = 0) -> Ints:
    """Return the current run of USELESS after each judgment, or :data:`UNKNOWN`, shape (n,).

    A judgment other than USELESS ends the run; a missing one makes it unknown until a judgment other than
    USELESS has been given (paper, Appendix D.4). `judgments` are codes, of one episode after the other, and
    `start` is the place at which the episode of each begins: 0 for one episode alone.
    """
    place = np.arange(len(judgments))
    other = np.maximum.accumulate(np.where(judgments != USELESS, place, -1))
    run: Ints = np.where(other >= start, place - other, place - start + 1)
    run[(other >= start) & (judgments[other] == NONE)] = UNKNOWN
    return run
