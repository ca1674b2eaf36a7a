"""What has something to ask in the middle: one generator for loops that wait and loops that await."""

from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeVar

_Asked = TypeVar("_Asked")
_Result = TypeVar("_Result")


def exchange(asking: Generator[_Asked, Any, _Result], reply: Callable[[_Asked], Any]) -> _Result:
    """Reply to all that is asked, and return the result."""
    try:
        asked = next(asking)
        while True:
            asked = asking.send(reply(asked))
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]


async def exchange_async(
    asking: Generator[_Asked, Any, _Result], reply: Callable[[_Asked], Awaitable[Any]]
) -> _Result:
    """As :func:`exchange`, with replies that are awaited."""
    try:
        asked = next(asking)
        while True:
            asked = asking.send(await reply(asked))
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
