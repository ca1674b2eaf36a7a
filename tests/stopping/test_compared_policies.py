"""Policies held against the optimum, Wald's test, recorded arms, and the figures drawn of them."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged_useless import FAIL, load_episodes
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.stopping.best_policy import optimal_policy
from judged_useless.stopping.compared_policies import (
    best_run_lengths,
    compare_policies,
    compare_prices,
    run_length_curve,
)
from judged_useless.stopping.problem import StoppingProblem, evaluate, run_lengths
from judged_useless.stopping.recorded_arms import arm_distance
from judged_useless.stopping.simulate import World, simulate
from judged_useless.stopping.stopping_policies import StoppingPolicy
from judged_useless.stopping.wald import WaldTest, side_by_side
from paper_book import figures

PROBLEM = StoppingProblem(price=0.02)
LATE = StoppingProblem(price=0.02, prior={"persistent": 1, "clean": 1, "recover_after_5": 1})


def worth(problem: StoppingProblem, **policy: int) -> float:
    return float(evaluate(problem, StoppingPolicy(**policy).answering(problem)).utility)


def test_the_optimum_heads_the_comparison() -> None:
    table = compare_policies(PROBLEM)
    assert table.index[0] == "optimal, all judgments"
    assert (table["distance"] >= -1e-12).all()
    np.testing.assert_allclose(table["utility"], table["success"] - 0.02 * table["calls"])
    assert len(compare_policies(PROBLEM, (name for name in ("never", "deadline")))) == 3
    for wrong in (["guess"], "never"):
        with pytest.raises(ValueError, match=r"policies is .*, expected a list out of never"):
            compare_policies(PROBLEM, wrong)


def test_the_curve_marks_one_best_k_a_source() -> None:
    curve = run_length_curve({"paper": PROBLEM, "late": LATE})
    assert curve.groupby("problem")["best"].sum().to_dict() == {"paper": 1, "late": 1}
    best = curve[curve["best"]].set_index("problem")["k"].to_dict()
    assert best == {"paper": 5, "late": 3}
    # Recovery just after the rule has given up is the worst that can happen to it.
    late = curve[(curve["problem"] == "late") & (curve["k"] > 1)].set_index("k")["utility"]
    assert late.idxmin() == 5


def test_prices_move_the_best_k() -> None:
    table = best_run_lengths({"paper": StoppingProblem()}, [0.0, 0.02, 0.05, 0.1])
    assert table["best_k"].tolist() == [5, 5, 4, 1]
    assert (table["lost_by_5"] >= 0).all()
    assert table["lost_by_run"].between(-1e-12, 0.01).all()
    with pytest.raises(ValueError, match="price is -1"):
        best_run_lengths({"paper": StoppingProblem()}, [-1.0])
    # The better an answer from memory, and the dearer a call, the sooner.
    by_memory = {str(memory): StoppingProblem(memory=memory) for memory in (0.05, 0.30, 0.50)}
    table = best_run_lengths(by_memory, [0.0, 0.02, 0.05])
    assert table["best_k"].tolist() == [7, 5, 4, 5, 4, 1, 3, 1, 1]


def test_short_and_long_budgets_have_a_best_k_too() -> None:
    short = StoppingProblem(budget=4, price=0.02)
    row = best_run_lengths({"short": short}, [0.02]).iloc[0]
    # In four actions there is no run of five: the rule never answers from memory.
    assert row["lost_by_5"] == pytest.approx(worth(short, own=int(row["best_k"])) - worth(short, cap=4))
    long = best_run_lengths({"long": StoppingProblem(budget=12)}, [0.02]).iloc[0]
    assert 1 <= long["best_k"] <= 11
    assert np.isnan(long["lost_by_run"])


def test_charged_judgments_make_the_deadline_the_best_of_three() -> None:
    rivals = ["deadline", "run of 5 or deadline", "run of 5"]
    table = compare_prices(PROBLEM, rivals, [0.0, 0.02, 0.05], charge_judgments=True)
    np.testing.assert_allclose(table.loc[0.02, rivals], [0.341, 0.239, 0.197], atol=5e-4)
    np.testing.assert_allclose(table.loc[0.05, rivals], [0.174, -0.064, -0.119], atol=5e-4)
    free = compare_prices(PROBLEM, rivals, [0.0, 0.02, 0.05])
    np.testing.assert_allclose(free.loc[0.02], [0.3439, 0.3408, 0.3397, 0.3026], atol=5e-5)
    pd.testing.assert_series_equal(table["deadline"], free["deadline"])  # it asks for no judgment
    assert (table[rivals] <= free[rivals]).all(axis=None)
    # Each optimum is at least as good as every policy of its kind.
    assert (table["optimal, no judgments"] >= table["deadline"]).all()
    assert (table[rivals[1:]].le(table["optimal, all judgments"], axis="index")).all(axis=None)


def test_the_optimum_with_charged_judgments_is_that_of_dearer_calls() -> None:
    dear, charged = StoppingProblem(price=0.05), StoppingProblem(price=0.02, judgment_price=0.03)
    assert optimal_policy(charged).value == optimal_policy(dear).value
    table = compare_policies(charged)
    assert table.index[0] == "optimal, no judgments"
    assert table["distance"].min() == 0.0


def test_wald_by_hand() -> None:
    test = WaldTest(0.99, 0.45, alpha=0.02, beta=0.05)
    assert test.threshold == pytest.approx(np.log(47.5))
    assert test.steps == pytest.approx((np.log(2.2), np.log(0.01 / 0.55)))
    assert test.equivalent_run == 5  # 5 × 0.788 = 3.94, over 3.86
    sums = test.sums(np.array([True, False, True]))
    np.testing.assert_allclose(sums, [0.78846, -3.21888, -2.43042], atol=1e-5)
    page = WaldTest(0.99, 0.45, restarts=True).sums(np.array([True, False, True]))
    np.testing.assert_allclose(page, [0.78846, 0.0, 0.78846], atol=1e-5)


def test_walds_error_rates_hold() -> None:
    test = WaldTest(0.9, 0.5, alpha=0.05, beta=0.05)
    draws = np.random.default_rng(0).random((20_000, 60))
    for rate, bound in ((0.5, test.alpha), (0.9, test.beta)):
        sums = test.sums(draws < rate)
        lower = np.log(test.beta / (1 - test.alpha))
        up, down = sums >= test.threshold, sums <= lower
        first_up = np.where(up.any(1), up.argmax(1), 99)
        first_down = np.where(down.any(1), down.argmax(1), 99)
        wrong = first_up < first_down if rate == 0.5 else first_down < first_up
        # Wald's bounds are approximate: an error is at most α / (1 - β), or β / (1 - α).
        assert wrong.mean() <= bound / 0.95 + 0.005


def test_pages_test_is_the_run_length_rule_at_the_papers_error_rates() -> None:
    page = WaldTest(0.99, 0.45, restarts=True).answering(PROBLEM)
    assert float(evaluate(PROBLEM, page).utility) == worth(PROBLEM, own=5)
    wald = compare_policies(PROBLEM, ["Wald's test"])["utility"]
    assert wald.min() < worth(PROBLEM, own=5)


def test_three_rules_on_one_history() -> None:
    table = side_by_side(["USELESS", "USEFUL", *["USELESS"] * 5], WaldTest(0.99, 0.45))
    assert table["run"].tolist() == [0.2, 0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert table["page"].to_numpy()[-1] > 1
    assert table["wald"].to_numpy()[-1] < 1
    wrong: Any
    for wrong in ([], "USELESS", ["USELESS", None], ["useless"]):
        with pytest.raises(ValueError, match=r"judgments is .*, expected a list out of USELESS"):
            side_by_side(wrong, WaldTest(0.99, 0.45))
    with pytest.raises(ValueError, match="k is "):
        side_by_side(["USELESS"], WaldTest(0.99, 0.45), k=0)


def test_the_distance_of_a_simulated_arm_is_that_of_its_policy() -> None:
    world = World(regimes=tuple(PROBLEM.prior))
    episodes = simulate("own-judgment count k=5", n_questions=400, seed=3, world=world)
    estimate = arm_distance(replace(PROBLEM, judgment_price=0.05), episodes, n_boot=200)
    # Judgments are free there: not every arm asks for them.
    exact = optimal_policy(PROBLEM).value - worth(PROBLEM, own=5)
    # Every decision of this policy is certain, so what was seen of it is all there is to it.
    assert estimate.value == pytest.approx(exact, abs=1e-9)
    assert estimate.parts["unseen"] < 0.005
    rising = simulate("hazard rising with own count", n_questions=400, seed=3, world=world)
    low, high = arm_distance(PROBLEM, rising, n_boot=500)["low"], arm_distance(PROBLEM, rising)["high"]
    policy = [np.minimum(1.0, 0.12 * run_lengths(t)) for t in PROBLEM.steps]
    exact = optimal_policy(PROBLEM).value - float(evaluate(PROBLEM, policy).utility)
    assert float(str(low)) <= exact <= float(str(high))


def test_recorded_arms_lie_as_the_paper_says() -> None:
    arms = {c: load_episodes(condition=c, regimes=FAIL) for c in ("unaided", "enforced_rule")}
    distances = {c: arm_distance(PROBLEM, episodes, n_boot=200) for c, episodes in arms.items()}
    assert (distances["enforced_rule"].high or 1) < (distances["unaided"].low or 0)
    unjudged = arms["unaided"].assign(judgments=pd.Series([[]] * len(arms["unaided"]), dtype=object))
    with pytest.raises(UndefinedEstimateError, match="no decision after a USELESS"):
        arm_distance(PROBLEM, unjudged)


def test_the_figures_draw_what_they_are_given() -> None:
    curve = run_length_curve({"paper": PROBLEM, "late": LATE})
    axes = figures.run_length_curves(curve, price=0.02, budget=8).axes
    lines = [line for line in axes.get_lines() if len(np.atleast_1d(line.get_xdata())) == 7]
    assert len(lines) == 2
    np.testing.assert_allclose(
        np.asarray(lines[0].get_ydata()), curve.loc[curve["problem"] == "paper", "utility"]
    )
    assert axes.get_ylim()[0] == 0
    costly = run_length_curve({"dear": replace(PROBLEM, price=0.2)})
    dear = figures.run_length_curves(costly, price=0.2, budget=8).axes
    assert dear.get_ylim()[0] < 0 < dear.get_ylim()[1]
    table = side_by_side(["USELESS", "USEFUL", "USELESS"], WaldTest(0.99, 0.45))
    drawn = figures.sequential_tests(table, alpha=0.02, beta=0.05).axes
    assert [label.get_text()[-1] for label in drawn.get_xticklabels()] == ["–", "+", "–"]
    with pytest.raises(ValueError, match="0 sources"):
        figures.run_length_curves(pd.DataFrame({"problem": []}), price=0, budget=8)
