"""What lies beside a run is read only if it was found of this very run, and is what a probe writes."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judged_useless import load_episodes
from judged_useless.afterwards.probe_findings import probe_folder, read_run
from judged_useless.afterwards.replaying import replay
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")

Damage = Callable[[dict[str, Any]], object]


async def recorded(out: Path, **options: Any) -> Run:
    arguments: dict[str, Any] = {
        "model": "scripted:never", "task": "hamlets", "split": "all", "regimes": ("clean", "persistent"),
        "n_questions": 3, "judge": False, "out": out, "progress": False,
    }  # fmt: skip
    return await run_cell(**(arguments | options))


async def probed(out: Path, *probes: str) -> Run:
    run = await recorded(out)
    for probe in probes:
        await replay(run, probe, progress=False)
    return run


async def test_the_probes_of_a_run_made_anew_with_the_same_options_are_refused_too(tmp_path: Path) -> None:
    run = await probed(tmp_path / "run", "answer-now")
    file = run.path / "persistent.jsonl"
    file.write_bytes(file.read_bytes().replace(b'"seconds":0.0', b'"seconds":0.1'))
    for read in (read_run, load_episodes):
        with pytest.raises(RunError, match=r"manifest\.json: the run's trajectories in persistent are not"):
            read(run.path)


async def test_a_run_is_read_with_its_probes_under_another_name(tmp_path: Path) -> None:
    run = await probed(tmp_path / "run", "answer-now", "judgments")
    shutil.copytree(run.path, tmp_path / "copy")
    shutil.copytree(tmp_path / "run.probes", tmp_path / "copy.probes")
    assert read_run(tmp_path / "copy").equals(read_run(run.path))


def put(name: str, value: object) -> Damage:
    return lambda manifest: manifest["spec"].update({name: value})


MANIFESTS: dict[str, tuple[Damage, str]] = {
    "another format": (put("format", 99), "format: 99 there, 1 now"),
    "another probe": (put("probe", "beliefs"), "probe: 'beliefs' there, 'answer-now' now"),
    "another run": (put("run", "another"), "run: 'another' there, 'scripted-never"),
    "another hash": (
        put("trajectories_sha256", {"clean": "0"}),
        "the run's trajectories in clean are not",
    ),
    "another model": (
        lambda manifest: manifest["spec"]["model"].update(policy="own-3"),
        "model.policy: 'own-3' there, 'never' now",
    ),
    "does not fill": (put("fills_judgments", False), "fills_judgments: False there, True now"),
    "a path for a regime": (put("regimes", ["../../run/clean"]), r"spec\.regimes has '../../run/clean', exp"),
    "a regime that was not run": (put("regimes", ["plausible"]), r"spec\.regimes has 'plausible', expected"),
    "regimes that are a text": (put("regimes", "clean"), r"spec\.regimes is 'clean', expected"),
}


async def test_a_manifest_that_is_not_of_this_probe_of_this_run_is_refused(tmp_path: Path) -> None:
    run = await probed(tmp_path / "run", "answer-now")
    file = probe_folder(run.path, "answer-now") / "manifest.json"
    whole = file.read_text()
    assert "answer_now" in read_run(run.path)
    for damage, message in MANIFESTS.values():
        manifest = json.loads(whole)
        damage(manifest)
        file.write_text(json.dumps(manifest))
        with pytest.raises(RunError, match=rf"answer-now.manifest\.json: {message}"):
            read_run(run.path)
    for content, message in {
        "{": "not valid JSON",
        "[]": "expected a JSON object",
        "[" * 9999: "not valid",
    }.items():
        file.write_text(content)
        with pytest.raises(RunError, match=rf"answer-now.manifest\.json: {message}"):
            read_run(run.path)


RECORDS: dict[str, tuple[Damage, str]] = {
    "no results": (lambda record: record.update(results=None), "results is None, expected"),
    "a success of text": (
        lambda record: record["results"][0].update(success="false"),
        "results, entry 1: success is 'false', expected a valid boolean",
    ),
    "a step too many": (
        lambda record: record["results"][0].update(t=99),
        r"results: t is \[99, 2, .*expected each of",
    ),
}


async def test_a_record_that_no_probe_writes_is_refused_by_line_and_field(tmp_path: Path) -> None:
    run = await probed(tmp_path / "run", "answer-now")
    file = probe_folder(run.path, "answer-now") / "persistent.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    for damage, message in RECORDS.values():
        record = json.loads(lines[1])
        damage(record)
        file.write_text("".join([lines[0], json.dumps(record) + "\n", lines[2]]))
        with pytest.raises(RunError, match=rf"persistent\.jsonl, line 2: ({message})"):
            read_run(run.path)
    file.write_text("".join([lines[0], '{"question_id": ' + "[" * 3000 + "\n", lines[2]]))
    with pytest.raises(RunError, match=r"persistent\.jsonl, line 2: brackets too deep"):
        read_run(run.path)


async def test_a_complete_probe_that_has_lost_some_is_not_read_as_if_it_had_not(tmp_path: Path) -> None:
    run = await probed(tmp_path / "run", "answer-now")
    file = probe_folder(run.path, "answer-now") / "persistent.jsonl"
    whole = file.read_bytes()
    file.write_bytes(whole[:-100])
    with pytest.raises(RunError, match="complete by its manifest, but there are 5 of 6 episodes"):
        read_run(run.path)
    await replay(run, "answer-now", progress=False)
    assert [json.loads(line)["results"] for line in file.read_bytes().splitlines()] == [
        json.loads(line)["results"] for line in whole.splitlines()
    ]
    assert len(read_run(run.path)) == 6
