"""Which model of a source a page shows."""

from pathlib import Path

import pandas as pd
import pytest
from judged_useless.episodes.formats import write_parquet
from judged_useless.sources.readers import load_episodes
from paper_book.chosen import page_model
from paper_book.wanted import episodes_or_nothing


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Path:
    mine = load_episodes(condition="unaided", regimes="persistent").head(5).assign(model="b")
    other = mine.assign(model="a", condition="budget")
    path = tmp_path_factory.mktemp("own") / "own.parquet"
    return write_parquet(pd.concat([mine, other], ignore_index=True), path)


def test_the_model_asked_for_is_shown_where_the_source_has_it(own: Path) -> None:
    assert page_model(own, "a") == ("a", "")
    assert page_model("embedded", "qwen3-8b") == ("qwen3-8b", "")


def test_of_a_source_of_ones_own_the_first_is_shown_and_said(own: Path) -> None:
    shown, said = page_model(own, "qwen3-8b")
    assert shown == "b"
    assert said == (
        "The source has no episode of qwen3-8b here, so b is shown; others there, to be given as MODEL: a."
    )
    assert page_model(own, "qwen3-8b", condition="budget") == (
        "a",
        "The source has no episode of qwen3-8b here, so a is shown.",
    )


def test_another_model_of_the_paper_stays_where_its_published_numbers_are(own: Path, tmp_path: Path) -> None:
    assert page_model("embedded", "llama3.1-8b") == ("llama3.1-8b", "")
    assert page_model(own, "qwen3-8b", split="nowhere") == ("qwen3-8b", "")
    assert page_model(tmp_path, "qwen3-8b") == ("qwen3-8b", "")


def test_a_split_that_neither_source_nor_paper_has_is_told_as_such(own: Path) -> None:
    assert "the paper has no split 'fresh30' either" in episodes_or_nothing(own, split="fresh30")[1]
    assert "the paper has" not in episodes_or_nothing(own, split="fresh300")[1]
