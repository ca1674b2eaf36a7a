"""What a model is to the agent loop: messages in, one generation out, or a named error."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Protocol

import pydantic
from pydantic import Field
from typing_extensions import TypedDict

from judged_useless._io.seeds import stable_seed

#: Characters taken for one token where tokens are estimated.
CHARACTERS_A_TOKEN = 4
_HALF = re.compile("[\ud800-\udfff]")


class Message(TypedDict):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@pydantic.dataclasses.dataclass(frozen=True, kw_only=True, config={"extra": "forbid"})
class Decoding:
    """How a model samples (PROTOCOL: "Agent", the table of decoding; paper §2 and Appendix A).

    ``None`` sends nothing, so that the service decides. A value out of range is a ``ValueError``.
    """

    #: 0 is greedy.
    temperature: Annotated[float, Field(ge=0)] | None = None
    #: Nucleus of this probability; 1 is off.
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    #: Number of most probable tokens kept.
    top_k: Annotated[int, Field(ge=1)] | None = None
    #: Token budget of one turn, thinking included.
    max_new_tokens: Annotated[int, Field(ge=1)] = 1024
    #: Tokens that prompt and budget must fit in; ``None`` leaves the check to the service.
    context: Annotated[int, Field(ge=2)] | None = None
    #: ``per_prompt``: ``stable_seed(seed, prompt) mod 2^31``; ``fixed``: ``seed`` for every request.
    seed_rule: Literal["per_prompt", "fixed"] | None = None
    #: Base seed of the rule.
    seed: int | None = None
    #: Switch of a model that can think before it answers; ``None`` for a model without one.
    thinking: bool | None = None

    def __post_init__(self) -> None:
        if (self.seed is None) != (self.seed_rule is None):
            raise ValueError(f"decoding: seed is {self.seed} and seed_rule {self.seed_rule}, expected both")

    def request_seed(self, prompt: str) -> int | None:
        """Return the seed of a request, in ``[0, 2^31)``: of its rendered prompt, or its canonical one."""
        if self.seed is None:
            return None
        return (self.seed if self.seed_rule == "fixed" else stable_seed(self.seed, prompt)) % 2**31


@dataclass(frozen=True, kw_only=True)
class Generation:
    """What one request gave; ``None`` is what the backend does not say."""

    #: Raw text, not stripped, without the stop string and without thinking that the backend separates.
    text: str
    #: ``length`` if the token budget cut the text.
    finish_reason: Literal["stop", "length"]
    #: What the server called the end of the text, where it was another word.
    end_word: str | None = None
    #: Of the prompt, the cached ones included; generated; and of the prompt from the service's cache.
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    #: From sending to receiving, of the attempt that succeeded.
    seconds: float = 0.0
    #: Thinking text that the backend returns apart.
    reasoning: str | None = None
    #: Halves of surrogate pairs that U+FFFD stands for in both texts: a tokenizer of bytes may end a text
    #: within a character, and no file could hold the half.
    n_replaced: int = 0

    def __post_init__(self) -> None:
        for name in ("text", "reasoning"):
            whole, n_halves = _HALF.subn("\ufffd", getattr(self, name) or "")
            if n_halves:
                object.__setattr__(self, name, whole)
                object.__setattr__(self, "n_replaced", self.n_replaced + n_halves)


class Model(Protocol):
    """Something that continues a conversation."""

    #: As in the released episodes, or as the server knows it.
    name: str
    #: Key of the registry: ``vllm``, ``openai``, ``anthropic``, ``scripted``.
    provider: str
    #: In force for every request.
    decoding: Decoding
    #: Requests that are worth having in flight at once.
    max_concurrency: int
    #: Whether no language model is behind it.
    simulated: bool

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Continue a conversation by one assistant turn.

        Parameters
        ----------
        messages : sequence of Message
            At most one system message, first. A last one of the assistant's is continued, where that works.
        max_new_tokens : int, optional
            Budget of this turn; by default that of the decoding.
        stop : sequence of str, default ()
            Strings that end the text and are not part of it.
        regex : str, optional
            Form that the text must take: a deviation, which ``describe`` records.

        Raises
        ------
        FatalModelError
            If trying again cannot help.
        ServiceUnavailableError
            If transient failures outlasted the retries.
        """

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records of the model; JSON values, never a secret."""

    async def aclose(self) -> None:
        """Release connections or the engine."""


class ModelError(Exception):
    """A request that gave no generation. Never an answer, a format failure or a judgment."""


class FatalModelError(ModelError):
    """Trying this request again cannot help."""


class ContextOverflowError(FatalModelError):
    """Prompt and generation budget do not fit the context; nothing was cut."""


class EveryRequestFailsError(FatalModelError):
    """No further request makes sense: a wrong key, address or option, or a cap that was reached."""


class CostCapReachedError(EveryRequestFailsError):
    """The cost cap was reached; no further request is sent."""


class TransientModelError(ModelError):
    """Trying again may help: a lost connection, a timeout, a server error, a broken body."""


class UnreachableError(TransientModelError):
    """No connection came about: nothing listens there, or the name is unknown."""


class RateLimitError(TransientModelError):
    """The service asks for a pause of so many seconds, or does not say how long."""

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class ServiceUnavailableError(ModelError):
    """Transient failures outlasted the retries: after so many attempts, the last one failed with `last`."""

    def __init__(self, attempts: int, last: TransientModelError) -> None:
        super().__init__(f"no generation after {attempts} attempts; the last: {last}")
        self.attempts, self.last = attempts, last


class NoServerError(EveryRequestFailsError):
    """The very first request found nobody at the address: a server that never was, not one that is gone."""


def canonical_prompt(messages: Sequence[Message]) -> str:
    """Return the conversation as JSON, equal for equal ones: what is seeded where only the server renders."""
    return json.dumps(list(messages), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
