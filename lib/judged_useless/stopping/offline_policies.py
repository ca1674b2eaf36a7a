"""Stopping policies evaluated offline on recorded runs (paper, §3, §5 and Appendix D.2).

A policy that stops at a decision is credited with the answer that the agent gave when it was told to answer
there (``answer_now``), or with the run's own outcome if the agent had answered before the policy fires.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN4
from judged_useless.episodes.decisions import DecisionPoints, points_of
from judged_useless.episodes.frames import UNKNOWN, as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import budget_of, regime_names
from judged_useless.estimators.resampling import (
    Floats,
    Ints,
    Measure,
    Options,
    Resampling,
    number,
    resampled,
    share,
    share_measure,
)
from judged_useless.estimators.success import (
    TOOLS,
    mean_measure,
    regime_sums,
    tool_call_counts,
    utility_matrix,
    value_matrix,
)

from .stopping_policies import StoppingPolicy, simple_policies

_NEVER = -1


@dataclass(frozen=True)
class _Runs:
    """Recorded runs, and what answering at each of their decisions came to (NaN where that was not asked)."""

    frame: pd.DataFrame
    points: DecisionPoints
    answer_now: Floats  # (decisions,)
    calls_before: Floats  # (decisions,)
    success: Floats  # (runs,)
    calls: Floats  # (runs,)

    def first_firing(self, policy: StoppingPolicy) -> Ints:
        """Return, for each run, the decision at which a policy fires first, or -1."""
        points = self.points
        unknown = points.run == UNKNOWN
        if policy.own is not None and unknown.any():
            regime = self.frame["regime"].iloc[int(points.episode[unknown][0])]
            raise UndefinedEstimateError(f"policy {policy.name!r} is undefined: {regime} has no judgments")
        first = np.full(len(self.frame), _NEVER)
        fired = np.flatnonzero(policy.answers(points.t, points.run))[::-1]
        first[points.episode[fired]] = fired  # the earliest is written last
        return first

    def answered_at(self, name: str, decisions: Ints) -> Floats:
        """Return what answering at some decisions came to, which has to be known of all."""
        success = self.answer_now[decisions]
        if lacking := int(np.isnan(success).sum()):
            which = f"{lacking} of the {len(decisions)} decisions at which it answers"
            raise UndefinedEstimateError(f"{name} is undefined: {which} have no answer-now branch")
        return success


def _recorded(episodes: Episodes, regimes: Sequence[str]) -> _Runs:
    """Return the runs of some regimes, all of which are there."""
    names = regime_names("regimes", regimes)
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments", "success", "answer_now"))
    frame = frame[frame["regime"].isin(names)].reset_index(drop=True)
    success = frame["success"].to_numpy(dtype=np.float64)
    value_matrix(frame, success, names)  # refuses a regime that is not there, and cells that are mixed
    points = points_of(frame)
    made = [np.cumsum([action in TOOLS for action in actions]) for actions in frame["actions"]]
    before = [made[episode][t - 1] for episode, t in zip(points.episode, points.t, strict=True)]
    answer_now = np.array(points.replies("answer_now"), dtype=np.float64)
    return _Runs(frame, points, answer_now, np.array(before, np.float64), success, tool_call_counts(frame))


def _tables(
    episodes: Episodes, policies: Sequence[StoppingPolicy] | None, regimes: Sequence[str]
) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Return success and tool calls under each policy, by question and regime."""
    runs, tables = _recorded(episodes, regimes), {}
    for policy in simple_policies(budget_of(runs.frame)) if policies is None else policies:
        first = runs.first_firing(policy)
        fires = first != _NEVER
        success, calls = runs.success.copy(), runs.calls.copy()
        success[fires] = runs.answered_at(f"policy {policy.name!r}", first[fires])
        calls[fires] = runs.calls_before[first[fires]]
        both = (value_matrix(runs.frame, each, regimes) for each in (success, calls))
        tables[policy.name] = (next(both), next(both))
    if not tables:
        raise ValueError("policies must name at least one policy")
    return tables


def policy_values(
    episodes: Episodes,
    *,
    price: float = 0.0,
    policies: Sequence[StoppingPolicy] | None = None,
    regimes: Sequence[str] = MEAN4,
) -> pd.DataFrame:
    """Return what each simple stopping policy would have achieved on recorded runs (Appendix D.2, Table 17).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Unaided runs of one model, with replayed judgments, ``success`` and, as the probe of that name adds
        it, ``answer_now``: for each result whether answering right after it would have been right.
    price : float, default 0
        λ: price of a tool call in units of a correct answer.
    policies : sequence of StoppingPolicy, optional
        By default every one of :func:`~judged_useless.stopping.stopping_policies.simple_policies`.
    regimes : sequence of str, default MEAN4
        Regimes averaged with equal weight.

    Returns
    -------
    pandas.DataFrame
        Index ``policy``, best first: ``success`` (a share), ``tool_calls`` (an episode) and ``utility``
        (success - price × calls). Equal utilities stay in the order of the policies.

    Raises
    ------
    UndefinedEstimateError, EpisodeError, ValueError
        If a regime has no episode, or judgments or answers are missing where a policy needs them; if one of
        them is not what is expected; if `price` is negative.
    """
    number("price", price, 0)
    tables = _tables(episodes, policies, regimes)
    rows = {
        name: {
            "success": mean_measure(name, success).value(),
            "tool_calls": mean_measure(name, calls).value(),
            "utility": mean_measure(name, success - price * calls).value(),
        }
        for name, (success, calls) in tables.items()
    }
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("policy")
    return table.sort_values("utility", ascending=False, kind="stable")


