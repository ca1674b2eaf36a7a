"""Running a cell: resumed, refused, finished, and what becomes of failures."""

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import hamlets
import pandas as pd
import pytest
from canned import SlowModel
from hamlet_cell import CLUMSY, REGIMES, run
from judged_useless.afterwards.probe_findings import read_run
from judged_useless.models.base import (
    ContextOverflowError,
    CostCapReachedError,
    Decoding,
    FatalModelError,
    Generation,
    Message,
    ModelError,
    ServiceUnavailableError,
    TransientModelError,
)
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.cell import IncompleteRunError, run_cell
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError
from judged_useless.sources.readers import load_episodes
from validate_run import validate_run

pytest_plugins = ("run_fixtures",)

pytestmark = pytest.mark.usefixtures("hamlet_tasks")
GONE = ServiceUnavailableError(5, TransientModelError("connection refused"))


def files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(path.glob("*.jsonl"))}


def there(cut: Run) -> pd.DataFrame:
    """Return the episodes of a run that is not complete."""
    with pytest.warns(UserWarning, match=f"with {cut.counts} episodes: short ones end first"):
        return load_episodes(cut.path, allow_partial=True)


def times(path: Path) -> dict[str, int]:
    return {file.name: file.stat().st_mtime_ns for file in path.iterdir()}


class Failing(ScriptedModel):
    """Fails every so many requests."""

    failure: Exception = GONE
    every = 0
    count = 0

    def prepared(self, questions: Any, budget: int) -> "Failing":
        model = super().prepared(questions, budget)
        model.failure, model.every = self.failure, self.every
        return model

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        self.count += 1
        if self.every and self.count % self.every == 0:
            raise self.failure
        return await super().generate(messages, **options)


def failing(failure: Exception, every: int) -> Failing:
    model = Failing("own-4")
    model.failure, model.every = failure, every
    return model


async def test_a_run_reads_as_episodes_and_obeys_the_protocol(tmp_path: Path) -> None:
    done = await run(tmp_path / "run")
    episodes = done.episodes()
    assert len(episodes) == 6 * 3 == done.manifest["n_episodes"]["done"]
    assert list(episodes["regime"].unique()) == list(REGIMES)
    assert set(episodes["model"]) == {"scripted:own-4"}
    assert done.simulated
    assert done.manifest["simulated"]
    assert list(episodes["question_id"][:6]) == [f"h{n:02d}" for n in range(6)]
    assert validate_run(done.path) == []
    assert read_run(done.path).equals(episodes)
    # Any reader of episodes reads it too, without the log of errors.
    assert len(load_episodes(done.path)) == 18


async def test_the_same_run_twice_is_the_same_bytes(tmp_path: Path) -> None:
    one = await run(tmp_path / "one", concurrency=1)
    slow = SlowModel(
        ScriptedModel("own-4").prepared(hamlets.load("all"), 8), lambda messages: len(messages) % 5 / 1000
    )
    two = await run(tmp_path / "two", model=slow)
    three = await run(tmp_path / "three", model=ScriptedModel("own-4"), concurrency=1)
    assert files(one.path) != files(two.path)  # another agent
    assert files(two.path) == files(three.path)
    again = await run(tmp_path / "again", concurrency=7)
    assert files(one.path) == files(again.path)
    varying = ("timings", "concurrency", "software")
    manifests = [{k: v for k, v in made.manifest.items() if k not in varying} for made in (one, again)]
    assert manifests[0] == manifests[1]


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"k": 2}, "options.k: 3 there, 2 now"),
        ({"condition": "lexical"}, "condition.signal: 'side_channel' there, 'lexical' now"),
        ({"model": "scripted:own-4"}, "model.rates.invalid: 0.05 there, 0.0 now"),
        ({"replicate": "2"}, "salt: 'shuffled-v2' there, 'shuffled-v2-rep2' now"),
    ],
)
async def test_another_run_in_its_place_is_refused(
    tmp_path: Path, change: dict[str, Any], named: str
) -> None:
    await run(tmp_path)
    before = times(tmp_path)
    # The same run, which is finished, is returned as it is.
    await run(tmp_path)
    with pytest.raises(RunError, match=named):
        await run(tmp_path, **change)
    assert times(tmp_path) == before


async def test_a_run_among_what_was_found_of_runs_is_refused(tmp_path: Path) -> None:
    for out in ("x.probes", "x.probes/judgments", "x.probes/a/b/"):
        with pytest.raises(ValueError, match=r"in x\.probes lies what probes find of the run x"):
            await run(tmp_path / out)
    assert times(tmp_path) == {}


