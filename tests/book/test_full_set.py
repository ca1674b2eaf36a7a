"""The book on all 43 released cells, as made up by ``make_released_set.py``; on a foreign source; on none.

The simulated cells say nothing about any model: here they show that every page executes and that every table
that these cells can fill is filled.
"""

from pathlib import Path

import pandas as pd
import pytest
from execute import PAGES, Page, execute
from judged_useless.episodes.formats import write_parquet
from judged_useless.sources.readers import load_episodes
from make_released_set import write
from paper_book import claim, open_page
from paper_book.claims import ClaimError
from paper_book.coverage import coverage
from paper_book.measures.filling import RELEASED, how_to_fill
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published

#: Resamples: none of these tests looks at an interval.
N_BOOT = 50
#: Questions a cell, a third of the released number: with fewer, a rare history is not there.
N_QUESTIONS = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("set") / "SIMULATED-released-set", N_QUESTIONS)


@pytest.fixture(scope="module")
def pages(folder: Path) -> dict[str, Page]:
    return {name: execute(name, source=str(folder), n_boot=N_BOOT) for name in PAGES}


@pytest.fixture(scope="module")
def compared(pages: dict[str, Page]) -> pd.DataFrame:
    frame: pd.DataFrame = pages["08_full_tables"].names["page"].compared
    return frame


@pytest.mark.parametrize("name", PAGES)
def test_every_page_executes_and_says_that_it_shows_simulated_agents(
    pages: dict[str, Page], name: str
) -> None:
    assert "SIMULATED" in pages[name].text()
    assert not [key for key, value in pages[name].glued.items() if "n/a" in str(value)]


_OPEN = "model.str.contains('qwen|llama') and not condition.str.contains('random|lexical|thinking')"
#: Tables of which these cells give numbers, and for which rows they give every one.
FILLED = {
    "2": "panel == 'open_models'",
    "6": "panel == panel",
    "7": "panel == panel",
    "8": "condition == 'enforced_rule'",
    "9": _OPEN,
    "10": "panel == panel",
    "13": _OPEN,
    "15": f"task == 'hotpotqa' and {_OPEN}",
    "16": "budget == 8",
    "18": "budget == 8",
    "22": "panel == panel",
}


@pytest.mark.parametrize("table", FILLED)
def test_every_table_that_these_cells_can_fill_is_filled(compared: pd.DataFrame, table: str) -> None:
    rows = compared[(compared["table"] == table) & compared["value"].notna()]
    meant = rows.query(FILLED[table], engine="python")
    assert len(meant) > 3
    empty = meant[meant["recomputed"].isna()]
    assert empty[["row", "column", "reason"]].to_numpy().tolist() == []


def test_what_these_cells_do_not_give_is_not_promised_of_them(compared: pd.DataFrame) -> None:
    printed = compared["value"].notna() | compared["k"].notna()
    empty = compared[printed & compared["recomputed"].isna()]
    promised = [record for record in empty.to_dict("records") if how_to_fill(record) == RELEASED]
    assert [(record["table"], record["row"], record["column"]) for record in promised] == []


def test_a_claim_that_simulated_cells_break_is_no_error_even_under_a_released_name(folder: Path) -> None:
    page, false = open_page("embedded"), claim("It fails.", 0, at_least=1)
    with pytest.raises(ClaimError):
        page.check(false)
    page.episodes = load_episodes(folder, model="qwen2.5-7b")
    assert page.check(false).frame["verdict"].item() == "does not hold"


# --- other sources --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def foreign(tmp_path_factory: pytest.TempPathFactory) -> Path:
    episodes = load_episodes().assign(model="scripted:mine", split="mine")
    return write_parquet(episodes, tmp_path_factory.mktemp("run") / "mine.parquet")


@pytest.mark.parametrize("name", PAGES)
def test_every_page_builds_on_a_source_of_another_model(foreign: Path, name: str) -> None:
    page = execute(name, source=str(foreign), n_boot=N_BOOT)
    assert "mine" in page.text()
    if name == "08_full_tables":
        row = page.shown[-1].frame.iloc[0]
        assert row[["verdict", "decided by"]].tolist() == [
            "not asked here",
            "0 of 0 equal",
        ]  # with so few resamples
        check_own_rows(page.names["page"].compared)


def check_own_rows(compared: pd.DataFrame) -> None:
    """A model of one's own has rows of its own in the tables, and counts for none of the paper's numbers."""
    own = compared[(compared["model"] == "scripted:mine") & compared["recomputed"].notna()]
    assert own["value"].isna().all()
    assert {"6", "9", "10", "13", "16"} <= set(own["table"])
    released = recompute(published(6, measure="delta"), load_episodes(), n_boot=N_BOOT)["recomputed"].dropna()
    mine = own[(own["table"] == "6") & (own["measure"] == "delta")]["recomputed"]
    assert mine.to_list() == pytest.approx(released.to_list())
    assert coverage(compared).set_index("where").loc["Table 6", "recomputed"] == 0


