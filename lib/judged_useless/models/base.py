"""What a model is to the agent loop: messages in, one generation out, or a named error."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypedDict

from judged_useless._io.seeds import stable_seed
from judged_useless.models.characters import replace_halves

#: Sampling seeds are non-negative 31-bit integers, which every backend takes.
SEED_RANGE = 2**31


class Message(TypedDict):
    """One turn of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True, kw_only=True)
class Decoding:
    """How a model samples (PROTOCOL: "Agent", the table of decoding; paper §2 and Appendix A).

    Attributes
    ----------
    temperature : float or None, default None
        0 is greedy; ``None`` sends nothing, so that the service decides.
    top_p : float or None, default None
        Nucleus of this probability; 1 is off, ``None`` sends nothing.
    top_k : int or None, default None
        Number of most probable tokens kept; ``None`` sends nothing (off).
    max_new_tokens : int, default 1024
        Token budget of one turn, thinking included.
    context : int or None, default None
        Tokens that prompt and budget must fit in; ``None`` leaves the check to the service.
    seed_rule : {"per_prompt", "fixed"} or None, default None
        ``per_prompt``: ``stable_seed(seed, prompt) mod 2^31``; ``fixed``: ``seed`` for every request;
        ``None``: no seed is sent.
    seed : int or None, default None
        Base seed of the rule.
    thinking : bool or None, default None
        Switch of a model that can think before it answers; ``None`` for a model without one.

    Raises
    ------
    ValueError
        If a value is out of range, or a rule and its seed do not come together.
    """

    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    max_new_tokens: int = 1024
    context: int | None = None
    seed_rule: Literal["per_prompt", "fixed"] | None = None
    seed: int | None = None
    thinking: bool | None = None

    def __post_init__(self) -> None:
        expected = {
            "temperature": (self.temperature is None or self.temperature >= 0, "a number >= 0, or None"),
            "top_p": (self.top_p is None or 0 < self.top_p <= 1, "a number in (0, 1], or None"),
            "top_k": (self.top_k is None or self.top_k >= 1, "an integer >= 1, or None for off"),
            "max_new_tokens": (self.max_new_tokens >= 1, "an integer >= 1"),
            "context": (self.context is None or self.context >= 2, "an integer >= 2, or None"),
            "seed_rule": (self.seed_rule in ("per_prompt", "fixed", None), "per_prompt, fixed or None"),
            "seed": (
                (self.seed is None) == (self.seed_rule is None),
                "an integer with a seed_rule, None without",
            ),
        }
        for field, (holds, wanted) in expected.items():
            if not holds:
                raise ValueError(f"decoding: {field} is {getattr(self, field)!r}, expected {wanted}")

    def request_seed(self, prompt: str) -> int | None:
        """Return the seed of one request.

        Parameters
        ----------
        prompt : str
            The rendered prompt where the backend has it, else :func:`canonical_prompt` of the messages.

        Returns
        -------
        int or None
            In ``[0, 2^31)``; ``None`` if no seed is to be sent.
        """
        if self.seed_rule is None or self.seed is None:
            return None
        if self.seed_rule == "fixed":
            return self.seed % SEED_RANGE
        return stable_seed(self.seed, prompt) % SEED_RANGE


@dataclass(frozen=True, kw_only=True)
class Generation:
    """What one request gave.

    Attributes
    ----------
    text : str
        Raw text, not stripped, without the stop string; in thinking mode without the thinking where the
        backend separates it.
    finish_reason : {"stop", "length"}
        ``length`` if the token budget cut the text.
    prompt_tokens, completion_tokens, cached_tokens : int or None
        As reported; ``None`` where the backend does not say. ``prompt_tokens`` includes the cached ones.
    cost_usd : float or None
        Price of the request; ``None`` without a price table.
    seconds : float
        From sending to receiving, of the attempt that succeeded.
    reasoning : str or None
        Thinking text that the backend returns apart.
    n_replaced : int, default 0
        Halves of surrogate pairs that U+FFFD stands for in both texts: no file could hold them.
    """

    text: str
    finish_reason: Literal["stop", "length"]
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    cost_usd: float | None = None
    seconds: float = 0.0
    reasoning: str | None = None
    n_replaced: int = 0

    def __post_init__(self) -> None:
        for name in ("text", "reasoning"):
            whole, n_halves = replace_halves(getattr(self, name) or "")
            if n_halves:
                object.__setattr__(self, name, whole)
                object.__setattr__(self, "n_replaced", self.n_replaced + n_halves)


