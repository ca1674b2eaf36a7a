"""Named sources: what a prior and a list of recoveries make of a problem, and what is refused."""

import pytest
from judged_useless.stopping.named_sources import named_sources
from judged_useless.stopping.problem import StoppingProblem
from judged_useless.stopping.solution import optimal_policy

PROBLEM = StoppingProblem(price=0.02)


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


def test_weights_need_not_sum_to_one() -> None:
    (name, halves), *_ = named_sources(PROBLEM, prior={"clean": 2, "persistent": 6}).items()
    assert name == "clean (2), persistent (6)"
    quarter = named_sources(PROBLEM, prior={"clean": 0.25, "persistent": 0.75})
    assert optimal_policy(halves).value == optimal_policy(next(iter(quarter.values()))).value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prior": []}, r"prior is \[\], expected at least one regime"),
        ({"prior": "clean"}, "prior is 'clean'"),
        ({"prior": [3]}, "prior has 3, expected names"),
        ({"prior": ["no_such"]}, "prior: unknown regime 'no_such'"),
        ({"prior": {"clean": -1}}, "prior of clean is -1"),
        ({"recoveries": 5}, "recoveries is 5"),
        ({"recoveries": [0]}, "recoveries has 0"),
        ({"recoveries": [2.5]}, "recoveries has 2.5"),
        ({"recoveries": [1, 2, 3, 4, 5, 6]}, "recoveries has 6 entries, expected at most 5"),
    ],
)
def test_what_makes_no_source_is_named(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        named_sources(PROBLEM, **options)  # type: ignore[arg-type]
