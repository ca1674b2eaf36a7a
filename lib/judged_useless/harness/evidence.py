"""What says that a result is useless: read off the messages for nothing, or asked of a model."""

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from judged_useless.harness.tool_messages import Conversation, ToolResult, blocks
from judged_useless.protocol.signals import JUDGE_QUESTION, lexical_judgment, parse_side_channel
from judged_useless.protocol.stated import stated_judgment
from judged_useless.protocol.vocabulary import JUDGMENTS

# Bounded repeats only, and tried at the beginning only: a result may be long.
_NOTHING = re.compile(
    r"(?:none|null|n/?a"
    r"|(?:(?:we |i )?found |there (?:are|were) |returned )?(?:no|0|zero) (?:\w{1,20} ){0,2}"
    r"(?:results?|matches|matching|hits|documents?|data|pages?|records?|articles?|entries)\b.{0,80}"
    r"|(?:nothing (?:was )?found|not found|\d{3} not found)\b.{0,80}"
    r"|(?:\w{1,20} ){0,2}timed? ?out\b.{0,80})[.!]?",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"traceback \(most recent call last\)"
    r"|(?:(?:http|api|tool|search|internal|server) ){0,2}[\w.]{0,80}(?:error|exception)"
    r"(?:\s?:|\s?[(\[]?\d|[.!]?$| (?:while|when|calling|executing|running)\b)",
    re.IGNORECASE,
)
#: Keys under which an object holds what was found, and those of its errors.
_FOUND = ("results", "result", "items", "data", "documents", "hits", "matches", "records", "entries")
_FAILED = ("error", "errors", "error_code", "is_error", "isError")

Signal = Callable[[Conversation, int], str | None]
Replies = dict[tuple[str, str], str]
AskAsync = Callable[[list[Any]], Awaitable[str]]


def _is_nothing(value: Any) -> bool:  # noqa: ANN401 - a value of JSON
    """Tell whether a value holds nothing, as `empty` is described on the page of the rule."""
    if isinstance(value, str):
        text = value.strip()
        return not text or bool(_ERROR.match(text) or (len(text) < 200 and _NOTHING.fullmatch(text)))
    if isinstance(value, dict):
        found = [value[name] for name in _FOUND if name in value]
        failed = not found and any(value.get(name) for name in _FAILED)
        return failed or all(map(_is_nothing, found or value.values()))
    return value is None or (isinstance(value, list) and all(map(_is_nothing, value)))


def _is_empty(result: ToolResult) -> bool:
    text = result.text.strip()
    try:
        return result.failed or _is_nothing(json.loads(text) if text[:1] in ("{", "[", '"') else text)
    except (ValueError, RecursionError):  # a text that only begins like JSON
        return _is_nothing(text)


def _by_results(conversation: Conversation, index: int, useless: Callable[[ToolResult], bool]) -> str:
    """Judge a step by its results: useless only if every one of them is."""
    return "USELESS" if all(map(useless, conversation.steps[index].results)) else "USEFUL"


def _empty(conversation: Conversation, index: int) -> str:
    return _by_results(conversation, index, _is_empty)


def _repeated(conversation: Conversation, index: int) -> str:
    seen = {result.text.strip() for step in conversation.steps[:index] for result in step.results}
    return _by_results(conversation, index, lambda result: result.text.strip() in seen)


def _lexical(conversation: Conversation, index: int) -> str:
    def useless(result: ToolResult) -> bool:
        return result.whole and lexical_judgment(conversation.question, result.text) == "USELESS"

    return _by_results(conversation, index, useless)


def _stated(conversation: Conversation, index: int) -> str | None:
    after = [*conversation.steps, conversation.proposed][index + 1]
    return stated_judgment(after.thought if after else "")


#: Signals that cost nothing: an empty or failed result; the same result again; few of the question's words
#: in it; what the agent's next turn says of it. ``USEFUL`` from the first three only means "not that".
FREE: dict[str, Signal] = {"empty": _empty, "repeated": _repeated, "lexical": _lexical, "stated": _stated}
#: Signals that cost a short call a step: the agent asked on a copy of its conversation, or another model
#: that sees the question and the result only.
ASKED = ("side_channel", "judge")


def _questioned(messages: list[dict[str, Any]]) -> list[Any]:
    """Return a copy of a conversation that ends with the question about its last result."""
    last = messages[-1]
    if last.get("role") == "user" and blocks(last):
        content = [*last["content"], {"type": "text", "text": JUDGE_QUESTION}]
        return [*messages[:-1], {**last, "content": content}]
    return [*messages, {"role": "user", "content": JUDGE_QUESTION}]


def _shown_to_a_judge(conversation: Conversation, index: int) -> list[Any]:
    found = "\n\n".join(result.text for result in conversation.steps[index].results)
    text = f"Question: {conversation.question}\n\nTool result: {found}\n\n{JUDGE_QUESTION}"
    return [{"role": "user", "content": text}]


async def judge_step(
    conversation: Conversation, index: int, signals: Sequence[str], replies: Replies, ask: AskAsync | None
) -> str | None:
    """Judge one step, and ask what is not known yet.

    USELESS if any of the signals says so, else USEFUL if any does, else UNPARSED if a reply could not be
    read, else None: nothing is known of this step. What is free is tried first.
    """
    said: set[str | None] = set()
    for name in sorted(signals, key=ASKED.__contains__):
        if name in FREE:
            said.add(FREE[name](conversation, index))
        else:
            step = conversation.steps[index]
            key = name, step.digest
            reply = replies.get(key)
            if reply is None and ask:
                before, own = conversation.messages[: step.end], name == "side_channel"
                copy = _questioned(before) if own else _shown_to_a_judge(conversation, index)
                reply = replies[key] = await ask(copy)
            said.add(parse_side_channel(reply or ""))
        if "USELESS" in said:
            break
    return next((word for word in JUDGMENTS if word in said), None)
