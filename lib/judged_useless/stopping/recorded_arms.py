"""How far a recorded arm's stopping stays behind the best policy of a problem."""

from dataclasses import replace
from typing import Unpack

import numpy as np

from judged_useless.episodes.decisions import build_decision_points
from judged_useless.episodes.frames import UNKNOWN
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.resampling import Measure, Options, Resampling, resampled

from .best_policy import optimal_policy
from .problem import Floats, StoppingProblem, evaluate, run_lengths


@resampled
def arm_distance(
    problem: StoppingProblem, episodes: Episodes, *, name: str = "arm", **options: Unpack[Options]
) -> Estimate:
    """Return how far a recorded arm's stopping stays behind the optimal policy.

    The arm is its probability of answering at each (t, run), with run at least 1, as counted in its episodes.
    Right after a result judged USEFUL it is taken to go on, since what answers there is what the problem
    calls finding the answer. So only *when* the arm stops is compared, not how well it searches or answers.
    Judgments are free here, whatever the problem says: not every arm asks for them. The problem is held
    fixed: the interval is of what was counted in the episodes alone.

    Parameters
    ----------
    problem : StoppingProblem
        Source, judgments, prices.
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``actions`` and ``judgments``.
    name : str, default "arm"
        For the estimate's name.

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
    plan = Resampling(**options)
    problem = replace(problem, judgment_price=0.0)
    points = build_decision_points(episodes)
    budget = problem.budget
    inside = (points.run != UNKNOWN) & (points.run >= 1) & (points.t < budget)
    if not inside.any():
        raise UndefinedEstimateError(f"the distance of {name} is undefined: no decision after a USELESS")
    cell = (points.t * budget + points.run)[inside]
    counts = np.zeros((points.n_questions, 2, budget * budget))
    for which, counted in enumerate((np.ones(len(cell)), points.answered[inside])):
        np.add.at(counts[:, which], (points.question[inside], cell), counted)
    sums = counts.reshape(len(counts), -1)
    optimum = optimal_policy(problem).value

    def lost(totals: Floats) -> Floats:
        return np.asarray(optimum - evaluate(problem, _arm(problem, totals)).utility)

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
