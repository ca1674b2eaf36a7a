"""What stopping policies come to in one problem or several, beside the best that any policy could have."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd

from .best_policy import LARGEST_RUN_BUDGET, best_run_policy, optimal_policy
from .problem import Outcome, StoppingProblem, evaluate
from .stopping_policies import POLICIES, StoppingPolicy

OPTIMAL = "optimal, all judgments"
BLIND = "optimal, no judgments"


def _row(outcome: Outcome, best: float) -> dict[str, float]:
    fields = {name: float(value) for name, value in vars(outcome).items()}
    return fields | {"distance": best - float(outcome.utility)}


def _of_runs(problem: StoppingProblem) -> dict[int, Outcome]:
    """Return what the run-length rule comes to for every k."""
    return {k: evaluate(problem, StoppingPolicy(own=k).answering(problem)) for k in problem.steps}


def _best(outcomes: Mapping[int, Outcome]) -> int:
    return max(outcomes, key=lambda each: float(outcomes[each].utility))


def compare_policies(problem: StoppingProblem, policies: Iterable[str] = tuple(POLICIES)) -> pd.DataFrame:
    """Return what policies come to, and how far each stays behind the optimal one.

    Parameters
    ----------
    problem : StoppingProblem
        Source, judgments, prices.
    policies : iterable of str
        Names in :data:`POLICIES`; by default all of those.

    Returns
    -------
    pandas.DataFrame
        Index ``policy``, best first; ``success``, ``calls``, ``answered``, ``utility`` and ``distance``, the
        optimal utility minus this one. The optimum is a row of its own; where judgments have a price there
        are two, of a policy that asks for all of them and of one that asks for none.
    """
    names = list(policies)
    if isinstance(policies, str) or not set(names) <= set(POLICIES):
        raise ValueError(f"policies is {policies!r}, expected a list out of {', '.join(POLICIES)}")
    outcomes = {OPTIMAL: optimal_policy(problem).outcome}
    if problem.judgment_price:
        caps = {c: evaluate(problem, StoppingPolicy(cap=c).answering(problem)) for c in problem.steps}
        outcomes[BLIND] = caps[_best(caps)]
    best = max(float(outcome.utility) for outcome in outcomes.values())
    outcomes |= {name: evaluate(problem, POLICIES[name](problem)) for name in names}
    rows = {name: _row(outcome, best) for name, outcome in outcomes.items()}
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("policy")
    return table.sort_values("distance", kind="stable")


def compare_prices(
    problem: StoppingProblem,
    policies: Sequence[str],
    prices: Sequence[float],
    *,
    charge_judgments: bool = False,
) -> pd.DataFrame:
    """Return what named policies are worth at several prices of a call.

    Parameters
    ----------
    problem : StoppingProblem
        Its own prices are replaced.
    policies : sequence of str
        Names in :data:`POLICIES`.
    prices : sequence of float
        Prices of a call.
    charge_judgments : bool, default False
        Whether a judgment costs as much as a call, in place of nothing.

    Returns
    -------
    pandas.DataFrame
        Index ``price``; a column of utilities for each policy, and one for the optimal policy, in front (for
        both optimal ones where judgments are charged, as in :func:`compare_policies`).
    """
    names = [OPTIMAL, *([BLIND] if charge_judgments else []), *policies]
    rows = []
    for price in prices:
        priced = replace(problem, price=price, judgment_price=price if charge_judgments else 0.0)
        utility = compare_policies(priced, policies)["utility"]
        rows.append({name: utility[name if name in utility else OPTIMAL] for name in names})
    return pd.DataFrame(rows, index=pd.Index(list(prices), name="price"), columns=names)


def run_length_curve(problems: Mapping[str, StoppingProblem]) -> pd.DataFrame:
    """Return what the run-length rule comes to for every k, and the most that any policy could.

    One row a problem and k: ``problem, k, success, calls, answered, utility, distance, optimum, best``, where
    ``best`` marks the k of the highest utility.
    """
    rows: list[dict[str, object]] = []
    for name, problem in problems.items():
        optimum, outcomes = optimal_policy(problem).value, _of_runs(problem)
        rows += [
            {"problem": name, "k": k, **_row(each, optimum), "optimum": optimum, "best": k == _best(outcomes)}
            for k, each in outcomes.items()
        ]
    return pd.DataFrame(rows)


def best_run_lengths(problems: Mapping[str, StoppingProblem], prices: Sequence[float]) -> pd.DataFrame:
    """Return the best k of the run-length rule by source and price, and what k = 5 loses to it.

    Parameters
    ----------
    problems : mapping of str to StoppingProblem
        Named problems; their own price of a call is replaced.
    prices : sequence of float
        Prices of a call.

    Returns
    -------
    pandas.DataFrame
        One row a problem and price: ``best_k``; ``lost_by_5``, the utility that k = 5 loses to the best k (a
        rule that is never met if the budget has fewer than six actions); ``optimum``, the most that any
        policy could have; ``lost_by_run``, what the best policy over step, run and whether an earlier
        result was useful loses to it, NaN where the budget is too large to compare all of those.
    """
    rows = []
    for (name, problem), price in product(problems.items(), prices):
        priced = replace(problem, price=price)
        curve = {k: float(each.utility) for k, each in _of_runs(priced).items()}
        best = max(curve, key=curve.__getitem__)
        five = float(evaluate(priced, StoppingPolicy(own=5).answering(priced)).utility)
        optimum, searched = optimal_policy(priced).value, priced.budget <= LARGEST_RUN_BUDGET
        by_run = optimum - best_run_policy(priced)[1].value if searched else np.nan
        rows.append((name, price, best, curve[best] - five, optimum, by_run))
    columns = ["source", "price", "best_k", "lost_by_5", "optimum", "lost_by_run"]
    return pd.DataFrame(rows, columns=columns)
