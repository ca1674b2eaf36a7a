"""The Anthropic Messages API, of Anthropic's own service or of a server that speaks it (vLLM does)."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pydantic

from judged_useless.models.base import (
    ContextOverflowError,
    FatalModelError,
    Generation,
    Message,
    TransientModelError,
)
from judged_useless.models.costs import Usage
from judged_useless.models.server import Reply, Said, ServerModel
from judged_useless.models.transport import connection_timeout

_CACHED = {"cache_control": {"type": "ephemeral"}}


class _Block(pydantic.BaseModel):
    type: str
    text: str | None = None
    thinking: str | None = None


class _Usage(pydantic.BaseModel):
    input_tokens: int
    output_tokens: int
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class MessageReply(Reply):
    """Body of a message."""

    content: list[_Block]
    stop_reason: str | None
    usage: _Usage

    def tokens(self) -> Usage:
        """Return the usage; the API counts cached tokens apart from ``input_tokens``."""
        return Usage(
            input=self.usage.input_tokens,
            output=self.usage.output_tokens,
            cache_read=self.usage.cache_read_input_tokens or 0,
            cache_write=self.usage.cache_creation_input_tokens or 0,
        )

    def cached_tokens(self) -> int | None:
        """Return the prompt tokens that the service's cache held."""
        return self.usage.cache_read_input_tokens

    def said(self) -> Said:
        """Return text and reason of its end."""
        reason = self.stop_reason
        if reason is None:
            raise TransientModelError("the generation was broken off (no stop_reason)")
        if reason == "model_context_window_exceeded":
            raise ContextOverflowError("the model's context ended the generation")
        if reason not in ("end_turn", "stop_sequence", "max_tokens"):
            raise FatalModelError(f"stop_reason {reason!r}, expected end_turn, stop_sequence or max_tokens")
        text = "".join(block.text or "" for block in self.content if block.type == "text")
        thinking = "".join(block.thinking or "" for block in self.content if block.type == "thinking")
        return Said(
            text=text,
            finish_reason="length" if reason == "max_tokens" else "stop",
            reasoning=thinking or None,
        )


