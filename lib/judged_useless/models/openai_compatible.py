"""Any server that speaks the OpenAI chat API: vLLM, SGLang, llama.cpp, Ollama, OpenAI itself."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from judged_useless.models.base import (
    EveryRequestFailsError,
    FatalModelError,
    Message,
    ModelError,
    canonical_prompt,
)
from judged_useless.models.reply_bodies import read_chat
from judged_useless.models.server import ServerModel

#: What OpenAI's own service calls the fields of a request, and which it takes not.
_OWN_FIELDS: dict[str, str | None] = {
    "max_tokens": "max_completion_tokens",
    **dict.fromkeys(("top_k", "chat_template_kwargs", "add_generation_prompt", "continue_final_message")),
}
#: Fields of a request that a server may do without.
_OPTIONAL = ("max_tokens", "temperature", "top_p", "top_k", "seed", "stop", *_OWN_FIELDS)


class OpenAIModel(ServerModel):
    """A model behind the OpenAI chat API.

    Parameters
    ----------
    name : str
        A released name, or the server's name for the model.
    structured : {"vllm", "sglang"} or None, default "vllm"
        How the server is asked for text of a given form; ``None`` if it cannot be.
    **options
        Those of :class:`~judged_useless.models.server.ServerModel`. By default OpenAI's own service is sent
        none of the `fields` that it refuses.
    """

    provider = "openai"
    sdk = "openai"
    client = "AsyncOpenAI"
    own_service = "https://api.openai.com"
    own_base_url = f"{own_service}/v1"
    path = "/chat/completions"
    read = staticmethod(read_chat)

    def __init__(self, name: str, *, structured: str | None = "vllm", **options: Any) -> None:  # noqa: ANN401
        if structured not in ("vllm", "sglang", None):
            raise ValueError(f"structured is {structured!r}, expected vllm, sglang or None")
        super().__init__(name, structured=structured, **options)
        if any(url.startswith(self.own_service) for url in self._servers):
            self._options["fields"] = _OWN_FIELDS | self._options["fields"]
        decoding = self.decoding
        meant = {"top_k": decoding.top_k, "seed": decoding.seed, "chat_template_kwargs": decoding.thinking}
        for field, called in self._options["fields"].items():
            if called is None and (field == "stop" or meant.get(field) is not None):
                self._deviate(f"{field} not sent: the server takes none")

    def _client(self, address: Any, key: str | None) -> Any:  # noqa: ANN401
        if key is None and address.url.startswith(self.own_service):
            raise ValueError("no key for OpenAI: set OPENAI_API_KEY, or give another server with --base-url")
        return super()._client(address, key)

    def _body(
        self, messages: Sequence[Message], budget: int, stop: Sequence[str], regex: str | None
    ) -> dict[str, Any]:
        decoding = self.decoding
        body: dict[str, Any] = {
            "model": self._identity.served,
            "messages": list(messages),
            "max_tokens": budget,
            "temperature": decoding.temperature,
            "top_p": decoding.top_p,
            "top_k": decoding.top_k,
            "seed": decoding.request_seed(canonical_prompt(messages)),
            "stop": list(stop) or None,
        }
        if decoding.thinking is not None:
            given = self._options["extra_body"].get("chat_template_kwargs", {})
            body["chat_template_kwargs"] = {**given, "enable_thinking": decoding.thinking}
        if messages[-1]["role"] == "assistant":
            body |= {"add_generation_prompt": False, "continue_final_message": True}
        if regex is not None:
            form = {"regex": regex}
            body |= form if self._options["structured"] == "sglang" else {"structured_outputs": form}
        return body

    def _advised(self, meaning: ModelError, body: Mapping[str, Any]) -> ModelError:
        """Suggest how to do without a field that the server names, and ``/v1`` where the address has none."""
        said = str(meaning)
        if type(meaning) not in (FatalModelError, EveryRequestFailsError):
            return meaning
        other = {"max_tokens": "max_completion_tokens"}
        if named := {field: other.get(field) for field in _OPTIONAL if field in body and _names(said, field)}:
            options = " ".join(f"--field {field}={name or ''}" for field, name in named.items())
            return EveryRequestFailsError(f"{said}; do without with {options} (fields={named})")
        lacking = next((url for url in self._servers if "/v1" not in url), None)
        if lacking and not re.match(r"status (?!40[45])", said):
            return EveryRequestFailsError(f"{said}; is the address {lacking}/v1?")
        return meaning


def _names(said: str, field: str) -> bool:
    """Tell whether a message names a field of a request; some are plain words too."""
    if "_" in field:
        return field in said
    quoted = rf"['\"`]{field}['\"`]|parameters?:? {field}\b|\b{field}(?= is | are |:| not )"
    return re.search(quoted, said) is not None
