"""What an episode is: the released fields, and a check that names file, line and field."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless._io.strict_json import shown
from judged_useless.episodes.codes import ListCodes, list_codes
from judged_useless.episodes.columns import PROBED as PROBED
from judged_useless.episodes.columns import column_fault
from judged_useless.episodes.kinds import TERMINATIONS as TERMINATIONS
from judged_useless.episodes.kinds import as_list, encodable, kind_fault, missing
from judged_useless.protocol.vocabulary import ACTIONS as ACTIONS
from judged_useless.protocol.vocabulary import JUDGMENTS as JUDGMENTS

#: Fields that every stored episode has.
REQUIRED = ("model", "condition", "split", "question_id", "regime", "actions", "judgments", "success")
#: Fields that an episode may have.
OPTIONAL = (
    "termination", "task", "budget", "answer", "failed", "stated", "n_judgment_calls", "n_discarded", "seed",
    "simulated",
)  # fmt: skip
#: What makes an episode one episode.
KEY = ("model", "condition", "split", "question_id", "regime")
#: Actions an episode may take when it does not say so itself (paper §2).
DEFAULT_BUDGET = 8

Episodes = pd.DataFrame | Iterable[Mapping[str, Any]]
_TEXT = ("model", "condition", "split", "question_id", "regime")
_LISTS = {np.ndarray, list, tuple}
_CHECKED = ("actions", "judgments", "termination", "failed", "budget", "stated")


class EpisodeError(ValueError):
    """An episode that is not what the schema says; the message names the place and the field."""


class NoEpisodesError(EpisodeError):
    """A source without an episode, or with none of those that were asked for."""


def _place(source: str, lines: Sequence[int] | None, row: int) -> str:
    return f"{source}, line {lines[row]}" if lines is not None else f"{source}, row {row + 1}"


def _raise_repeated(frame: pd.DataFrame, source: str) -> None:
    if not frame.columns.is_unique:
        name = frame.columns[frame.columns.duplicated()][0]
        raise EpisodeError(f"{source}: field {name!r}: the column occurs twice, expected once")


def fill_judgments(frame: pd.DataFrame) -> pd.DataFrame:
    """Return episodes with an empty list where there is no list of judgments.

    The released episodes of the clean and plausible regimes have no judgment; whether a file says so with an
    empty list or with null is the writer's choice.

    Parameters
    ----------
    frame : pandas.DataFrame
        Episodes, not yet checked.

    Returns
    -------
    pandas.DataFrame
        The same object where nothing was missing.

    Raises
    ------
    EpisodeError
        If a column occurs twice.
    """
    _raise_repeated(frame, "episodes")
    if "judgments" not in frame or not frame["judgments"].isna().any():
        return frame
    filled = [[] if missing(value) else value for value in frame["judgments"]]
    return frame.assign(judgments=pd.Series(filled, index=frame.index, dtype=object))


def _words_problem(value: object, known: tuple[str, ...], allow_none: bool) -> str:
    if not isinstance(value, Iterable) or not as_list(value):
        return f"expected a list of {', '.join(known)}, found {shown(value)}"
    for position, word in enumerate(value, 1):
        if not (isinstance(word, str) and word in known) and not (allow_none and missing(word)):
            expected = ", ".join(known) + (" or null" if allow_none else "")
            return f"entry {position} is {shown(word)}, expected one of {expected}"
    return ""


def _record_problem(record: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the first field of a record that is wrong, and what is wrong with it."""
    if "actions" not in record:  # a measure of success alone asks for no actions
        return None
    if problem := _words_problem(record["actions"], ACTIONS, allow_none=False):
        return "actions", problem
    actions = list(record["actions"])
    observations = sum(action != "finish" for action in actions)
    if "finish" in actions[:-1]:
        return (
            "actions",
            f"finish at entry {actions.index('finish') + 1} of {len(actions)}, expected only at the end",
        )
    judgments = record.get("judgments", [])
    if problem := _words_problem(judgments, JUDGMENTS, allow_none=True):
        return "judgments", problem
    if len(judgments) > observations:
        return (
            "judgments",
            f"{len(judgments)} judgments for {observations} observations, expected at most one "
            "for each action other than finish",
        )
    return _optional_problem(record, actions, observations)


