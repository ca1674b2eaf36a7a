"""The dynamic programme against brute force, hand computation and simulated agents."""

import itertools
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_useless.environment.regimes import get_regime
from judged_useless.stopping.best_policy import best_run_policy, optimal_policy
from judged_useless.stopping.problem import Floats, StoppingProblem, evaluate, histories, run_lengths
from judged_useless.stopping.simulate import World, simulate_arrays
from judged_useless.stopping.stopping_policies import StoppingPolicy


def worth(problem: StoppingProblem, k: int) -> float:
    """Return the utility of the run-length rule."""
    return float(evaluate(problem, StoppingPolicy(own=k).answering(problem)).utility)


REGIMES = (
    "clean",
    "persistent",
    "recover_after_1",
    "recover_after_2",
    "late_onset_from_3",
    "late_onset_from_2",
)


@st.composite
def problems(draw: st.DrawFn) -> StoppingProblem:
    prior = {name: draw(st.floats(0, 1)) for name in REGIMES}
    prior[draw(st.sampled_from(REGIMES))] = 1.0
    names = ("useless_if_failed", "useless_if_real", "finds", "memory", "found")
    rates = {name: draw(st.floats(0, 1)) for name in names}
    return StoppingProblem(prior=prior, price=draw(st.floats(0, 0.3)), budget=4, **rates)


def by_hand(problem: StoppingProblem, answers: dict[tuple[bool, ...], float]) -> float:
    """Return a policy's utility by walking every course of events, one after the other."""

    def walk(regime: str, seen: tuple[bool, ...]) -> float:
        t = len(seen)
        stay = 1.0
        value = 0.0
        if t:
            stop = answers[seen]
            value += stop * (problem.memory - problem.price * t)
            stay -= stop
        if stay == 0:
            return value
        failed = get_regime(regime).failed(t + 1)
        useless = problem.useless_if_failed if failed else problem.useless_if_real
        if t + 1 == problem.budget:
            return value - stay * problem.price * problem.budget
        found = 0.0 if failed else (1 - useless) * problem.finds
        value += stay * found * (problem.found - problem.price * (t + 1))
        value += stay * useless * walk(regime, (*seen, True))
        return value + stay * (1 - useless - found) * walk(regime, (*seen, False))

    total = sum(problem.prior.values())
    return sum(weight / total * walk(regime, ()) for regime, weight in problem.prior.items())


def as_dict(policy: Sequence[Floats]) -> dict[tuple[bool, ...], float]:
    return {
        tuple(map(bool, history)): float(answer)
        for t, answers in enumerate(policy, 1)
        for history, answer in zip(histories(t).tolist(), answers, strict=True)
    }


def every_policy(budget: int) -> list[Floats]:
    """Return all deterministic policies over histories, stacked along the first axis."""
    nodes = sum(2**t for t in range(1, budget))
    bits = np.array(list(itertools.product((0.0, 1.0), repeat=nodes)))
    cuts = np.cumsum([2**t for t in range(1, budget)])[:-1]
    return [np.asarray(part) for part in np.split(bits, cuts, axis=1)]


ALL = every_policy(4)


@settings(max_examples=12, deadline=None)
@given(problems(), st.integers(0, 10**6))
def test_a_policy_is_worth_what_walking_every_course_of_events_gives(
    problem: StoppingProblem, seed: int
) -> None:
    draws = np.random.default_rng(seed)
    policy = [draws.random(2**t) for t in problem.steps]
    outcome = evaluate(problem, policy)
    assert float(outcome.utility) == pytest.approx(by_hand(problem, as_dict(policy)), abs=1e-12)
    assert 0 <= outcome.answered <= 1 + 1e-12
    assert 1 - 1e-9 <= outcome.calls <= problem.budget + 1e-9


@settings(max_examples=12, deadline=None)
@given(problems())
def test_the_programme_equals_brute_force_over_all_policies(problem: StoppingProblem) -> None:
    utilities = evaluate(problem, ALL).utility
    assert len(utilities) == 2**14
    solution = optimal_policy(problem)
    assert solution.value == pytest.approx(utilities.max(), abs=1e-12)
    assert by_hand(problem, as_dict(solution.answering)) == pytest.approx(solution.value, abs=1e-12)


