"""The one place where requests wait: a bound on those in flight, older episodes first."""

import asyncio
import heapq
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from judged_useless.models.base import Decoding, Generation, Message, Model


def require_places(limit: int) -> None:
    """Raise ValueError if fewer than one request may be in flight."""
    if limit < 1:
        raise ValueError(f"concurrency is {limit}, expected at least 1")


class Gate:
    """A semaphore whose waiters pass in the order of their rank.

    All episodes of a cell are in flight at once. Letting the earlier ones through first finishes them early:
    what is on disk after a crash is then whole episodes, and their prefixes are still in the server's cache.

    Parameters
    ----------
    limit : int
        Requests in flight, at least 1.
    """

    def __init__(self, limit: int) -> None:
        require_places(limit)
        self._free = limit
        self._order = count()
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []

    @asynccontextmanager
    async def passing(self, rank: int) -> AsyncIterator[None]:
        """Hold one of the places.

        Parameters
        ----------
        rank : int
            Lower ones pass first.

        Yields
        ------
        None
        """
        await self._enter(rank)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, rank: int) -> None:
        if self._free:
            self._free -= 1
            return
        place = asyncio.get_running_loop().create_future()
        heapq.heappush(self._waiting, (rank, next(self._order), place))
        try:
            await place
        except asyncio.CancelledError:
            # Cancelled after the place was given: pass it on, or it is lost.
            if place.done() and not place.cancelled():
                self._leave()
            raise

    def _leave(self) -> None:
        while self._waiting:
            place = heapq.heappop(self._waiting)[2]
            if not place.done():
                place.set_result(None)
                return
        self._free += 1


@dataclass
class Meter:
    """Totals of the requests of this process, for the progress bar.

    Attributes
    ----------
    calls, prompt_tokens, completion_tokens : int
        Requests that gave a generation, and their tokens as far as reported.
    cost_usd : float or None
        Their price; None as long as no request had one.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None

    def add(self, generation: Generation) -> None:
        """Count one generation."""
        self.calls += 1
        self.prompt_tokens += generation.prompt_tokens or 0
        self.completion_tokens += generation.completion_tokens or 0
        if generation.cost_usd is not None:
            self.cost_usd = (self.cost_usd or 0.0) + generation.cost_usd


class GatedModel:
    """A model whose requests pass a gate at one rank, and are counted.

    Parameters
    ----------
    model : Model
        What generates.
    gate : Gate
        Shared by all episodes of a cell.
    meter : Meter
        Shared likewise.
    rank : int
        Of this episode.
    """

    def __init__(self, model: Model, gate: Gate, meter: Meter, rank: int) -> None:
        self._model, self._gate, self._meter, self._rank = model, gate, meter, rank
        self.name = model.name
        self.provider = model.provider
        self.max_concurrency = model.max_concurrency
        self.simulated = model.simulated

    @property
    def decoding(self) -> Decoding:
        """Decoding of the model."""
        return self._model.decoding

    def describe(self) -> dict[str, Any]:
        """Return the model's description."""
        return self._model.describe()

    async def aclose(self) -> None:
        """Leave the model open: it is shared."""

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Continue a conversation when there is a place; see `judged_useless.models.base.Model.generate`."""
        async with self._gate.passing(self._rank):
            generation = await self._model.generate(
                messages, max_new_tokens=max_new_tokens, stop=stop, regex=regex
            )
        self._meter.add(generation)
        return generation
