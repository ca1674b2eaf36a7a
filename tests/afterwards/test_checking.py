"""A probe's folder holds what its manifest says, or it is refused by file, line and field."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from judged_useless.afterwards.annotators import annotate
from judged_useless.afterwards.items import annotation_items
from judged_useless.afterwards.replaying import replay
from judged_useless.cli.main import main
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.cell import run_cell
from judged_useless.runs.manifests import require_manifest
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError, read_records

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")

Damage = Callable[[dict[str, Any]], object]


async def recorded(out: Path) -> Run:
    return await run_cell(
        model="scripted:own-4", task="hamlets", split="all", regimes=("clean", "persistent"), n_questions=4,
        judge=False, out=out / "run", progress=False,
    )  # fmt: skip


def put(**fields: Any) -> Damage:
    return lambda record: record.update(fields)


async def test_what_a_complete_probe_has_lost_is_asked_again(tmp_path: Path) -> None:
    folder = await replay(await recorded(tmp_path), "judgments", progress=False)
    file, before = folder / "persistent.jsonl", require_manifest(folder)
    whole = list(read_records(file))
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[1:]))
    await replay(tmp_path / "run", "judgments", progress=False)
    assert [(each["question_id"], each["results"]) for each in read_records(file)] == [
        (each["question_id"], each["results"]) for each in whole
    ]
    after = require_manifest(folder)
    assert (after["status"], after["tokens"]) == ("complete", before["tokens"])


@pytest.mark.parametrize("status", ["complete", "interrupted"])
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (put(regime="clean"), "regime is 'clean', expected 'persistent'"),
        (put(model="qwen3-8b"), "model is 'qwen3-8b', expected 'scripted:own-4'"),
        (put(condition="combo"), "condition is 'combo', expected 'unaided'"),
        (put(question_id="h07"), "question_id 'h07' is no question of this run"),
        (put(question_id="h00"), "question 'h00' occurs twice"),
        (put(results=[3]), "results, entry 1 is 3, expected"),
        (lambda record: record.pop("calls"), "calls is missing"),
        (lambda record: record["calls"][0].update(prompt_tokens="x"), "calls, entry 1: prompt_tokens is 'x'"),
    ],
)
async def test_a_result_that_is_not_of_the_probe_is_refused(
    damage: Damage, message: str, status: str, tmp_path: Path
) -> None:
    folder = await replay(await recorded(tmp_path), "judgments", progress=False)
    (folder / "manifest.json").write_text(json.dumps(require_manifest(folder) | {"status": status}))
    file = folder / "persistent.jsonl"
    records = list(read_records(file))
    damage(records[1])
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    before = file.read_bytes()
    with pytest.raises(RunError, match=rf"persistent\.jsonl, line 2: {message}"):
        await replay(tmp_path / "run", "judgments", progress=False)
    assert file.read_bytes() == before


async def test_a_run_that_has_lost_trajectories_is_not_probed(tmp_path: Path) -> None:
    file = (await recorded(tmp_path)).path / "persistent.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[1:]))
    with pytest.raises(RunError, match=r"complete by its manifest.*persistent\.jsonl: 3 of 4 trajectories"):
        await replay(tmp_path / "run", "judgments", progress=False)
    assert not (tmp_path / "run.probes").exists()


async def test_a_label_of_a_foreign_item_is_refused(tmp_path: Path) -> None:
    run, model = await recorded(tmp_path), ScriptedModel("own-4")
    items = [item for item in annotation_items(run) if item.stream == "S2"][:3]
    labels = await annotate(items, model, tmp_path / "labels", progress=False)
    file = tmp_path / "labels" / "S2" / "S2.jsonl"
    whole = file.read_text()
    file.write_text(whole.replace(items[1].id, "another"))
    with pytest.raises(RunError, match=r"S2\.jsonl, line 2: question_id 'another' is no question of this"):
        await annotate(items, model, tmp_path / "labels", progress=False)
    file.write_text(whole.splitlines(keepends=True)[0])
    assert (await annotate(items, model, tmp_path / "labels", progress=False)).equals(labels)
    assert len(list(read_records(file))) == 3


def test_a_scripted_run_is_probed_without_the_options_of_a_server(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = str(tmp_path / "run")
    options = ["--task", "hamlets", "--split", "all", "--n-questions", "1", "--quiet", "--out", run]
    assert main(["run", "--model", "scripted:own-4", *options]) == 0
    for option, value in {"--prices": "prices.yaml", "--cost-cap-usd": "1"}.items():
        capsys.readouterr()
        assert main(["replay", run, "--probe", "judgments", "--quiet", option, value]) == 1
        named = option.removeprefix("--").replace("-", "_")
        assert f"'scripted:own-4': provider 'scripted' has no option {named}" in capsys.readouterr().err
    assert not (tmp_path / "run.probes").exists()


async def test_what_is_in_the_way_of_a_probe_is_to_be_moved(tmp_path: Path) -> None:
    run = await recorded(tmp_path)
    folder = tmp_path / "run.probes" / "judgments"
    (tmp_path / "run.probes").write_text("x")
    with pytest.raises(RunError, match="a file is in the way, and a run needs a folder; move it, or"):
        await replay(run, "judgments", progress=False)
    (tmp_path / "run.probes").unlink()
    folder.mkdir(parents=True)
    (folder / "clean.jsonl").write_text("")
    with pytest.raises(RunError, match=r"holds \.jsonl files but no manifest; move them, or"):
        await replay(run, "judgments", progress=False)
