"""A run is what its manifest says, or it is refused by file, line and field."""

import json
import resource
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hamlet_cell import run
from judged_useless.afterwards.probe_findings import read_run
from judged_useless.models.base import ModelError
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError
from judged_useless.sources.readers import load_episodes

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")

Change = Callable[[Path], object]


def files(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted(path.glob("*.jsonl"))}


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def without_the_first(file: Path) -> None:
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[1:]))


LOST: dict[str, tuple[Change, str]] = {
    "deleted": (Path.unlink, r"persistent\.jsonl: 0 of 6 trajectories"),
    "cut": (cut, r"persistent\.jsonl: 5 of 6 trajectories"),
    "a line less": (without_the_first, r"persistent\.jsonl: 5 of 6 trajectories"),
}


@pytest.mark.parametrize("case", LOST)
async def test_what_a_complete_run_has_lost_is_missed_and_run_again(case: str, tmp_path: Path) -> None:
    done = await run(tmp_path)
    before = files(tmp_path)
    lose, counts = LOST[case]
    lose(tmp_path / "persistent.jsonl")
    with pytest.raises(RunError, match=rf"complete by its manifest.*{counts}"):
        load_episodes(tmp_path)
    again = await run(tmp_path)
    assert files(tmp_path) == before
    assert again.manifest["status"] == "complete"
    assert again.manifest["tokens"] == done.manifest["tokens"]


async def test_a_run_that_has_lost_some_is_not_complete_while_they_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise ModelError("the server is gone")

    await run(tmp_path)
    without_the_first(tmp_path / "persistent.jsonl")
    with monkeypatch.context() as patch:
        patch.setattr(ScriptedModel, "generate", fail)
        with pytest.raises(ModelError, match=r"1 episodes of .* are missing"):
            await run(tmp_path)
    left = Run(tmp_path)
    assert (left.manifest["status"], left.manifest["n_episodes"]["done"]) == ("incomplete", 17)
    with pytest.warns(UserWarning, match="with 17 of 18 episodes"):
        assert len(read_run(tmp_path, allow_partial=True)) == 17


async def test_files_beside_those_of_the_run_are_said(tmp_path: Path) -> None:
    await run(tmp_path)
    for name in ("plausible.jsonl", "persistent (copy).jsonl", "cell.parquet"):
        (tmp_path / name).write_bytes((tmp_path / "persistent.jsonl").read_bytes())
    with pytest.warns(
        UserWarning, match="not of this run, and not read: cell.parquet, persistent .copy..jsonl, plaus"
    ):
        assert len(read_run(tmp_path)) == 18


def put(**fields: Any) -> Callable[[dict[str, Any]], object]:
    return lambda record: record.update(fields)


DAMAGED: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "another regime": (put(regime="clean"), "regime is 'clean', expected 'persistent'"),
    "a foreign question": (put(question_id="zz"), "question_id 'zz' is no question of this run"),
    "a question twice": (put(question_id="h00"), "question 'h00' occurs twice"),
    "a number for a question": (put(question_id=3), "question_id is 3, expected"),
    "actions that are none": (put(actions=None), "actions is None, expected"),
    "a call of no kind": (lambda record: record["calls"][1].pop("kind"), "calls, entry 2: kind is missing"),
    "a message of a tool": (
        lambda record: record["messages"][2].update(role="tool"),
        "messages, entry 3: role is 'tool', expected"),
    "an event at no step": (
        put(events=[{"t": "1", "event": "rule_fired"}]), "events, entry 1: t is '1', expected"),
    "an answer of a number": (put(answer=5), "answer is 5, expected"),
}  # fmt: skip


@pytest.mark.parametrize("status", ["complete", "interrupted"])
@pytest.mark.parametrize("case", DAMAGED)
async def test_a_trajectory_that_is_not_of_the_run_is_refused(
    case: str, status: str, made: Path, tmp_path: Path
) -> None:
    for name in ("manifest.json", *files(made)):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"status": status}))
    damage, message = DAMAGED[case]
    file = tmp_path / "persistent.jsonl"
    records = [json.loads(line) for line in file.read_text().splitlines()]
    damage(records[1])
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    before = files(tmp_path)
    with pytest.raises(RunError, match=rf"persistent\.jsonl, line 2: {message}"):
        read_run(tmp_path, allow_partial=True)
    with pytest.raises(RunError, match=rf"persistent\.jsonl, line 2: {message}"):
        await run(tmp_path)
    assert files(tmp_path) == before


