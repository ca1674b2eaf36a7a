"""The agent loop's own cost, and what its scheduling is worth, each as a ratio or rate of this run.

``python benchmarks/agent.py [QUESTIONS]``.

(a) A scripted model that answers at once: agent steps per second on one core, files and fsync included.

(b) A simulated server with continuous batching: up to 64 requests at a time, each 15 ms for its prompt and
2 ms for each token; the length of a turn is log-normal, median 80 tokens, sigma 0.7, held to 20..400; a
judgment has 3 tokens; more requests wait in line. A cell under the enforced rule is run in lock-step batches
of 32 (all judge, then all act, then all step, and the slowest one is waited for each time) and with our
schedule. Both must give the same trajectories.
"""

import argparse
import asyncio
import math
import random
import statistics
import tempfile
import time
from collections.abc import Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judged_useless._io.seeds import stable_seed
from judged_useless.agent.calls import Options
from judged_useless.agent.loop import Episode, run_episode
from judged_useless.agent.stoppers import STOPPERS, FinishOnly
from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.environment.regimes import FAIL, MEAN6
from judged_useless.models.base import Generation, Message, canonical_prompt
from judged_useless.models.scripted import ScriptedModel
from judged_useless.protocol.conditions import get_condition
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from judged_useless.runs.trajectories import record_of
from judged_useless.tasks import TASKS, Task
from judged_useless.tasks.question import Paragraph, Question, SupportingFact

PROMPT_SECONDS, TOKEN_SECONDS, SLOTS = 0.015, 0.002, 64
BATCH = 32
_WORDS = [
    a + b for a in ("ka", "lo", "mir", "na", "or", "ta", "bel", "dra") for b in ("n", "s", "rim", "do", "la")
]


def load(split: str, *, source: str | Path | None = None) -> list[Question]:
    """Make as many questions as the split's name says, with ten pages each."""
    rng = random.Random(0)
    questions = []
    for number in range(int(split)):
        pages = tuple(
            Paragraph(
                f"{rng.choice(_WORDS).title()} {rng.choice(_WORDS).title()} {number}-{page}",
                tuple(f"{' '.join(rng.choices(_WORDS, k=16))}." for _ in range(4)),
            )
            for page in range(10)
        )
        facts = (SupportingFact(pages[0].title, 0), SupportingFact(pages[5].title, 1))
        text = f"Which {rng.choice(_WORDS)} is {' '.join(rng.choices(_WORDS, k=8))} {number}?"
        questions.append(Question(f"q{number}", text, f"answer {number}", pages, facts))
    return questions


class Server:
    """A model behind a simulated server; what is said is the scripted model's.

    Parameters
    ----------
    model : ScriptedModel
        Says it.
    """

    provider, simulated, max_concurrency = "scripted", True, SLOTS

    def __init__(self, model: ScriptedModel) -> None:
        self._model, self._slots = model, asyncio.Semaphore(SLOTS)
        self.name, self.decoding = model.name, model.decoding

    def describe(self) -> dict[str, Any]:
        """Return the scripted model's description."""
        return self._model.describe()

    async def aclose(self) -> None:
        """Nothing to close."""

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Wait for a slot, and then as long as the text takes."""
        async with self._slots:
            tokens = 3 if max_new_tokens is not None else turn_length(messages)
            await asyncio.sleep(PROMPT_SECONDS + TOKEN_SECONDS * tokens)
            return await self._model.generate(messages, max_new_tokens=max_new_tokens)


def turn_length(messages: Sequence[Message]) -> float:
    """Draw the length of a turn from its conversation, so that both schedules meet the same ones."""
    uniform = (stable_seed("length", canonical_prompt(messages)) + 0.5) / 2**60
    drawn = 80 * math.exp(0.7 * statistics.NormalDist().inv_cdf(uniform))
    return min(400.0, max(20.0, drawn))


class JudgeFirst(FinishOnly):
    """The rule as lock-step batches have it: every judgment is waited for."""

    def must_wait(self, episode: Episode) -> bool:
        """Wait always."""
        return True


class LockStep:
    """Sends the requests of a batch of episodes together, and waits for all of them.

    Parameters
    ----------
    server : Server
        Where they go.
    n_episodes : int
        In the batch.
    """

    provider, simulated = "scripted", True

    def __init__(self, server: Server, n_episodes: int) -> None:
        self._server, self._active = server, n_episodes
        self._waiting: list[tuple[Coroutine[Any, Any, Generation], asyncio.Future[Generation]]] = []
        self.name, self.decoding, self.max_concurrency = server.name, server.decoding, server.max_concurrency

    def describe(self) -> dict[str, Any]:
        """Return the server's description."""
        return self._server.describe()

    async def aclose(self) -> None:
        """Nothing to close."""

    def leave(self) -> None:
        """Tell that an episode has ended."""
        self._active -= 1
        self._send_if_all_wait()

    def _send_if_all_wait(self) -> None:
        if self._waiting and len(self._waiting) == self._active:
            batch, self._waiting = self._waiting, []
            self._sent = asyncio.create_task(self._send(batch))

    async def _send(
        self, batch: list[tuple[Coroutine[Any, Any, Generation], asyncio.Future[Generation]]]
    ) -> None:
        said = await asyncio.gather(*(request for request, _ in batch))
        for (_, future), generation in zip(batch, said, strict=True):
            future.set_result(generation)

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Wait until all episodes of the batch ask for something."""
        future: asyncio.Future[Generation] = asyncio.get_running_loop().create_future()
        self._waiting.append((self._server.generate(messages, max_new_tokens=max_new_tokens), future))
        self._send_if_all_wait()
        return await future


async def in_lock_step(server: Server, questions: Sequence[Question]) -> list[dict[str, Any]]:
    """Run the cell in batches of 32 episodes."""
    STOPPERS["judge_first"] = JudgeFirst
    condition = replace(get_condition("enforced_rule"), stopper="judge_first")
    pool = FailurePool(questions)
    jobs = [(question, regime) for question in questions for regime in MEAN6]
    records = []
    for start in range(0, len(jobs), BATCH):
        batch = jobs[start : start + BATCH]
        model = LockStep(server, len(batch))

        async def one(question: Question, regime: str, model: LockStep = model) -> Episode:
            try:
                return await run_episode(model, Environment(question, regime, pool), condition, Options())
            finally:
                model.leave()

        episodes = await asyncio.gather(*(one(question, regime) for question, regime in batch))
        records += [record_of(episode, task="bench", split=str(len(questions))) for episode in episodes]
    return records


def comparable(records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return trajectories by question and regime, without what depends on time."""
    return {
        (record["question_id"], record["regime"]): {k: v for k, v in record.items() if k != "timings"}
        for record in records
    }


