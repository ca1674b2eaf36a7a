"""The hard stop: a request that can only be answered, and a loop's last turns."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from judged_useless.harness.message_rule import awaited, run_now
from judged_useless.harness.tool_messages import blocks, has_part, is_result, plain, plain_message, turn_of

# Both after the sentences of the paper's rule (Appendix B.1), which name its own actions: wording ours.
_ONLY_ANSWERING = "For this turn only, the tools are unavailable; the only thing left is to give your answer."
#: Fields by which a request offers tools, or lets the provider look something up by itself.
_OFFERING = re.compile("(parallel_)?tool(s|_choice|_calls)|functions?(_call)?|web_search_options|mcp_servers")
#: What the latest result ends with when only answering is left.
ANSWER_NOW = "Do not make any further tool calls. Give your final answer to the original question."


@dataclass(frozen=True)
class Answer:
    """How a stopped loop ended: its text (what there is of one), the last reply, and why it ended so."""

    text: str
    reply: Any
    reason: str


def _with_text(content: str | list[Any] | None, text: str) -> str | list[Any]:
    if isinstance(content, list):
        responses = any(part.get("type") == "input_text" for part in blocks({"content": content}))
        return [*content, {"type": "input_text" if responses else "text", "text": text}]
    return f"{content}\n\n{text}" if content else text


def _told(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return a conversation whose latest result ends with the sentence; what came after it is dropped."""
    last = max((i for i, each in enumerate(messages) if is_result(each)), default=len(messages) - 1)
    message = messages[last]
    role, kind = message.get("role"), message.get("type")
    name = "output" if kind in ("function_call_output", "custom_tool_call_output") else "content"
    content = message.get(name)
    own = name == "output" or role in ("tool", "function") or (role == "user" and is_result(message))
    if own and isinstance(content, str | list | None):
        return [*messages[:last], {**message, name: _with_text(content, ANSWER_NOW)}]
    return [*messages[: last + 1], {"role": "user", "content": ANSWER_NOW}]


def _name(tool: Mapping[str, Any]) -> Any:  # noqa: ANN401 - None for a tool of the provider's
    return (tool.get("function") or tool.get("custom") or tool).get("name")


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
        Without tools, functions and searches of the provider's own; or with the agent's tools and no choice
        of one where the protocol wants them listed (Anthropic). The instructions and the latest result end
        with a sentence that says so. A turn proposed after that result is dropped. `request` is not changed.
    """
    changed = {name: value for name, value in request.items() if not _OFFERING.fullmatch(name)}
    where = "input" if "input" in request else "messages"
    given = request[where] if not isinstance(request[where], str) else []
    messages = [plain_message(each, f"{where}[{index}]") for index, each in enumerate(given)]
    tools = [plain(tool, f"tools[{index}]") for index, tool in enumerate(request.get("tools") or ())]
    anthropic = any("input_schema" in tool for tool in tools) or any(
        has_part(each, "tool_use") or has_part(each, "tool_result") for each in messages
    )
    if messages:
        changed[where] = _told(messages)
    parts = [part for each in messages for part in blocks(each)]
    called = [part.get("name") for part in parts if part.get("type") == "tool_use"]
    own = [tool for tool in tools if "input_schema" in tool or tool.get("name") in called]
    named = [tool for tool in tools if answer_tool and _name(tool) == answer_tool]
    if named:
        kind, it = named[0].get("type", "function"), {"name": answer_tool}
        choice: dict[str, Any] = {"type": kind} | (it if where == "input" else {kind: it})
        changed |= {"tools": named, "tool_choice": {"type": "tool", **it} if anthropic else choice}
    elif anthropic and own:
        changed |= {"tools": own, "tool_choice": {"type": "none"}}
    if where == "input":
        changed["instructions"] = _with_text(request.get("instructions"), _ONLY_ANSWERING)
    elif anthropic:
        changed["system"] = _with_text(request.get("system"), _ONLY_ANSWERING)
    elif messages and messages[0].get("role") in ("system", "developer"):
        first = changed[where][0]
        changed[where][0] = {**first, "content": _with_text(first.get("content"), _ONLY_ANSWERING)}
    return changed


async def _last_turns(
    send: Callable[..., Awaitable[Any]], request: Mapping[str, Any], answer_tool: str | None, why: str
) -> Answer:
    text = ""
    for _ in range(2):
        reply = await send(**answer_only(request, answer_tool=answer_tool))
        turn = turn_of(reply)
        for tool, arguments in turn.calls.values():
            if tool and tool == answer_tool:
                return Answer(arguments, reply, why)
        if not turn.calls and turn.thought.strip():
            return Answer(turn.thought, reply, why)
        text = turn.thought or text
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
    return run_now(_last_turns(awaited(send), request, answer_tool, why))


async def final_answer_async(
    send: Callable[..., Awaitable[Any]],
    request: Mapping[str, Any],
    *,
    answer_tool: str | None = None,
    why: str = "the rule fired",
) -> Answer:
    """As :func:`final_answer`, with a ``send`` that is awaited."""
    return await _last_turns(send, request, answer_tool, why)