@pytest.fixture
async def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished run."""
    return (await run(tmp_path_factory.mktemp("made"))).path


def change(name: str, value: object) -> Callable[[dict[str, Any]], object]:
    def put_there(manifest: dict[str, Any]) -> None:
        *outer, last = name.split(".")
        for part in outer:
            manifest = manifest[part]
        manifest[last] = value

    return put_there


MANIFESTS: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "no name": (lambda manifest: manifest["spec"]["model"].pop("name"), r"spec\.model\.name is missing"),
    "a status of ours no more": (change("status", "done"), "status is 'done', expected"),
    "a regime that is a path": (change("spec.regimes", ["../x"]), "spec.regimes, entry 1 is '../x', exp"),
    "no regimes": (change("spec.regimes", []), "n_episodes.planned is 18, expected 0"),
    "a newer format": (change("spec.format", 999), r"spec\.format is 999, expected 1"),
    "constrain of text": (change("spec.options.constrain", "no"), r"spec\.options\.constrain is 'no', exp"),
    "no signal": (lambda manifest: manifest["spec"]["condition"].pop("signal"), "spec.condition.signal is m"),
    "questions of a number": (change("questions", 3), "questions is 3, expected"),
}


@pytest.mark.parametrize("case", MANIFESTS)
async def test_a_broken_manifest_is_refused_with_its_field(case: str, made: Path) -> None:
    file = made / "manifest.json"
    damage, message = MANIFESTS[case]
    manifest = json.loads(file.read_text())
    damage(manifest)
    file.write_text(json.dumps(manifest))
    with pytest.raises(RunError, match=rf"manifest\.json: {message}"):
        read_run(made)
    with pytest.raises(RunError, match=rf"manifest\.json: {message}"):
        await run(made)


async def test_a_full_disk_stops_the_run_by_name_and_more_room_resumes_it(tmp_path: Path) -> None:
    whole = files((await run(tmp_path / "whole")).path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (max(map(len, whole.values())) // 2, hard))
    try:
        with pytest.raises(RunError, match=r"full.\w+\.jsonl: cannot be written: \[Errno 27\]"):
            await run(tmp_path / "full")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    kept = files(tmp_path / "full")
    assert 0 < sum(content.count(b"\n") for content in kept.values()) < 18
    assert all(content.endswith(b"\n") for content in kept.values() if content)
    assert Run(tmp_path / "full").manifest["status"] == "stopped"
    await run(tmp_path / "full")
    assert files(tmp_path / "full") == whole


@pytest.mark.parametrize("linked", ["run.pid", "run.lock", "persistent.jsonl", "manifest.json", "errors.log"])
async def test_nothing_is_written_through_a_link_in_the_folder(
    linked: str, made: Path, tmp_path: Path
) -> None:
    manifest = json.loads((made / "manifest.json").read_text())
    (made / "manifest.json").write_text(json.dumps(manifest | {"status": "interrupted"}))
    cut(made / "persistent.jsonl")
    target = tmp_path / "mine"
    target.write_bytes((made / linked).read_bytes() if (made / linked).exists() else b"mine")
    (made / linked).unlink(missing_ok=True)
    (made / linked).symlink_to(target)
    before = target.read_bytes()
    with suppress(RunError):
        await run(made)
    assert target.read_bytes() == before
    if linked in ("run.pid", "persistent.jsonl"):
        with pytest.raises(RunError, match=rf"{linked}: cannot be written: a link"):
            await run(made)


async def test_a_manifest_that_is_cut_off_says_what_to_do(made: Path) -> None:
    cut(made / "manifest.json")
    with pytest.raises(RunError, match=r"manifest\.json: not valid JSON .*restore it from a copy, or move"):
        load_episodes(made)
    with pytest.raises(RunError, match="restore it from a copy"):
        await run(made)
