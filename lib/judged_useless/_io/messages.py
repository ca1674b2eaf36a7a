"""Values, names and foreign text as messages and pages show them."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError

#: Characters that move the cursor, ring, or turn the direction of what stands beside them -> a visible mark.
_MARKS: dict[int, str] = {
    **{code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\n\t"},
    0x7F: "␡",
    **{
        code: f"<U+{code:04X}>"
        for first, last in ((0x80, 0x9F), (0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069))
        for code in range(first, last + 1)
    },
    0x61C: "<U+061C>",
}


def visible(text: str) -> str:
    r"""Return what a model or a server wrote with control and bidirectional characters as visible marks.

    Line ends and tabs stay.

    Examples
    --------
    >>> visible("\x1b[2J bell\x07 and \u202eturned")
    '␛[2J bell␇ and <U+202E>turned'
    """
    return text.translate(_MARKS)


def shown(value: object, length: int = 80) -> str:
    """Return a value, such as a wrong entry of a file, as a message repeats it: cut to a length.

    Examples
    --------
    >>> shown("USELESS"), shown("x" * 100, 10)
    ("'USELESS'", "'xxxxxxxxx…")
    """
    text = repr(value)
    return text if len(text) <= length else f"{text[:length]}…"


def listed(names: Iterable[object], most: int = 20) -> str:
    """Return names as a message or a page lists them: strange ones quoted, and beyond `most` how many.

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
    """Return the first thing that a pydantic model finds wrong with a record.

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
