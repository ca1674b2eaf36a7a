r"""A model that says half of a surrogate pair, such as ``\ud800``: its run is written, read and checked."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hamlet_cell import run
from judged_useless.afterwards.replaying import replay
from judged_useless.episodes.formats import load_parquet, write_parquet
from judged_useless.models.base import Generation, Message
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.recorded import Run
from judged_useless.runs.run_files import RunError
from validate_run import validate_run

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")


class Halving(ScriptedModel):
    """Ends whatever it says, its answers and queries too, within a character."""

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        said = await super().generate(messages, **options)
        return replace(said, text=said.text + "\ud800")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in path.glob("*.jsonl") for line in file.read_bytes().splitlines()]


async def test_it_is_replaced_and_counted_in_the_run_and_in_what_is_asked_afterwards(tmp_path: Path) -> None:
    made = await run(tmp_path / "run", model=Halving("own-4", knows=0.5), condition="combo")
    assert validate_run(made.path) == []
    calls = [call for record in lines(made.path) for call in record["calls"]]
    assert calls
    assert all(call["n_replaced"] == 1 and call["text"].endswith("\ufffd") for call in calls)
    answers = made.episodes()["answer"].dropna()
    assert len(answers)
    assert answers.str.endswith("\ufffd").all()
    assert load_parquet(write_parquet(made.episodes(), tmp_path / "run.parquet"))["answer"].equals(
        made.episodes()["answer"]
    )
    folder = await replay(made, "answer-now", model=Halving("own-4", knows=0.5), progress=False)
    assert all(call["n_replaced"] == 1 for record in lines(folder) for call in record["calls"])
    assert len(made.episodes()) == 18


async def test_one_that_was_put_into_a_file_is_refused_by_line_and_field(tmp_path: Path) -> None:
    made = await run(tmp_path)
    file = tmp_path / "clean.jsonl"
    first, second, *rest = file.read_text(encoding="utf-8").splitlines(keepends=True)
    changed = second.replace('"calls":[{', '"calls":[{"note":"\\ud800",')
    assert changed != second
    file.write_text("".join([first, changed, *rest]), encoding="utf-8")
    for read in (made.episodes, lambda: list(Run(tmp_path).trajectories())):
        with pytest.raises(RunError, match=r"clean\.jsonl, line 2: calls: half of a surrogate pair"):
            read()
    manifest = json.loads((tmp_path / "manifest.json").read_text(encoding="utf-8"))
    (tmp_path / "manifest.json").write_text(json.dumps(manifest | {"status": "interrupted"}))
    with pytest.raises(RunError, match=r"clean\.jsonl, line 2: calls: half of a surrogate pair"):
        await run(tmp_path)
