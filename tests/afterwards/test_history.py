"""The history that a probe asks on is the one that the model was sent at that step of the run."""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from judged_useless.afterwards.probes import PROBES
from judged_useless.afterwards.recorded_turns import RecordedTurns
from judged_useless.afterwards.replaying import replay
from judged_useless.models.base import Generation, Message
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.cell import run_cell
from judged_useless.runs.run_files import RunError

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")
CLUMSY: dict[str, Any] = {
    "invalid": 0.1, "unreadable": 0.05, "truncated": 0.02, "disobedient": 0.6, "unparsed": 0.1, "silent": 0.3,
}  # fmt: skip


class Listening(ScriptedModel):
    """Keeps the conversations on which it was asked for a judgment."""

    heard: list[list[Message]]

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:
        if messages[-1]["content"].startswith("Before acting: was the LAST observation"):
            self.heard.append([{**message} for message in messages[:-1]])
        return await super().generate(messages, **options)


@pytest.mark.parametrize(
    ("condition", "task", "regimes", "style"),
    [
        ("unaided", "hamlets", ("persistent", "recover_after_2"), None),
        ("unaided+format_reminder", "hamlet-claims", ("persistent",), None),
        ("enforced_rule", "hamlets", ("persistent", "recover_after_2", "clean"), None),
        ("enforced_rule", "hamlets", ("persistent", "recover_after_2"), "search-r1"),
        ("combo", "hamlet-claims", ("persistent",), None),
        ("decide", "hamlets", ("persistent", "recover_after_2"), None),
        ("stated_combo", "hamlets", ("persistent", "recover_after_2"), None),
        ("switch_rule", "hamlets", ("ts_persistent", "ts_recover_after_2"), None),
    ],
)
async def test_it_is_what_the_model_was_sent(
    condition: str, task: str, regimes: tuple[str, ...], style: str | None, tmp_path: Path
) -> None:
    model = Listening("own-6", **CLUMSY)
    Listening.heard = []
    run = await run_cell(
        model=model, condition=condition, task=task, split="all", regimes=regimes, k=2, style=style,
        n_questions=12, out=tmp_path / "run", progress=False,
    )  # fmt: skip
    rebuilt = [
        RecordedTurns(record, run.manifest["spec"]).history(call["t"])
        for record in run.trajectories()
        for call in record["calls"]
        if call["kind"] == "judgment"
    ]
    heard = Listening.heard
    assert len(heard) > 30
    assert sorted(map(str, rebuilt)) == sorted(map(str, heard))
    if condition not in ("unaided", "decide", "unaided+format_reminder"):
        assert any(record["events"] for record in run.trajectories())


async def test_no_probe_asks_on_a_conversation_that_has_lost_an_observation(tmp_path: Path) -> None:
    run = await run_cell(
        model="scripted:own-4", task="hamlets", split="all", regimes=("persistent",), n_questions=1,
        placeholder=1.0, judge=False, out=tmp_path / "run", progress=False,
    )  # fmt: skip
    file = run.path / "persistent.jsonl"
    record = json.loads(file.read_text())
    n = len(record["failed"])
    for messages, left in (([], 0), (record["messages"][:3] + record["messages"][4:], n - 1)):
        file.write_text(json.dumps({**record, "messages": messages}) + "\n")
        for probe in PROBES:
            with pytest.raises(RunError, match=f"field 'messages' has {left} observations and 'failed' {n}"):
                await replay(run, probe, progress=False)
            assert not (tmp_path / "run.probes" / probe / "persistent.jsonl").exists()
        shutil.rmtree(tmp_path / "run.probes")
