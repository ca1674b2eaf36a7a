"""Offline policies, regret, and whether to continue, on runs small enough to work out by hand."""

from typing import Any

import pytest
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.stopping.offline_policies import continue_or_answer, policy_regret, policy_values
from judged_useless.stopping.stopping_policies import StoppingPolicy, simple_policies

ONE = ("persistent",)


def episode(question: str, judgments: str, last: str = "finish", **labels: Any) -> dict[str, Any]:
    """Return an episode; "-" is a result judged USELESS, "+" one judged USEFUL."""
    words = ["USELESS" if code == "-" else "USEFUL" for code in judgments]
    actions = ["search"] * len(judgments) + ([last] if last else [])
    return {"question_id": question, "actions": actions, "judgments": words} | labels


@pytest.fixture
def runs() -> list[dict[str, Any]]:
    def run(question: str, judgments: str, wins: str, last: str = "finish", **labels: Any) -> dict[str, Any]:
        right = {"answer_now": [win == "1" for win in wins], "regime": "persistent"}
        return episode(question, judgments, last, **right, **labels)

    return [
        run("q1", "------", "000110", last="", success=False),
        run("q2", "+--", "000", success=True),
        run("q3", "-----", "01111", success=False),
    ]


def test_values_by_hand(runs: Any) -> None:
    policies = [StoppingPolicy(*each) for each in ((4, None), (None, 2), (3, 2), (7, None))]
    found = policy_values(runs, price=0.1, policies=policies, regimes=ONE)
    calls, success = found["tool_calls"].to_dict(), found["success"].to_dict()
    # cap 4: q1 wins at 4, q2 has answered (and won) after 3, q3 wins at 4: calls 4, 3, 4.
    assert (success["cap 4"], calls["cap 4"]) == pytest.approx((1.0, 11 / 3))
    # own 2: q1 loses at 2, q2 loses at 3 (its own finish comes at the same decision), q3 wins at 2.
    assert (success["own 2"], calls["own 2"]) == pytest.approx((1 / 3, 7 / 3))
    assert success["own 2 or cap 3"] == pytest.approx(1 / 3)
    # cap 7 never fires: the runs themselves.
    assert (success["cap 7"], calls["cap 7"]) == pytest.approx((1 / 3, 14 / 3))
    assert found.index[0] == "cap 4"
    assert found["utility"].iloc[0] == pytest.approx(1.0 - 0.1 * 11 / 3)


def test_regret_by_hand(runs: Any) -> None:
    found = policy_regret(runs, runs, regimes=ONE, n_boot=200)
    assert found.value == pytest.approx(1.0 - 1 / 3)
    assert found.name == "regret against cap 4 (λ = 0)"
    priced = policy_regret(runs, runs, price=0.1, regimes=ONE, n_boot=200)
    assert priced["arm_utility"] == pytest.approx(1 / 3 - 0.1 * 14 / 3)
    best = policy_values(runs, price=0.1, regimes=ONE)["utility"].max()
    assert priced.value == pytest.approx(best - priced.parts["arm_utility"])
    with pytest.raises(UndefinedEstimateError, match="lacks 1 of 3 questions, such as 'q3'"):
        policy_regret(runs[:2], runs, regimes=ONE)


def test_continue_or_answer_by_hand(runs: Any) -> None:
    found = continue_or_answer(runs, k=4, regimes=ONE, n_boot=100)
    assert found.n == 2  # q1 and q3 reach four, both at t = 4
    assert found.value == 1.0
    assert (found["answering_better"], found["continuing_better"]) == (2, 0)
    assert found["calls_saved"] == (2 + 1) / 2
    with pytest.raises(UndefinedEstimateError, match="no run of 7 useless results"):
        continue_or_answer(runs, k=7, regimes=ONE)


def test_missing_answers_and_judgments_are_refused(runs: Any) -> None:
    asked = [*runs[:2], runs[2] | {"answer_now": [False, True, True, None]}]
    with pytest.raises(UndefinedEstimateError, match="'cap 4' is undefined: 1 of the 2 decisions"):
        policy_values(asked, policies=[StoppingPolicy(cap=4)], regimes=ONE)
    with pytest.raises(UndefinedEstimateError, match="have no answer-now branch"):
        continue_or_answer([*runs[:2], runs[2] | {"answer_now": None}], k=4, regimes=ONE)
    with pytest.raises(EpisodeError, match="field 'answer_now': expected at most one entry"):
        policy_values([runs[0] | {"answer_now": [True] * 7}], regimes=ONE)
    with pytest.raises(EpisodeError, match="row 1: field 'answer_now' is missing"):
        policy_values([episode("q", "---", regime="persistent", success=True)], regimes=ONE)
    silent = [row | {"judgments": []} for row in runs]
    assert policy_values(silent, policies=[StoppingPolicy(cap=4)], regimes=ONE)["success"].item() == 1
    with pytest.raises(UndefinedEstimateError, match="persistent has no judgments"):
        policy_values(silent, regimes=ONE)
    with pytest.raises(UndefinedEstimateError, match="no episode of regime clean, plausible, recover"):
        policy_values(runs)


def test_arguments_that_are_none_are_refused(runs: Any) -> None:
    with pytest.raises(ValueError, match="a cap, a run of own judgments, or both"):
        StoppingPolicy()
    for name in ("own", "cap"):
        with pytest.raises(ValueError, match=f"{name} is 0"):
            StoppingPolicy(**{name: 0})
        with pytest.raises(TypeError, match=f"{name} must be a whole number"):
            StoppingPolicy(**{name: 2.5})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="at least one policy"):
        policy_values(runs, policies=[], regimes=ONE)
    price: Any
    for price in (-0.1, float("nan"), True, "0.1"):
        with pytest.raises(ValueError, match="price is"):
            policy_values(runs, price=price, regimes=ONE)
    with pytest.raises(TypeError, match="must be a list of names, not one text"):
        policy_values(runs, regimes="persistent")
    other = runs[0] | {"question_id": "q9", "model": "another"}
    with pytest.raises(EpisodeError, match="mixes"):
        policy_values([*(row | {"model": "m"} for row in runs), other], regimes=ONE)


def test_every_policy_of_the_paper_is_among_the_simple_ones() -> None:
    names = {policy.name for policy in simple_policies()}
    printed = {"own 7", "cap 3", "own 3 or cap 5", "own 3 or cap 4", "cap 7", "own 3 or cap 7"}  # Table 17
    assert printed <= names
    assert len(names) == 7 + 7 + 21