class AnthropicModel(ServerModel):
    """A model behind the Anthropic Messages API.

    The system prompt and the last two blocks of the conversation are marked for the service's prompt cache,
    so that a turn pays for what is new. Where the side channel's question follows an observation, the mark
    before the question lets the next turn read what that request wrote.

    Parameters
    ----------
    name : str
        A released name, or the service's name for the model.
    cache : bool, default True
        Whether to mark the prompt for the service's cache.
    thinking_budget : int, optional
        Tokens of thinking, on top of a turn's own budget, for a model whose thinking has one; without it the
        model decides, within the turn's budget. Only with a decoding in thinking mode.
    structured : {"json_string"} or None, default None
        How the server is asked for text that a regular expression matches: as a JSON string of that pattern.
        vLLM does so; ``None`` if the server cannot.
    **options
        Those of :class:`~judged_useless.models.server.ServerModel`.

    Raises
    ------
    ImportError
        If the ``anthropic`` package is missing.
    ValueError
        If an option is not what is described here.
    """

    provider = "anthropic"
    sdk = "anthropic"
    own_service = "https://api.anthropic.com"
    url_variable = "ANTHROPIC_BASE_URL"
    key_variable = "ANTHROPIC_API_KEY"
    concurrency = 16
    reply = MessageReply

    def __init__(
        self,
        name: str,
        *,
        cache: bool = True,
        thinking_budget: int | None = None,
        structured: str | None = None,
        **options: Any,  # noqa: ANN401 - the parent's
    ) -> None:
        if structured not in (None, "json_string"):
            raise ValueError(f"structured is {structured!r}, expected json_string or None")
        self._cache, self._thinking_budget = cache, thinking_budget
        self._structured, self._constrained = structured, False
        super().__init__(name, **options)
        thinks = bool(self.decoding.thinking)
        if thinking_budget is not None and (not thinks or thinking_budget < 1024):
            raise ValueError("thinking_budget: expected at least 1024 tokens, and thinking=True with it")
        if thinks and self.decoding.temperature is not None:
            raise ValueError("decoding: the service takes no temperature in thinking mode, expected None")

    def _client(self, url: str, key: str | None, headers: dict[str, str]) -> Any:  # noqa: ANN401
        own = url.startswith(self.own_service)
        # Without a key the SDK looks for its other credentials, for the provider's own service alone.
        client = self._sdk.AsyncAnthropic(
            base_url=url,
            api_key=key if own else key or "none",
            max_retries=0,
            timeout=connection_timeout(self._timeout),
            default_headers=headers,
        )
        held = (client.api_key, client.auth_token, getattr(client, "credentials", None))
        if own and all(credential is None for credential in held):
            raise ValueError(
                "no key for Anthropic: set ANTHROPIC_API_KEY, or give the base_url of another server"
            )
        return client

    def _deviations(self) -> list[str]:
        seeded = self.decoding.seed_rule is not None
        found = ["seed not sent: the Messages API takes none"] if seeded else []
        if self._constrained:
            found.append("structured output: text held to a regular expression, as a JSON string")
        return found

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records; never a secret."""
        own = {"seed_of": None, "cache": self._cache, "thinking_budget": self._thinking_budget}
        return {**super().describe(), **own}

    def _most_tokens(self, budget: int) -> int:
        return budget + (self._thinking_budget or 0)

    def _request(
        self, messages: Sequence[Message], budget: int, stop: Sequence[str], regex: str | None
    ) -> dict[str, Any]:
        decoding = self.decoding
        system = [_block(m["content"]) for m in messages if m["role"] == "system"]
        turns = alternate(messages)
        if self._cache:
            _mark(system, turns)
        optional = {
            "system": system or None,
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            "top_k": decoding.top_k,
            "stop_sequences": list(stop) or None,
            "thinking": self._thinking(),
            "extra_body": {**self._extra, **self._form(regex)} or None,
        }
        return {
            "model": self._identity.served,
            "max_tokens": self._most_tokens(budget),
            "messages": turns,
            **{field: value for field, value in optional.items() if value is not None},
        }

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Continue a conversation; see :meth:`judged_useless.models.base.Model.generate`."""
        generation = await super().generate(messages, max_new_tokens=max_new_tokens, stop=stop, regex=regex)
        return generation if regex is None else replace(generation, text=unquote(generation.text))

    def _form(self, regex: str | None) -> dict[str, Any]:
        if regex is None:
            return {}
        if self._structured is None:
            raise FatalModelError("text of a given form was asked for, and this server has no such option")
        self._constrained = True
        schema = {"type": "string", "pattern": regex}
        return {"output_config": {"format": {"type": "json_schema", "schema": schema}}}

    def _thinking(self) -> dict[str, Any] | None:
        if self.decoding.thinking is None:
            return None
        if not self.decoding.thinking:
            return {"type": "disabled"}
        if self._thinking_budget is None:
            return {"type": "adaptive"}
        return {"type": "enabled", "budget_tokens": self._thinking_budget}

    async def _call(self, client: Any, request: dict[str, Any]) -> str:  # noqa: ANN401
        response = await client.messages.with_raw_response.create(**request)
        return str(response.text)


def _block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def unquote(text: str) -> str:
    """Return the string that a JSON string stands for.

    Parameters
    ----------
    text : str
        As generated. vLLM holds the characters between the quotes to the pattern, so that newlines and quotes
        may stand there as they are; a text cut at its token budget has no closing quote.
    """
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        return text.removeprefix('"').removesuffix('"')
    return value if isinstance(value, str) else text


def alternate(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """Return the conversation as turns that alternate, which the API expects.

    Parameters
    ----------
    messages : sequence of Message
        The conversation; its system message is left out.

    Returns
    -------
    list of dict
        Neighbours of the same role are one turn with a block each.
    """
    turns: list[dict[str, Any]] = []
    for message in messages:
        if message["role"] == "system":
            continue
        if not turns or turns[-1]["role"] != message["role"]:
            turns.append({"role": message["role"], "content": []})
        turns[-1]["content"].append(_block(message["content"]))
    return turns


def _mark(system: list[dict[str, Any]], turns: list[dict[str, Any]]) -> None:
    """Mark the prefixes that later requests share: the system prompt, and the last turn's last two blocks."""
    for block in [*system[-1:], *turns[-1]["content"][-2:]]:
        block |= _CACHED