@pytest.mark.parametrize("name", PAGES)
def test_every_page_builds_on_an_empty_source_and_says_so_in_whole_sentences(
    tmp_path: Path, name: str
) -> None:
    page = execute(name, source=str(tmp_path), n_boot=N_BOOT)
    assert 'class="ju-notice"' in page.text()
    assert "the folder holds no" in page.text()
    said = [value for value in page.glued.values() if isinstance(value, str)]
    assert not [text for text in said if "n/a" in text or "not available" in text or "nan" in text]


@pytest.mark.parametrize("name", ["01_setting", "02_judgments", "04_enforced_rule", "11_best_stopping_point"])
def test_a_page_without_judgments_still_builds(tmp_path: Path, name: str) -> None:
    episodes = load_episodes()
    silent = episodes.assign(judgments=episodes["judgments"].map(lambda words: [None] * len(words)))
    text = execute(name, source=str(write_parquet(silent, tmp_path / "silent.parquet")), n_boot=N_BOOT).text()
    assert "cannot be told" in text


@pytest.mark.parametrize("name", ["01_setting", "02_judgments", "04_enforced_rule", "11_best_stopping_point"])
def test_a_page_shows_the_model_that_a_source_has(tmp_path: Path, name: str) -> None:
    """Of a source of one's own, with fewer regimes than the paper: its first model, and which it is."""
    mine = load_episodes(regimes=["persistent", "recover_after_2"]).assign(model="mine-1")
    other = mine.assign(model="mine-2")
    source = write_parquet(pd.concat([mine, other], ignore_index=True), tmp_path / "own.parquet")
    page = execute(name, source=str(source), n_boot=N_BOOT)
    assert "no episode of qwen3-8b here, so mine-1 is shown; others there, to be given as MODEL: mine-2" in (
        page.text()
    )
    assert not [key for key, value in page.glued.items() if "n/a" in str(value) or "not avail" in str(value)]


def test_published_numbers_follow_the_split() -> None:
    page = execute("02_judgments", split="fresh300", n_boot=N_BOOT)
    after = page.names["after"].rows
    assert after[["k", "n"]].to_numpy().tolist() == [[3, 125], [2, 283], [0, 289], [19, 284]]
    page = execute("04_enforced_rule", split="fresh300", n_boot=N_BOOT)
    assert page.names["contrasts"].rows["value_printed"].tolist() == ["-0.05", "0.34"]
    assert page.names["success"].rows["value"].isna().all()


# --- runs on questions that the paper does not have -------------------------------------------------


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    elsewhere = load_episodes().assign(model="scripted:mine", task="atlas", budget=8)
    path = write_parquet(elsewhere, tmp_path_factory.mktemp("mixed") / "mine.parquet")
    return ["embedded", str(path)]


def verdicts(page: Page) -> list[str]:
    tables = [each.frame for each in page.shown if "decided by" in getattr(each, "frame", ())]
    return [text.rpartition("here: ")[2] for frame in tables for text in frame["decided by"]]


def test_fresh_questions_show_and_count_no_other_ones(mixed: list[str]) -> None:
    page = execute("05_replication", source=mixed, n_boot=N_BOOT)
    assert "scripted:mine" in set(page.names["page"].compared["model"])
    assert verdicts(page)[:3] == [f"none of {n} cells can be told" for n in (8, 4, 15)]
    assert "0 of the" in page.names["page"].notice().text
    pictures = [each for each in page.shown if hasattr(each, "svg")]
    assert len(pictures) == 3
    for each in pictures:
        assert "none is recomputed here" in each.caption
        assert "scripted:mine" not in each.alt


def test_larger_agents_are_counted_by_the_rows_that_the_paper_prints(mixed: list[str]) -> None:
    page = execute("06_larger_models", source=mixed, n_boot=N_BOOT)
    assert (page.glued["n_agents"], page.glued["n_follow"]) == ("13", "3")
    assert page.glued["who_follow"] == (
        "claude-haiku-4.5 (stated rule), qwen3-32b (budget, reasoning), claude-sonnet-5 (unaided)"
    )
    assert verdicts(page)[0] == "13 contrasts, 3 of them above zero"
    assert "claude-haiku-4.5, stated rule: published 0.052 [0.021, 0.085]" in page.text()


def test_claims_and_maps_of_prompt_arms_are_about_the_papers_models(mixed: list[str]) -> None:
    page = execute("03_prompt_arms", source=mixed, n_boot=N_BOOT)
    counted = "cells; the others cannot be told"
    assert verdicts(page)[:3] == [
        "19 Δ, 3 of them above zero",
        f"holds for 1 of 16 {counted}",
        "none of 4 cells can be told",
    ]
    assert "Δ, recomputed (embedded released cells), on" in page.text()
    assert "scripted:mine (atlas test300)" in page.text()
