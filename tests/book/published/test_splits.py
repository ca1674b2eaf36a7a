"""Published quantities on other questions, as counts, and where they stand."""

import numpy as np
from paper_book.published.on_splits import as_counts, filled, on_split, where_printed
from paper_book.published.transcribed import published


def test_a_split_has_its_own_numbers_and_none_for_what_is_not_printed_of_it() -> None:
    rows = published(6, model="qwen3-8b", condition="unaided", measure=["delta", "delta_by_question"])
    assert on_split(rows, "test300") is rows
    fresh = on_split(rows, "fresh300")
    assert fresh["table"].tolist()[:1] == ["22"]
    numbers = fresh[["value", "low", "high"]].to_numpy(dtype=float)
    np.testing.assert_array_equal(numbers, [[-0.05, -0.07, -0.03], [np.nan] * 3])
    assert set(fresh["split"]) == {"fresh300"}
    own = on_split(rows, "mine")
    assert own["value"].isna().all()
    assert own["value_printed"].eq("").all()
    assert own["model"].tolist() == rows["model"].tolist()
    assert where_printed(own) == "nothing for these questions"


def test_a_share_with_counts_beside_it_is_held_against_the_counts() -> None:
    row = as_counts(published(5, model="search-r1", measure="answered_after_5")).iloc[0]
    assert (row["k"], row["n"], row["value_printed"]) == (29, 165, "")
    assert np.isnan(row["value"])
    whole = published(6, panel="delta")
    assert as_counts(whole)["value"].tolist() == whole["value"].tolist()


def test_where_numbers_stand_is_said_as_a_paper_cites_it() -> None:
    rows = published(measure="answered_after_5", regime="persistent", condition="unaided", split="test300")
    assert where_printed(rows) == "Table 5, §1, §3, §7, Appendix C.1 and Figure 1"


def test_rows_without_any_number_are_left_out() -> None:
    rows = published(6, panel="delta", model="qwen3-8b", condition="unaided").assign(recomputed=np.nan)
    assert len(filled(rows)) == 1
    assert filled(on_split(rows, "mine").assign(recomputed=np.nan)).empty
    assert len(filled(on_split(rows, "mine").assign(recomputed=0.1))) == 1
