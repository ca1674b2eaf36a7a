"""Doors for chats recorded by other software; `inspect_ai` and `inspect_scout` read and convert them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from judged_useless.episodes.schema import KEY, EpisodeError

Record = Mapping[str, Any]
#: Fields of our own that a record with messages may have beside them.
_LABELS = (*KEY, "seed", "budget", "task", "success", "judgments", "failed")
#: Where a record has its messages, and its id.
_MESSAGES = ("messages", "input", "traj")
_IDS = ("question_id", "task_id", "conversation", "id", "session_id")
#: What items of OpenAI's Responses are, which have no role.
_ITEMS = ("function_call", "function_call_output", "reasoning", "message", "web_search_call")
_CONVERTERS = {
    "OpenAI chat": "messages_from_openai",
    "OpenAI Responses": "messages_from_openai_responses",
    "Anthropic messages": "messages_from_anthropic",
}


@dataclass(frozen=True)
class Chat:
    """One recorded chat: messages of `inspect_ai.model`, and what is known of it.

    `labels` are fields of its episodes, `one` says that all of it is one task, `form` what it was, and `path`
    and `line` where it stood.
    """

    messages: list[Any]
    labels: dict[str, Any]
    one: bool
    form: str
    path: Path
    line: int


def _package(name: str, path: Path) -> Any:  # noqa: ANN401 - a module
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(
            f"{path}: Inspect's packages read it; pip install 'judged-useless[transcripts]' ({error})"
        ) from error


def _run(path: Path, form: str, work: Coroutine[Any, Any, list[Any]]) -> list[Any]:
    """Wait for what Inspect only offers asynchronously, also where a loop is running, as in a notebook."""
    try:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, work).result()
    except EpisodeError:
        raise
    except Exception as error:  # whatever a reader stumbles over, the log is at fault
        raise EpisodeError(f"{path}: no {form} that can be read ({_what(error)})") from error


def _what(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())[:300]}"


def read_transcripts(path: Path) -> list[Chat]:
    """Return the chats of an Inspect log, a folder of such, or a Scout transcript database."""
    scout = _package("inspect_scout", path)

    async def read() -> list[Any]:
        async with scout.transcripts_from(str(path)).reader() as reader:
            everything = scout.TranscriptContent(messages="all")
            return [await reader.read(info, everything) async for info in reader.index()]

    return _of_transcripts(path, _run(path, "Inspect log or transcript database", read()))


def read_claude_code(path: Path) -> list[Chat]:
    """Return the chats of a Claude Code session file."""
    sessions: Callable[[Path], AsyncIterator[Any]] = _package("inspect_scout.sources", path).claude_code

    async def read() -> list[Any]:
        return [transcript async for transcript in sessions(path)]

    return _of_transcripts(path, _run(path, "Claude Code session", read()))


def _of_transcripts(path: Path, transcripts: Iterable[Any]) -> list[Chat]:
    """Return transcripts as chats, in the order of their questions: a database has none of its own."""
    chats: list[Chat] = []
    for each in sorted(transcripts, key=lambda it: (str(it.task_id or it.source_id), str(it.transcript_id))):
        inspect = each.source_type == "eval_log"
        known = {
            "question_id": str(each.task_id or each.source_id or each.transcript_id), "model": each.model,
            "condition": each.agent, "split": each.task_set, "success": each.success, "error": each.error,
        }  # fmt: skip
        stated = each.metadata.get("sample_metadata") or {} if inspect else each.metadata
        stated = json.loads(stated) if isinstance(stated, str) else stated
        known |= {name: stated[name] for name in _LABELS if name in stated}
        labels = {name: value for name, value in known.items() if value not in (None, "")}
        form = "Inspect log" if inspect else f"transcript of {each.source_type or 'a Scout database'}"
        chats.append(Chat(each.messages, labels, inspect, form, path, len(chats) + 1))
    return chats


def form_of(record: Record) -> str:
    """Return what a record of a file is: of an Inspect log, a session, a conversation, or one message."""
    if "eval" in record and "version" in record:
        return "Inspect log"
    if "sessionId" in record or (record.get("type") == "summary" and "leafUuid" in record):
        return "Claude Code"
    if _is_message(record):
        return "message"
    return "conversation" if _is_atif(record) or any(name in record for name in _MESSAGES) else ""


def _is_message(record: Record) -> bool:
    return "role" in record or record.get("type") in _ITEMS


def _is_atif(record: Record) -> bool:
    return str(record.get("schema_version", "")).startswith("ATIF") and isinstance(record.get("steps"), list)


def chats_of_records(path: Path, records: Iterable[tuple[int, Record]]) -> list[Chat]:
    """Return message lists as chats: OpenAI's two kinds, Anthropic's, and ATIF trajectories."""
    package = _package("inspect_ai.model", path)

    async def read() -> list[Chat]:
        chats = []
        for line, record in records:
            atif = _is_atif(record)
            messages = _messages(record, f"{path}, line {line}")
            form = _dialect(messages)
            try:
                converted = await getattr(package, _CONVERTERS[form])(messages)
            except Exception as error:
                what = f"messages that are no {form} ({_what(error)})"
                raise EpisodeError(f"{path}, line {line}: {what}") from error
            labels = {name: record[name] for name in _LABELS if record.get(name) is not None}
            named = (record[name] for name in _IDS if record.get(name) is not None)
            labels["question_id"] = str(next(named, f"{path.name}:{line}"))
            chats.append(Chat(converted, labels, False, "ATIF trajectory" if atif else form, path, line))
        return chats

    return _run(path, "chat", read())


def _messages(record: Record, place: str) -> list[dict[str, Any]]:
    if _is_atif(record):
        try:
            return _atif_messages(record["steps"])
        except (KeyError, TypeError, AttributeError) as error:
            raise EpisodeError(f"{place}: no ATIF trajectory as its RFC has it ({error!r})") from error
    name = next((name for name in _MESSAGES if isinstance(record.get(name), list)), None)
    if name is None:
        raise EpisodeError(f"{place}: no list of {', '.join(_MESSAGES)}; it has {', '.join(record)}")
    output = record.get("output")
    messages = [*record[name], *(output if name == "input" and isinstance(output, list) else [])]
    for entry, message in enumerate(messages, 1):
        if not isinstance(message, dict) or not _is_message(message):
            raise EpisodeError(f"{place}: field {name!r}: entry {entry}: expected a message with its role")
    # What an SDK's object says nothing of, it dumps as null, which it would not take back; and an answer
    # after a turn of calls and no content would be put into that turn.
    kept = [{name: value for name, value in each.items() if value is not None} for each in messages]
    return [({"content": ""} if "role" in each else {}) | each for each in kept]


def _dialect(messages: list[dict[str, Any]]) -> str:
    """Return whose messages these are."""
    if any("role" not in message or message.get("type") in _ITEMS for message in messages):
        return "OpenAI Responses"
    lists = [message["content"] for message in messages if isinstance(message.get("content"), list)]
    kinds = {part.get("type") for parts in lists for part in parts if isinstance(part, dict)}
    return "Anthropic messages" if kinds & {"tool_use", "tool_result"} else "OpenAI chat"


def _atif_messages(steps: list[Any]) -> list[dict[str, Any]]:
    """Return an ATIF trajectory as OpenAI chat messages; Scout's own importer needs Python 3.12."""
    messages: list[dict[str, Any]] = []
    for step in steps:
        role = "assistant" if step["source"] == "agent" else step["source"]
        message = {"role": role, "content": step.get("message") or step.get("reasoning_content") or ""}
        calls = step.get("tool_calls") or []
        if calls:
            message["tool_calls"] = [
                {
                    "id": call["tool_call_id"], "type": "function",
                    "function": {"name": call["function_name"], "arguments": json.dumps(call["arguments"])},
                }
                for call in calls
            ]  # fmt: skip
        messages.append(message)
        for result in (step.get("observation") or {}).get("results", ()):
            called = result.get("source_call_id") or (calls[0]["tool_call_id"] if calls else None)
            messages.append({"role": "tool", "tool_call_id": called, "content": result.get("content") or ""})
    return messages
