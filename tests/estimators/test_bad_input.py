"""Where a measure has no value it says so: an error, or an interval stated as undefined."""

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.answering import (
    answer_rate_after_run,
    median_answer_action,
    premature_rate,
    share_answered,
    share_at_last_action,
)
from judged_useless.estimators.contrast import design_label_contrast, leave_contrast, time_matched_contrast
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.hazard import hazard_by_failed_run, hazard_model, integration_index
from judged_useless.estimators.inference import non_inferiority, paired_contrast
from judged_useless.estimators.judgments import useless_rate
from judged_useless.estimators.matching import budget_of
from judged_useless.estimators.planning import plan_questions
from judged_useless.estimators.success import mean_success, success_by_regime, tool_calls, utility

Estimator = Callable[..., Estimate | pd.DataFrame]
ON_JUDGMENTS: list[Estimator] = [
    time_matched_contrast,
    hazard_model,
    answer_rate_after_run,
    useless_rate,
    plan_questions,
]
RESAMPLED: list[Estimator] = [
    time_matched_contrast, design_label_contrast, integration_index, hazard_by_failed_run, hazard_model,
    leave_contrast, share_answered, share_at_last_action, premature_rate, median_answer_action,
    success_by_regime, mean_success, utility, tool_calls, useless_rate, plan_questions,
]  # fmt: skip


