"""Probing a run: beside it, resumable, refused where it would mislead, and merged in on reading."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import hamlets
import pandas as pd
import pytest
from judged_useless import load_episodes
from judged_useless.afterwards.probe_findings import (
    probe_folder,
    read_run,
)
from judged_useless.afterwards.probes import PROBES
from judged_useless.afterwards.replaying import replay
from judged_useless.cli.main import main
from judged_useless.estimators.answering import answer_rate_after_run
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.models.base import Generation, Message, ServiceUnavailableError, TransientModelError
from judged_useless.models.scripted import ScriptedModel
from judged_useless.protocol.signals import JUDGMENT_TOKENS
from judged_useless.runs.cell import IncompleteRunError, run_cell
from judged_useless.runs.manifests import require_manifest
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError
from judged_useless.stopping.offline_policies import continue_or_answer, policy_regret, policy_values

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")
MEAN4 = ("clean", "persistent", "plausible", "recover_after_2")
RATES: dict[str, Any] = {
    "placeholder": 0.5,
    "stubborn": 0.5,
    "mute": 0.2,
    "unparsed": 0.1,
    "disobedient": 0.1,
}


async def recorded(out: Path, policy: str = "own-5", **options: Any) -> Run:
    arguments: dict[str, Any] = {
        "model": f"scripted:{policy}", "task": "hamlets", "split": "all", "regimes": MEAN4,
        "n_questions": 8, "judge": False, "out": out / "run", "progress": False,
    }  # fmt: skip
    return await run_cell(**(arguments | RATES | options))


def contents(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


def without_timings(folder: Path) -> list[dict[str, Any]]:
    lines = [line for file in sorted(folder.glob("*.jsonl")) for line in file.read_text().splitlines()]
    return [{name: value for name, value in json.loads(line).items() if name != "timings"} for line in lines]


@pytest.mark.parametrize("style", ["react", "search-r1"])
async def test_every_probe_lies_beside_the_run_and_merges_into_it(style: str, tmp_path: Path) -> None:
    run = await recorded(tmp_path, style=style)
    before, plain = contents(run.path), read_run(run.path)
    assert plain["judgments"].explode().isna().all()
    for probe in PROBES:
        folder = await replay(run, probe, progress=False)
        assert folder == run.path.parent / "run.probes" / probe
        assert require_manifest(folder)["status"] == "complete"
        assert require_manifest(folder)["simulated"]
    assert contents(run.path) == before
    episodes = read_run(run.path)
    same = [name for name in plain if name != "judgments"]
    pd.testing.assert_frame_equal(episodes[same], plain[same])
    n = episodes["failed"].map(len)
    for name in (
        "judgments", "answer_now", "answer_now_repaired", "usefulness", "p_continue", "prefer",
        "stated_label",
    ):  # fmt: skip
        assert (episodes[name].map(len) == n).all()
    assert episodes["judgments"].explode().notna().all()
    assert set(episodes["judgments"].explode()) == {"USELESS", "USEFUL", "UNPARSED"}
    # No decision follows the last observation of an exhausted budget.
    exhausted = episodes["termination"] == "budget_exhausted"
    assert exhausted.any()
    assert all(row[-1] is None for row in episodes.loc[exhausted, "answer_now"])
    assert all(None not in row for row in episodes.loc[~exhausted, "answer_now"])
    assert episodes["p_continue"].explode().isna().mean() > 0.1
    # This annotator labels by the keyword reader, and so agrees with it.
    assert episodes["stated_by_label"].tolist() == episodes["stated"].tolist()
    assert set(episodes["stated_label"].explode().dropna()) == {"says_useless", "useful", "no_judgment"}
    assert (episodes["repaired_success"] >= episodes["success"]).all()
    assert (episodes["repaired_success"] != episodes["success"]).any()
    read = load_episodes(run.path)
    shared = [name for name in episodes if name in read]
    key = ["regime", "question_id"]
    pd.testing.assert_frame_equal(
        read[shared].sort_values(key, ignore_index=True),
        episodes[shared].sort_values(key, ignore_index=True),
        check_dtype=False,
    )


async def test_every_offline_analysis_runs_on_a_probed_run(tmp_path: Path) -> None:
    run = await recorded(tmp_path, "never", mute=0.0)
    for probe in ("judgments", "answer-now"):
        await replay(run, probe, progress=False)
    episodes = read_run(run.path)
    values = policy_values(episodes, price=0.02)
    assert len(values) == 7 + 7 + 21
    regret = policy_regret(episodes, episodes, price=0.02, n_boot=50)
    best = float(str(values["utility"].max()))
    assert regret.parts["best_utility"] == pytest.approx(best)
    assert regret.value > 0  # an agent that never stops loses to any that does
    assert continue_or_answer(episodes, n_boot=50).n > 0
    assert answer_rate_after_run(episodes).value == 0
    answers = episodes[["answer_now", "answer_now_repaired"]].map(lambda row: sum(filter(None, row)))
    assert (answers["answer_now_repaired"] >= answers["answer_now"]).all()
    assert (answers["answer_now_repaired"] > answers["answer_now"]).any()
    with pytest.raises(RunError, match="no run directory"):
        read_run(tmp_path)


def replayed_judgments(run: Run, folder: str) -> dict[tuple[str, str], list[str]]:
    return {
        (record["question_id"], record["regime"]): [each["judgment"] for each in record["results"]]
        for record in without_timings(run.path.parent / "run.probes" / folder)
    }


async def test_what_the_agent_read_itself_is_never_replaced(tmp_path: Path) -> None:
    run = await recorded(tmp_path, condition="enforced_rule", k=3, policy="never")
    before = read_run(run.path)["judgments"].tolist()
    await replay(run, "judgments", progress=False)
    assert read_run(run.path)["judgments"].tolist() == before
    replayed = replayed_judgments(run, "judgments")
    n = 0
    for row in read_run(run.path).to_dict("records"):
        for own, again in zip(row["judgments"], replayed[row["question_id"], row["regime"]], strict=True):
            n += own is not None
            assert own in (None, again)
    assert n > 50


async def test_replayed_judgments_are_those_that_recording_gives(tmp_path: Path) -> None:
    later = await recorded(tmp_path / "later", regimes=("persistent", "recover_after_2"))
    at_once = await recorded(tmp_path / "at_once", regimes=("persistent", "recover_after_2"), judge=True)
    await replay(later, "judgments", progress=False)
    assert read_run(later.path)["judgments"].tolist() == read_run(at_once.path)["judgments"].tolist()
    a, b = (time_matched_contrast(read_run(run.path), n_boot=20) for run in (later, at_once))
    assert a == b


class Listening(ScriptedModel):
    """Keeps the judgments that it is asked for."""

    asked: ClassVar[list[tuple[str, str]]] = []

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        if options.get("max_new_tokens") == JUDGMENT_TOKENS:
            self.asked.append((repr(list(messages)), repr(options)))
        return await super().generate(messages, **options)


async def test_a_replay_asks_what_the_run_asked(tmp_path: Path) -> None:
    cell: dict[str, Any] = {"task": "hamlets", "split": "all", "n_questions": 3, "k": 3}
    run = await run_cell(
        model=Listening("never"), condition="enforced_rule", out=tmp_path / "run", progress=False, **cell
    )
    asked = sorted(Listening.asked)
    Listening.asked.clear()
    await replay(run, "judgments", model=Listening("never"), progress=False)
    assert len(asked) > 30
    # The rule leaves the observation of the last action of an exhausted budget unjudged.
    assert set(asked) <= set(Listening.asked)


class Failing(ScriptedModel):
    """Loses the connection now and then."""

    asked = 0
    fails = True

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        type(self).asked += 1
        if self.fails and self.asked > 30 and self.asked % 7 == 0:
            raise ServiceUnavailableError(3, TransientModelError("the connection is gone"))
        return await super().generate(messages, **options)


async def test_a_probe_goes_on_where_requests_failed(tmp_path: Path) -> None:
    run = await recorded(tmp_path)
    Failing.asked, Failing.fails = 0, True
    model = Failing("own-5", **RATES)
    with pytest.raises(IncompleteRunError, match="the connection is gone"):
        await replay(run, "beliefs", model=model, progress=False)
    folder = probe_folder(run.path, "beliefs")
    half = require_manifest(folder)
    assert half["status"] == "incomplete"
    assert 0 < half["n_episodes"]["done"] < half["n_episodes"]["planned"] == 32
    # What there is can be read; what is missing is None.
    assert read_run(run.path)["usefulness"].map(lambda row: row[0]).isna().any()
    # And a torn last line is passed over, by the reader and by the next call.
    with (folder / "plausible.jsonl").open("ab") as stream:
        stream.write(b'{"question_id": "h0')
    assert "usefulness" in read_run(run.path)
    Failing.fails = False
    await replay(run, "beliefs", model=model, progress=False)
    first = without_timings(folder)
    other = await recorded(tmp_path / "other")
    assert first == without_timings(await replay(other, "beliefs", progress=False))
    asked = Failing.asked
    assert await replay(run, "beliefs", model=model, progress=False) == folder
    assert Failing.asked == asked  # what is complete is not asked again


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"probe": "moods"},
            "unknown probe 'moods'; known are judgments, answer-now, beliefs, repair, s",
        ),
        ({"regimes": ["recover_after_1"]}, r"regimes is \['recover_after_1'\], expected some of clean"),
        ({"regimes": []}, r"regimes is \[\], expected some of clean"),
        ({"regimes": "clean"}, "regimes is 'clean', expected some of clean"),
        ({"model": "scripted:never"}, "not the one that acted: name: 'scripted:own-5' there"),
        ({"placeholder": 0.1}, "not the one that acted: rates.placeholder: 0.5 there, 0.1 now"),
        ({"model": ScriptedModel("own-5"), "seed": 3}, "options seed belong to a model's provider"),
    ],
)
async def test_what_would_mislead_is_refused(options: dict[str, Any], message: str, tmp_path: Path) -> None:
    run = await recorded(tmp_path, n_questions=1)
    with pytest.raises(ValueError, match=message):
        await replay(**{"run": run.path, "probe": "judgments", "progress": False, **options})
    assert not probe_folder(run.path, "judgments").exists()


async def test_what_another_model_says_lies_apart_and_is_read_by_its_name(tmp_path: Path) -> None:
    run = await recorded(tmp_path, n_questions=3)
    options: dict[str, Any] = {"model": "scripted:never", "other_model": True, "progress": False}
    folder = await replay(run, "judgments", **options)
    assert folder == run.path.parent / "run.probes" / "judgments@scripted-never"
    assert require_manifest(folder)["spec"]["model"]["name"] == "scripted:never"
    plain = read_run(run.path)
    assert plain["judgments"].explode().isna().all()
    named = replayed_judgments(run, folder.name)
    other = read_run(run.path, model="scripted:never")
    for row in other.to_dict("records"):
        assert row["judgments"] == named[row["question_id"], row["regime"]]
    # The agent's own has its place all the same, also where it is asked by another call.
    assert await replay(run, "judgments", other_model=True, progress=False) == folder.with_name("judgments")
    own = read_run(run.path)
    assert own["judgments"].explode().notna().all()
    assert own["judgments"].tolist() != other["judgments"].tolist()
    with pytest.raises(RunError, match=r"judgments@scripted-never.manifest\.json: model\.name: 'scr"):
        read_run(run.path, model="scripted/never")
    await replay(run, "answer-now", **options)
    assert "answer_now" in read_run(run.path, model="scripted:never")
    assert "answer_now" not in read_run(run.path)


async def test_labels_are_an_annotators_whoever_it_is(tmp_path: Path) -> None:
    run = await recorded(tmp_path, n_questions=2)
    folder = await replay(run, "stated", model="scripted:never", other_model=True, progress=False)
    assert folder.name == "stated"
    assert read_run(run.path)["stated_label"].explode().notna().any()
    with pytest.raises(RunError, match=r"model\.name: 'scripted:never' there"):
        await replay(run, "stated", progress=False)


@pytest.mark.parametrize("probe", PROBES)
async def test_further_regimes_are_asked_later(probe: str, tmp_path: Path) -> None:
    run, at_once = (
        await recorded(tmp_path, n_questions=3),
        await recorded(tmp_path / "at_once", n_questions=3),
    )
    folder = await replay(run, probe, regimes=["plausible"], progress=False)
    first = (folder / "plausible.jsonl").read_bytes() if (folder / "plausible.jsonl").exists() else b""
    assert require_manifest(folder)["spec"]["regimes"] == ["plausible"]
    await replay(run, probe, regimes=["clean"], progress=False)
    half = require_manifest(folder)
    assert (half["spec"]["regimes"], half["status"]) == (["clean", "plausible"], "complete")
    await replay(run, probe, progress=False)
    whole = await replay(at_once, probe, progress=False)
    assert without_timings(folder) == without_timings(whole)
    assert not first or (folder / "plausible.jsonl").read_bytes() == first
    a, b = require_manifest(folder), require_manifest(whole)
    assert [a[name] for name in ("status", "n_episodes", "tokens", "questions")] == [
        b[name] for name in ("status", "n_episodes", "tokens", "questions")
    ]
    assert len(a["timings"]["started"]) == 3
    # Asking fewer again changes nothing.
    before = contents(folder)
    await replay(run, probe, regimes=["clean"], progress=False)
    assert contents(folder) == before
    assert len(read_run(run.path)) == 12


async def test_regimes_are_not_added_to_what_was_found_of_another_run(tmp_path: Path) -> None:
    run = await recorded(tmp_path, n_questions=2)
    folder = await replay(run, "judgments", regimes=["clean"], progress=False)
    before = contents(folder)
    file = run.path / "clean.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"seconds":0.0', b'"seconds":0.1'))
    with pytest.raises(RunError, match="trajectories"):
        await replay(run, "judgments", progress=False)
    assert contents(folder) == before


async def test_an_unfinished_run_and_other_data_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = await recorded(tmp_path, n_questions=2)
    whole = hamlets.load("all")
    monkeypatch.setattr(hamlets, "load", lambda split, source=None: whole[:-1])
    with pytest.raises(RunError, match="hamlets all is not what the run was made on"):
        await replay(run, "judgments", progress=False)
    manifest = json.loads((run.path / "manifest.json").read_text())
    (run.path / "manifest.json").write_text(json.dumps(manifest | {"status": "incomplete"}))
    with pytest.raises(RunError, match="the run is incomplete, with 8 of 8 episodes; finish it first"):
        await replay(run.path, "judgments", progress=False)


async def test_a_probe_folder_says_which_run_to_give(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = await recorded(tmp_path, n_questions=1)
    folder = await replay(run, "judgments", progress=False)
    await replay(run, "answer-now", progress=False)
    with pytest.raises(RunError, match=r"run.probes: the probe folder of .*run, not a run; give .*run$"):
        Run(folder.parent)
    for given in (folder, folder.parent, [run.path, folder.parent]):
        with pytest.raises(RunError, match=r"found of a run, not a run; give the run: .*run$"):
            load_episodes(given)
    assert await asyncio.to_thread(main, ["replay", str(folder.parent), "--probe", "judgments"]) == 1
    assert f"the probe folder of {run.path}, not a run" in capsys.readouterr().err
    # A folder of runs holds the probes of each beside it, and is read without them.
    assert len(load_episodes(tmp_path)) == len(read_run(run.path))


async def test_a_run_without_placeholders_has_nothing_to_repair(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = await recorded(tmp_path, n_questions=3, placeholder=0.0)
    await replay(run, "repair", progress=False)
    episodes = read_run(run.path)
    assert (episodes["repaired_success"] == episodes["success"]).all()
    command = ["replay", str(run.path), "--probe", "repair", "--quiet"]
    assert await asyncio.to_thread(main, command) == 0
    why = "0 episodes, 0 calls: no answer copies the template, so there is nothing to repair, in clean, pers"
    assert why in capsys.readouterr().out


def test_the_command_does_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(tmp_path / "run")
    options = ["--task", "hamlets", "--split", "all", "--n-questions", "3", "--quiet", "--out", run]
    assert main(["run", "--model", "scripted:own-4", "--condition", "budget", *options]) == 0
    capsys.readouterr()
    assert main(["replay", run, "--probe", *PROBES, "--quiet", "--concurrency", "3"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0].rpartition("/")[2] for line in printed] == list(PROBES)
    assert all(line.endswith(", simulated") for line in printed)
    assert main(["replay", run, "--probe", "moods"]) == 1
    assert "unknown probe 'moods'" in capsys.readouterr().err