def cell(folder: Path, **options: Any) -> Run:  # noqa: ANN401 - those of run_cell
    """Run one cell of the made-up task."""
    return asyncio.run(run_cell(task="bench", out=folder, progress=False, **options))


def loop_alone(n_questions: int) -> None:
    """Print the steps per second of a model that answers at once."""
    print(f"(a) a scripted model without latency, {n_questions} questions x {len(FAIL)} regimes, best of 3")
    for condition, judge in (("unaided", False), ("unaided", True), ("enforced_rule", True), ("combo", True)):
        best, busy = 0.0, 0.0
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder:
                wall, core = time.perf_counter(), time.process_time()
                run = cell(
                    Path(folder), model="scripted:never", condition=condition, split=str(n_questions),
                    regimes=FAIL, judge=judge,
                )  # fmt: skip
                wall, core = time.perf_counter() - wall, time.process_time() - core
                steps = int(run.episodes()["actions"].map(len).sum())
                best, busy = max(best, steps / wall), max(busy, steps / core)
        judged = "judgments recorded" if judge else "no judgments"
        print(f"    {condition:14s} {judged:18s} {best:6.0f} steps/s, {busy:6.0f} a second of one core")


def schedules(n_questions: int) -> None:
    """Print the throughput of both schedules and their ratio."""
    questions = load(str(n_questions))
    model = ScriptedModel("own-5").prepared(questions, 8)
    n = n_questions * len(MEAN6)
    print(f"(b) a simulated server, enforced_rule, {n} episodes")

    async def lock_step() -> list[dict[str, Any]]:
        return await in_lock_step(Server(model), questions)

    started = time.perf_counter()
    wanted = comparable(asyncio.run(lock_step()))
    slow = time.perf_counter() - started
    print(f"    lock-step batches of {BATCH}         {n / slow:6.1f} episodes/s")
    for concurrency in (BATCH, SLOTS):
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            run = asyncio.run(
                run_cell(
                    model=Server(model), condition="enforced_rule", task="bench", split=str(n_questions),
                    out=Path(folder), concurrency=concurrency, progress=False,
                )
            )  # fmt: skip
            fast = time.perf_counter() - started
            found = comparable(list(run.trajectories()))
        assert found == wanted, "the two schedules gave different trajectories"
        print(
            f"    ours, {concurrency} requests in flight     {n / fast:6.1f} episodes/s  {slow / fast:5.2f} x"
        )


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "questions",
        nargs="?",
        type=int,
        default=32,
        help="questions of (b); (a) has twice as many (%(default)s)",
    )
    n_questions = parser.parse_args().questions
    TASKS["bench"] = Task("bench", "question", f"{__name__}:load", "all", "made up")
    loop_alone(2 * n_questions)
    schedules(n_questions)


if __name__ == "__main__":
    main()
