"""The hard stop: a request that can only be answered, and a loop's last turns."""

from collections.abc import Awaitable, Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from judged_useless.harness.asking import exchange, exchange_async
from judged_useless.harness.tool_messages import as_dict, blocks, is_result, turn_of

# Both after the sentences of the paper's rule (Appendix B.1), which name its own actions: wording ours.
_ONLY_ANSWERING = "For this turn only, the tools are unavailable; the only thing left is to give your answer."
#: What the latest result ends with when only answering is left.
ANSWER_NOW = "Do not make any further tool calls. Give your final answer to the original question."


@dataclass(frozen=True)
class Answer:
    """How a stopped loop ended: its text (what there is of one), the last reply, and why it ended so."""

    text: str
    reply: Any
    reason: str


def _with_text(content: Any, text: str) -> Any:  # noqa: ANN401 - a text, or a list of parts
    if isinstance(content, list):
        kind = (
            "input_text"
            if any(part.get("type") == "input_text" for part in blocks({"content": content}))
            else "text"
        )
        return [*content, {"type": kind, "text": text}]
    return f"{content}\n\n{text}" if content else text


def _told(messages: list[Any]) -> list[Any]:
    """Return a conversation whose latest result ends with the sentence; what came after it is dropped."""
    last = max((i for i, each in enumerate(messages) if is_result(each)), default=None)
    if last is None:
        return [*messages, {"role": "user", "content": ANSWER_NOW}]
    message = messages[last]
    name = "output" if message.get("type") == "function_call_output" else "content"
    return [*messages[:last], {**message, name: _with_text(message.get(name), ANSWER_NOW)}]


def answer_only(request: Mapping[str, Any], *, answer_tool: str | None = None) -> dict[str, Any]:
    """Return a request that leaves only answering.

    Parameters
    ----------
    request : mapping
        What the SDK is called with: ``messages`` (OpenAI chat, Anthropic) or ``input`` (Responses), tools.
    answer_tool : str, optional
        Tool by which the agent answers: it alone is offered, and asked for.

    Returns
    -------
    dict
        Without tools, or without a choice of one where the protocol wants them listed (Anthropic); the
        instructions and the latest result end with a sentence that says so. A turn proposed after that
        result is dropped. `request` is not changed.
    """
    changed = dict(request)
    where = "input" if "input" in request else "messages"
    messages = [as_dict(each) for each in request[where]] if not isinstance(request[where], str) else []
    tools = [as_dict(each) for each in request.get("tools") or ()]
    anthropic = any("input_schema" in tool for tool in tools) or any(
        part.get("type") in ("tool_use", "tool_result") for each in messages for part in blocks(each)
    )
    if messages:
        changed[where] = _told(messages)
    for name in ("tools", "tool_choice", "parallel_tool_calls"):
        changed.pop(name, None)
    named = [tool for tool in tools if (tool.get("function") or tool).get("name") == answer_tool]
    if anthropic and tools:
        changed["tools"] = named or tools
        changed["tool_choice"] = {"type": "tool", "name": answer_tool} if named else {"type": "none"}
    elif named:
        flat = {"type": "function", "name": answer_tool}
        changed["tools"] = named
        changed["tool_choice"] = (
            flat if where == "input" else {"type": "function", "function": {"name": answer_tool}}
        )
    if where == "input":
        changed["instructions"] = _with_text(request.get("instructions"), _ONLY_ANSWERING)
    elif anthropic:
        changed["system"] = _with_text(request.get("system"), _ONLY_ANSWERING)
    elif messages and messages[0].get("role") in ("system", "developer"):
        first = changed[where][0]
        changed[where][0] = {**first, "content": _with_text(first.get("content"), _ONLY_ANSWERING)}
    return changed


def _last_turns(
    request: Mapping[str, Any], answer_tool: str | None, why: str
) -> Generator[dict[str, Any], Any, Answer]:
    said: list[str] = []
    for _ in range(2):
        reply = yield answer_only(request, answer_tool=answer_tool)
        turn = turn_of(reply)
        for tool, arguments in turn.calls.values():
            if tool == answer_tool:
                return Answer(arguments, reply, why)
        if not turn.calls and turn.thought.strip():
            return Answer(turn.thought, reply, why)
        said.append(turn.thought)
    text = next(filter(None, reversed(said)), "")
    return Answer(text, reply, f"{why}; asked twice for an answer, it gave none, and no tool was called")


def final_answer(
    send: Callable[..., Any],
    request: Mapping[str, Any],
    *,
    answer_tool: str | None = None,
    why: str = "the rule fired",
) -> Answer:
    """Let a stopped agent answer: two turns at most, and no tool is called whatever it asks for.

    Parameters
    ----------
    send : callable
        The SDK's method, such as ``client.chat.completions.create``; called with the request's fields.
    request : mapping
        The request that the loop would have sent.
    answer_tool : str, optional
        Tool by which the agent answers; its arguments are the text then.
    why : str
        Reason to hand on, such as that of the decision.
    """
    return exchange(_last_turns(request, answer_tool, why), lambda changed: send(**changed))


async def final_answer_async(
    send: Callable[..., Awaitable[Any]],
    request: Mapping[str, Any],
    *,
    answer_tool: str | None = None,
    why: str = "the rule fired",
) -> Answer:
    """As :func:`final_answer`, with a ``send`` that is awaited."""
    return await exchange_async(_last_turns(request, answer_tool, why), lambda changed: send(**changed))
