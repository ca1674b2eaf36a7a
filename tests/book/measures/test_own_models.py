"""Rows of models that the paper does not have: on what questions they are, and that they decide no claim."""

from typing import Any

import pandas as pd
import pytest
from judged_useless import load_episodes
from made_up_episodes import MADE_UP, made_up_cell
from paper_book.measures.cell_index import CellKey
from paper_book.measures.own_models import (
    MOST_MODELS,
    elsewhere,
    of_the_paper,
    on_paper_questions,
    with_own_models,
)
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from paper_book.tables.paper_table import paper_table


def held(table: int, panel: str, **labels: Any) -> pd.DataFrame:
    own = made_up_cell("test300").assign(**labels)
    return recompute(
        published(table, panel=panel), pd.concat([load_episodes(), own], ignore_index=True), n_boot=20
    )


@pytest.mark.parametrize(
    ("labels", "place"),
    [
        ({}, ""),
        ({"task": "atlas", "budget": 8}, " (atlas test300)"),
        ({"task": "hotpotqa", "budget": 8, "split": "mine"}, " (hotpotqa mine)"),
        ({"task": "atlas", "budget": 12}, " (atlas test300, budget 12)"),
    ],
)
def test_a_row_names_its_questions_unless_they_are_the_tables(labels: dict[str, Any], place: str) -> None:
    compared = held(6, "delta", **labels)
    own = compared[compared["own"]]
    assert set(own["row"]) == {f"{MADE_UP}{place}"}
    assert elsewhere(compared)[compared["own"]].tolist() == [bool(place)] * len(own)
    assert not elsewhere(compared)[~compared["own"]].any()
    shown = on_paper_questions(compared)
    assert shown["own"].any() == (not place)
    assert len(shown) == len(compared) - (len(own) if place else 0)
    html = paper_table(compared, 6, source=["embedded", "runs/mine"]).html
    assert (f"{MADE_UP}: on the task and questions named with the model." in html) == bool(place)


def test_claims_are_decided_by_the_papers_models_as_language_models_fill_them() -> None:
    compared = held(6, "delta")
    papers = of_the_paper(compared)
    assert papers["value"].notna().all()
    assert not papers["own"].any()
    assert len(papers) == len(published(6, panel="delta"))
    assert papers["recomputed"].notna().sum() == compared["recomputed"][~compared["own"]].notna().sum() > 0
    simulated = recompute(published(6, panel="delta"), load_episodes().assign(simulated=True), n_boot=20)
    assert simulated["recomputed"].notna().any()
    decisive = of_the_paper(simulated)
    assert decisive[["recomputed", "recomputed_low", "difference", "equal"]].isna().all(axis=None)
    assert len(decisive) == len(published(6, panel="delta"))


def test_a_registered_test_keeps_its_name_and_says_the_questions_beside_the_number() -> None:
    compared = held(5, "A12", task="atlas", budget=8)
    own = compared[compared["own"] & compared["recomputed"].notna()]
    assert len(own)
    assert set(own["row"]) <= set(compared["row"][~compared["own"]])
    html = paper_table(compared, 5, source="runs/mine").html
    assert f"{MADE_UP}, atlas, test300, unaided" in html
    assert ": ; recomputed" not in html


def test_of_very_many_models_the_first_are_shown() -> None:
    keys = [CellKey(f"mine-{place}", "unaided", "hotpotqa", "test300", 8) for place in range(60)]
    rows = with_own_models(published(6, measure="delta"), keys)
    assert list(dict.fromkeys(rows["model"][rows["own"]])) == [key.model for key in keys[:MOST_MODELS]]
