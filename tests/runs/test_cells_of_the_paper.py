"""Runs under the paper's names fill its tables: claims, replicates, the pages that searches returned."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import hamlets
import pandas as pd
import pytest
from judged_useless.environment.regimes import MEAN6
from judged_useless.estimators.inference import paired_contrast
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from judged_useless.sources.readers import load_episodes
from judged_useless.tasks import TASKS, get_task
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from validate_run import validate_run

pytest_plugins = ("run_fixtures",)

pytestmark = pytest.mark.usefixtures("hamlet_tasks")
SPLITS = {None: "test300", "2": "test300-run2", "3": "test300-run3"}


class Named(ScriptedModel):
    """A scripted agent that goes by the name of one of the paper's."""

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.name = "qwen3-8b"


@pytest.fixture
def hotpotqa(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have 24 made-up questions in the place of the paper's."""
    monkeypatch.setitem(hamlets.SIZES, "test300", 24)
    monkeypatch.setitem(TASKS, "hotpotqa", replace(get_task("hotpotqa"), loader="hamlets:load"))


async def cell(out: Path, condition: str, replicate: str | None = None, policy: str = "own-6") -> Run:
    return await run_cell(
        model=Named(policy, useless_if_real=0.3), condition=condition, n_questions=8, replicate=replicate,
        out=out, progress=False,
    )  # fmt: skip


# Table 27 has differences between two runs of a cell, which have splits of their own.
@pytest.mark.filterwarnings("ignore:the two cells differ in split")
@pytest.mark.usefixtures("hotpotqa")
async def test_replicates_fill_tables_27_and_28(tmp_path: Path) -> None:
    for replicate, split in SPLITS.items():
        for condition in ("unaided", "enforced_rule"):
            run = await cell(tmp_path / f"{condition}{replicate}", condition, replicate)
            assert set(run.episodes()["split"]) == {split}
            assert validate_run(run.path) == []
    episodes = load_episodes(tmp_path)
    printed = pd.concat([published(table, model="qwen3-8b") for table in (27, 28)], ignore_index=True)
    held = recompute(printed, episodes, n_boot=50)
    wanted = held[
        held["condition"].isin(["unaided", "enforced_rule", "enforced_rule - unaided"])
        & held["measure"].isin(["success", "paired_difference"])
    ]
    assert set(wanted["table"]) == {"27", "28"}
    assert wanted["recomputed"].notna().all(), wanted["reason"].to_list()
    pooled = held[held["split"] == "test300-three-runs"].iloc[0]
    each = [
        paired_contrast(
            part[part["condition"] == "enforced_rule"], part[part["condition"] == "unaided"]
        ).value
        for _, part in episodes.groupby("split")
    ]
    assert pooled["recomputed"] == pytest.approx(sum(each) / 3, abs=1e-12)


@pytest.mark.usefixtures("hotpotqa")
@pytest.mark.parametrize("tag", ["", "../x", "0", "1", "02", "RUNx", "2\n", "x" * 300])
async def test_a_replicate_is_letters_and_digits(tmp_path: Path, tag: str) -> None:
    with pytest.raises(ValueError, match=r"replicate is .*, expected up to 20 letters and digits") as refused:
        await cell(tmp_path / "run", "unaided", tag)
    assert len(str(refused.value)) < 300
    assert not (tmp_path / "run").exists()


@pytest.mark.usefixtures("hotpotqa")
async def test_searched_pages_fill_table_11(tmp_path: Path) -> None:
    run = await cell(tmp_path / "run", "enforced_rule", policy="never")
    held = recompute(published(11, model="qwen3-8b"), load_episodes(run.path), n_boot=50)
    filled = held[held["recomputed"].notna()]
    # A scripted agent asks for each page once, so nothing is known of repeats.
    assert set(filled["measure"]) >= {"useful_rate_gold_first", "useful_rate_distractor_first"}
    assert held["reason"][held["recomputed"].isna()].str.contains("repeat").all()


async def test_claims_fill_table_14(tmp_path: Path) -> None:
    rows = [
        {
            "id": number, "question": f"Claim {number}.", "answer": ("SUPPORTS", "REFUTES")[number % 2],
            "type": "claim", "level": "",
            "knowledge_base": {f"Page {number}": "It is so.", f"Other {number}": "It is not."},
            "supporting_titles": [f"Page {number}"],
        }
        for number in range(292)
    ]  # fmt: skip
    file = tmp_path / "claims.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    run = await run_cell(
        model=Named("own-6"), condition="unaided", task="fever", source=file, n_questions=4,
        out=tmp_path / "run", progress=False,
    )  # fmt: skip
    episodes = load_episodes(run.path)
    assert set(episodes["split"]) == {"fever292"}
    printed = published(14, model="qwen3-8b", condition="unaided", measure="success")
    held = recompute(printed, episodes, n_boot=50)
    assert {*MEAN6, "mean6"} <= set(held["regime"])
    assert held["recomputed"].notna().all(), held["reason"].to_list()