@settings(max_examples=12, deadline=None)
@given(problems())
def test_the_best_policy_over_runs_equals_brute_force_over_all_of_them(problem: StoppingProblem) -> None:
    cells = [(t, run) for t in problem.steps for run in range(t + 1)]
    bits = np.array(list(itertools.product((0.0, 1.0), repeat=len(cells))))
    place = {cell: number for number, cell in enumerate(cells)}
    policies = [bits[:, [place[t, run] for run in run_lengths(t)]] for t in problem.steps]
    utilities = evaluate(problem, policies).utility
    _, best = best_run_policy(problem)
    assert len(utilities) == 2**9
    assert best.value == pytest.approx(utilities.max(), abs=1e-12)
    assert best.value <= optimal_policy(problem).value + 1e-12


def simulated_utility(problem: StoppingProblem, policy: str, n_questions: int) -> tuple[float, float]:
    """Return the mean utility of a simulated agent and its standard error, all regimes alike."""
    rates = (problem.useless_if_failed, problem.useless_if_real, problem.finds)
    world = World(*rates, problem.budget, tuple(problem.prior))
    run = simulate_arrays(policy, n_questions=n_questions, seed=1, world=world)
    calls = run.n_actions - run.answered
    # An answer right after a useful result was found: these policies stop after useless ones only.
    found = run.answered & ~run.useless[np.arange(len(calls)), calls - 1]
    right = np.where(found, problem.found, np.where(run.answered, problem.memory, 0.0))
    value = right - problem.price * calls
    return float(value.mean()), float(value.std() / np.sqrt(len(value)))


@pytest.mark.parametrize("price", [0.0, 0.02, 0.05])
def test_the_optimum_is_never_below_a_simple_policy_on_simulated_agents(price: float) -> None:
    problem = StoppingProblem(price=price)
    for k in (3, 5, 7):
        simulated, error = simulated_utility(problem, f"own-judgment count k={k}", 4_000)
        assert simulated == pytest.approx(worth(problem, k), abs=4 * error)
        assert simulated <= optimal_policy(problem).value + 4 * error


def test_a_source_that_never_works_is_left_at_once_and_a_free_one_never_early() -> None:
    broken = StoppingProblem(prior={"persistent": 1.0})
    assert optimal_policy(broken).value == pytest.approx(broken.memory - broken.price)
    free = StoppingProblem(price=0.0)
    assert optimal_policy(free).outcome.calls > 5
    assert all(not answers.any() for answers in optimal_policy(replace(free, memory=0.1)).answering[:-1])


def test_the_table_has_every_state_the_policy_comes_to_with_its_probability() -> None:
    solution = optimal_policy(StoppingProblem())
    table = solution.table()
    assert not table.duplicated(["t", "run", "earlier_useful"]).any()
    assert (table["earlier_useful"] == (table["run"] < table["t"])).all()
    assert table["answers"].between(0, 1).all()
    assert table["failing"].between(0, 1).all()
    # Four of six regimes fail the first result: 4/6 × 0.99 + 2/6 × 0.45.
    assert table["reached"].iloc[0] == pytest.approx(0.81)
    assert table["failing"].iloc[0] == pytest.approx((3 * 0.99 + 0 * 0.45) / 6 / 0.81)
    # What answers from memory, weighted by where the policy comes, is all of its answers but the found ones.
    from_memory = float((table["reached"] * table["answers"]).sum())
    outcome = solution.outcome
    found = float(outcome.answered) - from_memory
    assert float(outcome.success) == pytest.approx(0.15 * from_memory + 0.8 * found)


def test_a_state_behind_an_answer_is_not_in_the_table() -> None:
    table = optimal_policy(StoppingProblem(finds=0.0)).table()
    assert table["t"].tolist() == [1, 1]
    assert table["reached"].sum() == pytest.approx(1)
    assert table["answers"].tolist() == [1, 1]


def test_a_doubled_budget_is_solved_but_not_searched_over_runs() -> None:
    problem = StoppingProblem(budget=16, price=0.01)
    assert optimal_policy(problem).value > worth(problem, 5)
    with pytest.raises(ValueError, match="up to 8"):
        best_run_policy(problem)
