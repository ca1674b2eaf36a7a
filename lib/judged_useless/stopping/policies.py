"""Policies to hold against the best stopping point: simple ones, and what recorded agents did."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import build_decision_points
from judged_useless.episodes.schema import Episodes
from judged_useless.episodes.steps import UNKNOWN
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.resampling import Floats, Measure, Resampling, Stream, cluster_sums
from judged_useless.stopping.problem import (
    Outcome,
    Policy,
    StoppingProblem,
    check_count,
    evaluate,
    is_list,
    run_lengths,
)
from judged_useless.stopping.solution import LARGEST_RUN_BUDGET, best_run_policy, optimal_policy
from judged_useless.stopping.wald import WaldTest


def cap(problem: StoppingProblem, c: int) -> tuple[Floats, ...]:
    """Return the policy that answers after c results, whatever they were."""
    check_count("c", c)
    return tuple(np.full(2**t, float(t >= c)) for t in problem.steps)


def own(problem: StoppingProblem, k: int) -> tuple[Floats, ...]:
    """Return the run-length rule: answer after k results in a row judged USELESS.

    A run longer than the episode is never reached: the rule then does not answer.
    """
    check_count("k", k)
    return tuple((run_lengths(t) >= k).astype(np.float64) for t in problem.steps)


def either(first: Policy, second: Policy) -> tuple[Floats, ...]:
    """Return the policy that answers when one of two does."""
    return tuple(np.maximum(a, b) for a, b in zip(first, second, strict=True))


def _wald(problem: StoppingProblem, *, restarts: bool) -> tuple[Floats, ...]:
    test = WaldTest(problem.useless_if_failed, problem.useless_if_real, restarts=restarts)
    return test.policy(problem)


#: Name of a policy -> its builder.
POLICIES: dict[str, Callable[[StoppingProblem], tuple[Floats, ...]]] = {
    "never": lambda problem: cap(problem, problem.budget),
    "deadline": lambda problem: cap(problem, problem.budget - 1),
    "run of 3": lambda problem: own(problem, 3),
    "run of 5": lambda problem: own(problem, 5),
    "run of 5 or deadline": lambda problem: either(own(problem, 5), cap(problem, problem.budget - 1)),
    "Wald's test": lambda problem: _wald(problem, restarts=False),
    "Page's test": lambda problem: _wald(problem, restarts=True),
}


def simple_policies(problem: StoppingProblem) -> dict[str, tuple[Floats, ...]]:
    """Return every cap, every run length and every pair of both.

    Parameters
    ----------
    problem : StoppingProblem
        Its budget is used.

    Returns
    -------
    dict of str to policy
        Named as in the paper's Table 17.
    """
    caps = {f"cap {c}": cap(problem, c) for c in problem.steps}
    runs = {f"own {k}": own(problem, k) for k in problem.steps}
    pairs = {
        f"own {k} or cap {c}": either(runs[f"own {k}"], caps[f"cap {c}"])
        for k in problem.steps
        for c in problem.steps
        if c > k
    }
    return caps | runs | pairs


def _row(outcome: Outcome, best: float) -> dict[str, float]:
    return {
        "success": float(outcome.success), "calls": float(outcome.calls), "answered": float(outcome.answered),
        "utility": float(outcome.utility), "distance": best - float(outcome.utility),
    }  # fmt: skip


def compare_policies(
    problem: StoppingProblem, policies: Mapping[str, Policy] | Iterable[str] = tuple(POLICIES)
) -> pd.DataFrame:
    """Return what policies come to, and how far each stays behind the optimal one.

    Parameters
    ----------
    problem : StoppingProblem
        Source, judgments, prices.
    policies : mapping of str to policy, or iterable of str
        Policies, or names in :data:`POLICIES`; by default all of those.

    Returns
    -------
    pandas.DataFrame
        Index ``policy``, best first, with the optimum at the head; ``success``, ``calls``, ``answered``,
        ``utility`` and ``distance``, the optimal utility minus this one.

    Raises
    ------
    ValueError
        If a name is unknown, or one text is given in place of a list of them.
    """
    if not isinstance(policies, Mapping):
        if isinstance(policies, str):
            raise ValueError(
                f"policies is {policies!r}, expected a list of names out of {', '.join(POLICIES)}"
            )
        names = list(policies)
        unknown = [name for name in names if name not in POLICIES]
        if unknown:
            raise ValueError(f"unknown policy {unknown[0]!r}; known are {', '.join(POLICIES)}")
        policies = {name: POLICIES[name](problem) for name in names}
    solution = optimal_policy(problem)
    rows = {"optimal, all judgments": _row(solution.outcome, solution.value)}
    for name, policy in policies.items():
        rows[name] = _row(evaluate(problem, policy), solution.value)
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("policy")
    return table.sort_values("distance", kind="stable")


def run_length_curve(problems: Mapping[str, StoppingProblem]) -> pd.DataFrame:
    """Return what the run-length rule comes to for every k, and the most that any policy could.

    Parameters
    ----------
    problems : mapping of str to StoppingProblem
        Named problems.

    Returns
    -------
    pandas.DataFrame
        One row a problem and k: ``problem, k, success, calls, answered, utility, distance, optimum, best``,
        where ``best`` marks the k of the highest utility.
    """
    rows: list[dict[str, object]] = []
    for name, problem in problems.items():
        solution = optimal_policy(problem)
        outcomes = {k: evaluate(problem, own(problem, k)) for k in problem.steps}
        utilities = {k: float(outcome.utility) for k, outcome in outcomes.items()}
        best = max(utilities, key=utilities.__getitem__)
        rows += [
            {
                "problem": name, "k": k, **_row(outcome, solution.value), "optimum": solution.value,
                "best": k == best,
            }
            for k, outcome in outcomes.items()
        ]  # fmt: skip
    return pd.DataFrame(rows)


def best_run_lengths(problems: Mapping[str, StoppingProblem], prices: Sequence[float]) -> pd.DataFrame:
    """Return the best k of the run-length rule by source and price, and what k = 5 loses to it.

    Parameters
    ----------
    problems : mapping of str to StoppingProblem
        Named problems; their own price is replaced.
    prices : sequence of float
        Prices of a call.

    Returns
    -------
    pandas.DataFrame
        One row a problem and price: ``best_k``; ``lost_by_5``, the utility that k = 5 loses to the best k (a
        rule that is never met if the budget has fewer than six actions); ``optimum``, the most that any
        policy could have; ``lost_by_run``, what the best policy over step, run and whether an earlier
        result was useful loses to it, NaN where the budget is too large to compare all of those.

    Raises
    ------
    ValueError
        If there is no price, or one is not a number of at least 0.
    """
    if not (is_list(prices) and len(prices)):
        raise ValueError(f"prices is {prices!r}, expected a list of at least one price of a call")
    rows = []
    for name, problem in problems.items():
        for price in prices:
            priced = replace(problem, price=price)
            curve = {k: float(evaluate(priced, own(priced, k)).utility) for k in priced.steps}
            best = max(curve, key=curve.__getitem__)
            optimum = optimal_policy(priced).value
            searched = priced.budget <= LARGEST_RUN_BUDGET
            rows.append(
                {
                    "source": name, "price": price, "best_k": best,
                    "lost_by_5": curve[best] - float(evaluate(priced, own(priced, 5)).utility),
                    "optimum": optimum,
                    "lost_by_run": optimum - best_run_policy(priced).value if searched else np.nan,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def compare_prices(
    problem: StoppingProblem, policies: Sequence[str], prices: Sequence[float]
) -> pd.DataFrame:
    """Return what named policies are worth at several prices of a call.

    Parameters
    ----------
    problem : StoppingProblem
        Its own price is replaced.
    policies : sequence of str
        Names in :data:`POLICIES`.
    prices : sequence of float
        Prices of a call.

    Returns
    -------
    pandas.DataFrame
        Index ``price``; a column of utilities for each policy, and one for the optimal policy, in front.

    Raises
    ------
    ValueError
        If a name is unknown or a price is not a number of at least 0.
    """
    names = ["optimal, all judgments", *policies]
    rows = [compare_policies(replace(problem, price=price), policies)["utility"][names] for price in prices]
    return pd.DataFrame(rows, index=pd.Index(list(prices), name="price"), columns=names)


def arm_distance(
    problem: StoppingProblem,
    episodes: Episodes,
    *,
    name: str = "arm",
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return how far a recorded arm's stopping stays behind the optimal policy.

    The arm is its probability of answering at each (t, run), with run at least 1, as counted in its episodes.
    Right after a result judged USEFUL it is taken to go on, since what answers there is what the problem
    calls finding the answer. So only *when* the arm stops is compared, not how well it searches or answers.

    Parameters
    ----------
    problem : StoppingProblem
        Source, judgments, prices.
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``actions`` and ``judgments``.
    name : str, default "arm"
        For the estimate's name.
    n_boot, seed, level, stream
        Of the question-cluster bootstrap, as in
        :func:`~judged_useless.estimators.contrast.time_matched_contrast`. The problem is held fixed.

    Returns
    -------
    Estimate
        Utility lost, at least 0; `n` counts decisions. ``parts`` has the ``utility``, the ``success`` and the
        ``calls`` of the arm's policy, and ``unseen``, the probability that the policy comes to a (t, run)
        that no episode did, where it is taken to go on.

    Raises
    ------
    UndefinedEstimateError
        If no decision follows a result judged USELESS.
    EpisodeError
        If an episode is not what the schema says.
    """
    plan = Resampling(n_boot, seed, level, stream)
    points = build_decision_points(episodes)
    budget = problem.budget
    inside = (points.run != UNKNOWN) & (points.run >= 1) & (points.t < budget)
    if not inside.any():
        raise UndefinedEstimateError(f"the distance of {name} is undefined: no decision after a USELESS")
    cell = (points.t * budget + points.run)[inside]
    width = budget * budget
    columns = np.zeros((int(inside.sum()), 2 * width))
    rows = np.arange(len(cell))
    columns[rows, cell] = 1
    columns[rows, width + cell] = points.answered[inside]
    sums = cluster_sums(points.question[inside], points.n_questions, columns)
    solution = optimal_policy(problem)

    def lost(totals: Floats) -> Floats:
        return np.asarray(solution.value - evaluate(problem, _arm(problem, totals)).utility)

    everything = sums.sum(axis=0)
    outcome = evaluate(problem, _arm(problem, everything))
    parts = {
        "utility": float(outcome.utility), "success": float(outcome.success), "calls": float(outcome.calls),
        "unseen": _unseen(problem, everything),
    }  # fmt: skip
    return Measure(f"distance of {name}", sums, lost, n=len(cell), parts=parts).estimate(plan)


def _arm(problem: StoppingProblem, totals: Floats) -> list[Floats]:
    """Return the policy behind counts of decisions and answers by (t, run)."""
    budget = problem.budget
    shape = (*totals.shape[:-1], 2, budget, budget)
    decisions, answers = np.moveaxis(totals.reshape(shape), -3, 0)
    hazard = answers / np.where(decisions > 0, decisions, 1.0)
    return [hazard[..., t, :][..., run_lengths(t)] for t in problem.steps]


def _unseen(problem: StoppingProblem, totals: Floats) -> float:
    """Return the probability that the arm's policy comes to a (t, run) without a recorded decision."""
    decisions = totals.reshape(2, problem.budget, problem.budget)[0]
    mass, total = problem.weights[None, :], 0.0
    for t, answers in zip(problem.steps, _arm(problem, totals), strict=True):
        mass, runs = problem.onward(mass, t - 1), run_lengths(t)
        new = (decisions[t, runs] == 0) & (runs >= 1)
        total += float(mass[new].sum())
        mass = mass * (~new * (1 - answers))[:, None]
    return total