@resampled
def policy_regret(
    arm: Episodes,
    episodes: Episodes,
    *,
    price: float = 0.0,
    policies: Sequence[StoppingPolicy] | None = None,
    regimes: Sequence[str] = MEAN4,
    **options: Unpack[Options],
) -> Estimate:
    """Return how far an arm stays behind the best simple policy chosen in hindsight.

    Regret = max over policies of their offline utility on the unaided runs, minus the arm's own utility,
    both over the same questions and regimes. Paper §5, Appendix D.2, Table 17 (arXiv:2610.06191).

    Parameters
    ----------
    arm : pandas.DataFrame or iterable of mappings
        Episodes of the arm (one model and condition), with ``success``.
    episodes, price, policies, regimes
        As in :func:`policy_values`; `episodes` may be the arm itself.

    Returns
    -------
    Estimate
        In units of a correct answer; negative when the arm is better. `n` counts the arm's episodes. The
        name tells the best policy, chosen anew in each resample; its parts hold ``best_utility`` and
        ``arm_utility``.

    Raises
    ------
    UndefinedEstimateError, EpisodeError, ValueError
        As for :func:`policy_values`, or if the arm lacks a question of `episodes`.

    Notes
    -----
    The best of many policies on the same data is an optimistic reference, and so the regret is biased
    upwards; its interval inherits that. The paper gives no interval.
    """
    plan = Resampling(**options)
    own = utility_matrix(arm, regimes, price, charge_judgments=False)
    tables = _tables(episodes, policies, regimes)
    utilities = [success - price * calls for success, calls in tables.values()]
    questions = utilities[0].index
    lacking = questions[~questions.isin(own.index)]
    if len(lacking):
        which = f"{len(lacking)} of {len(questions)} questions, such as {lacking[0]!r}"
        raise UndefinedEstimateError(f"regret is undefined: the arm lacks {which}")
    sums = np.stack([regime_sums(each) for each in (*utilities, own.loc[questions])], axis=1)

    def means(totals: Floats) -> Floats:
        return np.asarray(share(totals.reshape(*totals.shape[:-1], *sums.shape[1:])).mean(axis=-1))

    def regret(totals: Floats) -> Floats:
        every = means(totals)
        return np.asarray(every[..., :-1].max(axis=-1) - every[..., -1])

    flat = sums.reshape(len(sums), -1)
    every = means(flat.sum(axis=0))
    best = int(np.nanargmax(every[:-1]))
    parts = {"best_utility": float(every[best]), "arm_utility": float(every[-1])}
    name = f"regret against {list(tables)[best]} (λ = {price:g})"
    return Measure(name, flat, regret, n=int(sums[:, -1, :, 0].sum()), parts=parts).estimate(plan)


@resampled
def continue_or_answer(
    episodes: Episodes, *, k: int = 5, regimes: Sequence[str] = MEAN4, **options: Unpack[Options]
) -> Estimate:
    """Return what answering at once, after k useless results in a row, gains over what the agent did.

    At the first decision of each run at which the run of USELESS reaches k: success of the answer given there
    minus success of the run itself, averaged over those decisions. Specific to sources that do not recover
    once they have failed k times. Paper §3, Appendix D.2 "Continue or answer now" (arXiv:2610.06191).

    Parameters
    ----------
    episodes, regimes
        As in :func:`policy_values`.
    k : int, default 5
        Results in a row judged USELESS.

    Returns
    -------
    Estimate
        A difference of shares in [-1, 1]; `n` counts decisions. Its parts hold both success rates
        (``answering``, ``continuing``), the discordant counts (``answering_better``, ``continuing_better``)
        and ``calls_saved``, the tool calls a run that answers at once would not have made.

    Raises
    ------
    UndefinedEstimateError, EpisodeError, TypeError, ValueError
        If no run reaches k, or judgments or answers are missing or not what is expected; if `k` is not a
        whole number of at least 1.
    """
    plan = Resampling(**options)
    policy, runs = StoppingPolicy(own=k), _recorded(episodes, regimes)
    first = runs.first_firing(policy)
    reached = np.flatnonzero(first != _NEVER)
    name = f"answering now, after {k} useless results, minus continuing"
    if not len(reached):
        raise UndefinedEstimateError(f"{name} is undefined: no run of {k} useless results")
    now, own = runs.answered_at(name, first[reached]), runs.success[reached]
    gain = np.zeros(len(first))
    gain[reached] = now - own
    parts = {
        "answering": float(now.mean()), "continuing": float(own.mean()),
        "answering_better": float((now > own).sum()), "continuing_better": float((own > now).sum()),
        "calls_saved": float((runs.calls[reached] - runs.calls_before[first[reached]]).mean()),
    }  # fmt: skip
    measure = share_measure(name, runs.frame["question_id"], gain, first != _NEVER)
    return replace(measure, parts=parts).estimate(plan)
