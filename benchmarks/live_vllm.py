"""Two schedules of the same 48 episodes on a real vLLM on the CPU: all in flight, and lock-step.

Needs a server: ``python tests/live/run_live.py --script benchmarks/live_vllm.py``. Both schedules run the
same loop on the same questions with the same seeds; each has a prefix cache of its own, by a salt. There are
two rounds, the second in the opposite order, so that neither schedule always has the warmer machine.
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import hamlets  # noqa: E402
from judged_useless.agent.calls import Options  # noqa: E402
from judged_useless.agent.loop import run_episode  # noqa: E402
from judged_useless.environment.environment import Environment  # noqa: E402
from judged_useless.environment.failed_paragraphs import FailurePool  # noqa: E402
from judged_useless.environment.regimes import MEAN6  # noqa: E402
from judged_useless.models.base import Generation, Message, Model  # noqa: E402
from judged_useless.protocol.conditions import get_condition  # noqa: E402
from live_models import Delegate, Searching, live_model  # noqa: E402

N_QUESTIONS, BATCH, BUDGET, K, ROUNDS = 8, 32, 8, 5, 2
#: Observations before which the model is not offered to finish, so that episodes have the paper's length.
OBSERVATIONS = 6

Request = tuple[Callable[[], Awaitable[Generation]], asyncio.Future[Generation]]


class Outcome(NamedTuple):
    """What a schedule took and did."""

    seconds: float
    calls: int
    tokens: int


@dataclass
class LockStep:
    """Rounds: one request of every episode still running, and nobody goes on before all are answered."""

    queues: dict[int, list[Request]]
    busy: bool = False
    rounds: list[int] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def ask(self, episode: int, send: Callable[[], Awaitable[Generation]]) -> Generation:
        """Wait for the round of this request, and for everybody in it."""
        answer: asyncio.Future[Generation] = asyncio.get_running_loop().create_future()
        self.queues[episode].append((send, answer))
        self.start()
        return await answer

    def start(self) -> None:
        """Begin a round if all are there."""
        if self.queues and not self.busy and all(self.queues.values()):
            self.busy = True
            requests = [queue.pop(0) for queue in self.queues.values()]
            task = asyncio.create_task(self._round(requests))
            self.tasks.add(task)
            task.add_done_callback(self.tasks.discard)

    async def _round(self, requests: list[Request]) -> None:
        self.rounds.append(len(requests))
        answers = await asyncio.gather(*(send() for send, _ in requests))
        self.busy = False
        for (_, waiting), answer in zip(requests, answers, strict=True):
            waiting.set_result(answer)
        self.start()

    def leave(self, episode: int) -> None:
        """Take an episode that has ended out of the rounds."""
        del self.queues[episode]
        self.start()


@dataclass
class Seat(Delegate):
    """An episode's place in the rounds."""

    steps: LockStep
    episode: int

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:  # noqa: ANN401 - the model's
        """Send with the round."""
        return await self.steps.ask(self.episode, partial(self.model.generate, messages, **options))


@dataclass
class Counting(Delegate):
    """Counts what comes back."""

    calls: int = 0
    tokens: int = 0

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:  # noqa: ANN401 - the model's
        """Pass on and count."""
        generation = await self.model.generate(messages, **options)
        self.calls += 1
        self.tokens += generation.completion_tokens or 0
        return generation


def episodes() -> list[Environment]:
    questions = hamlets.load("all")
    pool = FailurePool(questions)
    return [Environment(q, regime, pool, budget=BUDGET) for q in questions[:N_QUESTIONS] for regime in MEAN6]


async def run(model: Model, environment: Environment) -> None:
    options = Options(k=K, constrain=True)
    await run_episode(model, environment, get_condition("enforced_rule"), options)


async def all_in_flight(model: Model) -> None:
    async with asyncio.TaskGroup() as group:
        for environment in episodes():
            group.create_task(run(model, environment))


async def in_lock_step(model: Model) -> None:
    waiting = episodes()
    while waiting:
        batch, waiting = waiting[:BATCH], waiting[BATCH:]
        steps = LockStep({number: [] for number in range(len(batch))})

        async def take(number: int, environment: Environment, steps: LockStep = steps) -> None:
            await run(Seat(model, steps, number), environment)
            steps.leave(number)

        async with asyncio.TaskGroup() as group:
            for number, environment in enumerate(batch):
                group.create_task(take(number, environment))


async def measure(name: str, number: int) -> Outcome:
    model = live_model("openai", extra_body={"cache_salt": f"{name} {number}"}, max_concurrency=64)
    counting = Counting(Searching(model, OBSERVATIONS))
    started = time.perf_counter()
    await SCHEDULES[name](counting)
    seconds = time.perf_counter() - started
    await model.aclose()
    print(
        f"{name:>13}: {seconds:6.1f} s, {counting.calls} calls, {counting.tokens} tokens generated",
        flush=True,
    )
    return Outcome(seconds, counting.calls, counting.tokens)


async def main() -> None:
    warm = live_model("openai")
    await asyncio.gather(*(warm.generate([{"role": "user", "content": f"Count to {n}."}]) for n in range(4)))
    await warm.aclose()
    n = N_QUESTIONS * len(MEAN6)
    for number in range(ROUNDS):
        names = list(SCHEDULES) if number % 2 == 0 else list(reversed(SCHEDULES))
        outcomes = {name: await measure(name, number) for name in names}
        ours, theirs = (outcomes[name] for name in SCHEDULES)
        ratio = theirs.seconds / ours.seconds
        per_second = (ours.tokens / ours.seconds) / (theirs.tokens / theirs.seconds)
        print(f"round {number + 1}, {n} episodes of enforced_rule, batches of {BATCH}: lock-step takes")
        print(f"  {ratio:.2f} times as long; tokens a second are {per_second:.2f} times its", flush=True)


SCHEDULES: dict[str, Callable[[Model], Awaitable[None]]] = {
    "all in flight": all_in_flight,
    "lock-step": in_lock_step,
}

if __name__ == "__main__":
    asyncio.run(main())
