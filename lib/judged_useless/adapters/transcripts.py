"""Doors for chats recorded by other software; `inspect_ai` and `inspect_scout` read and convert them."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from judged_useless.episodes.schema import KEY, EpisodeError

_Result = TypeVar("_Result")
#: Fields of our own that a record with messages may have beside them.
_LABELS = (*KEY, "seed", "budget", "task", "success", "judgments", "failed")
#: Where a record has its messages; a task's own id.
_MESSAGES, _IDS = ("messages", "input", "traj"), ("question_id", "task_id", "conversation", "id")
_RESPONSES = ("function_call", "function_call_output", "reasoning", "message", "web_search_call")


@dataclass(frozen=True)
class Chat:
    """One recorded chat, with messages of `inspect_ai.model`.

    `labels` are fields of its episodes, `one` says that all of it is one task, `form` what it was, and `path`
    and `line` where it stood.
    """

    messages: list[Any]
    labels: dict[str, Any]
    one: bool
    form: str
    path: Path
    line: int = 1


def _needed(path: Path, form: str, error: ImportError) -> ImportError:
    return ImportError(
        f"{path}: {form} is read by inspect-ai and inspect-scout; pip install 'judged-useless[transcripts]' "
        f"({error})"
    )


def _run(work: Awaitable[_Result]) -> _Result:
    """Wait for what Inspect only offers asynchronously, also where a loop is running, as in a notebook."""

    async def waited() -> _Result:
        return await work

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, waited()).result()


def read_transcripts(path: Path) -> list[Chat]:
    """Return the chats of an Inspect log, a folder of such, or a Scout transcript database."""
    try:
        from inspect_scout import TranscriptContent, transcripts_from
    except ImportError as error:
        raise _needed(path, "an Inspect log or Scout database", error) from error

    async def read() -> list[Any]:
        async with transcripts_from(str(path)).reader() as reader:
            content = TranscriptContent(messages="all")
            return [await reader.read(info, content) async for info in reader.index()]

    return _of_transcripts(path, _run(read()))


def read_claude_code(path: Path) -> list[Chat]:
    """Return the chats of a Claude Code session file."""
    try:
        from inspect_scout.sources import claude_code
    except ImportError as error:
        raise _needed(path, "a Claude Code session", error) from error

    async def read(transcripts: AsyncIterator[Any]) -> list[Any]:
        return [transcript async for transcript in transcripts]

    return _of_transcripts(path, _run(read(claude_code(path))))


def _of_transcripts(path: Path, transcripts: Iterable[Any]) -> list[Chat]:
    """Return transcripts as chats, in the order of their questions: a database has none of its own."""
    chats: list[Chat] = []
    for each in sorted(transcripts, key=lambda it: (str(it.task_id or it.source_id), str(it.transcript_id))):
        inspect = each.source_type == "eval_log"
        known = {
            "question_id": str(each.task_id or each.source_id or each.transcript_id),
            "model": each.model, "condition": each.agent, "split": each.task_set, "success": each.success,
        }  # fmt: skip
        stated = each.metadata.get("sample_metadata") or {} if inspect else each.metadata
        stated = json.loads(stated) if isinstance(stated, str) else stated
        known |= {name: stated[name] for name in _LABELS if name in stated}
        labels = {name: value for name, value in known.items() if value is not None}
        labels |= {"error": each.error} if each.error else {}
        form = "Inspect log" if inspect else f"transcript of {each.source_type or 'a Scout database'}"
        chats.append(Chat(each.messages, labels, inspect, form, path, len(chats) + 1))
    return chats


def has_messages(record: Mapping[str, Any]) -> bool:
    """Tell whether a record of a file holds a conversation."""
    return any(isinstance(record.get(name), list) for name in _MESSAGES) or _is_atif(record)


def is_message(record: Mapping[str, Any]) -> bool:
    """Tell whether a record of a file is one message itself, so that the file is a conversation."""
    return "role" in record or record.get("type") in _RESPONSES


def is_claude_code(record: Mapping[str, Any]) -> bool:
    """Tell whether a record begins a session of Claude Code."""
    return "sessionId" in record or (record.get("type") == "summary" and "leafUuid" in record)


def _is_atif(record: Mapping[str, Any]) -> bool:
    return str(record.get("schema_version", "")).startswith("ATIF") and isinstance(record.get("steps"), list)


def chats_of_records(path: Path, numbers: Iterable[int], records: Iterable[dict[str, Any]]) -> list[Chat]:
    """Return recorded message lists as chats: OpenAI's two kinds, Anthropic's, and ATIF trajectories.

    Raises
    ------
    EpisodeError
        For a record without messages, or one that cannot be converted; with file, line and reason.
    ImportError
        Without the packages that convert them; the message has the line that installs them.
    """
    try:
        from inspect_ai.model import (
            messages_from_anthropic,
            messages_from_openai,
            messages_from_openai_responses,
        )
    except ImportError as error:
        raise _needed(path, "a list of messages", error) from error
    convert: dict[str, Any] = {
        "OpenAI chat": messages_from_openai,
        "OpenAI Responses": messages_from_openai_responses,
        "Anthropic messages": messages_from_anthropic,
    }

    async def read() -> list[Chat]:
        chats = []
        for number, record in zip(numbers, records, strict=True):
            place = f"{path}, line {number}"
            atif = _is_atif(record)
            messages = _atif_messages(record, place) if atif else _messages(record, place)
            form = _dialect(messages)
            try:
                converted = await convert[form](messages)
            except Exception as error:  # whatever a converter stumbles over, the log is at fault
                what = f"{type(error).__name__}: {str(error)[:300]}"
                raise EpisodeError(f"{place}: messages that are no {form} ({what})") from error
            labels = {name: record[name] for name in _LABELS if record.get(name) is not None}
            labels.setdefault("question_id", str(_id(record) or f"{path.name}:{number}"))
            form = "ATIF trajectory" if atif else form
            chats.append(Chat(converted, labels, False, form, path, number))
        return chats

    return _run(read())


def _id(record: Mapping[str, Any]) -> object:
    return next((record[name] for name in (*_IDS, "session_id") if record.get(name) is not None), None)


def _messages(record: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    name = next((name for name in _MESSAGES if isinstance(record.get(name), list)), None)
    if name is None:
        raise EpisodeError(
            f"{place}: no list of messages under {', '.join(_MESSAGES)}; it has {list(record)}"
        )
    output = record.get("output")
    messages = [*record[name], *(output if name == "input" and isinstance(output, list) else [])]
    for entry, message in enumerate(messages, 1):
        if not isinstance(message, dict) or not (is_message(message) or "type" in message):
            raise EpisodeError(f"{place}: field {name!r}: entry {entry}: expected a message with its role")
    return messages


def _dialect(messages: list[dict[str, Any]]) -> str:
    """Return whose messages these are."""
    if any("role" not in message or message.get("type") in _RESPONSES for message in messages):
        return "OpenAI Responses"
    parts = (part for each in messages if isinstance(each.get("content"), list) for part in each["content"])
    if any(isinstance(part, dict) and part.get("type") in ("tool_use", "tool_result") for part in parts):
        return "Anthropic messages"
    return "OpenAI chat"


def _atif_messages(record: Mapping[str, Any], place: str) -> list[dict[str, Any]]:
    """Return an ATIF trajectory as OpenAI chat messages; Scout's own importer needs Python 3.12."""
    messages: list[dict[str, Any]] = []
    try:
        for step in record["steps"]:
            role = {"agent": "assistant"}.get(step["source"], step["source"])
            message = {"role": role, "content": step.get("message") or step.get("reasoning_content") or ""}
            calls = [
                {
                    "id": call["tool_call_id"],
                    "type": "function",
                    "function": {"name": call["function_name"], "arguments": json.dumps(call["arguments"])},
                }
                for call in step.get("tool_calls") or ()
            ]
            messages.append(message | ({"tool_calls": calls} if calls else {}))
            for result in (step.get("observation") or {}).get("results", ()):
                source = result.get("source_call_id") or (calls[0]["id"] if calls else None)
                content = result.get("content") or ""
                messages.append({"role": "tool", "tool_call_id": source, "content": content})
    except (KeyError, TypeError, AttributeError) as error:
        raise EpisodeError(f"{place}: no ATIF trajectory as its RFC has it ({error!r})") from error
    return messages
