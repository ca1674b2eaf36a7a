"""The best stopping point: by dynamic programming over all histories, and over runs only.

Results seen, current run and "some earlier result was useful" are what the paper's measures look at, but they
do not hold all that the judgments say of the source: after *useful, useless, useful, useless* and after
*useless, useless, useful, useless* they are the same. Backward induction over them would need the
distribution of histories behind each of their values, which depends on where the policy has stopped before.
So the programme runs over whole histories, which is exact, and the best policy that sees no more than
those three is searched for separately, which is exact too. Their difference is what the run leaves out.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from .problem import Floats, Outcome, StoppingProblem, evaluate, run_lengths

#: Largest budget for which all policies over runs are compared: there are 322,560 of them.
LARGEST_RUN_BUDGET = 8


@dataclass(frozen=True)
class Solution:
    """A best policy; where answering and going on are worth the same, it answers.

    Attributes
    ----------
    problem : StoppingProblem
        Solved.
    answering : tuple of numpy.ndarray, the t-th of shape (2^t,)
        1 after the histories at which it answers, else 0.
    outcome : Outcome
        What it comes to.
    """

    problem: StoppingProblem
    answering: tuple[Floats, ...]
    outcome: Outcome

    @property
    def value(self) -> float:
        """Its utility."""
        return float(self.outcome.utility)

    def table(self) -> pd.DataFrame:
        """Return what it does by results seen, run, and whether an earlier result was judged USEFUL.

        One row for each such state that the policy comes to: ``t, run, earlier_useful``; ``reached``, the
        probability that it comes there, with the answer not found and none given before; ``answers``, the
        share of it at which it answers; ``failing``, the probability that the next result would fail.
        """
        problem, mass, rows = self.problem, self.problem.weights[None, :], []
        for t in problem.steps:
            mass = problem.onward(mass, t - 1)
            runs, total = run_lengths(t), mass.sum(axis=1)
            for run in range(t, -1, -1):
                here = runs == run
                reached = float(total[here].sum())
                if reached > 0:
                    answers = float((total * self.answering[t - 1])[here].sum()) / reached
                    failing = float((mass[here] * problem.failed[t]).sum()) / reached
                    rows.append((t, run, run < t, reached, answers, failing))
            mass = mass * (1 - self.answering[t - 1])[:, None]
        return pd.DataFrame(rows, columns=["t", "run", "earlier_useful", "reached", "answers", "failing"])


def optimal_policy(problem: StoppingProblem) -> Solution:
    r"""Return the policy with the highest expected utility of all that see every judgment.

    .. math::

        V_t(h) = \max\{\, a - \lambda t,\; E[V_{t+1}(h\,j)] + P(\text{found}) (f - \lambda (t + 1)) \,\}

    for a history h of t judgments, its probabilities taken from the posterior over regimes; a and f are the
    success of an answer from memory and with the answer found, λ is the price of a call and of its judgment,
    and after the last action V is minus the price of all calls.
    Where judgments have a price, a policy that asks for none may be worth more: see
    :func:`~judged_useless.stopping.compared_policies.compare_policies`.
    """
    price = problem.judged_call
    masses = [problem.weights[None, :]]
    for t in problem.steps:
        masses.append(problem.onward(masses[-1], t - 1))
    # Values are weighted by the probability of their history, which spares dividing by it.
    later = -price * problem.budget * masses[-1].sum(axis=1)
    answering: list[Floats] = []
    for t in reversed(problem.steps):
        answer = (problem.memory - price * t) * masses[t].sum(axis=1)
        answering.insert(0, (answer >= later).astype(np.float64))
        value = np.maximum(answer, later).reshape(-1, 2).sum(axis=1)
        finding = (masses[t - 1] * problem.finding[t - 1]).sum(axis=1)
        later = value + finding * (problem.found - price * t)
    return Solution(problem, tuple(answering), evaluate(problem, answering))


def best_run_policy(problem: StoppingProblem) -> tuple[tuple[int | None, ...], Solution]:
    """Return the best of all policies over results seen, run, and whether an earlier result was useful.

    A run that ends at t began after result t - run, so such a policy is one threshold for each place at which
    a run can begin, and all combinations are compared; their number grows faster than the budget's factorial,
    so a budget above 8 is refused. Returned are the thresholds, as for :func:`threshold_policy`, and the
    solution.
    """
    budget = problem.budget
    if budget > LARGEST_RUN_BUDGET:
        raise ValueError(f"budget is {budget}; policies over runs are compared up to {LARGEST_RUN_BUDGET}")
    ahead: list[Floats] = []  # what a run that begins after τ is worth, for τ, τ+1, ...
    for start in reversed(range(budget)):
        ahead.insert(0, _worth(problem, start, ahead))
    utility = ahead[0] @ problem.weights
    best = np.unravel_index(int(utility.argmax()), utility.shape)
    thresholds = tuple(_options(budget, start)[int(place)] for start, place in enumerate(best))
    answering = threshold_policy(problem, thresholds)
    return thresholds, Solution(problem, answering, evaluate(problem, answering))


def _options(budget: int, start: int) -> list[int | None]:
    return [*range(0 if start else 1, budget - start), None]


def _worth(problem: StoppingProblem, start: int, ahead: list[Floats]) -> Floats:
    """Return the worth of a run that begins after `start` results, by thresholds from there on and regime.

    Axes: the threshold of this start, those of every later one, the regimes.
    """
    budget, price, worth = problem.budget, problem.judged_call, []
    for threshold in _options(budget, start):
        # Axes of later starts come in front of the regimes by themselves, as the sums are broadcast.
        total, still = np.zeros(len(problem.weights)), np.ones(len(problem.weights))
        for length in range(1, (budget - start if threshold is None else threshold) + 1):
            t = start + length
            if t == budget:
                total = total - still * price * budget
                break
            finding, useless = problem.finding[t - 1], problem.useless[t - 1]
            useful = (1 - useless - finding) * ahead[t - start - 1]
            total = total + still * (finding * (problem.found - price * t) + useful)
            still = still * useless
        if threshold is not None:
            total = total + still * (problem.memory - price * (start + threshold))
        worth.append(total)
    return np.stack(np.broadcast_arrays(*worth))


def threshold_policy(problem: StoppingProblem, thresholds: tuple[int | None, ...]) -> tuple[Floats, ...]:
    """Return the policy that answers once a run that began after result τ reaches threshold τ, if any."""
    reach = np.array([problem.budget if each is None else each for each in thresholds])
    runs = {t: run_lengths(t) for t in problem.steps}
    return tuple((run >= reach[t - run]).astype(np.float64) for t, run in runs.items())
