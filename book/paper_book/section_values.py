"""What may be given for a section's parameters: values of the kind that their defaults are of."""

import ast
import math
from collections.abc import Mapping
from typing import Any

from judged_useless._io.messages import shown

#: Kind of a default -> kinds that may take its place, and what they are called.
_KINDS: dict[type, tuple[tuple[type, ...], str]] = {
    str: ((str,), "a text"),
    bool: ((bool,), "true or false"),
    int: ((int,), "a whole number"),
    float: ((int, float), "a number"),
    list: ((list, tuple), "a list"),
}
_SOURCES = (str, list, tuple)


def parse_source(text: str) -> str | list[str]:
    """Return what ``--source`` names: one source, or several that commas part.

    Parameters
    ----------
    text : str
        Such as ``hub`` or ``runs/a, runs/b``; blanks around a name are no part of it.

    Returns
    -------
    str or list of str

    Raises
    ------
    ValueError
        If there is nothing before, after or between commas.

    Examples
    --------
    >>> parse_source("hub"), parse_source("runs/a, runs/b")
    ('hub', ['runs/a', 'runs/b'])
    """
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise ValueError(
            f"source {shown(text)}: an empty name; expected 'embedded', 'hub', a file or folder, or several "
            "with one comma between each two"
        )
    return names[0] if len(names) == 1 else names


def value_fault(name: str, value: object, known: Mapping[str, Any]) -> str:
    """Return what is wrong with a value that is given for a parameter.

    Parameters
    ----------
    name : str
        The parameter.
    value : object
        As read.
    known : mapping
        Its ``default``, as written in the notebook, and its ``help``.

    Returns
    -------
    str
        Empty if it is of the kind of the default; a parameter whose default is None takes anything, and one
        whose help speaks of None takes that.
    """
    try:
        default = ast.literal_eval(str(known["default"]))
    except (ValueError, SyntaxError):  # computed, so of no kind that could be told here
        return ""
    if type(default) not in _KINDS or (value is None and "None" in str(known["help"])):
        return ""
    kinds, expected = (_SOURCES, "a text or a list") if name == "source" else _KINDS[type(default)]
    # True is a whole number to Python, and to nobody else.
    if isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool)):
        return ""
    number = _number(value, whole=float not in kinds) if int in kinds else None
    if number is not None:
        return f"{name} must be {expected}, and {value} is read as text; write {number}"
    hint = f"; write [{value}]" if list in kinds and isinstance(value, str) else ""
    return f"{name} must be {expected}, not {shown(value)}{hint}"


def _number(value: object, *, whole: bool) -> int | float | None:
    """Return the number that a text was meant to be, if it is one."""
    try:
        number = float(value) if isinstance(value, str) else math.nan
    except ValueError:
        return None
    if number.is_integer():
        return int(number)
    return number if math.isfinite(number) and not whole else None
