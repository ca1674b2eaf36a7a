"""JSON in which no key of an object is given twice: in files, and in what models reply."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import ValidationError


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


def listed(names: Iterable[object], most: int = 20) -> str:
    """Return names as a message or a page lists them, whatever they hold and however many they are.

    Parameters
    ----------
    names : iterable
        Such as those of models in a file; one that is long, or has what is not printed, is quoted.
    most : int, default 20
        Names to give; of further ones, how many there are.

    Returns
    -------
    str

    Examples
    --------
    >>> listed(["qwen3-8b", "llama3.1-8b", "a model"], most=2), listed([7])
    ('qwen3-8b, llama3.1-8b and 1 more', '7')
    """
    texts = [
        name if isinstance(name, str) and name.isprintable() and len(name) <= 80 else shown(name)
        for name in names
    ]
    more = len(texts) - most
    return ", ".join(texts[:most]) + (f" and {more} more" if more > 0 else "")


def first_fault(error: "ValidationError") -> str:
    """Return the first thing that a pydantic model finds wrong: the field, what it is, what was expected.

    Parameters
    ----------
    error : pydantic.ValidationError
        Of one record.

    Returns
    -------
    str
        Such as ``calls, entry 2: t is '1', expected a valid integer``.
    """
    found = error.errors(include_url=False)[0]
    field = ""
    for part in found["loc"]:
        entry = f", entry {part + 1}" if isinstance(part, int) else f".{part}"
        field += entry.replace(".", ": ", 1) if ", entry" in field else entry
    field = field.removeprefix(".") or "the record"
    if found["type"] == "missing":
        return f"{field} is missing"
    expected = str(found["ctx"]["error"]) if found["type"] == "value_error" else found["msg"]
    return f"{field} is {shown(found['input'])}, expected {expected.removeprefix('Input should be ')}"


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


def reply_object(reply: str) -> dict[str, Any]:
    """Return the JSON object that a model replied with, which may stand in a code fence.

    Parameters
    ----------
    reply : str
        As generated; what stands before a last ``</think>`` is passed over.

    Returns
    -------
    dict
        Empty if the reply is anything else: no object, one with a key given twice, or one nested too deep.

    Examples
    --------
    >>> reply_object('```json{"label": "useful"}```'), reply_object('{"a": 1, "a": 2}')
    ({'label': 'useful'}, {})
    """
    text = reply.rpartition("</think>")[2].strip()
    # Cut by hand: a pattern with blanks on both sides of anything tries every way to share them out.
    if text.startswith("```") and text.endswith("```"):
        text = text[3:-3].removeprefix("json").strip()
    try:
        value = strict_loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


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
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise RepeatedKeyError(name)
            seen.add(name)
    return record