async def test_files_without_a_manifest_are_not_touched(tmp_path: Path) -> None:
    (tmp_path / "persistent.jsonl").write_text("mine\n")
    with pytest.raises(RunError, match="no manifest"):
        await run(tmp_path)


async def test_an_interrupted_run_is_resumed_where_it_stopped(tmp_path: Path) -> None:
    whole = await run(tmp_path / "whole")
    slow = SlowModel(CLUMSY.prepared(hamlets.load("all"), 8), lambda messages: 0.003)
    task = asyncio.create_task(run(tmp_path / "cut", model=slow, concurrency=2))
    while not (tmp_path / "cut" / "clean.jsonl").exists():  # noqa: ASYNC110 - nobody tells
        await asyncio.sleep(0.001)
    await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    cut = Run(tmp_path / "cut")
    assert cut.manifest["status"] == "interrupted"
    n = len(there(cut))
    assert 0 < n < 18
    with pytest.raises(RunError, match=rf"with {n} of 18 episodes; .*allow_partial=True"):
        load_episodes(cut.path)
    with (tmp_path / "cut" / "clean.jsonl").open("ab") as stream:
        stream.write(b'{"question_id": "torn')
    resumed = await run(tmp_path / "cut")
    assert files(resumed.path) == files(whole.path)
    assert resumed.manifest["status"] == "complete"
    assert resumed.manifest["tokens"] == whole.manifest["tokens"]
    assert len(resumed.manifest["timings"]["started"]) == 2


async def test_a_transport_failure_leaves_the_episode_pending(tmp_path: Path) -> None:
    with pytest.raises(IncompleteRunError, match="the same call resumes the run") as failure:
        await run(tmp_path / "run", model=failing(GONE, 40), concurrency=1)
    cut = Run(failure.value.path)
    assert cut.manifest["status"] == "incomplete"
    episodes = there(cut)
    assert len(episodes) == 18 - failure.value.missing
    logged = [json.loads(line) for line in (cut.path / "errors.log").read_text().splitlines()]
    assert len(logged) == failure.value.missing > 0
    assert all("connection refused" in entry["error"] for entry in logged)
    # Nothing of it has become an ending, an answer or a judgment.
    assert set(episodes["termination"]) <= {"answered", "budget_exhausted"}
    assert {j for judgments in episodes["judgments"] for j in judgments} <= {"USELESS", "USEFUL", None}
    assert validate_run(cut.path) == []
    resumed = await run(tmp_path / "run", model=ScriptedModel("own-4"))
    straight = await run(tmp_path / "straight", model=ScriptedModel("own-4"))
    assert files(resumed.path) == files(straight.path)


@pytest.mark.parametrize("error", [CostCapReachedError("1 USD"), ZeroDivisionError("a bug of ours")])
async def test_what_stops_a_run_is_raised_as_it_is_and_loses_nothing(
    error: Exception, tmp_path: Path
) -> None:
    with pytest.raises(type(error)):
        await run(tmp_path, model=failing(error, 60), concurrency=1)
    stopped = Run(tmp_path)
    assert (stopped.manifest["status"], stopped.manifest["reason"]) == ("stopped", type(error).__name__)
    assert 0 < stopped.manifest["n_episodes"]["done"] < 18
    assert len(there(stopped)) == stopped.manifest["n_episodes"]["done"]
    resumed = await run(tmp_path, model=ScriptedModel("own-4"))
    assert len(resumed.episodes()) == 18


async def test_a_fault_from_the_beginning_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(FatalModelError, match="no such model"):
        await run(tmp_path, model=failing(FatalModelError("no such model"), 1), concurrency=1)
    assert Run(tmp_path).manifest["reason"] == "FatalModelError"
    assert not (tmp_path / "errors.log").exists()


@pytest.mark.parametrize("refusal", [FatalModelError("refused"), ContextOverflowError("9000 tokens")])
async def test_a_refusal_in_the_middle_concerns_one_question(refusal: Exception, tmp_path: Path) -> None:
    with pytest.raises(IncompleteRunError, match=str(refusal)) as failure:
        await run(tmp_path / "run", model=failing(refusal, 40), concurrency=1)
    assert 0 < failure.value.missing < 6


async def test_a_server_that_is_gone_ends_the_run_early(tmp_path: Path) -> None:
    gone = SlowModel(failing(GONE, 1), lambda messages: 0.005)
    # Many more episodes than are needed to notice, so that a machine that stalls meanwhile proves nothing.
    with pytest.raises(ModelError, match="episodes in a row failed, so the run stops"):
        await run(tmp_path, model=gone, split="many", n_questions=100, concurrency=4)
    assert 20 <= len((tmp_path / "errors.log").read_text().splitlines()) < 300
    assert Run(tmp_path).manifest["status"] == "stopped"


