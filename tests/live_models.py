"""The three backends on one small real model: a running server's two APIs, and vLLM in this process."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from judged_useless.models import get_model
from judged_useless.models.base import Decoding, Generation, Message, Model

BACKENDS = ("openai", "anthropic", "vllm")
#: Qwen3's decoding, in what SmolLM2 has of context.
DECODING = Decoding(
    temperature=0.7, top_p=0.8, top_k=20, max_new_tokens=256, context=4096, seed_rule="per_prompt", seed=42
)


def live_model(backend: str, **options: Any) -> Model:
    """Return the live server's model, or the same weights in this process."""
    own: dict[str, dict[str, Any]] = {
        "openai": {"base_url": f"{os.environ['LIVE_URL']}/v1"},
        "anthropic": {"base_url": os.environ["LIVE_URL"], "structured": "json_string"},
        "vllm": {"served_name": os.environ["LIVE_WEIGHTS"], "engine": {"enforce_eager": True}},
    }
    keys = {} if backend == "vllm" else {"api_key": "none"}
    return get_model(
        f"{backend}:{os.environ['LIVE_MODEL']}", **{"decoding": DECODING, **own[backend], **keys, **options}
    )


@dataclass
class Delegate:
    """A model that is another one in all but what a subclass changes."""

    model: Model
    name: str = field(init=False)
    provider: str = field(init=False)
    decoding: Decoding = field(init=False)
    max_concurrency: int = field(init=False)
    simulated: bool = field(init=False)

    def __post_init__(self) -> None:
        for name in ("name", "provider", "decoding", "max_concurrency", "simulated"):
            setattr(self, name, getattr(self.model, name))

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        return await self.model.generate(messages, max_new_tokens=max_new_tokens, stop=stop, regex=regex)

    def describe(self) -> dict[str, Any]:
        return self.model.describe()

    async def aclose(self) -> None:
        await self.model.aclose()


@dataclass
class Searching(Delegate):
    """A model that keeps its turns short and may not finish before it has seen some observations."""

    observations: int
    then_finish: bool = False

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        if regex is not None:
            regex = regex.replace("{1,400}", "{1,100}").replace("{1,120}", "{1,40}")
            seen = sum(m["role"] == "user" and m["content"].startswith("Observation:") for m in messages)
            told = "the only available action is finish" in messages[0]["content"]
            if seen < self.observations and not told:
                regex = re.sub(r"\|finish\b", "", regex)
            elif self.then_finish:
                regex = re.sub(r"\((?:\w+\|)+finish\)", "(finish)", regex)
        return await super().generate(messages, max_new_tokens=max_new_tokens, stop=stop, regex=regex)

    def describe(self) -> dict[str, Any]:
        described = self.model.describe()
        held = f"short turns; finish is not offered before {self.observations} observations"
        held += ", and then nothing else" if self.then_finish else ""
        return {**described, "deviations": [*described["deviations"], held]}
