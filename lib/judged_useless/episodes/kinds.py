"""What kind of value each field of an episode holds, whatever the other fields hold."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from judged_useless._io.strict_json import shown
from judged_useless.environment.regimes import REGIMES

#: How an episode ended; ``None`` where it cannot be known.
TERMINATIONS = ("answered", "budget_exhausted", "format_failure", "generation_truncated")
_WHOLE = (-(2**63), 2**63)
_TEXT_TYPES = {str, type(None)}


def as_list(value: object) -> bool:
    """Return whether a value is a list of any kind: no text, no mapping."""
    return hasattr(value, "__len__") and not isinstance(value, str | bytes | Mapping)


def missing(value: object) -> bool:
    """Return whether a value says nothing: null, or what a table has for it."""
    return value is None or value is pd.NA or (isinstance(value, float) and value != value)


def encodable(text: str) -> bool:
    """Return whether a text can be written: half of a surrogate pair cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def unencodable_field(record: Mapping[str, object]) -> str:
    """Return the first field whose name or text cannot be written, or an empty text.

    Tables cannot hold such a text, so it is looked for before there is one; texts in lists are checked later.
    """
    return next((repr(name) for name, value in record.items() if not encodable(f"{name}{value}")), "")


def _boolean(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _text(value: object) -> bool:
    return isinstance(value, str) and encodable(value)


def _whole(value: object) -> bool:
    """Return whether a value is a whole number that a file of episodes can hold."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return _WHOLE[0] <= int(value) < _WHOLE[1]
    return isinstance(value, float) and value.is_integer() and _WHOLE[0] <= value < _WHOLE[1]


def _count(value: object) -> bool:
    return _whole(value) and float(str(value)) >= 0


def _or_null(kind: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: missing(value) or kind(value)


def _list_of(kind: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, Iterable) and as_list(value) and all(map(kind, value))


_TEXTS = ("task", "answer", "termination")
_WHOLES = ("budget", "seed")
_COUNTS = ("n_judgment_calls", "n_discarded")
#: Field -> its check, and what it expects.
KINDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "success": (_boolean, "true or false"),
    "simulated": (_or_null(_boolean), "true, false or null"),
    "failed": (_or_null(_list_of(_boolean)), "a list of booleans, one an observation, or null"),
    "stated": (_or_null(_list_of(_or_null(_text))), "a list of texts or nulls, or null"),
    **dict.fromkeys(_TEXTS, (_or_null(_text), "a text or null")),
    "termination": (_or_null(_text), f"one of {', '.join(TERMINATIONS)} or null"),
    **dict.fromkeys(_WHOLES, (_or_null(_whole), "a whole number of 64 bits or null")),
    **dict.fromkeys(_COUNTS, (_or_null(_count), "a whole number of 64 bits, 0 or more, or null")),
}


def kind_fault(frame: pd.DataFrame) -> tuple[int, str, str] | None:
    """Return row, field and fault of the first value that is of a wrong kind.

    Parameters
    ----------
    frame : pandas.DataFrame
        Episodes, with no column twice.

    Returns
    -------
    tuple of int, str and str, or None
        None where every value is of its kind.
    """
    for name, (check, expected) in KINDS.items():
        if name not in frame or _surely(name, frame[name]):
            continue
        for row, value in enumerate(frame[name].tolist()):
            if not check(value):
                return row, name, f"expected {expected}, found {shown(value)}"
    return _blank_regime(frame["regime"]) if "regime" in frame else None


def _blank_regime(column: "pd.Series[Any]") -> tuple[int, str, str] | None:
    """Return the first regime with blanks around it: it would pass for a regime of the reader's own."""
    for row, value in enumerate(column.tolist()):
        if isinstance(value, str) and value.strip() not in ("", value):
            known = ", ".join(REGIMES)
            return row, "regime", f"blanks around the name in {shown(value)}; known names are {known}"
    return None


def _surely(name: str, column: "pd.Series[Any]") -> bool:
    """Return whether a column's type alone, or its few distinct texts, show it to be right."""
    if name in ("success", "simulated"):
        return bool(column.dtype == bool)
    if name in (*_WHOLES, *_COUNTS):
        return bool(column.dtype == np.int64 and (name in _WHOLES or (column >= 0).all()))
    if name in _TEXTS and isinstance(column.dtype, pd.StringDtype):
        return True
    if name in _TEXTS and set(map(type, column.tolist())) <= _TEXT_TYPES:
        return all(value is None or encodable(value) for value in set(column))
    return False
