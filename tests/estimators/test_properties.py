"""What must leave every measure as it is, and what the interval must do."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.estimators.answering import (
    answer_rate_after_run,
    median_answer_action,
    premature_rate,
    share_answered,
    share_at_last_action,
)
from judged_useless.estimators.contrast import contrast_measure, design_label_contrast, time_matched_contrast
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.hazard import hazard_by_failed_run, hazard_model, integration_index
from judged_useless.estimators.judgments import useless_rate
from judged_useless.estimators.resampling import Measure, Resampling
from judged_useless.estimators.success import mean_success, success_by_regime, tool_calls, utility
from judged_useless.stopping.simulate import rising_with_run, simulate

Result = Estimate | pd.DataFrame
N = 60
MEASURES: dict[str, Callable[[pd.DataFrame], Result]] = {
    "time_matched_contrast": lambda cell: time_matched_contrast(cell, n_boot=N),
    "by question": lambda cell: time_matched_contrast(cell, strata="question", n_boot=N),
    "by regime": lambda cell: time_matched_contrast(cell, strata="regime", n_boot=N),
    "design_label_contrast": lambda cell: design_label_contrast(cell, n_boot=N),
    "integration_index": lambda cell: integration_index(cell, n_boot=N),
    "hazard_by_failed_run": lambda cell: hazard_by_failed_run(cell, n_boot=N),
    "hazard_model": lambda cell: hazard_model(cell, n_boot=N),
    "with question effects": lambda cell: hazard_model(cell, question_effects=True, n_boot=N),
    "answer_rate_after_run": lambda cell: answer_rate_after_run(cell, k=2),
    "share_answered": lambda cell: share_answered(cell, n_boot=N),
    "share_at_last_action": lambda cell: share_at_last_action(cell, n_boot=N),
    "premature_rate": lambda cell: premature_rate(cell, n_boot=N),
    "median_answer_action": lambda cell: median_answer_action(cell, n_boot=N),
    "success_by_regime": lambda cell: success_by_regime(cell, regimes=FAIL, n_boot=N),
    "mean_success": lambda cell: mean_success(cell, regimes=FAIL, n_boot=N),
    "utility": lambda cell: utility(cell, regimes=FAIL, charge_judgments=True, n_boot=N),
    "tool_calls": lambda cell: tool_calls(cell, regimes=FAIL, n_boot=N),
    "useless_rate": lambda cell: useless_rate(cell, n_boot=N),
}


def numbers(result: Result, columns: tuple[str, ...]) -> dict[object, Any]:
    if isinstance(result, Estimate):
        return {name: result[name] for name in columns}
    return {key: tuple(row[list(columns)]) for key, row in result.sort_index().iterrows()}


def same(a: Result, b: Result, columns: tuple[str, ...]) -> None:
    first, second = numbers(a, columns), numbers(b, columns)
    assert first.keys() == second.keys()
    for key, value in first.items():
        assert second[key] == pytest.approx(value, abs=1e-9, nan_ok=True), key


@pytest.mark.parametrize("measure", MEASURES)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 1000))
def test_permuting_questions_changes_no_value(random_cell: Any, measure: str, seed: int) -> None:
    cell = random_cell(seed % 7, 10)
    shuffled = cell.sample(frac=1, random_state=seed)
    same(MEASURES[measure](cell), MEASURES[measure](shuffled), ("value", "n", "n_clusters"))


def test_coverage_of_the_interval(capsys: pytest.CaptureFixture[str]) -> None:
    """500 studies of 150 questions: how often does the 95 % interval hold the true Δ?

    The studies are drawn in blocks; the value on all 75,000 questions stands for the truth.
    """
    n_studies, n_questions, n_blocks = 100, 150, 5
    studies = []
    for block in range(n_blocks):
        episodes = simulate(rising_with_run(0.1), n_questions=n_studies * n_questions, seed=block)
        measure = contrast_measure(build_decision_points(episodes))
        studies.append(measure.sums.reshape(n_studies, n_questions, -1))
    truth, plan = float(measure.statistic(np.concatenate(studies).sum(axis=(0, 1)))), Resampling(n_boot=600)
    covered = 0
    for sums in np.concatenate(studies):
        study = Measure("Δ", sums, measure.statistic, n=1).estimate(plan)
        assert study.low is not None
        assert study.high is not None
        covered += study.low <= truth <= study.high
    coverage = covered / (n_studies * n_blocks)
    with capsys.disabled():
        sys.stdout.write(
            f"\ncoverage of the 95 % interval of Δ = {truth:.3f}: {coverage:.1%} of 500 studies\n"
        )
    assert 0.92 <= coverage <= 0.97