@pytest.mark.parametrize("estimator", RESAMPLED)
@pytest.mark.parametrize(
    ("options", "message"),
    [({"n_boot": 0}, "n_boot is 0"), ({"level": 1.0}, "level"), ({"seed": -1}, "seed")],
)
def test_options_are_checked_before_anything_is_computed(
    estimator: Estimator, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        estimator([], **options)
    with pytest.raises(TypeError, match="n_boot must be a whole number"):
        estimator([], n_boot=10.5)


@pytest.mark.parametrize("estimator", ON_JUDGMENTS)
def test_all_judgments_null_are_refused(random_cell: Any, estimator: Estimator) -> None:
    cell = random_cell(0)
    silent = cell.assign(judgments=[[None] * len(words) for words in cell["judgments"]])
    with pytest.raises(UndefinedEstimateError, match="judgment"):
        estimator(silent)
    with pytest.raises(UndefinedEstimateError, match="judgment"):
        estimator(cell.assign(judgments=[[] for _ in range(len(cell))]))


@pytest.mark.parametrize("estimator", [time_matched_contrast, hazard_model, plan_questions])
def test_judgments_for_some_regimes_only_are_refused_by_name(random_cell: Any, estimator: Estimator) -> None:
    cell = random_cell(0)
    silent = cell["regime"].isin(["recover_after_2", "persistent"])
    words = [[] if hush else list(said) for hush, said in zip(silent, cell["judgments"], strict=True)]
    with pytest.raises(
        UndefinedEstimateError, match="no result of persistent, recover_after_2 has a judgment"
    ):
        estimator(cell.assign(judgments=words))


ONE_QUESTION: list[tuple[Estimator, dict[str, Any]]] = [
    (time_matched_contrast, {}),
    (design_label_contrast, {}),
    (integration_index, {}),
    (share_answered, {}),
    (premature_rate, {}),
    (mean_success, {"regimes": FAIL}),
    (utility, {"regimes": FAIL}),
    (tool_calls, {}),
]


@pytest.mark.parametrize(("estimator", "options"), ONE_QUESTION)
def test_one_question_has_a_value_but_no_interval(
    episode: Any, estimator: Callable[..., Estimate], options: dict[str, Any]
) -> None:
    runs = dict(zip(FAIL, ("-----", "-+---", "--+--", "---+-", "++---"), strict=True))
    rows = [episode("q", words, regime=regime, success=False) for regime, words in runs.items()]
    found = estimator(rows, **options)
    assert (found.low, found.high) == (None, None)
    assert found.reason == "one question cannot be resampled"
    assert "interval undefined: one question" in str(found)


def test_unknown_regime(random_cell: Any) -> None:
    cell = random_cell(0).assign(regime="sometimes")
    for estimator in (integration_index, hazard_by_failed_run):
        with pytest.raises(EpisodeError, match="which results failed is unknown"):
            estimator(cell.drop_duplicates("question_id"))
    with pytest.raises(UndefinedEstimateError, match="no episode of 'sometimes_not'; there is persistent"):
        share_answered(random_cell(0), regime="sometimes_not")
    with pytest.raises(UndefinedEstimateError, match="no episode of regime clean; there is persistent"):
        mean_success(random_cell(0))
    with pytest.raises(UndefinedEstimateError, match=r"group \(a\), persistent"):
        design_label_contrast(cell.drop_duplicates("question_id"))


def test_no_decision_in_a_group(episode: Any) -> None:
    useless = [episode(f"q{i}", "-----", regime="persistent") for i in range(4)]
    with pytest.raises(UndefinedEstimateError, match=r"group \(b\), the short run"):
        time_matched_contrast(useless)
    with pytest.raises(UndefinedEstimateError, match="after 4 or 5 failed results"):
        integration_index([episode("q", "--", regime="persistent")])
    with pytest.raises(UndefinedEstimateError, match="no episode ends in an answer"):
        median_answer_action([episode("q", "--", last="")])
    with pytest.raises(UndefinedEstimateError, match="no episode ends in an answer"):
        share_at_last_action([episode("q", "--", last="")])


def test_mixed_models_are_refused(cells: dict[str, pd.DataFrame]) -> None:
    both = pd.concat(cells.values())
    estimators: list[Estimator] = [mean_success, success_by_regime, utility, tool_calls]
    for estimator in estimators:
        with pytest.raises(EpisodeError, match="one model and condition at a time"):
            estimator(both, regimes=FAIL)
    with pytest.warns(UserWarning, match="2 cells"), pytest.raises(ValueError, match="more than once"):
        answer_rate_after_run(both)


def test_a_verdict_without_an_interval_is_refused(episode: Any) -> None:
    rows = [episode("q", "---", regime="persistent", success=False)]
    assert paired_contrast(rows, rows, regimes=["persistent"]).low is None
    with pytest.raises(UndefinedEstimateError, match="non-inferiority is undefined: one question"):
        non_inferiority(rows, rows, regimes=["persistent"])
    with pytest.raises(ValueError, match="margin"):
        non_inferiority(rows, rows, margin=0.0)


def test_episodes_without_a_budget_have_the_papers_and_do_not_mix_with_another(episode: Any) -> None:
    silent = [episode(f"q{n}", "+--+--", regime="persistent") for n in range(4)]
    longer = [episode(f"r{n}", "+--+--", regime="persistent") | {"budget": 16} for n in range(4)]
    eight = [row | {"budget": 8} for row in silent]
    for short in (silent, eight):
        with pytest.raises(EpisodeError, match=r"field 'budget' mixes \[8, 16\]"):
            time_matched_contrast([*short, *longer])
    assert budget_of(pd.DataFrame([*silent, *(row | {"question_id": "z"} for row in eight[:1])])) == 8
    assert budget_of(pd.DataFrame(longer)) == 16


def test_a_row_that_says_what_is_undefined_says_it_once() -> None:
    row = {"name": "Δ", "value": float("nan"), "reason": "Δ is undefined: no run"}
    for reason in ("Δ is undefined: no run", "no run"):
        fields = {"low": None, "high": None, "level": 0.95, "method": "", "n": 0, "n_clusters": 0} | row
        fields |= {"n_boot": 0, "n_failed": 0, "seed": None, "reason": reason}
        with pytest.raises(UndefinedEstimateError, match=r"^Δ is undefined: no run$"):
            Estimate.from_row(fields)
