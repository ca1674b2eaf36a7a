"""The paper's printed numbers, recomputed on the released cells (must be equal at the printed precision)."""

from collections.abc import Callable, Iterator
from decimal import Decimal

import pandas as pd
import pytest
from judged_useless._io.paths import data_dir
from judged_useless.estimators.answering import (
    answer_rate_after_run,
    median_answer_action,
    share_answered,
    share_at_last_action,
)
from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.hazard import hazard_model, integration_index
from judged_useless.estimators.inference import paired_contrast
from judged_useless.estimators.success import success_by_regime, tool_calls

Cells = dict[str, pd.DataFrame]


def printed(table: str, measure: str, condition: str, **more: str) -> pd.Series:
    path = data_dir() / "published" / f"table_{table}.csv"
    rows = pd.read_csv(path, dtype=str, keep_default_na=False)
    wanted = {"measure": measure, "condition": condition, "model": "qwen3-8b"} | more
    for name, value in wanted.items():
        rows = rows[rows[name] == value]
    assert len(rows) == 1, f"{wanted} is printed {len(rows)} times in table {table}"
    return rows.iloc[0]


def agrees(text: str, value: float) -> bool:
    """Return whether a printed number is the rounded value."""
    step = Decimal(1).scaleb(-len(text.partition(".")[2]))
    return abs(Decimal(text) - Decimal(value)) <= step / 2 + Decimal("1e-12")


def assert_printed(row: "pd.Series[str]", estimate: Estimate) -> None:
    for name in ("value", "low", "high"):
        if row[name]:
            found = estimate[name]
            assert isinstance(found, float)
            assert agrees(row[name], found), f"{name}: printed {row[name]}, recomputed {found:.5f}"


STOPPING: dict[str, tuple[str, Callable[[pd.DataFrame], Estimate]]] = {
    "delta": ("06", time_matched_contrast),
    "delta_by_question": ("06", lambda cell: time_matched_contrast(cell, strata="question")),
    "delta_by_regime": ("06", lambda cell: time_matched_contrast(cell, strata="regime")),
    "design_label_contrast": ("06", design_label_contrast),
    "integration_index": ("13", integration_index),
}


@pytest.mark.parametrize("condition", ["unaided", "enforced_rule"])
@pytest.mark.parametrize("measure", STOPPING)
def test_stopping_measures_as_printed(cells: Cells, measure: str, condition: str) -> None:
    table, estimator = STOPPING[measure]
    assert_printed(printed(table, measure, condition, budget="8"), estimator(cells[condition]))


@pytest.mark.parametrize("condition", ["unaided", "enforced_rule"])
@pytest.mark.parametrize(("measure", "part"), [("hazard_4_5", "h_4_5"), ("hazard_1_2", "h_1_2")])
def test_hazards_of_the_index_as_printed(cells: Cells, measure: str, part: str, condition: str) -> None:
    row = printed("13", measure, condition)
    assert agrees(row["value"], integration_index(cells[condition]).parts[part])


@pytest.mark.parametrize("condition", ["unaided", "enforced_rule"])
@pytest.mark.parametrize(
    ("measure", "coefficient", "question_effects"),
    [("beta", "run", False), ("beta_question_effects", "run", True), ("gamma", "earlier_useful", False)],
)
def test_hazard_model_as_printed(
    cells: Cells, measure: str, coefficient: str, question_effects: bool, condition: str
) -> None:
    row = printed("10", measure, condition, split="test300")
    model = hazard_model(cells[condition], question_effects=question_effects)
    for name in ("value", "low", "high"):
        found = model[name].to_dict()[coefficient]
        assert agrees(row[name], found), f"{name}: printed {row[name]}, found {found:.5f}"


def released() -> Iterator[tuple[str, "pd.Series[float]"]]:
    table = pd.read_csv(data_dir() / "published" / "released_cells.csv")
    for condition in ("unaided", "enforced_rule"):
        rows = table[
            (table["model"] == "qwen3-8b") & (table["condition"] == condition) & (table["split"] == "test300")
        ]
        assert len(rows) == 1
        yield condition, rows.iloc[0]


@pytest.mark.parametrize(("condition", "row"), list(released()))
def test_delta_equals_the_released_value_to_the_last_digit(
    cells: Cells, condition: str, row: "pd.Series[float]"
) -> None:
    estimate = time_matched_contrast(cells[condition])
    for name in ("delta", "ci_low", "ci_high"):
        assert estimate[name] == pytest.approx(row[name], abs=1e-12, rel=0)


@pytest.mark.parametrize("condition", ["unaided", "enforced_rule"])
def test_success_by_regime_as_printed(cells: Cells, condition: str) -> None:
    found = success_by_regime(cells[condition])
    for regime in found.index:
        row = printed("13", "success", condition, regime=str(regime))
        assert agrees(row["value"], found["value"].to_dict()[regime])


def test_answers_after_five_useless_results_as_printed(cells: Cells) -> None:
    rate = answer_rate_after_run(cells["unaided"])
    assert (rate["answers"], rate.n) == (1, 292)  # Appendix C.1


@pytest.mark.parametrize(
    ("condition", "answered", "median", "at_last", "calls"),
    [("unaided", 8, 3, "0.12", "7.9"), ("enforced_rule", 284, 6, "0.00", "5.1")],
)
def test_answering_on_a_failing_source_as_printed(
    cells: Cells, condition: str, answered: int, median: float, at_last: str, calls: str
) -> None:
    """Table 16, 8-action budget."""
    cell = cells[condition]
    assert share_answered(cell)["count"] == answered
    assert median_answer_action(cell).value == median
    assert agrees(at_last, share_at_last_action(cell).value)
    assert agrees(calls, tool_calls(cell, regimes=["persistent"]).value)


def test_noninferiority_bounds_as_printed(cells: Cells) -> None:
    """Table 4, H3: lower bounds of rule - none in recover_after_1 and recover_after_3."""
    for regime, bound in (("recover_after_1", "-0.057"), ("recover_after_3", "-0.060")):
        low = paired_contrast(cells["enforced_rule"], cells["unaided"], regimes=[regime]).low
        assert low is not None
        assert agrees(bound, low)
