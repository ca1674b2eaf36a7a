"""How much of a real engine's throughput the harness uses: three schedules of the same requests to a vLLM.

Needs a server: ``python tests/live/run_live.py --script benchmarks/live_vllm.py``. *At once* is the engine's
own rate: every request of a schedule is sent again, all at the same moment, by a bare HTTP client. *All in
flight* is `run_cell`'s schedule, where a turn waits for the one before it; *lock-step* waits for those of all
episodes. Each run has a prefix cache of its own, by a salt. Rounds alternate in order, so that neither always
has the quieter machine: read the shares, not the seconds.
"""

import asyncio
import json
import os
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import hamlets  # noqa: E402
import httpx2  # noqa: E402
from judged_useless.agent.calls import Options  # noqa: E402
from judged_useless.agent.loop import run_episode  # noqa: E402
from judged_useless.environment.environment import Environment  # noqa: E402
from judged_useless.environment.failed_paragraphs import FailurePool  # noqa: E402
from judged_useless.environment.regimes import MEAN6  # noqa: E402
from judged_useless.models.base import Generation, Message, Model  # noqa: E402
from judged_useless.models.openai_compatible import OpenAIModel  # noqa: E402
from judged_useless.protocol.conditions import get_condition  # noqa: E402
from live_models import DECODING, Delegate, Searching  # noqa: E402

BATCH, BUDGET, K, ROUNDS = 32, 8, 5, 2
N_QUESTIONS = int(sys.argv[1]) if len(sys.argv) > 1 else 8
#: With fewer requests in flight the engine has too little to do at once: the last episodes of a run.
THIN = 16
#: Observations before which the model is not offered to finish, so that episodes have the paper's length.
OBSERVATIONS = 6

Request = tuple[Callable[[], Awaitable[Generation]], asyncio.Future[Generation]]


class Answered(NamedTuple):
    """One request of a schedule: when it was sent and answered, and the tokens generated for it."""

    sent: float
    answered: float
    tokens: int


async def timed(body: dict[str, Any], post: Callable[[], Awaitable[str]], log: list[Answered]) -> str:
    sent = time.perf_counter()
    text = await post()
    log.append(Answered(sent, time.perf_counter(), json.loads(text)["usage"]["completion_tokens"]))
    return text


class Recording(OpenAIModel):
    """The harness's own client, and what it sends."""

    def __init__(self, salt: str) -> None:
        super().__init__(
            os.environ["LIVE_MODEL"], base_url=f"{os.environ['LIVE_URL']}/v1", api_key="none",
            decoding=DECODING, extra_body={"cache_salt": salt}, max_concurrency=128,
        )  # fmt: skip
        self.bodies: list[dict[str, Any]] = []
        self.log: list[Answered] = []

    async def _post(self, client: Any, body: dict[str, Any]) -> str:  # noqa: ANN401 - the SDK's
        self.bodies.append(body)
        return await timed(body, partial(super()._post, client, body), self.log)


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


async def at_once(bodies: Sequence[dict[str, Any]], salt: str) -> list[Answered]:
    """Send all requests at the same moment, without the harness."""
    log: list[Answered] = []
    limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=os.environ["LIVE_URL"], timeout=None, limits=limits) as client:

        async def post(body: dict[str, Any]) -> str:
            response = await client.post("/v1/chat/completions", json=body | {"cache_salt": salt})
            return response.raise_for_status().text

        await asyncio.gather(*(timed(body, partial(post, body), log) for body in bodies))
    return log


async def scheduled(name: str, salt: str) -> Recording:
    model = Recording(salt)
    await SCHEDULES[name](Searching(model, OBSERVATIONS))
    await model.aclose()
    return model


def rates(name: str, log: Sequence[Answered]) -> tuple[float, float]:
    """Print and return a schedule's tokens a second: of the whole, and while it kept the engine busy."""
    changes = []
    for sent, answered, tokens in log:
        speed = tokens / (answered - sent)
        changes += [(sent, 1, speed), (answered, -1, -speed)]
    changes.sort()
    flying, speed, busy, generated = 0, 0.0, 0.0, 0.0
    for (moment, change, more), (following, *_) in pairwise(changes):
        flying, speed = flying + change, speed + more
        busy += (following - moment) * (flying >= THIN)
        generated += (following - moment) * (flying >= THIN) * speed
    seconds, total = changes[-1][0] - changes[0][0], sum(each.tokens for each in log)
    print(
        f"  {name:>13}: {seconds:.0f} s, {len(log)} calls, {total} tokens, {total / seconds:.1f} a second; "
        f"{THIN} and more in flight for {busy:.0f} s, then {generated / busy:.1f} a second",
        flush=True,
    )
    return total / seconds, generated / busy


async def main() -> None:
    warm = Recording("warm")
    await asyncio.gather(*(warm.generate([{"role": "user", "content": f"Count to {n}."}]) for n in range(4)))
    await warm.aclose()
    for number in range(ROUNDS):
        print(f"round {number + 1}, {N_QUESTIONS * len(MEAN6)} episodes of enforced_rule", flush=True)
        for name in SCHEDULES if number % 2 == 0 else reversed(SCHEDULES):
            model = await scheduled(name, f"{name} {number}")
            whole, busy = rates(name, model.log)
            engine, _ = rates("at once", await at_once(model.bodies, f"{name} at once {number}"))
            print(
                f"{name}: {whole / engine:.0%} of the engine's rate; {busy / engine:.0%} while busy",
                flush=True,
            )


SCHEDULES: dict[str, Callable[[Model], Awaitable[None]]] = {
    "all in flight": all_in_flight,
    "lock-step": in_lock_step,
}

if __name__ == "__main__":
    asyncio.run(main())
