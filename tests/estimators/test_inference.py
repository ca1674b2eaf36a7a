"""Paired contrasts, non-inferiority and Holm's correction."""

from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged_useless.environment.regimes import FAIL
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.inference import holm, non_inferiority, paired_contrast, pooled_contrast


def test_paired_contrast_by_hand(random_cell: Any) -> None:
    a, b = random_cell(1, 9), random_cell(2, 9)
    per_question = [
        part["success"].mean() - b[b["question_id"] == question]["success"].mean()
        for question, part in a.groupby("question_id", sort=False)
    ]
    rng = Random(0)
    values = sorted(np.mean([per_question[rng.randrange(9)] for _ in range(9)]) for _ in range(200))
    found = paired_contrast(a, b, regimes=FAIL, n_boot=200)
    assert found.value == pytest.approx(np.mean(per_question))
    assert (found.low, found.high) == pytest.approx((values[5], values[194]))
    assert found["p_one_sided"] == pytest.approx(np.mean([value <= 1e-15 for value in values]), abs=0.011)


def test_only_common_questions_are_paired(random_cell: Any) -> None:
    a, b = random_cell(1, 9), random_cell(2, 9)
    fewer = b[b["question_id"].isin(["q2", "q3", "q8"])]
    found = paired_contrast(a, fewer, regimes=FAIL, n_boot=50)
    assert (found.n_clusters, found["n_unpaired"]) == (3, 6)
    with pytest.raises(UndefinedEstimateError, match="no question in common"):
        paired_contrast(a, b.assign(question_id="other " + b["question_id"]), regimes=FAIL)


def test_non_inferiority_is_decided_by_the_lower_bound(cells: dict[str, pd.DataFrame]) -> None:
    rule, unaided = cells["enforced_rule"], cells["unaided"]
    assert non_inferiority(rule, unaided, regimes=["recover_after_2"])["non_inferior"] == 1
    assert non_inferiority(rule, unaided, regimes=["recover_after_3"])["non_inferior"] == 0
    assert non_inferiority(rule, unaided, regimes=["recover_after_3"], margin=0.1)["non_inferior"] == 1


def test_holm_by_hand() -> None:
    found = holm([0.04, 0.01, 0.03, 0.5])
    assert found["p_holm"].tolist() == pytest.approx([0.09, 0.04, 0.09, 0.5])
    assert found["reject"].tolist() == [False, True, False, False]
    with pytest.raises(UndefinedEstimateError, match="no p-value"):
        holm({})
    with pytest.raises(ValueError, match="'x' is nan"):
        holm({"x": float("nan")})
    with pytest.raises(ValueError, match="alpha"):
        holm([0.1], alpha=1.0)


def test_pooled_contrast_by_hand(random_cell: Any) -> None:
    runs = [(random_cell(seed, 9), random_cell(seed + 10, 9)) for seed in (1, 2, 3)]
    each = [paired_contrast(a, b, regimes=FAIL, n_boot=50).value for a, b in runs]
    found = pooled_contrast(runs, regimes=FAIL, n_boot=300)
    assert found.value == pytest.approx(np.mean(each))
    assert found["n_runs"] == 3
    # Drawing runs too adds their variation to that of the questions.
    same = pooled_contrast([runs[0]] * 3, regimes=FAIL, n_boot=300)
    alone = paired_contrast(*runs[0], regimes=FAIL, n_boot=300)
    assert (same.value, same.low, same.high) == pytest.approx((alone.value, alone.low, alone.high))


def test_pooling_uses_questions_that_are_complete_everywhere(random_cell: Any) -> None:
    a, b = random_cell(1, 9), random_cell(2, 9)
    found = pooled_contrast([(a, b), (a, b.iloc[:-1])], regimes=FAIL, n_boot=50)
    assert (found.n_clusters, found["n_unpaired"]) == (8, 1)
    with pytest.raises(UndefinedEstimateError, match="there is no run"):
        pooled_contrast([])
    with pytest.raises(UndefinedEstimateError, match="no question is complete"):
        pooled_contrast([(a, b.assign(question_id="other " + b["question_id"]))], regimes=FAIL)
