"""The one place where requests wait: a bound on those in flight, older episodes first."""

import asyncio
import heapq
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

from judged_useless.models.base import Generation, Message, Model


class Gate:
    """A bound on the requests in flight whose waiters pass in the order of their rank.

    All episodes of a cell are in flight at once. Letting the earlier ones through first finishes them early:
    what is on disk after a crash is then whole episodes, and their prefixes are still in the server's cache.
    """

    def __init__(self, limit: int) -> None:
        self._free = limit
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def passing(self, rank: int) -> AsyncIterator[None]:
        """Hold one of the places; lower ranks pass first."""
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._order), place))
        self._let_through()
        try:
            await place
            yield
        finally:
            # Also of one that was cancelled after the place was given, or it is lost.
            self._free += not place.cancelled()
            self._let_through()

    def _let_through(self) -> None:
        while self._free and self._waiting:
            place = heapq.heappop(self._waiting)[2]
            if not place.done():
                place.set_result(None)
                self._free -= 1


class GatedModel:
    """A model whose requests pass a gate at one rank."""

    def __init__(self, model: Model, gate: Gate, rank: int) -> None:
        self._model, self._gate, self._rank = model, gate, rank
        self.name, self.provider, self.decoding = model.name, model.provider, model.decoding
        self.max_concurrency, self.simulated = model.max_concurrency, model.simulated
        self.describe, self.aclose = model.describe, model.aclose

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:  # noqa: ANN401
        """Continue a conversation when there is a place."""
        async with self._gate.passing(self._rank):
            return await self._model.generate(messages, **options)
