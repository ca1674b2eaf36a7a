"""Pages 2 and 2b on runs of a scripted agent: words beside actions, beliefs, and what is missing named."""

from pathlib import Path
from typing import Any

import pytest
from execute import Page, execute
from judged_useless.afterwards.probe_findings import read_run
from judged_useless.afterwards.replaying import replay
from judged_useless.environment.regimes import FAIL, MEAN4
from judged_useless.estimators import time_matched_contrast
from judged_useless.estimators.beliefs import belief_curves
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run
from paper_book.figures.curves import belief_table
from paper_book.figures.style import Picture
from paper_book.figures.two_episodes import TwoEpisodes
from paper_book.page import open_page
from paper_book.tables.compared import Comparison
from paper_book.tables.data_table import Notice

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")
MODEL = "scripted:never"
REGIMES = tuple(dict.fromkeys((*MEAN4, *FAIL)))


async def made(folder: Path, condition: str = "unaided", regimes: tuple[str, ...] = REGIMES) -> Run:
    return await run_cell(
        model=MODEL, condition=condition, task="hamlets", split="many", n_questions=12, regimes=regimes,
        out=folder / condition, progress=False, knows=0.5, useless_if_failed=1.0, mute=0.2,
    )  # fmt: skip


def page(*folders: Path, section: str = "02_judgments") -> Page:
    return execute(section, source=[str(each) for each in folders], model=MODEL, split="many", n_boot=20)


def believing(*folders: Path) -> Page:
    return page(*folders, section="02b_beliefs")


def notices(shown: Page) -> list[Notice]:
    return [each for each in shown.shown if isinstance(each, Notice)]


async def test_both_arms_and_beliefs_are_shown_from_runs(tmp_path: Path) -> None:
    alone, ruled = await made(tmp_path), await made(tmp_path, "enforced_rule")
    for probe in ("beliefs", "answer-now", "repair"):
        await replay(alone, probe, progress=False)
    first = page(alone.path, ruled.path)
    pair = next(each for each in first.shown if isinstance(each, TwoEpisodes))
    assert [arm.name for arm in pair.arms] == ["unaided", "enforced_rule"]
    assert pair.arms[0].ending == "all 8 actions spent, no answer: counts as wrong"
    assert pair.arms[1].ending == "answered at action 6: right"
    assert all(arm.written for arm in pair.arms)
    assert "SIMULATED" in pair.caption
    assert "<details><summary>thought and result</summary>" in first.text()
    shown = believing(alone.path, ruled.path)
    picture = next(each for each in shown.shown if isinstance(each, Picture) and "Figure 6" in each.caption)
    assert f"The observer starts from {', '.join(MEAN4)}" in picture.caption
    curves = belief_curves(read_run(alone.path), n_boot=20).set_index(["quantity", "k"])
    table: Any = belief_table(shown.names["beliefs"]).set_index("failed")
    for k in range(1, 8):
        assert table.loc[k, "continue_reported"] == curves.loc[("says going on is worth", k), "value"]
        assert table.loc[k, "answer_realized"] == curves.loc[("answering now was worth", k), "value"]
    assert 0 < table["no_report"].sum() < table["decisions"].sum() == 12 * 7
    counted = next(each for each in shown.shown if isinstance(each, Comparison) and "favors" in each.caption)
    mine = counted.rows[counted.rows["model"] == MODEL]
    assert mine["recomputed_k"].tolist() == [0]  # it never answers, whatever it reports
    assert [each.text for each in notices(first) + notices(shown) if each.warns] == []


async def test_without_the_rule_and_without_beliefs_the_page_says_what_would_bring_them(
    tmp_path: Path,
) -> None:
    alone = await made(tmp_path, regimes=("persistent", "recover_after_1"))
    first = page(alone.path)
    lacking = next(each for each in notices(first) if each.warns)
    assert lacking.text == (
        "No question is shown with and without the rule: there is no episode of the enforced rule in the "
        "regime persistent."
    )
    assert list(lacking.commands) == [
        "judged-useless run --model scripted:never --condition enforced_rule --split many"
    ]
    unasked = next(each for each in notices(believing(alone.path)) if "Figure 6 stands here" in each.text)
    assert unasked.commands[1] == "judged-useless replay runs/never-unaided --probe beliefs answer-now repair"
    # Asked, but not in the regime of the figure.
    await replay(alone, "beliefs", regimes=["recover_after_1"], progress=False)
    assert any("Figure 6 stands here" in each.text for each in notices(believing(alone.path)))


async def test_of_a_cell_with_several_seeds_one_is_taken_and_the_others_named(tmp_path: Path) -> None:
    runs = [
        await run_cell(
            model="scripted:own-4", condition="unaided", task="hamlets", split="many", n_questions=12,
            regimes=FAIL, out=tmp_path / str(seed), progress=False, seed=seed,
        )
        for seed in (1, 2)
    ]  # fmt: skip
    asked: Any = {"model": "scripted:own-4", "condition": "unaided", "split": "many", "n_boot": 20}
    both, first = (open_page([str(run.path) for run in each], **asked) for each in (runs, runs[:1]))
    assert both.estimate(time_matched_contrast) == first.estimate(time_matched_contrast)
    assert "takes the lowest: 60 episodes with seed 2 are left out" in both.notice().text
    assert "left out" not in first.notice().text