class Model(Protocol):
    """Something that continues a conversation.

    Attributes
    ----------
    name : str
        Name as in the released episodes, or as the server knows it.
    provider : str
        Key of the registry: ``vllm``, ``openai``, ``anthropic``, ``scripted``.
    decoding : Decoding
        In force for every request.
    max_concurrency : int
        Requests that are worth having in flight at once.
    simulated : bool
        Whether no language model is behind it.
    """

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def provider(self) -> str: ...  # noqa: D102

    @property
    def decoding(self) -> Decoding: ...  # noqa: D102

    @property
    def max_concurrency(self) -> int: ...  # noqa: D102

    @property
    def simulated(self) -> bool: ...  # noqa: D102

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
            At most one system message, first. A last message of the assistant's is continued, where the
            backend can.
        max_new_tokens : int, optional
            Budget of this turn; by default that of the decoding.
        stop : sequence of str, default ()
            Strings that end the text and are not part of it.
        regex : str, optional
            Form that the text must take. A deviation from free generation, which ``describe`` records.

        Raises
        ------
        ContextOverflowError
            If prompt and budget do not fit the context.
        CostCapReachedError
            If the cost cap was reached before this request.
        FatalModelError
            If trying again cannot help.
        ServiceUnavailableError
            If transient failures outlasted the retries.
        """
        ...

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records of the model; JSON values, never a secret."""
        ...

    async def aclose(self) -> None:
        """Release connections or the engine."""
        ...


class ModelError(Exception):
    """A request that gave no generation. Never an answer, a format failure or a judgment."""


class FatalModelError(ModelError):
    """Trying again cannot help: a wrong key, an unknown model, a request that the service refuses."""


class ContextOverflowError(FatalModelError):
    """Prompt and generation budget do not fit the context; nothing was cut."""


class CostCapReachedError(FatalModelError):
    """The cost cap was reached; no further request is sent."""


class TransientModelError(ModelError):
    """Trying again may help: a lost connection, a timeout, a server error, a broken body."""


class UnreachableError(TransientModelError):
    """No connection came about: nothing listens there, or the name is unknown."""


class RateLimitError(TransientModelError):
    """The service asks for a pause.

    Parameters
    ----------
    message : str
        What the service said.
    wait : float, optional
        Seconds it asks for; ``None`` if it does not say.
    """

    def __init__(self, message: str, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class ServiceUnavailableError(ModelError):
    """Transient failures outlasted the retries.

    Parameters
    ----------
    attempts : int
        Requests sent.
    last : TransientModelError
        Failure of the last one; also the exception's ``__cause__``.
    """

    def __init__(self, attempts: int, last: TransientModelError) -> None:
        super().__init__(f"no generation after {attempts} attempts; the last: {last}")
        self.attempts = attempts
        self.last = last


class NoServerError(ServiceUnavailableError):
    """The very first request found nobody at the address: a server that is not there, not one that is gone.

    Parameters
    ----------
    attempts : int
        Requests sent.
    last : TransientModelError
        Failure of the last one.
    """

    def __init__(self, attempts: int, last: TransientModelError) -> None:
        super().__init__(attempts, last)
        self.args = (f"{last}; is the server running, and is that its address?",)


def canonical_prompt(messages: Sequence[Message]) -> str:
    """Return the conversation as one string, equal for equal conversations.

    Parameters
    ----------
    messages : sequence of Message
        The conversation.

    Returns
    -------
    str
        JSON with sorted keys and no blanks; the prompt of the seed rule where the chat template is the
        server's, so that the rendered prompt is not known.
    """
    turns = [{"role": message["role"], "content": message["content"]} for message in messages]
    return json.dumps(turns, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def check_messages(messages: Sequence[Message]) -> None:
    """Refuse a conversation that no backend can continue.

    Parameters
    ----------
    messages : sequence of Message
        The conversation.

    Raises
    ------
    ValueError
        If it is empty, has an unknown role, or a system message that is not first or stands alone.
    """
    if not messages:
        raise ValueError("messages: empty, expected at least one user message")
    for position, message in enumerate(messages):
        role = message["role"]
        if role not in ("system", "user", "assistant"):
            raise ValueError(f"messages[{position}]: role {role!r}, expected system, user or assistant")
        if role == "system" and position > 0:
            raise ValueError(f"messages[{position}]: a system message that is not the first one")
    if messages[-1]["role"] == "system":
        raise ValueError("messages: only a system message, expected a user message after it")
