"""Whatever a server does ends in a generation, or in an error that says what happened."""

import socket

import pytest
from faulty_server import KEY, TEXT, FaultyServer
from http_models import MESSAGES, PROVIDERS, Waits, make
from judged_useless.models.base import (
    ContextOverflowError,
    CostCapReachedError,
    FatalModelError,
    RateLimitError,
    ServiceUnavailableError,
    TransientModelError,
)
from judged_useless.models.costs import Price
from judged_useless.models.retry import RetryPolicy

pytestmark = pytest.mark.parametrize("provider", PROVIDERS)

TRANSIENT = {
    "rate_limit": RateLimitError,
    "rate_limit_7": RateLimitError,
    "503_9": RateLimitError,
    "500": TransientModelError,
    "500_html": TransientModelError,
    "529": TransientModelError,
    "reset": TransientModelError,
    "cut_body": TransientModelError,
    "cut_stream": TransientModelError,
    "cut_json": TransientModelError,
    "malformed": TransientModelError,
    "html": TransientModelError,
    "json_list": TransientModelError,
    "error_in_200": TransientModelError,
    "empty_choice": TransientModelError,
    "empty_text": TransientModelError,
    "null_text": TransientModelError,
    "broken_off": TransientModelError,
}
FINAL = {
    "no_credit": FatalModelError,
    "bad_request": FatalModelError,
    "unauthorized": FatalModelError,
    "not_found": FatalModelError,
    "overflow": ContextOverflowError,
    "silent_cut": ContextOverflowError,
}


@pytest.mark.parametrize("fault", TRANSIENT)
async def test_a_passing_fault_costs_an_attempt_and_nothing_else(fault: str, provider: str) -> None:
    waits = Waits()
    async with FaultyServer(fault, "ok") as server:
        model = make(provider, server.url, waits)
        generation = await model.generate(MESSAGES)
        await model.aclose()
    assert generation.text == TEXT
    assert len(server.requests) == 2
    assert server.requests[0].body == server.requests[1].body
    assert len(waits) == 1
    assert model.totals()["failed"] == 1


@pytest.mark.parametrize("fault", TRANSIENT)
async def test_a_lasting_fault_is_service_unavailable(fault: str, provider: str) -> None:
    async with FaultyServer(fault) as server:
        model = make(provider, server.url)
        with pytest.raises(ServiceUnavailableError) as caught:
            await model.generate(MESSAGES)
        await model.aclose()
    assert caught.value.attempts == len(server.requests) == 3
    assert type(caught.value.last) is TRANSIENT[fault]
    assert caught.value.__cause__ is caught.value.last


@pytest.mark.parametrize("fault", FINAL)
async def test_a_fault_that_waiting_cannot_help_is_not_tried_again(fault: str, provider: str) -> None:
    waits = Waits()
    async with FaultyServer(fault) as server:
        model = make(provider, server.url, waits)
        with pytest.raises(FatalModelError) as caught:
            await model.generate(MESSAGES)
        await model.aclose()
    assert type(caught.value) is FINAL[fault]
    assert len(server.requests) == 1
    assert waits == []


async def test_a_key_that_a_server_repeats_is_not_in_what_is_kept(provider: str) -> None:
    async with FaultyServer("echoed_key") as server:
        # A word in the place of a key is none: it may well be in what a model says.
        for key, shown in ((KEY, "[redacted]"), ("search", KEY)):
            model = make(provider, server.url, api_key=key)
            generation = await model.generate(MESSAGES)
            await model.aclose()
            expected = f"Thought: my key is {shown}, not sk-looks-like-one\nAction: search"
            assert generation.text == expected


async def test_a_hang_ends_at_the_timeout(provider: str) -> None:
    async with FaultyServer("hang", "hang", "ok") as server:
        model = make(provider, server.url, timeout=0.1)
        assert (await model.generate(MESSAGES)).text == TEXT
        await model.aclose()
    assert len(server.requests) == 3


