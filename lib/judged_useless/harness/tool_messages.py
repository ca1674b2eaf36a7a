"""What a conversation with tools holds: read from OpenAI (chat, Responses) or Anthropic messages."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
#: Items of the Responses for tools that the provider runs: a call and its result in one.
_HOSTED = re.compile("(web_search|file_search|code_interpreter|image_generation|mcp)_call")
#: Parts whose content is no text, or is not shown (what a provider's search found is encrypted).
_NO_TEXT = re.compile("image|audio|video|file|document|web_search_result$")


@dataclass(frozen=True)
class ToolResult:
    """What one tool call returned; `whole` tells whether `text` is all of it."""

    text: str
    whole: bool = True
    failed: bool = False


@dataclass
class Step:
    """What is called before a result comes back, and these results: calls side by side are one step."""

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
    """The messages, the latest question, its steps, and a turn that is proposed but has no results yet."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    question: str = ""
    steps: list[Step] = field(default_factory=list)
    proposed: Step | None = None


def _opened(value: Any) -> Any:  # noqa: ANN401 - whatever JSON doesn't know
    if hasattr(value, "model_dump"):
        return value.model_dump(exclude_none=True)
    if isinstance(value, Mapping):
        return dict(value)
    return vars(value) if hasattr(value, "__dict__") else str(value)


def plain(value: Any, name: str) -> dict[str, Any]:  # noqa: ANN401 - an SDK's object, or what it stands for
    """Return a message, tool or reply as JSON has it; `name` is what an error calls it."""
    given = json.loads(json.dumps(value, default=_opened))
    if not isinstance(given, dict):
        raise ValueError(f"{name} is {repr(value)[:60]}, expected a dictionary or an SDK's object")
    return given


def plain_message(value: Any, name: str) -> dict[str, Any]:  # noqa: ANN401
    """Return a message as JSON has it, its fields checked."""
    message = plain(value, name)
    role, kind = message.get("role"), message.get("type")
    item = role is None and kind and (kind == "reasoning" or "content" not in message)
    if role not in _ROLES and not item:
        raise ValueError(f"{name}.role is {role!r}, expected one of {', '.join(_ROLES)}")
    fields: dict[str, Any] = {"tool_calls": list, "function_call": dict, "summary": list}
    fields |= {} if role in ("tool", "function") else {"content": str | list}
    for key, expected in fields.items():
        given = message.get(key)
        calls = given if key == "tool_calls" and isinstance(given, list) else []
        if not isinstance(given, expected | None) or not all(isinstance(each, dict) for each in calls):
            raise ValueError(f"{name}.{key} is {repr(given)[:60]}, expected what the SDKs send there")
    return message


