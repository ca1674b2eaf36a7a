"""The two HTTP backends, made for a local server."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

from faulty_server import FaultyServer
from judged_useless.models import get_model
from judged_useless.models.base import Decoding, Message
from judged_useless.models.retry import Retries
from judged_useless.models.server import ServerModel

PROVIDERS = ("openai", "anthropic")
MESSAGES: list[Message] = [
    {"role": "system", "content": "You are an agent."},
    {"role": "user", "content": "Question: who?"},
]


class Waits(list[float]):
    """Records the waits, and does not wait."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def make(
    provider: str, urls: str | Sequence[str], waits: Waits | None = None, *, name: str = "m", **options: Any
) -> ServerModel:
    """Return a model on these servers that tries three times and never waits."""
    hosts = [urls] if isinstance(urls, str) else urls
    defaults: dict[str, Any] = {
        "base_url": [f"{host}/v1" if provider == "openai" else host for host in hosts],
        "api_key": "key-for-nothing",
        "decoding": Decoding(max_new_tokens=50, context=1000),
        "retries": Retries(attempts=3, sleep=Waits() if waits is None else waits),
        "timeout": 5.0,
    }
    made = get_model(f"{provider}:{name}", **{**defaults, **options})
    assert isinstance(made, ServerModel)
    return made


@asynccontextmanager
async def served(
    provider: str, *faults: str, waits: Waits | None = None, **options: Any
) -> AsyncIterator[tuple[FaultyServer, ServerModel]]:
    """Run a server that answers by these faults, and a model of it."""
    async with FaultyServer(*faults) as server:
        model = make(provider, server.url, waits, **options)
        try:
            yield server, model
        finally:
            await model.aclose()
