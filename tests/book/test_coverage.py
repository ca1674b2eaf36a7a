"""How much of the paper a source recomputes, as the pages show it."""

import re

import pandas as pd
import pytest
from paper_book.coverage import coverage, coverage_table
from paper_book.published.transcribed import published


@pytest.fixture(scope="module")
def nothing() -> pd.DataFrame:
    return published().assign(recomputed=float("nan"), difference=float("nan"), equal=None)


def test_every_table_links_to_its_place_from_any_page(nothing: pd.DataFrame) -> None:
    html = coverage_table(coverage(nothing), caption="c")._repr_mimebundle_()["text/html"]
    links = re.findall(r'<a href="\.\./notebooks/08_full_tables\.html#([^"]+)">([^<]+)</a>', html)
    assert links[:2] == [("table-1", "Table 1"), ("table-2", "Table 2")]
    assert ("numbers-outside-the-tables", "Figure 1") in links
    assert len(links) == nothing["table"].nunique()


def test_the_largest_difference_is_shown_only_where_there_is_one(nothing: pd.DataFrame) -> None:
    assert "largest difference" not in coverage_table(coverage(nothing), caption="c").frame
    first = nothing["value"].notna() & (nothing["table"] == "13")
    moved = nothing.assign(
        recomputed=nothing["value"].where(first) + 0.0123456,
        difference=0.0123456,
        equal=pd.Series(False, index=nothing.index).where(first),
    )
    frame = coverage_table(coverage(moved), caption="c").frame
    assert frame["largest difference"].dropna().tolist() == [0.0123]