def blocks(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message's content that are dictionaries."""
    content = message.get("content")
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def has_part(message: Mapping[str, Any], kind: str) -> bool:
    """Tell whether a part of a message is of this kind: with ``tool_result``, also ``mcp_tool_result``."""
    return any(str(part.get("type")).endswith(kind) for part in blocks(message))


def is_result(message: Mapping[str, Any]) -> bool:
    """Tell whether a message carries results of tools, those of the provider's included."""
    return any(what == "result" for what, _ in _events(message))


def _text(content: Any) -> str:  # noqa: ANN401 - a text, or a list of parts
    """Return the text of what was said, the parts that are none left out."""
    parts = content if isinstance(content, list) else [content]
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return "\n".join(text for text in texts if isinstance(text, str) and text)


def _shown(content: Any) -> tuple[str, bool]:  # noqa: ANN401 - whatever a tool returned
    """Return what a tool returned as text, and whether that is all of it.

    Parts that are no text stand there as a digest; values that are no parts stand there as JSON.
    """
    parts = [part for part in (content if isinstance(content, list) else [content]) if part is not None]
    if not all(isinstance(part, str) or (isinstance(part, dict) and "type" in part) for part in parts):
        return json.dumps(content), True
    texts, whole = list[str](), True
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
        elif str(part["type"]).endswith("text") and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif _NO_TEXT.search(str(part["type"])):
            texts.append(f"[{part['type']} {hashlib.sha256(json.dumps(part).encode()).hexdigest()[:8]}]")
            whole = False
        else:
            texts.append(json.dumps(part))
    return "\n".join(filter(None, texts)), whole


def _call(call: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return (id, tool, arguments) of a call in any of the forms."""
    given = next((call[kind] for kind in ("function", "custom") if isinstance(call.get(kind), dict)), call)
    arguments = next((given[name] for name in ("arguments", "input", "action") if name in given), "")
    text = arguments if isinstance(arguments, str) else json.dumps(arguments, sort_keys=True)
    return str(call.get("call_id") or call.get("id") or ""), str(given.get("name", "")), text


def _events(message: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a message holds, in order: question, thought, call and result."""
    role, kind, content = message.get("role"), str(message.get("type")), message.get("content")
    if kind.endswith("_call"):
        call = _call(message)
        yield "call", call
        if _HOSTED.fullmatch(kind):
            unseen = {"type": "web_search_result", "of": message}
            shown = (message[name] for name in ("results", "outputs", "output", "error") if name in message)
            found = next((each for each in shown if each is not None), unseen)
            yield "result", (call[0], *_shown(found), bool(message.get("error")))
    elif kind == "reasoning":
        yield "thought", _text(message.get("summary"))
    elif kind.endswith("_call_output") or role in ("tool", "function"):
        identity = next((message[key] for key in ("call_id", "tool_call_id", "name") if key in message), None)
        yield "result", (identity, *_shown(message.get("output", content)), False)
    elif role == "user" and not has_part(message, "tool_result"):
        yield "question", _text(content)
    elif role in ("assistant", "user"):
        if role == "assistant":
            yield "thought", ""  # a turn begins, whatever it holds
        parts: list[Any] = content if isinstance(content, list) else [content]
        for part in parts:
            kind = str(part.get("type")) if isinstance(part, dict) else ""
            if kind.endswith("tool_result"):
                failed = bool(part.get("is_error"))
                yield "result", (part.get("tool_use_id"), *_shown(part.get("content")), failed)
            elif kind.endswith("tool_use"):
                yield "call", _call(part)
            elif role == "assistant" and _text(part):
                yield "thought", _text(part)
        for each in message.get("tool_calls") or ():
            yield "call", _call(each)
        if message.get("function_call"):
            named = message["function_call"]
            yield "call", _call({"id": named.get("name"), **named})


def turn_of(reply: Any) -> Step:  # noqa: ANN401 - whatever an SDK returns
    """Return what a reply of an OpenAI or Anthropic SDK (or its JSON) says and calls at last.

    What the provider's own tools did before that is left out.
    """
    given = plain(reply, "reply")
    if given.get("choices"):
        items = [plain(given["choices"][0], "reply.choices[0]").get("message")]
    else:
        items = given.get("output") or [given]
    turns = [{"role": "assistant"} | plain(item, f"reply.output[{n}]") for n, item in enumerate(items)]
    return read_conversation(turns).proposed or Step()


def read_conversation(messages: Sequence[Any], *, answer_tool: str | None = None) -> Conversation:
    """Read the steps since the latest question: a message of the user after an answer.

    What the user's side says in between (a reminder, "go on") begins nothing new. A search of the provider's
    own tools is a step, too; several in one message are one.

    Parameters
    ----------
    messages : sequence of dict
        Of an OpenAI chat, the input items of its Responses, or Anthropic messages; objects of the SDKs too.
    answer_tool : str, optional
        Tool by which the agent answers, and what it returns is no result; without one, a turn that calls no
        tool is the answer.

    Raises
    ------
    ValueError
        For a message that is none of these, by its index and field.
    """
    plainly: list[dict[str, Any]] = []
    read, step, answered = Conversation(plainly), Step(), True
    digest = hashlib.sha256()
    for index, given in enumerate(messages):
        message = plain_message(given, f"messages[{index}]")
        plainly.append(message)
        digest.update(json.dumps(message, sort_keys=True).encode())
        for what, value in _events(message):
            if what == "question":
                if answered:  # also of several before the first turn, the last is the question
                    read, step = Conversation(plainly, value), Step()
            elif what == "result":
                tool, _ = step.calls.get(str(value[0]), ("", ""))
                if tool != answer_tool or not tool:
                    if read.steps and read.steps[-1].end == index + 1:
                        step = read.steps[-1]  # several results of one message are one step
                    elif not step.results:
                        read.steps.append(step)
                    step.results.append(ToolResult(*value[1:]))
                    step.end, step.digest = index + 1, digest.hexdigest()
            else:
                if step.results:
                    step = Step()
                step.take(what, value)
                if what == "call":
                    answered = value[1] == answer_tool
                elif not step.calls:
                    answered = answer_tool is None
    read.proposed = step if (step.calls or step.thought) and not step.results else None
    return read
