"""A run that is really probed fills what the measures of probes promise."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import hamlets
import pytest
from judged_useless.afterwards.replaying import replay
from judged_useless.environment.regimes import MEAN6
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.cell import run_cell
from judged_useless.sources.readers import load_episodes
from judged_useless.tasks import TASKS, get_task
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")


class Named(ScriptedModel):
    """A scripted agent that goes by the name of one of the paper's."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.name = "qwen3-8b"


async def test_a_probed_run_gives_policies_repairs_and_stated_judgments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(hamlets.SIZES, "test300", 24)
    monkeypatch.setitem(TASKS, "hotpotqa", replace(get_task("hotpotqa"), loader="hamlets:load"))
    model = Named("own-6", useless_if_real=0.3)
    run = await run_cell(
        model=model, condition="unaided", n_questions=8, out=tmp_path / "run", progress=False,
        regimes=(*MEAN6, "plausible"),
    )  # fmt: skip
    for probe in ("judgments", "answer-now", "beliefs", "repair", "stated"):
        await replay(run, probe, model=model, progress=False)
    printed = published(model="qwen3-8b", condition=["", "unaided", "own_5_policy", "answer_now - unaided"],
                        task="hotpotqa", split="test300")  # fmt: skip
    held = recompute(printed, load_episodes(run.path), n_boot=20)
    given = set(held.loc[held["recomputed"].notna(), "measure"])
    assert given >= {
        "regret", "utility", "answer_now_success", "answer_now_success_repaired", "continue_success",
        "n_answering_better", "n_continuing_better", "share_explicit",
    }  # fmt: skip
    assert (held.loc[held["measure"] == "best_policy", "recomputed_words"] != "").all()
    regret = held.loc[(held["measure"] == "regret") & (held["condition"] == "unaided"), "recomputed"]
    assert len(regret) == 3
    assert regret.notna().all()
