"""What an episode asks of a model: the options of a run, requests, proposed turns."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from judged_useless.models.base import Generation
from judged_useless.react import Turn

A = TypeVar("A")
B = TypeVar("B")


class Call(NamedTuple):
    """One request: what it was for, after how many observations, and what came back."""

    kind: str
    t: int
    generation: Generation


class Proposal(NamedTuple):
    """A turn before it is accepted: its text as the history keeps it, and as read."""

    text: str
    turn: Turn
    truncated: bool


@dataclass(frozen=True, kw_only=True)
class Options:
    """How episodes are run, the same for a whole cell.

    Attributes
    ----------
    k : int, default 5
        Run of USELESS judgments at which a rule acts.
    style : {"react", "search-r1"}, default "react"
        How the agent writes a turn.
    judge : bool, default False
        Ask the side-channel question after every observation also where the condition reads no judgment of
        the model's: on a copy, as the paper's replay of recorded trajectories does.
    useless_rate : float, optional
        For the condition ``random``: the model's own rate of USELESS on development questions.
    seed : int, default 42
        Base seed of the random signal.
    constrain : bool, default False
        Hold turns and judgments to their form while they are generated, for models too small to keep it. A
        deviation from the paper.
    """

    k: int = 5
    style: str = "react"
    judge: bool = False
    useless_rate: float | None = None
    seed: int = 42
    constrain: bool = False


async def together(first: Coroutine[Any, Any, A], second: Coroutine[Any, Any, B]) -> tuple[A, B]:
    """Wait for both; if one fails the other is cancelled, and its failure is raised as itself.

    Parameters
    ----------
    first, second : coroutine
        Started in this order.

    Returns
    -------
    tuple
        Both results.
    """
    try:
        async with asyncio.TaskGroup() as group:
            tasks = group.create_task(first), group.create_task(second)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    return tasks[0].result(), tasks[1].result()
