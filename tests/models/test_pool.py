from collections import Counter

import pytest
from faulty_server import TEXT, FaultyServer
from http_models import PROVIDERS, make
from judged_useless.models.base import FatalModelError, Message, TransientModelError
from judged_useless.models.clients import Pool

NAMES = {"a": 1, "b": 2, "c": 3}


def test_a_conversation_keeps_its_member_and_conversations_spread() -> None:
    pool = Pool(NAMES)
    chosen = {str(key): pool.choose(str(key)) for key in range(300)}
    assert all(pool.choose(key) == name for key, name in chosen.items())
    assert min(Counter(chosen.values()).values()) > 70


def test_a_busy_member_gives_way_to_the_least_busy_one() -> None:
    pool = Pool(NAMES, slack=2)
    preferred = pool.choose("q")
    leases = [pool.lease("q") for _ in range(12)]
    for lease in leases:
        lease.__enter__()
    # Up to three more than the others, then the others fill up.
    assert pool.in_flight[preferred] == 6
    assert sorted(pool.in_flight.values()) == [3, 3, 6]
    for lease in leases:
        lease.__exit__(None, None, None)
    assert set(pool.in_flight.values()) == {0}


def fail(pool: Pool[int], error: Exception) -> None:
    with pytest.raises(type(error)), pool.lease("q"):
        raise error


def test_a_member_that_failed_rests_for_a_while() -> None:
    now = [0.0]
    pool = Pool(NAMES, rest=30, clock=lambda: now[0])
    preferred = pool.choose("q")
    fail(pool, TransientModelError("x"))
    assert pool.choose("q") != preferred
    now[0] = 30.0
    assert pool.choose("q") == preferred


def test_a_request_that_is_wrong_is_not_the_members_fault() -> None:
    pool = Pool(NAMES)
    preferred = pool.choose("q")
    fail(pool, FatalModelError("x"))
    assert pool.choose("q") == preferred


def test_where_all_failed_lately_none_is_avoided() -> None:
    pool = Pool({"a": 1})
    fail(pool, TransientModelError("x"))
    assert pool.choose("q") == "a"


def test_a_pool_of_none_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one base URL"):
        Pool({})


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_several_base_urls_share_the_questions(provider: str) -> None:
    async with FaultyServer("ok") as one, FaultyServer("ok") as two:
        model = make(provider, [one.url, two.url])
        for number in [*range(40), *range(40)]:
            await model.generate([{"role": "user", "content": str(number)}])
        await model.aclose()
    asked = [Counter(str(r.body["messages"]) for r in server.requests) for server in (one, two)]
    # Ports differ from run to run, and with them who gets what; that 39 of 40 agree is beyond chance.
    assert min(len(a) for a in asked) >= 2
    assert not set(asked[0]) & set(asked[1])
    assert len(asked[0]) + len(asked[1]) == 40


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_request_that_one_server_fails_is_answered_by_the_other(provider: str) -> None:
    async with FaultyServer("500") as bad, FaultyServer("ok") as good:
        model = make(provider, [bad.url, good.url])
        questions: list[list[Message]] = [[{"role": "user", "content": str(n)}] for n in range(40)]
        texts = {(await model.generate(question)).text for question in questions}
        await model.aclose()
    assert texts == {TEXT}
    assert (len(bad.requests), len(good.requests)) == (1, 40)
