"""Any server that speaks the OpenAI chat API: vLLM, SGLang, llama.cpp, OpenAI itself."""

from collections.abc import Callable, Sequence
from typing import Any

import pydantic

from judged_useless.models.base import FatalModelError, Message, TransientModelError, canonical_prompt
from judged_useless.models.costs import Usage
from judged_useless.models.server import Reply, Said, ServerModel
from judged_useless.models.transport import connection_timeout

#: Server -> how it is asked for text that a regular expression matches.
REGEX_FIELDS: dict[str, Callable[[str], dict[str, Any]]] = {
    "vllm": lambda regex: {"structured_outputs": {"regex": regex}},
    "sglang": lambda regex: {"regex": regex},
}


class _Details(pydantic.BaseModel):
    cached_tokens: int | None = None


class _Usage(pydantic.BaseModel):
    prompt_tokens: int
    completion_tokens: int = 0
    prompt_tokens_details: _Details | None = None


class _Message(pydantic.BaseModel):
    content: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    refusal: str | None = None


class _Choice(pydantic.BaseModel):
    finish_reason: str | None
    message: _Message


class ChatCompletion(Reply):
    """Body of a chat completion."""

    choices: list[_Choice] = pydantic.Field(min_length=1)
    usage: _Usage | None = None

    def tokens(self) -> Usage | None:
        """Return the usage; the API counts cached tokens among those of the prompt."""
        if self.usage is None:
            return None
        cached = self.cached_tokens() or 0
        fresh = self.usage.prompt_tokens - cached
        return Usage(input=fresh, output=self.usage.completion_tokens, cache_read=cached)

    def cached_tokens(self) -> int | None:
        """Return the prompt tokens that the server's cache held."""
        details = self.usage.prompt_tokens_details if self.usage else None
        return details.cached_tokens if details else None

    def said(self) -> Said:
        """Return text and reason of its end."""
        choice = self.choices[0]
        message, reason = choice.message, choice.finish_reason
        if message.refusal is not None:
            raise FatalModelError(f"the service refused: {message.refusal[:200]}")
        if reason in (None, "abort", "error"):
            raise TransientModelError(f"the generation was broken off (finish_reason {reason!r})")
        if reason not in ("stop", "length"):
            raise FatalModelError(f"finish_reason {reason!r}, expected stop or length")
        thinking = message.reasoning or message.reasoning_content
        return Said(
            text=message.content, finish_reason="length" if reason == "length" else "stop", reasoning=thinking
        )


class OpenAIModel(ServerModel):
    """A model behind the OpenAI chat API.

    Parameters
    ----------
    name : str
        A released name, or the server's name for the model.
    extensions : bool, optional
        Whether to send what OpenAI's own service refuses: ``top_k``, the chat template's thinking switch, the
        continuation of an assistant's message. By default to every other server.
    structured : {"vllm", "sglang"} or None, default "vllm"
        How the server is asked for text of a given form; ``None`` if it cannot be.
    **options
        Those of :class:`~judged_useless.models.server.ServerModel`.

    Raises
    ------
    ImportError
        If the ``openai`` package is missing.
    ValueError
        If an option is not what is described here.
    """

    provider = "openai"
    sdk = "openai"
    own_service = "https://api.openai.com"
    url_variable = "OPENAI_BASE_URL"
    key_variable = "OPENAI_API_KEY"
    reply = ChatCompletion

    def __init__(
        self,
        name: str,
        *,
        extensions: bool | None = None,
        structured: str | None = "vllm",
        **options: Any,  # noqa: ANN401 - the parent's
    ) -> None:
        if structured is not None and structured not in REGEX_FIELDS:
            raise ValueError(
                f"structured is {structured!r}, expected one of {', '.join(REGEX_FIELDS)}, or None"
            )
        self._structured, self._constrained = structured, False
        super().__init__(name, **options)
        self._extensions = not self._is_own_service if extensions is None else extensions

    def _client(self, url: str, key: str | None, headers: dict[str, str]) -> Any:  # noqa: ANN401
        if url.startswith(self.own_service):
            url = f"{self.own_service}/v1"
            if key is None:
                raise ValueError(
                    "no key for OpenAI: set OPENAI_API_KEY, or give the base_url of another server"
                )
        return self._sdk.AsyncOpenAI(
            base_url=url,
            api_key=key or "none",
            max_retries=0,
            timeout=connection_timeout(self._timeout),
            default_headers=headers,
        )

    def _deviations(self) -> list[str]:
        unsent = {"top_k": self.decoding.top_k, "thinking switch": self.decoding.thinking}
        found = [
            f"{field} not sent: the server takes none"
            for field, value in unsent.items()
            if value is not None and not self._extensions
        ]
        if self._constrained:
            found.append("structured output: text held to a regular expression")
        return found

    def _request(
        self, messages: Sequence[Message], budget: int, stop: Sequence[str], regex: str | None
    ) -> dict[str, Any]:
        decoding = self.decoding
        seed = decoding.request_seed(canonical_prompt(messages))
        optional = {"temperature": decoding.temperature, "top_p": decoding.top_p, "seed": seed}
        request: dict[str, Any] = {
            "model": self._identity.served,
            "messages": list(messages),
            # OpenAI's newer models know only the one, most other servers the other.
            ("max_completion_tokens" if self._is_own_service else "max_tokens"): budget,
            **{field: value for field, value in optional.items() if value is not None},
        }
        if stop:
            request["stop"] = list(stop)
        if extra := {**self._extra, **self._extended(messages), **self._form(regex)}:
            request["extra_body"] = extra
        return request

    def _extended(self, messages: Sequence[Message]) -> dict[str, Any]:
        if not self._extensions:
            return {}
        extra: dict[str, Any] = {}
        if self.decoding.top_k is not None:
            extra["top_k"] = self.decoding.top_k
        if self.decoding.thinking is not None:
            given = self._extra.get("chat_template_kwargs", {})
            extra["chat_template_kwargs"] = {**given, "enable_thinking": self.decoding.thinking}
        if messages[-1]["role"] == "assistant":
            extra |= {"add_generation_prompt": False, "continue_final_message": True}
        return extra

    def _form(self, regex: str | None) -> dict[str, Any]:
        if regex is None:
            return {}
        if self._structured is None:
            raise FatalModelError("text of a given form was asked for, and this server has no such option")
        self._constrained = True
        return REGEX_FIELDS[self._structured](regex)

    async def _call(self, client: Any, request: dict[str, Any]) -> str:  # noqa: ANN401
        response = await client.chat.completions.with_raw_response.create(**request)
        return str(response.text)