async def test_a_hang_that_lasts_is_service_unavailable(provider: str) -> None:
    async with FaultyServer("hang") as server:
        model = make(provider, server.url, timeout=0.1)
        with pytest.raises(ServiceUnavailableError, match="timed out"):
            await model.generate(MESSAGES)
        await model.aclose()


async def test_a_refused_connection_is_service_unavailable(provider: str) -> None:
    waits = Waits()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = make(provider, f"http://127.0.0.1:{port}", waits)
    with pytest.raises(ServiceUnavailableError, match="connection failed") as caught:
        await model.generate(MESSAGES)
    await model.aclose()
    assert caught.value.attempts == 3
    assert len(waits) == 2


@pytest.mark.parametrize(("fault", "asked"), [("rate_limit_7", 7.0), ("503_9", 9.0)])
async def test_the_wait_is_the_one_that_the_service_asks_for(fault: str, asked: float, provider: str) -> None:
    waits = Waits()
    async with FaultyServer(fault, "ok") as server:
        model = make(provider, server.url, waits)
        await model.generate(MESSAGES)
        await model.aclose()
    assert asked <= waits[0] <= asked + RetryPolicy().first_wait


async def test_a_wait_beyond_the_time_allowed_is_not_begun(provider: str) -> None:
    waits = Waits()
    async with FaultyServer("rate_limit_hour") as server:
        model = make(provider, server.url, waits)
        with pytest.raises(ServiceUnavailableError) as caught:
            await model.generate(MESSAGES)
        await model.aclose()
    assert caught.value.attempts == 1
    assert waits == []
    assert isinstance(caught.value.last, RateLimitError)
    assert caught.value.last.wait == 3600


async def test_a_text_cut_at_its_budget_says_so(provider: str) -> None:
    async with FaultyServer("length") as server:
        model = make(provider, server.url)
        generation = await model.generate(MESSAGES)
        await model.aclose()
    assert (generation.finish_reason, generation.completion_tokens) == ("length", 50)


async def test_an_empty_text_that_took_a_token_is_the_models_own(provider: str) -> None:
    async with FaultyServer("blank") as server:
        model = make(provider, server.url)
        assert (await model.generate(MESSAGES)).text == ""
        await model.aclose()
    assert len(server.requests) == 1


async def test_prompt_and_budget_beyond_the_context_are_an_error_even_if_the_server_is_content(
    provider: str,
) -> None:
    async with FaultyServer("ok") as server:
        model = make(provider, server.url)
        assert (await model.generate(MESSAGES, max_new_tokens=900)).prompt_tokens == 100
        with pytest.raises(ContextOverflowError, match="100 prompt tokens and 901"):
            await model.generate(MESSAGES, max_new_tokens=901)
        await model.aclose()


async def test_the_cost_cap_stops_before_the_request_that_could_pass_it(provider: str) -> None:
    price = Price(input=1.0, output=10.0, source="made up for the test", as_of="2026-11-30")  # type: ignore[arg-type]
    async with FaultyServer("ok") as server:
        model = make(provider, server.url, price=price, cost_cap_usd=0.002)
        costs = [(await model.generate(MESSAGES)).cost_usd for _ in range(7)]
        with pytest.raises(CostCapReachedError, match=r"of 0\.002 USD"):
            await model.generate(MESSAGES)
        await model.aclose()
    # 100 prompt tokens at 1 and 12 tokens at 10 USD per million; at the worst 159 + 500 millionths are held.
    assert costs == pytest.approx([220e-6] * 7)
    assert len(server.requests) == 7
    assert model.totals()["cost_usd"] == pytest.approx(1540e-6)


async def test_our_own_bug_is_raised_as_it_is(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with FaultyServer("ok") as server:
        model = make(provider, server.url)

        async def broken(*_: object) -> str:
            raise KeyError("a bug")

        monkeypatch.setattr(model, "_call", broken)
        with pytest.raises(KeyError, match="a bug"):
            await model.generate(MESSAGES)
        await model.aclose()
    assert server.requests == []
