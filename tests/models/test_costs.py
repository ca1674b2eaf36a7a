import asyncio
from pathlib import Path
from typing import Any

import pytest
from judged_useless.models.costs import CostMeter, Price, Usage, load_prices

FIELDS: dict[str, Any] = {"input": 1.0, "output": 5.0, "source": "made up", "as_of": "2026-11-30"}
PRICE = Price(**FIELDS)
WORST = Usage(input=500_000, output=100_000)  # 1 USD


def test_each_kind_of_token_has_its_price() -> None:
    price = Price(**FIELDS, cache_read=0.1, cache_write=1.25)
    usage = Usage(input=1_000_000, output=200_000, cache_read=2_000_000, cache_write=400_000)
    assert usage.prompt == 3_400_000
    assert usage.cost(price) == pytest.approx(1.0 + 1.0 + 0.2 + 0.5)
    assert usage.cost(PRICE) == pytest.approx(1.0 + 1.0 + 2.0 + 0.4)


async def test_requests_in_flight_cannot_pass_the_cap_together() -> None:
    meter = CostMeter(PRICE, cap_usd=2.5)
    running = most = 0

    async def request() -> None:
        nonlocal running, most
        async with meter.request(WORST) as charge:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0)
            running -= 1
            charge.usage = Usage(input=100_000, output=0)

    await asyncio.gather(*(request() for _ in range(10)))
    # Two at the worst fit under the cap; the others waited, and were let through as room was left.
    assert most == 2
    assert meter.spent_usd == pytest.approx(1.0)


async def test_a_failed_request_frees_what_it_held_and_one_without_usage_costs_the_worst() -> None:
    meter = CostMeter(PRICE, cap_usd=1.0)
    for _ in range(3):
        with pytest.raises(OSError, match="lost"):
            async with meter.request(WORST):
                raise OSError("lost")
    assert meter.spent_usd == 0
    async with meter.request(WORST):
        pass
    assert meter.spent_usd == pytest.approx(1.0)


def test_a_cap_that_means_nothing_is_refused() -> None:
    for price, cap in ((None, 1.0), (PRICE, 0.0)):
        with pytest.raises(ValueError, match=f"cost_cap_usd is {cap}, expected a number > 0, and a price"):
            CostMeter(price, cap)


def test_prices_are_read_from_a_file_with_source_and_date(tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("m:\n  input: 1\n  output: 5\n  source: made up\n  as_of: 2026-11-30\n")
    assert load_prices(path) == {"m": PRICE}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[]", "the record is \\[\\], expected a valid dictionary"),
        ("m: {input: 1, output: 5, source: x}", "m.as_of is missing"),
        ("m: {input: -1, output: 5, source: x, as_of: 2026-11-30}", "m.input is -1, expected"),
        ("m: {input: 1, output: 5, source: x, as_of: 2026-11-30, per: k}", "m.per is 'k', expected"),
        ("m: [1", "not YAML"),
    ],
)
def test_a_price_file_that_is_not_one_is_refused(content: str, problem: str, tmp_path: Path) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text(content)
    with pytest.raises(ValueError, match=rf"prices\.yaml: .*{problem}"):
        load_prices(path)
