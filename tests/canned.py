"""Models for tests of the loop: one that says what it is told to, one that takes its time."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from judged_useless.models.base import Decoding, Generation, Message

Said = str | Exception


@dataclass
class Request:
    """What a model was asked."""

    messages: list[Message]
    options: dict[str, Any]

    @property
    def judges(self) -> bool:
        """Whether it is the side channel's question."""
        return self.messages[-1]["content"].startswith("Before acting: was the LAST observation")


@dataclass
class CannedModel:
    """Says the next of its turns, judgments or decisions, whichever is asked for, and keeps the requests."""

    turns: Sequence[Said]
    judgments: Sequence[Said] = ()
    decisions: Sequence[Said] = ()
    decoding: Decoding = field(default_factory=Decoding)
    name: str = "canned"
    provider: str = "canned"
    max_concurrency: int = 4
    simulated: bool = True
    requests: list[Request] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._left = {
            "turn": list(self.turns),
            "judgment": list(self.judgments),
            "decision": list(self.decisions),
        }

    def describe(self) -> dict[str, Any]:
        return {"provider": self.provider, "name": self.name}

    async def aclose(self) -> None:
        """Nothing to close."""

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        options = {"max_new_tokens": max_new_tokens, "stop": tuple(stop), "regex": regex}
        request = Request(list(messages), options)
        self.requests.append(request)
        decides = "write exactly: DECISION:" in request.messages[-1]["content"]
        kind = "judgment" if request.judges else "decision" if decides else "turn"
        said = self._left[kind].pop(0)
        if isinstance(said, Exception):
            raise said
        reason: Literal["stop", "length"] = "length" if said.endswith("<cut>") else "stop"
        return Generation(
            text=said.removesuffix("<cut>"), finish_reason=reason, prompt_tokens=1, completion_tokens=1
        )


class SlowModel:
    """Another model, each of whose requests takes a while."""

    def __init__(self, model: Any, seconds: Callable[[Sequence[Message]], float]) -> None:
        self._model, self._seconds = model, seconds
        self.name, self.provider, self.decoding = model.name, model.provider, model.decoding
        self.simulated, self.max_concurrency = model.simulated, model.max_concurrency
        self.in_flight = 0
        #: Requests in flight when each one started, itself included.
        self.starts: list[int] = []

    def describe(self) -> dict[str, Any]:
        description: dict[str, Any] = self._model.describe()
        return description

    async def aclose(self) -> None:
        """Nothing to close."""

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        self.in_flight += 1
        self.starts.append(self.in_flight)
        try:
            await asyncio.sleep(self._seconds(messages))
            generation: Generation = await self._model.generate(messages, **options)
            return generation
        finally:
            self.in_flight -= 1


def act(action: str, text: str = "x", thought: str = "I go on.") -> str:
    """Write a turn."""
    return f"Thought: {thought}\nAction: {action}\nAction Input: {text}"
