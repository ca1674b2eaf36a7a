"""The hazard model against statsmodels, and its bootstrap against a loop of fits."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from judged_useless.episodes.decisions import build_decision_points, decision_points
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.hazard import hazard_measures, hazard_model
from judged_useless.estimators.resampling import Resampling, draw_blocks


def rows_of(cell: pd.DataFrame) -> pd.DataFrame:
    """Return the model's rows from the public table of decision points, independently of the estimator."""
    table = decision_points(cell)
    return table[(table["run"] >= 1) & (table["t"] <= 6)].reset_index(drop=True)


def fitted(rows: pd.DataFrame, question_effects: bool) -> tuple[float, float]:
    effects = ["t", "regime", *(["question_id"] if question_effects else [])]
    columns = [rows[["run", "earlier_useful"]].astype(float)] + [
        pd.get_dummies(rows[name].astype(str), prefix=name, dtype=float).iloc[:, 1:] for name in effects
    ]
    x = sm.add_constant(pd.concat(columns, axis=1).to_numpy(), has_constant="add")
    model = sm.OLS(rows["answered"].to_numpy(dtype=float), x).fit()
    return float(model.params[1]), float(model.params[2])


@pytest.mark.parametrize("question_effects", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_coefficients_equal_statsmodels(random_cell: Any, seed: int, question_effects: bool) -> None:
    cell = random_cell(seed, 15)
    found = hazard_model(cell, question_effects=question_effects, n_boot=20)["value"]
    assert found.tolist() == pytest.approx(fitted(rows_of(cell), question_effects), abs=1e-9)


@pytest.mark.parametrize("question_effects", [False, True])
def test_bootstrap_equals_a_loop_of_fits(random_cell: Any, question_effects: bool) -> None:
    """A question drawn twice enters twice, as two questions with effects of their own."""
    n, n_boot = 8, 25
    rows = rows_of(random_cell(5, n))
    questions = pd.unique(random_cell(5, n)["question_id"])
    parts = [rows[rows["question_id"] == question] for question in questions]
    measures = hazard_measures(build_decision_points(random_cell(5, n)), question_effects=question_effects)
    values = np.stack([each.resampled(Resampling(n_boot)) for each in measures.values()], axis=1)
    for drawn, found in zip(next(draw_blocks(n, Resampling(n_boot))), values, strict=True):
        sample = pd.concat([parts[q].assign(question_id=f"copy {i}") for i, q in enumerate(drawn)])
        assert found == pytest.approx(fitted(sample, question_effects), abs=1e-8)


def test_without_another_judgment_the_run_is_the_step(episode: Any) -> None:
    rows = [episode(f"q{i}", "-----", regime="persistent") for i in range(4)]
    with pytest.raises(UndefinedEstimateError, match="cannot be told apart from the action"):
        hazard_model(rows)


def test_one_coefficient_alone_is_stated_as_undefined(episode: Any) -> None:
    """Unparsed judgments end the run, so β is identified; nothing was useful, so γ is not."""
    rows = [
        episode(f"q{i}", words, regime="persistent")
        for i, words in enumerate(("-----", "-?---", "--?--", "---?-"))
    ]
    found = hazard_model(rows, n_boot=30)
    assert found["value"].notna().tolist() == [True, False]
    assert "cannot be told apart" in found["reason"].iloc[1]


def test_no_useless_result_is_refused(episode: Any) -> None:
    with pytest.raises(UndefinedEstimateError, match="no decision follows a USELESS result"):
        hazard_model([episode("q", "+++", regime="persistent")])
    with pytest.raises(ValueError, match="t_max"):
        hazard_model([episode("q", "---", regime="persistent")], t_max=0)
