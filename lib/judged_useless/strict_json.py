"""JSON in which no key of an object is given twice."""

import json
from pathlib import Path
from typing import Any


class RepeatedKeyError(ValueError):
    """An object with a key given twice, of which a plain reader would silently keep the last."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"key {shown(key)} is given twice")


def shown(value: object, length: int = 80) -> str:
    """Return a value as a message repeats it.

    Parameters
    ----------
    value : object
        Such as a wrong entry of a file.
    length : int, default 80
        Characters of its representation to keep.

    Returns
    -------
    str
        With "…" where something was left out.

    Examples
    --------
    >>> shown("USELESS"), shown("x" * 100, 10)
    ("'USELESS'", "'xxxxxxxxx…")
    """
    text = repr(value)
    return text if len(text) <= length else f"{text[:length]}…"


def strict_loads(text: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return what a JSON text holds.

    Parameters
    ----------
    text : str
        One JSON value.

    Returns
    -------
    object

    Raises
    ------
    RepeatedKeyError
        If an object has a key twice.
    json.JSONDecodeError
        If the text is not JSON.
    ValueError, RecursionError
        If a number is too long, or brackets are too deep, to be read.
    """
    return json.loads(text, object_pairs_hook=_object)


def read_object(file: Path) -> dict[str, Any] | None:
    """Return the object that a JSON file holds.

    Parameters
    ----------
    file : pathlib.Path
        Such as the manifest of a run.

    Returns
    -------
    dict or None
        None if there is no such file.

    Raises
    ------
    ValueError
        If it holds anything else; the message names the file.
    """
    if not file.is_file():
        return None
    try:
        value = strict_loads(file.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: not valid JSON ({error})") from error
    if not isinstance(value, dict):
        raise ValueError(f"{file}: expected a JSON object, found {type(value).__name__}")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise RepeatedKeyError(next(name for place, name in enumerate(names) if name in names[:place]))
    return record
