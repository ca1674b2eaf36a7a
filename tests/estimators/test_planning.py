"""Planning: the width and power it promises are those that studies of that size have."""

import numpy as np
import pandas as pd
import pytest
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.estimators.contrast import contrast_measure, time_matched_contrast
from judged_useless.estimators.planning import plan_questions
from judged_useless.estimators.resampling import Measure, Resampling
from judged_useless.stopping.simulate import rising_with_run, simulate


def test_at_its_own_size_the_width_is_the_interval(cells: dict[str, pd.DataFrame]) -> None:
    found = plan_questions(cells["unaided"], (300,)).loc[300]
    interval = time_matched_contrast(cells["unaided"])
    assert interval.low is not None
    assert interval.high is not None
    assert found["width"] == pytest.approx(interval.high - interval.low, abs=1e-12)


def test_more_questions_narrow_the_interval(cells: dict[str, pd.DataFrame]) -> None:
    found = plan_questions(cells["unaided"], (100, 400, 1600), n_boot=500)
    widths = found["width"].to_numpy()
    assert widths[:-1] / widths[1:] == pytest.approx([2.0, 2.0], rel=0.2)
    assert found["power"].is_monotonic_increasing


def test_promised_power_and_width_are_met_by_fresh_studies() -> None:
    """Plan from one pilot of 400 questions; then run 300 studies of 60 questions and bootstrap each."""
    policy, n_studies, n_questions = rising_with_run(0.03), 300, 60
    pilot = simulate(policy, n_questions=400, seed=1)
    promised = plan_questions(pilot, (n_questions,), n_boot=1000).loc[n_questions]
    episodes = simulate(policy, n_questions=n_studies * n_questions, seed=2)
    measure = contrast_measure(build_decision_points(episodes))
    plan, told, widths = Resampling(n_boot=300), 0, []
    for sums in measure.sums.reshape(n_studies, n_questions, -1):
        study = Measure("Δ", sums, measure.statistic, n=1).estimate(plan)
        if study.low is not None and study.high is not None:
            told += study.low > 0 or study.high < 0
            widths.append(study.high - study.low)
    assert 0.3 < promised["power"] < 0.95  # a size at which power is worth knowing
    assert told / n_studies == pytest.approx(promised["power"], abs=0.12)
    assert np.mean(widths) == pytest.approx(promised["width"], rel=0.15)


def test_a_null_effect_is_told_as_often_as_the_level_allows(cells: dict[str, pd.DataFrame]) -> None:
    found = plan_questions(cells["enforced_rule"], (100, 300), effect=0.0)
    assert found["power"].between(0.02, 0.09).all()
    assert (found["low"] < 0).all()
    assert (found["high"] > 0).all()


def test_other_measures_can_be_planned_for(cells: dict[str, pd.DataFrame]) -> None:
    for measure in ("integration_index", "design_label_contrast"):
        found = plan_questions(cells["unaided"], (50, 100), measure=measure, n_boot=100)
        assert list(found.index) == [50, 100]
        assert list(found.columns) == ["width", "low", "high", "power", "undefined"]
        assert (found["width"] > 0).all()


def test_bad_plans_are_refused(cells: dict[str, pd.DataFrame]) -> None:
    with pytest.raises(ValueError, match="known: time_matched_contrast"):
        plan_questions(cells["unaided"], measure="success")
    for sizes in ((), (1, 10)):
        with pytest.raises(ValueError, match="at least 2"):
            plan_questions(cells["unaided"], sizes)
