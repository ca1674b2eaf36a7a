"""What an episode is: the released fields, and a check that names file, line and field."""

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence, Sized
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.episodes.codes import ACTIONS as ACTIONS
from judged_useless.episodes.codes import JUDGMENTS as JUDGMENTS
from judged_useless.episodes.codes import ListCodes, list_codes

#: How an episode ended; ``None`` where it cannot be known.
TERMINATIONS = ("answered", "budget_exhausted", "format_failure", "generation_truncated")
#: Fields that every stored episode has.
REQUIRED = ("model", "condition", "split", "question_id", "regime", "actions", "judgments", "success")
#: Fields that an episode may have.
OPTIONAL = (
    "termination", "task", "budget", "answer", "failed", "stated", "n_judgment_calls", "n_discarded", "seed",
    "simulated",
)  # fmt: skip
#: What makes an episode one episode.
KEY = ("model", "condition", "split", "question_id", "regime")

Episodes = pd.DataFrame | Iterable[Mapping[str, Any]]
_TEXT = ("model", "condition", "split", "question_id", "regime")
_LISTS = {np.ndarray, list, tuple}
_CHECKED = ("actions", "judgments", "termination", "failed", "budget")


class EpisodeError(ValueError):
    """An episode that is not what the schema says; the message names the place and the field."""


class NoEpisodesError(EpisodeError):
    """A source without an episode, or with none of those that were asked for."""


def _place(source: str, lines: Sequence[int] | None, row: int) -> str:
    return f"{source}, line {lines[row]}" if lines is not None else f"{source}, row {row + 1}"


def _as_list(value: object) -> bool:
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping)


def _missing(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


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
    """
    if "judgments" not in frame or not frame["judgments"].isna().any():
        return frame
    filled = [[] if _missing(value) else value for value in frame["judgments"]]
    return frame.assign(judgments=pd.Series(filled, index=frame.index, dtype=object))


def _words_problem(value: object, known: tuple[str, ...], allow_none: bool) -> str:
    if not isinstance(value, Iterable) or not _as_list(value):
        return f"expected a list of {', '.join(known)}, found {value!r}"
    for position, word in enumerate(value, 1):
        if not (isinstance(word, str) and word in known) and not (allow_none and _missing(word)):
            expected = ", ".join(known) + (" or null" if allow_none else "")
            return f"entry {position} is {word!r}, expected one of {expected}"
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


def _whole(value: object) -> bool:
    return (isinstance(value, int | np.integer) and not isinstance(value, bool)) or (
        isinstance(value, float) and value.is_integer()
    )


def _optional_problem(
    record: Mapping[str, Any], actions: list[str], observations: int
) -> tuple[str, str] | None:
    termination, failed, budget = (record.get(name) for name in ("termination", "failed", "budget"))
    if not _missing(termination):
        if termination not in TERMINATIONS:
            return "termination", f"expected one of {', '.join(TERMINATIONS)} or null, found {termination!r}"
        if (termination == "answered") != (actions[-1:] == ["finish"]):
            return "termination", f"{termination!r} does not fit the last action {actions[-1:] or None}"
    if isinstance(failed, Sized) and len(failed) != observations:
        return "failed", f"expected a list of {observations} booleans, one an observation, found {failed!r}"
    if not _missing(budget) and float(str(budget)) < max(1, len(actions)):
        return "budget", f"expected at least the {len(actions)} actions taken, found {budget!r}"
    return None


def validate(
    frame: pd.DataFrame,
    *,
    source: str = "episodes",
    lines: Sequence[int] | None = None,
    required: Sequence[str] = REQUIRED,
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

    Returns
    -------
    pandas.DataFrame
        The same object.

    Raises
    ------
    EpisodeError
        If a field is missing or has a wrong value, or if one question and regime of a cell occurs twice.
    """
    checked_codes(frame, source=source, lines=lines, required=required)
    return frame


def checked_codes(
    frame: pd.DataFrame,
    *,
    source: str = "episodes",
    lines: Sequence[int] | None = None,
    required: Sequence[str] = REQUIRED,
) -> ListCodes | None:
    """Check episodes as :func:`validate` does, and return their lists as codes (None without ``actions``).

    Episodes are first checked as arrays; where that finds anything, they are gone through one by one, which
    decides, and names the first fault.

    Parameters
    ----------
    frame, source, lines, required
        As in :func:`validate`.

    Returns
    -------
    ListCodes or None

    Raises
    ------
    EpisodeError
        As in :func:`validate`.
    """
    for name in required:
        if name not in frame:
            raise EpisodeError(f"{source}: field {name!r} is missing; an episode has {', '.join(required)}")
    _raise_kind(frame, lambda row: _place(source, lines, row))
    sound, codes = _quick_check(frame)
    if not sound:
        _raise_first(frame, lambda row: _place(source, lines, row))
    key = [name for name in (*KEY, "task", "budget", "seed") if name in frame]
    repeated = frame.duplicated(key)
    if repeated.any():
        row = int(repeated.to_numpy().argmax())
        what = ", ".join(f"{name}={frame[name].iloc[row]!r}" for name in key)
        raise EpisodeError(
            f"{_place(source, lines, row)}: field 'question_id': a second episode with {what}; "
            "expected one for each question and regime of a cell"
        )
    return list_codes(frame) if codes is None and "actions" in frame else codes


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
    if "budget" in frame:
        budget = frame["budget"]
        return budget.dtype == np.int64 and bool((budget >= np.maximum(codes.n_actions, 1)).all())
    return True


def _boolean(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _list_or_null(kind: Callable[[object], bool]) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        if isinstance(value, Iterable) and _as_list(value):
            return all(map(kind, value))
        return _missing(value)

    return check


def _text_or_null(value: object) -> bool:
    return _missing(value) or isinstance(value, str)


def _whole_or_null(value: object) -> bool:
    return _missing(value) or _whole(value)


#: Fields of one kind whatever the others hold: the check, and what it expects.
_KINDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "success": (_boolean, "true or false"),
    "failed": (_list_or_null(_boolean), "a list of booleans, one an observation, or null"),
    "stated": (_list_or_null(_text_or_null), "a list of texts or nulls, or null"),
    **dict.fromkeys(("task", "answer"), (_text_or_null, "a text or null")),
    **dict.fromkeys(
        ("budget", "n_judgment_calls", "n_discarded", "seed"), (_whole_or_null, "a whole number or null")
    ),
}


def _raise_kind(frame: pd.DataFrame, place: Callable[[int], str]) -> None:
    for name, (check, expected) in _KINDS.items():
        if name not in frame or frame[name].dtype == bool:
            continue
        for row, value in enumerate(frame[name].tolist()):
            if not check(value):
                raise EpisodeError(f"{place(row)}: field {name!r}: expected {expected}, found {value!r}")


def _raise_first(frame: pd.DataFrame, place: Callable[[int], str]) -> None:
    for name in _TEXT:
        if name in frame and not _all_texts(frame[name]):
            for row, value in enumerate(frame[name]):
                if not (isinstance(value, str) and value.strip()):
                    raise EpisodeError(
                        f"{place(row)}: field {name!r}: expected a non-empty text, found {value!r}"
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
        return all(isinstance(value, str) and value.strip() for value in column.unique())
    except TypeError:  # something unhashable, so not a text
        return False
