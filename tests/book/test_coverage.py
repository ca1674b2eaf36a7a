"""How much of the paper a source recomputes, as the pages show it."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from judged_useless.stopping.simulate import FITTED
from paper_book.coverage import coverage, coverage_table, outside_the_tables, with_simulated_policies
from paper_book.page import Page, open_page
from paper_book.published.transcribed import published


@pytest.fixture(scope="module")
def nothing() -> pd.DataFrame:
    return published().assign(recomputed=float("nan"), difference=float("nan"), equal=None, own=False)


def page(compared: pd.DataFrame) -> Page:
    return replace(open_page("embedded", model="qwen3-8b"), compared=compared)


def test_every_table_links_to_its_place_from_any_page(nothing: pd.DataFrame) -> None:
    html = coverage_table(page(nothing))._repr_mimebundle_()["text/html"]
    links = re.findall(r'<a href="\.\./notebooks/08_full_tables\.html#([^"]+)">([^<]+)</a>', html)
    assert links[:2] == [("table-1", "Table 1"), ("table-2", "Table 2")]
    assert ("numbers-outside-the-tables", "Figure 1") in links
    assert len(links) == nothing["table"].nunique()


def test_places_outside_the_tables_are_said_in_words(nothing: pd.DataFrame) -> None:
    shown = nothing.assign(
        recomputed=nothing["value"], recomputed_low=nothing["low"], recomputed_high=nothing["high"]
    )
    frame = outside_the_tables(page(shown).rows()).frame
    places = {
        "text, § C.1", "text, § 3", "text, caption of Table 12", "data card, example",
    }  # fmt: skip
    assert places <= set(frame["where"])
    touched = frame[frame["what"].str.startswith("net correct answers questions")]
    assert set(touched["what"].str.rsplit(" ", n=2).str[-1]) == {"fired", "touched"}


def test_what_a_policy_was_fitted_to_is_not_tested_and_its_gap_is_kept() -> None:
    rows = with_simulated_policies(published(7).assign(recomputed=float("nan"), reason="", equal=None))
    fitted = rows["row"].isin(FITTED)
    assert rows[fitted]["equal"].isna().all()
    assert rows[~fitted]["equal"].dropna().tolist() == [True] * 25
    gaps = rows[fitted & (rows["measure"] == "design_label_contrast")].set_index("row")["difference"]
    assert gaps.round(3).tolist() == [0.018, -0.029]


def test_a_simulated_number_beyond_two_standard_errors_differs() -> None:
    """Of ten simulations that stray by 0.117, as the index of the count of three does, by 0.075."""
    rows = published(7, row="own-judgment count k=3").assign(recomputed=float("nan"), reason="", equal=None)
    index = rows["measure"] == "integration_index"
    near, far = (
        with_simulated_policies(rows.assign(value=rows["value"].where(~index, value)))["equal"][index].item()
        for value in (0.361 + 0.07, 0.361 + 0.10)
    )
    assert (near, far) == (True, False)


def test_coverage_counts_by_hand() -> None:
    compared = pd.DataFrame(
        {
            "table": ["1", "1", "1", "text", "figure 3", "1"],
            "value": [1.0, 2.0, 3.0, 4.0, 5.0, None],
            "recomputed": [1.0, 2.5, None, 4.0, None, 7.0],
            "difference": [0.0, 0.5, None, 0.0, None, None],
            "equal": pd.array([True, False, None, True, None, None], dtype="boolean"),
        }
    )
    counted = coverage(compared)
    assert counted["where"].to_list() == ["Table 1", "text", "Figure 3"]
    assert counted[["published", "recomputed", "equal", "differ"]].to_numpy().tolist() == [
        [3, 2, 1, 1], [1, 1, 1, 0], [1, 0, 0, 0],
    ]  # fmt: skip
    assert counted["largest difference"].to_list()[0] == 0.5
    assert counted["largest difference"].isna().to_list() == [False, True, True]
