"""Judgments that could not be read are counted in the manifest, and said beside Δ."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from hamlet_cell import run
from judged_useless.cli.run import _report_judgments
from judged_useless.models.base import Generation, Message
from judged_useless.models.scripted import ScriptedModel

pytestmark = pytest.mark.usefixtures("hamlet_tasks")
pytest_plugins = ("run_fixtures",)


class Cut(ScriptedModel):
    """An agent that would think before it judges, and is cut off."""

    async def generate(self, messages: Sequence[Message], **how: object) -> Generation:
        if messages[-1]["content"].startswith("Before acting"):
            assert how["max_new_tokens"] == 12
            return Generation(text="<think>The result is USELESS", finish_reason="length")
        return await super().generate(messages, **how)


@pytest.mark.parametrize(
    ("model", "cut"), [(ScriptedModel("never", unparsed=0.4), False), (Cut("never"), True)]
)
async def test_unparsed_and_cut_judgments_are_counted(
    model: ScriptedModel, cut: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = await run(tmp_path, model, condition="unaided", n_questions=3, judgment_tokens=12)
    judged = [each for episode in done.episodes()["judgments"] for each in episode if each is not None]
    counts = done.manifest["judgments"]
    unparsed = judged.count("UNPARSED")
    assert counts == {"asked": len(judged), "unparsed": unparsed, "cut": unparsed if cut else 0}
    assert unparsed > 0
    _report_judgments(**counts)
    assert f"{unparsed} of {len(judged)} judgments say neither" in capsys.readouterr().out