def _optional_problem(
    record: Mapping[str, Any], actions: list[str], observations: int
) -> tuple[str, str] | None:
    termination, failed, budget, stated = (record.get(name) for name in _CHECKED[2:])
    if not missing(termination):
        if termination not in TERMINATIONS:
            return (
                "termination",
                f"expected one of {', '.join(TERMINATIONS)} or null, found {shown(termination)}",
            )
        if (termination == "answered") != (actions[-1:] == ["finish"]):
            return "termination", f"{termination!r} does not fit the last action {actions[-1:] or None}"
    if isinstance(failed, Sized) and len(failed) != observations:
        return (
            "failed",
            f"expected a list of {observations} booleans, one an observation, found {shown(failed)}",
        )
    if isinstance(stated, Sized) and len(stated) > observations:
        return "stated", f"{len(stated)} for {observations} observations, expected at most one for each"
    if not missing(budget) and float(str(budget)) < max(1, len(actions)):
        return "budget", f"expected at least the {len(actions)} actions taken, found {shown(budget)}"
    return None


def validate(
    frame: pd.DataFrame,
    *,
    source: str = "episodes",
    lines: Sequence[int] | None = None,
    required: Sequence[str] = REQUIRED,
    origins: Callable[[], Sequence[str]] | None = None,
) -> pd.DataFrame:
    """Return the episodes unchanged, or refuse them with the place and the field of the first fault.

    Parameters
    ----------
    frame : pandas.DataFrame
        One row an episode.
    source : str
        Name of the file or folder, for the message.
    lines : sequence of int, optional
        1-based line of each row, for the message; row numbers are given without it.
    required : sequence of str
        Columns that must be there (default: the released ones).
    origins : callable, optional
        Returns the file that each row is from, where there are several: if an episode occurs twice, the
        message names both.

    Returns
    -------
    pandas.DataFrame
        The same object.

    Raises
    ------
    EpisodeError
        If a field is missing or has a wrong value, or if one question and regime of a cell occurs twice.
    """
    checked_codes(frame, source=source, lines=lines, required=required, origins=origins)
    return frame


def checked_codes(
    frame: pd.DataFrame,
    *,
    source: str = "episodes",
    lines: Sequence[int] | None = None,
    required: Sequence[str] = REQUIRED,
    origins: Callable[[], Sequence[str]] | None = None,
    beside: bool = True,
) -> ListCodes | None:
    """Check episodes as :func:`validate` does, and return their lists as codes (None without ``actions``).

    Episodes are first checked as arrays; where that finds anything, they are gone through one by one, which
    decides, and names the first fault.

    Parameters
    ----------
    frame, source, lines, required, origins
        As in :func:`validate`.
    beside : bool, default True
        Check what probes add as well; measures that do not read it are spared that.

    Returns
    -------
    ListCodes or None

    Raises
    ------
    EpisodeError
        As in :func:`validate`.
    """
    _raise_repeated(frame, source)
    for name in required:
        if name not in frame:
            raise EpisodeError(f"{source}: field {name!r} is missing; an episode has {', '.join(required)}")
    if fault := kind_fault(frame):
        raise EpisodeError(f"{_place(source, lines, fault[0])}: field {fault[1]!r}: {fault[2]}")
    sound, codes = _quick_check(frame)
    if not sound:
        _raise_first(frame, lambda row: _place(source, lines, row))
    if beside and (fault := column_fault(frame)):
        raise EpisodeError(f"{_place(source, lines, fault[0])}: field {fault[1]!r}: {fault[2]}")
    repeated = _repeated(frame)
    if repeated.any():
        row = int(repeated.argmax())
        raise EpisodeError(_second(frame, row, _place(source, lines, row), origins))
    return list_codes(frame) if codes is None and "actions" in frame else codes


def _second(frame: pd.DataFrame, row: int, place: str, origins: Callable[[], Sequence[str]] | None) -> str:
    """Return what is wrong where an episode is, or could be, one that came before, and where both are."""
    key = [name for name in (*KEY, "task", "budget", "seed") if name in frame]
    what = ", ".join(f"{name}={shown(frame[name].iloc[[row]].tolist()[0])}" for name in key)
    also = ""
    if origins is not None:
        # One that is the same in everything, if there is one: others may merely leave something out.
        equal = [
            (frame[names] == frame[names].iloc[row]).all(axis=1).to_numpy()[:row]
            for names in (key, list(KEY))
        ]
        files = origins()
        place, first = files[row], files[int(next(same for same in equal if same.any()).argmax())]
        also = f" ({place} is given twice)" if first == place else f", beside one in {first}"
    return (
        f"{place}: field 'question_id': a second episode with {what}{also}; "
        "expected one for each question and regime of a cell"
    )


