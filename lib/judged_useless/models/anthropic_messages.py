"""The Anthropic Messages API, of Anthropic's own service or of a server that speaks it (vLLM does)."""

import json
from collections.abc import Sequence
from typing import Any

from judged_useless.models.base import Message
from judged_useless.models.reply_bodies import read_message
from judged_useless.models.server import ServerModel


class AnthropicModel(ServerModel):
    """A model behind the Anthropic Messages API.

    The system prompt and the last two blocks of the conversation are marked for the service's prompt cache:
    where a judgment's question follows an observation, the next turn reads what that request wrote.

    Parameters
    ----------
    name : str
        A released name, or the service's name for the model.
    structured : {"json_string"} or None, default None
        How the server is asked for text that a regular expression matches: as a JSON string of that pattern.
        vLLM does so; ``None`` if the server cannot.
    **options
        Those of :class:`~judged_useless.models.server.ServerModel`.
    """

    provider = "anthropic"
    sdk = "anthropic"
    client = "AsyncAnthropic"
    own_service = own_base_url = "https://api.anthropic.com"
    path = "/v1/messages"
    concurrency = 16
    read = staticmethod(read_message)

    def __init__(self, name: str, *, structured: str | None = None, **options: Any) -> None:  # noqa: ANN401
        if structured not in ("json_string", None):
            raise ValueError(f"structured is {structured!r}, expected json_string or None")
        super().__init__(name, structured=structured, **options)
        if self.decoding.thinking and self.decoding.temperature is not None:
            raise ValueError("decoding: the service takes no temperature in thinking mode, expected None")
        if self.decoding.seed_rule is not None:
            self._deviate("seed not sent: the Messages API takes none")

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records; never a secret."""
        return {**super().describe(), "seed_of": None}

    def _client(self, address: Any, key: str | None) -> Any:  # noqa: ANN401
        client = super()._client(address, key)
        held = (client.api_key, client.auth_token, getattr(client, "credentials", None))
        if all(credential is None for credential in held):
            raise ValueError(
                "no key for Anthropic: set ANTHROPIC_API_KEY, or give another server with --base-url"
            )
        return client

    def _body(
        self, messages: Sequence[Message], budget: int, stop: Sequence[str], regex: str | None
    ) -> dict[str, Any]:
        decoding = self.decoding
        system = [_block(message["content"]) for message in messages if message["role"] == "system"]
        turns: list[dict[str, Any]] = []
        for message in messages:
            if message["role"] == "system":
                continue
            # The API expects turns that alternate: neighbours of one role are one turn with a block each.
            if not turns or turns[-1]["role"] != message["role"]:
                turns.append({"role": message["role"], "content": []})
            turns[-1]["content"].append(_block(message["content"]))
        # The prefixes that later requests share.
        for block in [*system[-1:], *turns[-1]["content"][-2:]]:
            block["cache_control"] = {"type": "ephemeral"}
        form = {"type": "json_schema", "schema": {"type": "string", "pattern": regex}}
        kinds = {None: None, True: {"type": "adaptive"}, False: {"type": "disabled"}}
        return {
            "model": self._identity.served,
            "max_tokens": budget,
            "messages": turns,
            "system": system or None,
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            "top_k": decoding.top_k,
            "stop_sequences": list(stop) or None,
            "thinking": kinds[decoding.thinking],
            "output_config": {"format": form} if regex else None,
        }

    def _unquoted(self, text: str) -> str:
        return unquote(text)


def _block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def unquote(text: str) -> str:
    """Return the string that a generated JSON string stands for, which may be cut off or unescaped."""
    try:
        value = json.loads(text, strict=False)
    except json.JSONDecodeError:
        return text.removeprefix('"').removesuffix('"')
    return value if isinstance(value, str) else text
