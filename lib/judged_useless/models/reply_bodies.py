"""What the body of a reply says, in the two APIs and in the dialects that servers speak of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from judged_useless.models.costs import Usage

End = Literal["stop", "length", "context", "broken"]
#: What servers call the end of a text, in lower case -> what it means.
END_WORDS: dict[str, End] = {
    **dict.fromkeys(("stop", "eos", "eos_token", "end_turn", "stop_sequence", "complete"), "stop"),
    **dict.fromkeys(("length", "max_tokens", "max_output_tokens"), "length"),
    **dict.fromkeys(("model_length", "model_context_window_exceeded"), "context"),
    **dict.fromkeys(("abort", "error"), "broken"),
}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """A reply, whichever API it came through; whole, or it had no such form."""

    text: str | None
    end_word: str | None
    reasoning: str | None = None
    refusal: str | None = None
    usage: Usage | None = None
    cached_tokens: int | None = None


def read_chat(body: Mapping[str, Any]) -> Reply:
    """Read a chat completion; KeyError, TypeError or AttributeError if it is none."""
    if not body["choices"]:
        return Reply(text=None, end_word="stop")
    choice, usage, used = body["choices"][0], _object(body.get("usage")), None
    message, content = choice["message"], choice["message"].get("content")
    thinking = message.get("reasoning") or message.get("reasoning_content")
    prompt, output = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens", 0))
    cached = _count(_object(usage.get("prompt_tokens_details")).get("cached_tokens"))
    # The API counts cached tokens among those of the prompt.
    if prompt is not None and output is not None and prompt >= (cached or 0):
        used = Usage(input=prompt - (cached or 0), output=output, cache_read=cached or 0)
    return Reply(
        text=_joined(content, "text"),
        end_word=_word(choice["finish_reason"]),
        reasoning=thinking if isinstance(thinking, str) else _joined(content, "thinking"),
        refusal=message.get("refusal"),
        usage=used,
        cached_tokens=cached,
    )


def read_message(body: Mapping[str, Any]) -> Reply:
    """Read a reply of the Messages API; KeyError, TypeError or AttributeError if it is none."""
    content, usage, used = body["content"], _object(body.get("usage")), None
    fresh, output = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
    read, written = (_count(usage.get(f"cache_{kind}_input_tokens")) for kind in ("read", "creation"))
    # The API counts cached tokens apart from the others.
    if fresh is not None and output is not None:
        used = Usage(input=fresh, output=output, cache_read=read or 0, cache_write=written or 0)
    return Reply(
        text=_joined(content, "text"),
        end_word=_word(body["stop_reason"]),
        reasoning=_joined(content, "thinking"),
        usage=used,
        cached_tokens=read,
    )


def _joined(content: Any, kind: str) -> str | None:  # noqa: ANN401 - JSON
    """Return a text that may be given in parts, of one kind; None if there is none of it."""
    if not isinstance(content, list):
        return content if isinstance(content, str) and kind == "text" else None
    parts = [part[kind] for part in content if part.get("type", "text") == kind]
    texts = [_joined(part, "text") for part in parts]
    return None if not any(text is not None for text in texts) else "".join(text or "" for text in texts)


def _word(value: Any) -> str | None:  # noqa: ANN401 - JSON
    return None if value is None else str(value)


def _object(value: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:  # noqa: ANN401 - JSON
    """Return a number of tokens; None for what is none, such as a negative one."""
    return value if isinstance(value, int) and value >= 0 else None
