"""Columns that probes and a run's log add to episodes: the same rules in a file as beside a run."""

from collections.abc import Callable, Collection
from itertools import chain

import numpy as np
import pandas as pd

from judged_useless._io.strict_json import shown
from judged_useless.episodes.kinds import as_list, encodable, missing
from judged_useless.episodes.probe_fields import LISTS, column_kinds

#: Columns with a list of one entry an observation.
_SPREAD = (*(column for fields in LISTS.values() for column in fields), "pages")
#: All of them.
PROBED = (*_SPREAD, "gold_titles", "repaired_answer", "repaired_success")

#: How a message speaks of several such entries.
_PLURAL = {
    "a text": "texts",
    "a text or null": "texts or nulls",
    "a number from 0 to 1 or null": "numbers from 0 to 1 or nulls",
}

_Check = Callable[[object], bool]
_Fault = tuple[int, str, str]


def _text(value: object) -> bool:
    return isinstance(value, str) and encodable(value)


def _text_or_null(value: object) -> bool:
    return value is None or _text(value)


def _boolean_or_null(value: object) -> bool:
    return missing(value) or isinstance(value, bool | np.bool_)


def column_fault(frame: pd.DataFrame) -> _Fault | None:
    """Return row, field and fault of the first value of these columns that is wrong.

    Parameters
    ----------
    frame : pandas.DataFrame
        Episodes, with no column twice, and with sound actions where they have any.

    Returns
    -------
    tuple of int, str and str, or None
        None where nothing is wrong. A row without a value is not: beside a source that was probed, one that
        was not has none.
    """
    if not set(PROBED) & set(frame):
        return None
    scalars: dict[str, tuple[_Check, str]] = {
        "repaired_success": (_boolean_or_null, "true, false or null"),
        "repaired_answer": (lambda value: missing(value) or _text(value), "a text or null"),
    }
    for name, (check, expected) in scalars.items():
        for row, value in enumerate(frame[name].tolist() if name in frame else ()):
            if not check(value):
                return row, name, f"expected {expected}, found {shown(value)}"
    return _list_fault(frame)


def _list_fault(frame: pd.DataFrame) -> _Fault | None:
    lists: dict[str, tuple[_Check, str]] = {
        **{name: (_strict(name, check), expected) for name, (check, expected) in column_kinds().items()},
        "pages": (_text_or_null, "a text or null"),
        "gold_titles": (_text, "a text"),
    }
    for name, (check, expected) in lists.items():
        if name in frame and (fault := _fault_of(frame, name, check, expected)):
            return fault[0], name, fault[1]
    return None


def _strict(name: str, check: _Check) -> _Check:
    """Return a check that takes what a table has for null, but no number where a truth is asked for."""
    return check if name in LISTS["answer-now"] else lambda value: missing(value) or check(value)


def _fault_of(frame: pd.DataFrame, name: str, check: _Check, expected: str) -> tuple[int, str] | None:
    """Return row and fault of the first list of a column that is wrong."""
    spread = f", {'just' if name == 'pages' else 'at most'} one an observation" if name in _SPREAD else ""
    wanted = f"expected a list of {_PLURAL.get(expected, expected.removeprefix('one of '))}{spread}"
    lists: list[list[object] | None] = []
    for row, value in enumerate(frame[name].tolist()):
        if not (missing(value) or as_list(value)):
            return row, f"{wanted}, found {shown(value)}"
        lists.append(None if missing(value) else entries(value))
    if not _all_hold(lists, check):
        for row, found in enumerate(lists):
            for place, entry in enumerate(found or (), 1):
                if not check(entry):
                    return row, f"entry {place} is {shown(entry)}, expected {expected}"
    if not spread or "actions" not in frame:
        return None
    for row, (found, actions) in enumerate(zip(lists, frame["actions"].tolist(), strict=True)):
        n = len(actions) - (len(actions) > 0 and actions[-1] == "finish")
        if found is not None and (len(found) != n if name == "pages" else len(found) > n):
            return row, f"{len(found)} entries for {n} observations, {wanted}"
    return None


def _all_hold(lists: Collection[list[object] | None], check: _Check) -> bool:
    """Return whether all entries are right, looking at each distinct one of a type once."""
    try:
        # By type too, because 1 and true are one key.
        distinct = {(type(entry), entry) for entry in chain.from_iterable(each or () for each in lists)}
    except TypeError:  # something unhashable
        return False
    return all(check(entry) for _, entry in distinct)


def entries(value: object) -> list[object]:
    """Return a list's entries; an array of numbers, as a Parquet file is read into, has NaN for null."""
    if isinstance(value, np.ndarray):
        found: list[object] = value.tolist()
        return [None if missing(entry) else entry for entry in found] if value.dtype.kind == "f" else found
    return list(value)  # type: ignore[call-overload, no-any-return]
