"""JSON in which no key of an object is given twice: in files, and in what models reply."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from pydantic_core import from_json

from judged_useless._io.messages import shown

#: Every key ends in one of these; a text may hold them too.
_KEY_ENDS = ('":', " :", "\t:", "\r:", "\n:")


class RepeatedKeyError(ValueError):
    """An object with a key given twice, of which a plain reader would silently keep the last."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"key {shown(key)} is given twice")


def strict_loads(text: str) -> Any:  # noqa: ANN401 - whatever JSON holds
    """Return what a JSON text holds; a ValueError or RecursionError says why it cannot be read."""
    try:  # five times as fast, but the last of a repeated key wins, and what is wrong is not said as well
        value = from_json(text)
        if isinstance(value, dict) and sum(map(text.count, _KEY_ENDS)) == len(value):
            return value
    except ValueError:
        pass
    return json.loads(text, object_pairs_hook=_object)


def reply_object(reply: str) -> dict[str, Any]:
    """Return the JSON object that a model replied with, which may stand in a code fence.

    What stands before a last ``</think>`` is passed over. Empty if the reply is anything else: no object, one
    with a key given twice, or one nested too deep.

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
    """Return the object that a JSON file holds, None without the file; a ValueError names it otherwise."""
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
        raise RepeatedKeyError(Counter(name for name, _ in pairs).most_common(1)[0][0])
    return record
