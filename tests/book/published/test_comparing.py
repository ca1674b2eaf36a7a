"""Holding recomputed values against printed ones."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_useless.estimators.estimate import Estimate
from paper_book.published.comparing import compare, recomputed, show
from paper_book.published.transcribed import published

_ON = ["model", "condition", "measure"]


def _printed() -> pd.DataFrame:
    """Table 6: Δ of unaided Qwen3-8B, −0.06 [−0.10, −0.04]."""
    return published(6, panel="delta", model="qwen3-8b", condition="unaided")


def _mine(value: float, low: float | None = None, high: float | None = None) -> pd.DataFrame:
    key = {"model": "qwen3-8b", "condition": "unaided", "measure": "delta"}
    return pd.DataFrame([key | {"value": value, "low": low, "high": high}])


def _one(computed: pd.DataFrame) -> dict[Any, Any]:
    return compare(_printed(), computed, on=_ON).to_dict("records")[0]


def test_the_released_value_equals_the_printed_one() -> None:
    row = _one(_mine(-0.06480, -0.09519, -0.03873))
    assert row["equal"]
    assert row["inside"]
    assert row["beyond"] == 0
    assert row["difference"] == pytest.approx(-0.0048)
    assert row["units"] == pytest.approx(-0.48)
    assert row["compared"] == "value, low, high"


@pytest.mark.parametrize(
    ("value", "equal"), [(-0.055, True), (-0.065, True), (-0.0549, False), (-0.0651, False)]
)
def test_a_tie_may_have_been_rounded_either_way(value: float, equal: bool) -> None:
    assert bool(_one(_mine(value))["equal"]) is equal


def test_a_differing_bound_is_enough_to_differ() -> None:
    assert not _one(_mine(-0.06, -0.11, -0.04))["equal"]
    assert not _one(_mine(-0.06, -0.10, -0.05))["equal"]


def test_an_interval_that_was_not_recomputed_decides_nothing() -> None:
    row = _one(_mine(-0.061))
    assert row["equal"]
    assert row["compared"] == "value"


@pytest.mark.parametrize(("value", "beyond"), [(-0.12, -0.02), (-0.03, 0.01), (-0.10, 0.0), (-0.04, 0.0)])
def test_says_by_how_much_a_value_is_outside(value: float, beyond: float) -> None:
    row = _one(_mine(value))
    assert row["beyond"] == pytest.approx(beyond)
    assert bool(row["inside"]) is (beyond == 0)


def test_what_was_not_recomputed_is_missing_and_not_unequal() -> None:
    row = compare(_printed(), _mine(0.1).assign(model="qwen3-32b"), on=_ON).iloc[0]
    for name in ("equal", "inside"):
        assert pd.isna(row[name])
    for name in ("recomputed", "difference", "beyond", "units"):
        assert np.isnan(row[name])
    assert row["compared"] == ""


def test_a_printed_dash_cannot_be_equal() -> None:
    printed = published(2, model="qwen3-32b", condition="decide")
    row = compare(printed, pd.DataFrame([{"model": "qwen3-32b", "value": 0.5}]), on=["model"]).iloc[0]
    assert pd.isna(row["equal"])


def test_a_bound_alone_is_compared() -> None:
    printed = published(4, row="L-C1", condition="combo - budget", measure="paired_difference")
    mine = pd.DataFrame([{"condition": "combo - budget", "value": -0.003, "low": -0.0191, "high": 0.012}])
    row = compare(printed, mine, on=["condition"]).iloc[0]
    assert row["equal"]
    assert row["compared"] == "low"
    assert not compare(printed, mine.assign(low=-0.0213), on=["condition"]).iloc[0]["equal"]


def test_a_fraction_is_exact() -> None:
    printed = published("text", panel="C.1", measure="answered_after_5", model="qwen3-8b")
    assert compare(printed, pd.DataFrame([{"model": "qwen3-8b", "value": 1 / 292}]), on=["model"])[
        "equal"
    ].all()
    off = compare(printed, pd.DataFrame([{"model": "qwen3-8b", "value": 0.0034}]), on=["model"]).iloc[0]
    assert not off["equal"]
    assert off["difference"] == pytest.approx(0.0034 - 1 / 292)
    assert np.isnan(off["units"])


def test_two_recomputed_values_for_one_quantity_are_refused() -> None:
    twice = pd.concat([_mine(-0.06), _mine(-0.07)])
    with pytest.raises(ValueError, match="model, condition, measure do not tell them apart"):
        compare(_printed(), twice, on=_ON)


def test_a_key_that_one_side_lacks_is_refused() -> None:
    with pytest.raises(KeyError, match="computed numbers have no column split"):
        compare(_printed(), _mine(-0.06), on=[*_ON, "split"])
    with pytest.raises(KeyError, match="printed numbers have no column cell"):
        compare(_printed(), _mine(-0.06).assign(cell="a"), on=["cell"])


def test_keeps_the_order_and_number_of_printed_rows() -> None:
    printed = published(6, panel="delta")
    mine = pd.DataFrame({"model": ["qwen3-8b"], "condition": ["unaided"], "value": [-0.06]})
    joined = compare(printed, mine, on=["model", "condition"])
    assert list(joined["row"]) == list(printed["row"])
    assert joined["equal"].notna().sum() == 1


@settings(deadline=None, max_examples=25)
@given(st.floats(-0.4, 0.4), st.integers(0, 3))
def test_what_a_number_rounds_to_always_equals_it(value: float, places: int) -> None:
    text = f"{value:.{places}f}"
    printed = _printed().assign(value=float(text), value_printed=text)
    row = compare(printed, _mine(value), on=_ON).iloc[0]
    assert row["equal"]
    assert abs(row["units"]) <= 0.5 + 1e-6


def test_estimates_become_rows() -> None:
    estimate = Estimate("Δ", -0.0648, None, None, 0.95, "none", 10, 5, reason="one question")
    rows = recomputed({("qwen3-8b", "unaided", "delta"): estimate}, _ON)
    row = compare(_printed(), rows, on=_ON).iloc[0]
    assert row["equal"]
    assert row["compared"] == "value"


def test_shows_a_number_with_its_interval() -> None:
    assert show(-0.0648, -0.0952, -0.0387, 2) == "−0.06 [−0.10, −0.04]"
    assert show(0.5, np.nan, np.nan, 1) == "0.5"
    assert show(0.5, 0.1, np.nan, 1) == "0.5"
    assert show(np.nan, 0.1, 0.2, 1) == ""