def _repeated(frame: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which episodes are, or could be, one that came before.

    What an episode leaves out is what the paper has: eight actions, HotpotQA, or FEVER on a split named so.
    Without a seed it could be any of those with one.
    """
    key = frame[[name for name in (*KEY, "task") if name in frame]]
    if "task" in key and "split" in key and key["task"].isna().any():
        fever = key["split"].str.startswith("fever")
        key = key.assign(task=key["task"].where(key["task"].notna(), np.where(fever, "fever", "hotpotqa")))
    if "budget" in frame:
        key = key.assign(budget=pd.to_numeric(frame["budget"]).fillna(DEFAULT_BUDGET))
    same: NDArray[np.bool_] = key.duplicated().to_numpy()
    if "seed" not in frame or not same.any():
        return same
    unknown = frame["seed"].isna()
    after_unknown = unknown.groupby(key.groupby(list(key), dropna=False).ngroup()).cummax()
    return same & (key.assign(seed=frame["seed"]).duplicated() | after_unknown).to_numpy()


def _quick_check(frame: pd.DataFrame) -> tuple[bool, ListCodes | None]:
    """Return whether nothing is wrong (False: the rows have to be gone through), and the lists as codes."""
    if "success" in frame and frame["success"].dtype != bool:
        return False, None
    if not all(_all_texts(frame[name]) for name in _TEXT if name in frame):
        return False, None
    if "actions" not in frame:
        return True, None
    if not all(
        set(map(type, frame[name].tolist())) <= _LISTS for name in ("actions", "judgments") if name in frame
    ):
        return False, None
    try:
        codes = list_codes(frame)
    except (TypeError, ValueError):
        return False, None
    return codes.sound() and _options_sound(frame, codes), codes


def _options_sound(frame: pd.DataFrame, codes: ListCodes) -> bool:
    if "failed" in frame:
        return False
    if "termination" in frame:
        given = frame["termination"].notna().to_numpy()
        words = frame["termination"].to_numpy(dtype=object)[given]
        if not (set(words) <= set(TERMINATIONS) and ((words == "answered") == codes.answered[given]).all()):
            return False
    if "stated" in frame:
        stated = frame["stated"].map(lambda value: len(value) if as_list(value) else 0).to_numpy()
        if (stated > codes.n_actions - codes.answered).any():
            return False
    if "budget" in frame:
        budget = frame["budget"]
        return budget.dtype == np.int64 and bool((budget >= np.maximum(codes.n_actions, 1)).all())
    return True


def _raise_first(frame: pd.DataFrame, place: Callable[[int], str]) -> None:
    for name in _TEXT:
        if name in frame and not _all_texts(frame[name]):
            for row, value in enumerate(frame[name]):
                if not (isinstance(value, str) and value.strip() and encodable(value)):
                    raise EpisodeError(
                        f"{place(row)}: field {name!r}: expected a non-empty text, found {shown(value)}"
                    )
    columns = [name for name in _CHECKED if name in frame]
    # Most episodes repeat another's course of actions, so each course is checked once.
    seen: set[tuple[Hashable, ...]] = set()
    for row, values in enumerate(zip(*(frame[name].tolist() for name in columns), strict=True)):
        try:
            course = tuple([tuple(value) if type(value) in _LISTS else value for value in values])
            if course in seen:
                continue
            seen.add(course)
        except TypeError:
            pass  # an unhashable entry is a fault, which the check names
        if fault := _record_problem(dict(zip(columns, values, strict=True))):
            raise EpisodeError(f"{place(row)}: field {fault[0]!r}: {fault[1]}")


def _all_texts(column: "pd.Series[Any]") -> bool:
    """Return whether a column holds non-empty texts only, looking at each distinct value once."""
    try:
        return all(isinstance(value, str) and value.strip() and encodable(value) for value in column.unique())
    except TypeError:  # something unhashable, so not a text
        return False
