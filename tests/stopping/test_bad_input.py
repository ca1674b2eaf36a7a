"""Values that are none, refused by the name of the field: nothing comes out infinite, undefined or over 1."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from judged_useless.stopping.policies import cap, compare_policies, own
from judged_useless.stopping.problem import StoppingProblem, evaluate
from judged_useless.stopping.wald import WaldTest, side_by_side

NAN, INF = float("nan"), float("inf")
PROBLEM, TEST = StoppingProblem(), WaldTest(0.99, 0.45)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("price", value) for value in ("0.1", None, NAN, INF, -1, True, 1e308, 10**400, 10**308)),
        *(("found", value) for value in ("x", None, NAN, 1.1, True)),
        *(("budget", value) for value in ("8", 8.0, 8.5, NAN, True, 1, 17, None)),
        *(("prior", value) for value in (["clean"], None, "clean", {}, {"clean": "1"}, {"clean": True})),
        *(("prior", value) for value in ({"x": 1}, {1: 1}, {"clean": NAN}, {"clean": 10**400})),
        ("prior", {"clean": 1e308, "persistent": 1e308}),
        ("prior", {"clean": 10**308, "persistent": 10**308}),
    ],
)
def test_a_field_that_is_no_such_number_is_named(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=f"^{field}"):
        StoppingProblem(**{field: value})


def test_numbers_of_numpy_and_tiny_weights_are_numbers() -> None:
    values: dict[str, Any] = {"price": np.float64(0.05), "budget": np.int64(8), "found": np.float32(0.5)}
    problem = StoppingProblem(**values, prior={"clean": 5e-324, "persistent": 5e-324})
    assert problem.weights.tolist() == [0.5, 0.5]
    assert np.isfinite(compare_policies(problem)["utility"]).all()


@pytest.mark.parametrize("value", [NAN, 1.7, -1.0, INF, 1 + 1e-6])
def test_an_answering_probability_is_a_probability(value: float) -> None:
    policy = [np.full(2**t, 0.5) for t in PROBLEM.steps]
    assert 0 < float(evaluate(PROBLEM, policy).answered) <= 1
    policy[2][3] = value
    with pytest.raises(
        ValueError, match=r"answers with probability .* after 3 results, expected one between"
    ):
        evaluate(PROBLEM, policy)


@pytest.mark.parametrize("k", [0, -1, NAN, 2.5, True, "5", None])
def test_a_run_is_a_whole_number_of_results(k: Any) -> None:
    calls: tuple[tuple[str, Callable[[], object]], ...] = (
        ("k", lambda: own(PROBLEM, k)),
        ("c", lambda: cap(PROBLEM, k)),
        ("k", lambda: side_by_side(["USELESS"], TEST, k=k)),
    )
    for name, call in calls:
        with pytest.raises(ValueError, match=f"{name} is {k!r}, expected a whole number of at least 1"):
            call()


@pytest.mark.parametrize("wrong", ["useless", "<b>", None, 1, NAN, pd.NA])
def test_a_judgment_that_is_none_does_not_pass_for_useful(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"judgments, entry 2 is .*, expected one of USELESS"):
        side_by_side(["USELESS", wrong], TEST)


def test_judgments_are_a_list() -> None:
    judgments: Any
    for judgments in ("USELESS", [], 5):
        with pytest.raises(ValueError, match="expected a list of at least one"):
            side_by_side(judgments, TEST)
    words = ["USELESS", "UNPARSED", "USEFUL"]
    as_array: Any = np.array(words, dtype=object)
    assert side_by_side(as_array, TEST)["run"].tolist() == side_by_side(words, TEST)["run"].tolist()


def test_names_of_policies_are_read_once_and_not_letter_by_letter() -> None:
    assert len(compare_policies(PROBLEM, (name for name in ("never", "deadline")))) == 3
    with pytest.raises(ValueError, match="policies is 'never', expected a list of names out of never, dead"):
        compare_policies(PROBLEM, "never")
