"""Holding recomputed values against printed ones."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paper_book.published.comparing import compare, hold
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
    assert row["difference"] == pytest.approx(-0.0048)


@pytest.mark.parametrize(
    ("value", "equal"), [(-0.055, True), (-0.065, True), (-0.0549, False), (-0.0651, False)]
)
def test_a_tie_may_have_been_rounded_either_way(value: float, equal: bool) -> None:
    assert bool(_one(_mine(value))["equal"]) is equal


def test_what_was_not_recomputed_is_missing_and_not_unequal() -> None:
    row = compare(_printed(), _mine(0.1).assign(model="qwen3-32b"), on=_ON).iloc[0]
    assert pd.isna(row["equal"])
    assert np.isnan(row["recomputed"])
    assert np.isnan(row["difference"])


def test_a_bound_alone_is_compared() -> None:
    printed = published(4, row="L-C1", condition="combo - budget", measure="paired_difference")
    mine = pd.DataFrame([{"condition": "combo - budget", "value": -0.003, "low": -0.0191, "high": 0.012}])
    row = compare(printed, mine, on=["condition"]).iloc[0]
    assert row["equal"]
    assert not compare(printed, mine.assign(low=-0.0213), on=["condition"]).iloc[0]["equal"]


def test_a_fraction_is_exact() -> None:
    printed = published("text", panel="C.1", measure="answered_after_5", model="qwen3-8b")
    assert compare(printed, _mine(1 / 292), on=["model"])["equal"].all()
    off = compare(printed, _mine(0.0034), on=["model"]).iloc[0]
    assert not off["equal"]
    assert off["difference"] == pytest.approx(0.0034 - 1 / 292)


def test_counts_are_compared_as_counts_where_there_are_some() -> None:
    printed = published("text", panel="C.1", measure="answered_after_5", model="qwen3-8b")
    mine = {"recomputed": 1 / 292, "recomputed_low": None, "recomputed_high": None, "recomputed_n": 292}
    assert hold(printed.assign(**mine, recomputed_k=1))["equal"].all()
    row = hold(printed.assign(**mine, recomputed_k=2)).iloc[0]
    assert not row["equal"]
    assert row["value"] == pytest.approx(1 / 292)


@settings(deadline=None, max_examples=25)
@given(st.floats(-0.4, 0.4), st.integers(0, 3))
def test_what_a_number_rounds_to_always_equals_it(value: float, places: int) -> None:
    text = f"{value:.{places}f}"
    printed = _printed().assign(value=float(text), value_printed=text)
    assert compare(printed, _mine(value), on=_ON)["equal"].all()
