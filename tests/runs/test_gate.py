"""The gate before the model: a bound, an order, and no place ever lost."""

import asyncio

from judged_useless.runs.gated_model import Gate


async def test_no_more_than_the_limit_pass_and_older_ones_first() -> None:
    gate, inside, most, order = Gate(2), 0, 0, list[int]()

    async def visit(rank: int) -> None:
        nonlocal inside, most
        async with gate.passing(rank):
            order.append(rank)
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0)
            inside -= 1

    await asyncio.gather(*(visit(rank) for rank in (5, 4, 3, 2, 1, 0)))
    assert most == 2
    # Two places are free at first; whoever waits passes by rank.
    assert order == [5, 4, 0, 1, 2, 3]


async def test_a_visitor_that_is_cancelled_leaves_its_place_to_others() -> None:
    gate = Gate(1)

    async def visit() -> None:
        async with gate.passing(0):
            await asyncio.sleep(10)

    first = asyncio.create_task(visit())
    waiting = asyncio.create_task(visit())
    given = asyncio.create_task(visit())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    first.cancel()
    # The place is given to the third, which is cancelled before it can take it.
    await asyncio.sleep(0)
    given.cancel()
    await asyncio.gather(first, waiting, given, return_exceptions=True)
    async with asyncio.timeout(1), gate.passing(0):
        pass
