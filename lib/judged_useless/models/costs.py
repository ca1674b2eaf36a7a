"""What requests use and cost, and a cap that is never passed.

No price is shipped: prices change, and a wrong one would be an invented number. Whoever wants costs states
the prices, where they are from and of which date.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pydantic

from judged_useless._io.yaml_files import read_yaml
from judged_useless.models.base import CostCapReachedError


class Price(pydantic.BaseModel):
    """Price of a model's tokens in USD per million, where it is from and when it held, as the user states it.

    Tokens read from and written to the service's prompt cache cost as much as `input` unless it is said.
    """

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    input: float = pydantic.Field(ge=0)
    output: float = pydantic.Field(ge=0)
    cache_read: float | None = pydantic.Field(default=None, ge=0)
    cache_write: float | None = pydantic.Field(default=None, ge=0)
    source: str = pydantic.Field(min_length=1)
    as_of: date


def load_prices(path: str | Path) -> dict[str, Price]:
    """Read a YAML file of model name -> fields of :class:`Price`; a ValueError names file, model, field."""
    prices: dict[str, Price] = read_yaml(path, dict[str, Price])
    return prices


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens of one request, each counted once: of the prompt without those of the cache, and generated."""

    input: int
    output: int
    cache_read: int = 0
    cache_write: int = 0

    @property
    def prompt(self) -> int:
        """Tokens of the prompt, cached or not."""
        return self.input + self.cache_read + self.cache_write

    def cost(self, price: Price) -> float:
        """Return the price of these tokens in USD."""
        cached = (price.input if price.cache_read is None else price.cache_read) * self.cache_read
        written = (price.input if price.cache_write is None else price.cache_write) * self.cache_write
        return (price.input * self.input + price.output * self.output + cached + written) / 1_000_000

    def worst_cost(self, price: Price) -> float:
        """Return the cost in USD should every prompt token be of the dearest kind."""
        dearest = max(price.input, price.cache_read or 0, price.cache_write or 0)
        return (dearest * self.prompt + price.output * self.output) / 1_000_000


class Charge:
    """Filled in by whoever holds it, when the request's usage is known."""

    usage: Usage | None = None


class CostMeter:
    """What a model's requests have cost, and a cap, which needs a price.

    A request is let through only if the cap holds even should it and all requests in flight cost the most
    that they can. While it is only the ones in flight that stand in the way, it waits for them. One that
    failed without usage is not charged: services differ in what they bill then.
    """

    def __init__(self, price: Price | None = None, cap_usd: float | None = None) -> None:
        if cap_usd is not None and (price is None or not cap_usd > 0):
            raise ValueError(f"cost_cap_usd is {cap_usd!r}, expected a number > 0, and a price with it")
        self.price, self.cap_usd = price, cap_usd
        self.spent_usd = 0.0
        self._reserved: list[float] = []
        self._settled = asyncio.Condition()

    @asynccontextmanager
    async def request(self, worst: Usage) -> AsyncIterator[Charge]:
        """Hold the worst cost of a request while it is in flight, then charge what it used, or the worst."""
        bound = 0.0 if self.price is None else worst.worst_cost(self.price)
        if self.cap_usd is not None:
            await self._reserve(bound, self.cap_usd)
        charge = Charge()
        try:
            yield charge
            if charge.usage is None and self.cap_usd is not None:
                charge.usage = worst
        finally:
            if charge.usage is not None and self.price is not None:
                self.spent_usd += charge.usage.cost(self.price)
            if self.cap_usd is not None:
                async with self._settled:
                    self._reserved.remove(bound)
                    self._settled.notify_all()

    async def _reserve(self, bound: float, cap: float) -> None:
        async with self._settled:
            while self.spent_usd + sum(self._reserved) + bound > cap:
                if self.spent_usd + bound > cap:
                    raise CostCapReachedError(
                        f"spent {self.spent_usd:.4f} of {cap:g} USD; the next request may cost {bound:.4f}"
                    )
                await self._settled.wait()
            self._reserved.append(bound)