async def test_requests_are_in_flight_up_to_the_bound(tmp_path: Path) -> None:
    steady = ScriptedModel("own-4").prepared(hamlets.load("all"), 8)
    slow = SlowModel(steady, lambda messages: (1 + len(messages) % 5) / 1000)
    await run(tmp_path, model=slow, concurrency=5)
    assert max(slow.starts) == 5


async def test_judgments_are_recorded_besides_where_the_paper_replayed_them(tmp_path: Path) -> None:
    regimes = ("clean", "plausible", "persistent")
    both = [
        await run(
            tmp_path / str(judge), condition="unaided", regimes=regimes, judge=judge, model="scripted:never"
        )
        for judge in (True, False)
    ]
    recorded, plain = (made.episodes().set_index(["regime", "question_id"]) for made in both)
    assert recorded["actions"].equals(plain["actions"])
    assert not any(j for judgments in plain["judgments"] for j in judgments)
    assert not any(j for judgments in recorded["judgments"].loc[["clean", "plausible"]] for j in judgments)
    for judgments, actions in recorded.loc["persistent", ["judgments", "actions"]].to_numpy():
        assert None not in judgments
        assert len(judgments) == sum(action != "finish" for action in actions)
    assert set(recorded["n_judgment_calls"]) == {0}


async def test_the_folder_is_named_after_the_cell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = await run_cell(
        model="scripted:own-4", task="hamlets", split="all", regimes=["clean"], n_questions=2, progress=False
    )
    assert done.path.parent == Path("runs")
    assert done.path.name.startswith("scripted-own-4__unaided__hamlets__all__b8__k5__")
    assert done.manifest["run"] == done.path.name


async def test_nothing_of_this_machine_is_in_a_run(tmp_path: Path) -> None:
    done = await run(tmp_path)
    for file in done.path.iterdir():
        text = file.read_text(encoding="utf-8")
        assert str(tmp_path) not in text
        assert str(Path(__file__).parents[2]) not in text
        assert str(Path.home()) not in text


async def test_a_thinking_condition_needs_a_thinking_model(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs a model in thinking mode"):
        await run(tmp_path, condition="unaided+thinking")
    model = ScriptedModel("own-4").prepared(hamlets.load("all"), 8)
    model.decoding = Decoding(thinking=True)
    slow = SlowModel(model, lambda messages: 0)
    done = await run(tmp_path, model=slow, condition="unaided+thinking")
    assert set(done.episodes()["condition"]) == {"unaided+thinking"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_questions": 0}, "n_questions is 0; hamlets all has 24"),
        ({"regimes": "clean"}, "regimes is the text 'clean'"),
        ({"regimes": []}, "expected at least one"),
        ({"regimes": ["clean", "clean"]}, "each once"),
        ({"condition": "rule"}, "unknown condition 'rule'"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"condition": "random"}, "needs useless_rate"),
        ({"base_url": "http://x"}, "a model was given"),
        ({"model": "scripted:no", "task": "nowhere"}, "unknown policy 'no'"),
        ({"budget": 0}, "budget is 0"),
        ({"k": 0}, "k is 0"),
        ({"style": "prose"}, "unknown style 'prose'"),
        ({"lookup": "next"}, "lookup is 'next'"),
        ({"regimes": ["persistent"], "condition": "switch_rule"}, "needs a backup tool"),
        ({"seed": 2**63}, "expected a whole number of 64 bits"),
        ({"useless_rate": 2}, "useless_rate is 2.*between 0 and 1"),
        ({"useless_rate": float("nan")}, "useless_rate is nan"),
        ({"out": ""}, "out is empty; give a folder"),
    ],
)
def test_bad_arguments_are_refused_before_anything_is_written(
    tmp_path: Path, arguments: dict[str, Any], message: str
) -> None:
    cell: dict[str, Any] = {
        "model": ScriptedModel("own-4"),
        "task": "hamlets",
        "split": "all",
        "out": tmp_path / "run",
    }
    with pytest.raises(ValueError, match=message):
        asyncio.run(run_cell(**cell | arguments))
    assert not list(tmp_path.iterdir())


async def test_one_conversation_can_be_looked_at(tmp_path: Path) -> None:
    done = await run(tmp_path)
    shown = done.transcript("h01", "persistent")
    assert "failed observation 1 (judged USELESS)" in repr(shown)
    html = shown._repr_html_()
    assert '<th scope="row">system</th>' in html
    assert "SIMULATED" in html
    assert "&lt;action_name&gt;" in html
    with pytest.raises(KeyError, match="no episode of question 'zz'"):
        done.trajectory("zz", "clean")
