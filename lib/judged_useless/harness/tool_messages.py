"""What a conversation with tools holds: read from OpenAI (chat, Responses) or Anthropic messages."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Message = Mapping[str, Any]


@dataclass(frozen=True)
class ToolResult:
    """What one tool call returned."""

    tool: str
    arguments: str
    text: str
    failed: bool = False


@dataclass
class Step:
    """One turn that called tools, and what came back; calls side by side are one step."""

    thought: str = ""
    calls: dict[str, tuple[str, str]] = field(default_factory=dict)
    results: list[ToolResult] = field(default_factory=list)
    #: Messages up to the last result of this step, and a digest of their content.
    end: int = 0
    digest: str = ""

    def take(self, what: str, value: Any) -> None:  # noqa: ANN401 - what :func:`_events` yields
        """Add a call or a thought of the turn."""
        if what == "call":
            identity, tool, arguments = value
            self.calls[identity] = tool, arguments
        else:
            self.thought = "\n".join(filter(None, [self.thought, value]))


@dataclass
class Conversation:
    """The latest question, its steps, and a turn that is proposed but has no results yet."""

    question: str = ""
    steps: list[Step] = field(default_factory=list)
    proposed: Step | None = None


def as_dict(value: Any) -> Any:  # noqa: ANN401 - an SDK's object, or what it stands for
    """Return a message as a dictionary: those of the SDKs are pydantic models."""
    return value.model_dump(exclude_none=True) if hasattr(value, "model_dump") else value


def text_of(content: Any) -> str:  # noqa: ANN401 - a text, or a list of parts
    """Return the text of a message's content, the parts that are none left out."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = [part if isinstance(part, str) else part.get("text", "") for part in map(as_dict, parts)]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def is_result(message: Message) -> bool:
    """Tell whether a message carries results of tools."""
    return (
        message.get("role") == "tool"
        or message.get("type") == "function_call_output"
        or any(part.get("type") == "tool_result" for part in blocks(message))
    )


def blocks(message: Message) -> list[Message]:
    """Return the parts of a message's content that are dictionaries."""
    content = message.get("content")
    parts = map(as_dict, content if isinstance(content, list) else [])
    return [part for part in parts if isinstance(part, Mapping)]


def _call(call: Message) -> tuple[str, str, str]:
    """Return (id, tool, arguments) of a call in any of the forms."""
    given = call.get("function") or call
    arguments = given.get("arguments", given.get("input", ""))
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, sort_keys=True)
    return str(call.get("call_id") or call.get("id") or ""), str(given.get("name", "")), text


def _events(message: Message) -> Iterator[tuple[str, Any]]:
    """Yield what a message holds, in order: question, thought, call and result."""
    role, kind = message.get("role"), message.get("type")
    if kind == "function_call":
        yield "call", _call(message)
    elif kind == "reasoning":
        yield "thought", text_of(message.get("summary"))
    elif kind == "function_call_output":
        yield "result", (message.get("call_id"), text_of(message.get("output")), False)
    elif role == "tool":
        yield "result", (message.get("tool_call_id"), text_of(message.get("content")), False)
    elif role == "assistant":
        yield "thought", text_of(message.get("content"))
        calls = [as_dict(call) for call in message.get("tool_calls") or ()]
        calls += [part for part in blocks(message) if part.get("type") == "tool_use"]
        for call in calls:
            yield "call", _call(call)
    elif role == "user" and is_result(message):
        for part in blocks(message):
            if part.get("type") == "tool_result":
                failed = bool(part.get("is_error"))
                yield "result", (part.get("tool_use_id"), text_of(part.get("content")), failed)
    elif role == "user":
        yield "question", text_of(message.get("content"))


def turn_of(reply: Any) -> Step:  # noqa: ANN401 - whatever an SDK returns
    """Return what a reply of an OpenAI or Anthropic SDK (or its JSON) says and calls."""
    given = as_dict(reply)
    if given.get("choices"):
        messages = [as_dict(as_dict(given["choices"][0])["message"])]
    else:
        messages = [as_dict(item) for item in given.get("output") or [given]]
    step = Step()
    for message in messages:
        for what, value in _events({"role": "assistant"} | dict(message)):
            if what in ("call", "thought"):
                step.take(what, value)
    return step


def read_conversation(messages: Sequence[Any], *, answer_tool: str | None = None) -> Conversation:
    """Read the steps since the latest question: a message of the user after an answer.

    What the user's side says in between (a reminder, "go on") begins nothing new.

    Parameters
    ----------
    messages : sequence of dict
        Of an OpenAI chat, the input items of its Responses, or Anthropic messages; objects of the SDKs too.
    answer_tool : str, optional
        Tool by which the agent answers, and what it returns is no result; without one, a turn that calls no
        tool is the answer.
    """
    read, step, answered = Conversation(), Step(), True
    digest = hashlib.sha256()
    for index, message in enumerate(map(as_dict, messages)):
        digest.update(json.dumps(message, sort_keys=True, default=str).encode("utf-8", "replace"))
        for what, value in _events(message):
            if what == "question":
                if answered:  # also of several before the first turn, the last is the question
                    read, step = Conversation(question=value), Step()
            elif what == "result":
                tool, arguments = step.calls.get(str(value[0]), ("", ""))
                if tool != answer_tool or not tool:
                    if not step.results:
                        read.steps.append(step)
                    step.results.append(ToolResult(tool, arguments, *value[1:]))
                    step.end, step.digest = index + 1, digest.hexdigest()
            else:
                if step.results:
                    step = Step()
                step.take(what, value)
                if what == "call":
                    answered = value[1] == answer_tool
                else:
                    answered = answer_tool is None and not step.calls
    read.proposed = step if (step.calls or step.thought) and not step.results else None
    return read
