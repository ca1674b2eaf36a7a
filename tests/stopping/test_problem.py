"""The stopping problem: what it is made of, what any policy is worth in it, and what is refused by name."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from judged_useless.stopping.problem import StoppingProblem, evaluate, histories, named_sources, run_lengths
from judged_useless.stopping.stopping_policies import StoppingPolicy

NAN = float("nan")
PROBLEM = StoppingProblem(price=0.02)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("memory", 1.5, "memory is 1.5, expected a number from 0 to 1"),
        ("found", NAN, "found is nan, expected a number"),
        ("finds", "0.3", "finds is '0.3'"),
        ("useless_if_real", True, "useless_if_real is True"),
        ("price", -1.0, "price is -1"),
        ("price", float("inf"), "price is inf"),
        ("judgment_price", -0.1, "judgment_price is -0.1"),
        ("budget", 1, "budget is 1, expected a number from 2 to 16"),
        ("budget", 8.0, "budget must be a whole number"),
        ("budget", 17, "budget is 17"),
        ("prior", {}, "prior is {}"),
        ("prior", ["clean"], r"prior is \['clean'\]"),
        ("prior", {"clean": NAN}, "prior of clean is nan"),
        ("prior", {"clean": 0.0}, "sum of the prior's weights is 0"),
        ("prior", {"clean": 1e308, "persistent": 1e308}, "sum of the prior's weights is inf"),
        ("prior", {"clean": -1.0}, "prior of clean is -1"),
        ("prior", {"no_such": 1.0}, "unknown regime 'no_such'"),
    ],
)
def test_a_field_that_is_no_such_value_is_named(field: str, value: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        StoppingProblem(**{field: value})


@pytest.mark.parametrize("value", [NAN, 1.7, -1.0, 1 + 1e-6])
def test_an_answering_probability_is_a_probability(value: float) -> None:
    policy = [np.full(2**t, 0.5) for t in PROBLEM.steps]
    assert 0 < float(evaluate(PROBLEM, policy).answered) <= 1
    policy[2][3] = value
    with pytest.raises(ValueError, match="no probability between 0 and 1 after 3 results"):
        evaluate(PROBLEM, policy)


def test_a_policy_of_another_budget_is_refused() -> None:
    with pytest.raises(ValueError, match="3 decisions"):
        evaluate(PROBLEM, StoppingPolicy(own=2).answering(replace(PROBLEM, budget=4)))
    with pytest.raises(ValueError, match="3 histories after 1"):
        evaluate(PROBLEM, [np.zeros(3)] * 7)


def test_runs_are_counted_from_the_end() -> None:
    for t in (1, 4, 7):
        counted = [len(row) if row.all() else int(row[::-1].argmin()) for row in histories(t)]
        assert run_lengths(t).tolist() == counted


def test_judgments_are_charged_to_policies_that_look_at_them() -> None:
    charged = replace(PROBLEM, judgment_price=0.03)
    for policy, price in ((StoppingPolicy(own=5), 0.05), (StoppingPolicy(cap=7), 0.02)):
        answering = policy.answering(PROBLEM)
        free, paid = evaluate(PROBLEM, answering), evaluate(charged, answering)
        assert float(paid.calls) == float(free.calls)
        assert float(paid.utility) == pytest.approx(float(free.success - price * free.calls), abs=1e-12)
    policies = [StoppingPolicy(own=5).answering(PROBLEM), StoppingPolicy(cap=7).answering(PROBLEM)]
    together = evaluate(charged, [np.stack(pair) for pair in zip(*policies, strict=True)]).utility
    assert together.tolist() == [float(evaluate(charged, policy).utility) for policy in policies]


def test_by_default_there_is_the_papers_source_alone() -> None:
    assert named_sources(PROBLEM) == {"the paper's six regimes": PROBLEM}


def test_each_recovery_adds_a_source() -> None:
    sources = named_sources(PROBLEM, prior=["clean", "persistent"], recoveries=[3, 5])
    assert list(sources) == [
        "clean, persistent (equally likely)",
        "works, fails, or recovers after 3",
        "works, fails, or recovers after 5",
    ]
    assert set(list(sources.values())[-1].prior) == {"clean", "persistent", "recover_after_5"}
    assert all(each.price == 0.02 for each in sources.values())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": []}, "prior must name at least one"),
        ({"prior": "clean"}, "prior must be a list of names"),
        ({"prior": [3]}, "unknown regime '3'"),
        ({"prior": ["no_such"]}, "unknown regime 'no_such'"),
        ({"prior": {"clean": -1}}, "prior of clean is -1"),
        ({"recoveries": 5}, "recoveries is 5"),
        ({"recoveries": [0]}, "recoveries: each is 0"),
        ({"recoveries": [2.5]}, "recoveries: each must be a whole number, not 2.5"),
        ({"recoveries": [1, 2, 3, 4, 5, 6]}, "recoveries is .*, expected a list of at most 5"),
    ],
)
def test_what_makes_no_source_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        named_sources(PROBLEM, **options)  # type: ignore[arg-type]
