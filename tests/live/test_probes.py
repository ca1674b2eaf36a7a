"""Probes with real weights in a real vLLM: each runs on a small run, beside it, and merges into it."""

import logging
import os
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import hamlets
import pytest
import pytest_asyncio
from judged_useless.afterwards.annotators import annotate
from judged_useless.afterwards.items import annotation_items
from judged_useless.afterwards.probe_findings import read_run
from judged_useless.afterwards.probes import PROBES
from judged_useless.afterwards.replaying import replay as probe_run
from judged_useless.estimators.beliefs import belief_curves
from judged_useless.models.base import Decoding, Generation, Message, Model
from judged_useless.runs.cell import run_cell
from judged_useless.runs.manifests import require_manifest
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import read_records
from live_models import BACKENDS, Searching, live_model

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif("LIVE_URL" not in os.environ, reason="needs a real server and model: make test-live"),
    pytest.mark.asyncio(loop_scope="module"),
]

LOG = logging.getLogger("live")
REGIMES = ("clean", "persistent", "recover_after_2")
GREEDY = Decoding(temperature=0.0, top_p=1.0, max_new_tokens=256, context=4096)


@dataclass
class Guessing(Searching):
    """Searches first, and then finishes with the template in place of an answer, until it is told not to."""

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        made = await super().generate(messages, max_new_tokens=max_new_tokens, stop=stop, regex=regex)
        head, action, _ = made.text.partition("Action: finish\nAction Input: ")
        told = "was a placeholder" in messages[-1]["content"]
        return replace(made, text=f"{head}{action}your best guess") if action and not told else made


@pytest_asyncio.fixture(params=BACKENDS, scope="module", loop_scope="module")
async def model(request: pytest.FixtureRequest) -> AsyncIterator[Model]:
    made = live_model(request.param)
    yield made
    await made.aclose()


async def small(model: Model, out: Path, **options: Any) -> Run:
    hamlets.register()
    arguments: dict[str, Any] = {
        "task": "hamlets", "split": "all", "regimes": REGIMES, "n_questions": 3, "k": 2,
        "constrain": True, "progress": False, "out": out / "run",
    }  # fmt: skip
    return await run_cell(model=model, **(arguments | options))


async def test_each_probe_runs_and_merges(model: Model, tmp_path: Path) -> None:
    agent = Guessing(model, observations=3, then_finish=True)
    run = await small(agent, tmp_path, judge=False, n_questions=2)
    before = {file.name: file.read_bytes() for file in run.path.iterdir()}
    for probe in PROBES:
        folder = await probe_run(run, probe, model=agent, progress=False)
        manifest = require_manifest(folder)
        assert (manifest["status"], manifest["simulated"]) == ("complete", False)
        LOG.info("%s %s: %s", model.provider, probe, manifest["tokens"])
    assert {file.name: file.read_bytes() for file in run.path.iterdir()} == before
    episodes = read_run(run.path)
    assert set(episodes["judgments"].explode().dropna()) <= {"USELESS", "USEFUL"}
    for name in ("judgments", "answer_now", "usefulness", "p_continue", "p_answer_now", "prefer"):
        assert (episodes[name].map(len) == episodes["failed"].map(len)).all()
    assert episodes["answer_now"].explode().notna().any()
    guessed = episodes["answer"] == "your best guess"
    assert guessed.all()
    assert (episodes.loc[guessed, "repaired_answer"] != "your best guess").all()
    # Held to its form a reply parses, unless its tokens end within the reason.
    assert any(entry is not None for entries in episodes["prefer"] for entry in entries)
    curves = belief_curves(episodes, prior=REGIMES, n_boot=20)
    shown = curves[["quantity", "k", "value", "n", "n_missing"]].round(2)
    LOG.info("%s beliefs:\n%s", model.provider, shown.to_string(index=False))
    said = curves[curves["quantity"] == "says going on is worth"]["value"]
    assert said.between(0, 1).any()


@pytest.mark.parametrize("backend", ["openai"])
async def test_replayed_judgments_are_the_recorded_ones(backend: str, tmp_path: Path) -> None:
    # The requests are the same (tests/afterwards). Some judgments of so small a model are near ties, and
    # turn on whether a part of the prompt came from the server's cache: without its cache all are equal.
    model = live_model(backend, decoding=GREEDY)
    agent = Searching(model, observations=4)
    # One request at a time: what else is in a batch can turn the last digit of a probability.
    run = await small(agent, tmp_path, condition="enforced_rule", k=3, n_questions=4, concurrency=1)
    folder = await probe_run(run, "judgments", model=agent, concurrency=1, progress=False)
    replayed = {
        (record["regime"], record["question_id"]): [each["judgment"] for each in record["results"]]
        for regime in run.manifest["spec"]["regimes"]
        for record in read_records(folder / f"{regime}.jsonl")
    }
    compared = equal = 0
    for row in read_run(run.path).to_dict("records"):
        again = replayed[row["regime"], row["question_id"]]
        for recorded, judgment in zip(row["judgments"], again, strict=True):
            if recorded is not None:
                equal += recorded == judgment
                compared += 1
    LOG.info("%s: %d of %d replayed judgments equal the recorded ones", backend, equal, compared)
    assert compared > 20
    assert equal >= 0.9 * compared
    await model.aclose()


async def test_a_model_annotates(model: Model, tmp_path: Path) -> None:
    run = await small(Searching(model, observations=3), tmp_path, judge=False, n_questions=1)
    items = annotation_items(run)
    labels = await annotate(items, model, tmp_path / "labels", constrain=True, progress=False)
    assert labels.notna().all()
    assert labels.index.equals(items.index)
    LOG.info("%s labels: %s", model.provider, labels.value_counts(dropna=False).to_dict())
