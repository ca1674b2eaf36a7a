"""Whether what a record of a job lists holds what is read of it: messages, calls, events, plain values."""

from collections.abc import Mapping, Sequence
from types import UnionType
from typing import Any

from judged_useless._io.strict_json import shown
from judged_useless.runs.store import RunError

Kind = type | UnionType

#: What a value of a type is called where it was expected.
WORDS: dict[Kind, str] = {
    dict: "an object", str: "a text", int: "a whole number", list: "a list", bool: "true or false",
    str | None: "a text or null", int | None: "a whole number or null",
}  # fmt: skip
_ROLES = ("system", "user", "assistant")
#: Fields that are lists of objects -> what is read of each entry.
_OBJECTS: dict[str, dict[str, Kind]] = {
    "messages": {"role": str, "content": str},
    "calls": {
        "kind": str, "t": int, "text": str, "finish_reason": str,
        "prompt_tokens": int | None, "completion_tokens": int | None,
    },
    "events": {"t": int, "event": str},
    "observation_meta": {},
    "timings": {},
    "results": {},
}  # fmt: skip
#: Fields that are lists of plain values -> of which kind, or None where the episodes' schema says it.
_PLAIN: dict[str, Kind | None] = {"actions": None, "judgments": None, "stated": None, "failed": bool}
_VALUES: dict[str, Kind] = {"answer": str | None, "termination": str | None}


def is_kind(value: object, kind: Kind) -> bool:
    """Tell whether a JSON value is of a kind; true and false are no numbers.

    Parameters
    ----------
    value : object
        The value.
    kind : type
        A key of `WORDS`.

    Returns
    -------
    bool
    """
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def check_entries(place: str, record: Mapping[str, Any], fields: Sequence[str]) -> None:
    """Check what a record lists.

    Parameters
    ----------
    place : str
        Such as file and line.
    record : mapping
        With every one of `fields`.
    fields : sequence of str
        Fields that it has to have.

    Raises
    ------
    RunError
        If something is not of its kind; the message names place and field.
    """
    for name in fields:
        value = record[name]
        if name in _VALUES and not is_kind(value, _VALUES[name]):
            raise RunError(f"{place}: {name} is {shown(value)}, expected {WORDS[_VALUES[name]]}")
        if name not in _PLAIN and name not in _OBJECTS:
            continue
        if not isinstance(value, list):
            raise RunError(f"{place}: {name} is {shown(value)}, expected a list")
        for number, entry in enumerate(value, 1):
            if fault := _entry_fault(name, entry):
                raise RunError(f"{place}: {name}, entry {number}{fault}")


def _entry_fault(name: str, entry: object) -> str:
    if name in _PLAIN:
        kind = _PLAIN[name]
        return "" if kind is None or is_kind(entry, kind) else f" is {shown(entry)}, expected {WORDS[kind]}"
    if not isinstance(entry, dict):
        return f" is {shown(entry)}, expected an object"
    for field, kind in _OBJECTS[name].items():
        if field not in entry or not is_kind(entry[field], kind):
            found = shown(entry[field]) if field in entry else "missing"
            return f": {field} is {found}, expected {WORDS[kind]}"
    if name == "messages" and entry["role"] not in _ROLES:
        return f": role is {shown(entry['role'])}, expected one of {', '.join(_ROLES)}"
    return ""
