"""What an episode asks of a model: the options of a run, requests, proposed turns."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from judged_useless.models.base import Generation, Message, Model
from judged_useless.protocol.signals import JUDGMENT_FORM, JUDGMENT_TOKENS
from judged_useless.protocol.turns import Turn

#: Opens the side channel's reply of a thinking model, which would spend its eight tokens on thinking. Ours:
#: the paper does not say how it asked there.
NO_THINKING = "<think>\n\n</think>\n\n"
# Providers whose models continue a message of the assistant's.
_CONTINUING = ("vllm", "openai")


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
    """How episodes are run, the same for a whole cell; as `judged_useless.run_cell` takes them."""

    k: int = 5
    style: str = "react"
    #: Whether judgments are asked for, on copies, also where the condition reads none.
    judge: bool = False
    judgment_tokens: int = JUDGMENT_TOKENS
    #: For the condition ``random``: the model's own rate of USELESS on development questions.
    useless_rate: float | None = None
    #: Base seed of the random signal.
    seed: int = 42
    constrain: bool = False


def judgment_request(
    model: Model,
    messages: Sequence[Message],
    question: str,
    *,
    constrain: bool,
    max_new_tokens: int = JUDGMENT_TOKENS,
) -> tuple[list[Message], dict[str, Any]]:
    """Return what is sent to ask for the judgment of the latest observation: messages, and options."""
    asked: list[Message] = [*messages, {"role": "user", "content": question}]
    if model.decoding.thinking and model.provider in _CONTINUING:
        asked.append({"role": "assistant", "content": NO_THINKING})
    return asked, {"max_new_tokens": max_new_tokens, "regex": JUDGMENT_FORM if constrain else None}


async def all_of(coroutines: Iterable[Coroutine[Any, Any, Any]]) -> list[Any]:
    """Return all results in order; if one fails the others are cancelled and its failure is raised."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(each) for each in coroutines]
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from failures
    return [task.result() for task in tasks]
