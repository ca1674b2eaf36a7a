"""Stopping policies evaluated offline on recorded runs (paper, §3, §5 and Appendix D.2).

A policy that stops at a decision is credited with the answer-now branch replayed from there, or with the
run's own outcome if the agent had answered before the policy fires.
"""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN4
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import budget_of
from judged_useless.estimators.resampling import (
    Floats,
    Measure,
    Options,
    Resampling,
    cluster_sums,
    resampled,
    share,
)
from judged_useless.estimators.success import mean_measure, regime_sums, tool_call_counts, value_matrix

from .offline_runs import FIELDS, NEVER, Branches, aligned_runs, branches_at, first_firing
from .problem import number
from .stopping_policies import StoppingPolicy, simple_policies


def _policy_tables(
    episodes: Episodes,
    branches: Branches,
    price: float,
    policies: Sequence[StoppingPolicy] | None,
    regimes: Sequence[str],
) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Return success and tool calls under each policy, by question and regime."""
    if number("price", price) < 0:
        raise ValueError(f"price is {price!r}, expected a number of at least 0")
    runs = aligned_runs(episodes, branches, regimes)
    if policies is None:
        policies = simple_policies(budget_of(runs.frame))
    tables = {}
    for policy in policies:
        first = first_firing(policy, runs)
        fires = first != NEVER
        success, calls = runs.own_success.copy(), runs.own_calls.copy()
        success[fires] = branches_at(f"policy {policy.name!r}", first[fires], runs)
        calls[fires] = runs.calls_before[first[fires]]
        tables[policy.name] = (
            value_matrix(runs.frame, success, regimes),
            value_matrix(runs.frame, calls, regimes),
        )
    if not tables:
        raise ValueError("policies must name at least one policy")
    return tables


def policy_values(
    episodes: Episodes,
    branches: Branches,
    *,
    price: float = 0.0,
    policies: Sequence[StoppingPolicy] | None = None,
    regimes: Sequence[str] = MEAN4,
) -> pd.DataFrame:
    """Return what each simple stopping policy would have achieved on recorded runs (Appendix D.2, Table 17).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Unaided runs of one model, with replayed judgments and ``success``.
    branches : pandas.DataFrame or iterable of mappings
        Answer-now branches, one a row: ``question_id``, ``regime``, ``t`` (results seen, from 1) and
        ``success``.
    price : float, default 0
        λ: price of a tool call in units of a correct answer.
    policies : sequence of StoppingPolicy, optional
        By default every one of :func:`~judged_useless.stopping.stopping_policies.simple_policies`.
    regimes : sequence of str, default MEAN4
        Regimes averaged with equal weight; those with answer-now branches.

    Returns
    -------
    pandas.DataFrame
        Index ``policy``, best first: ``success`` (a share), ``tool_calls`` (an episode) and ``utility``
        (success - price × calls). Equal utilities stay in the order of the policies.

    Raises
    ------
    UndefinedEstimateError, EpisodeError, ValueError
        If a regime has no episode, or judgments or branches are missing where a policy needs them; if one of
        them is not what is expected; if `price` is negative.
    """
    tables = _policy_tables(episodes, branches, price, policies, regimes)
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
    branches: Branches,
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
    episodes, branches, price, policies, regimes
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
    tables = _policy_tables(episodes, branches, price, policies, regimes)
    utilities = [success - price * calls for success, calls in tables.values()]
    frame = as_frame(arm, FIELDS)
    own_values = frame["success"].to_numpy(dtype=np.float64) - price * tool_call_counts(frame)
    questions = utilities[0].index
    own = value_matrix(frame, own_values, regimes)
    lacking = questions[~questions.isin(own.index)]
    if len(lacking):
        which = f"{len(lacking)} of {len(questions)} questions, such as {lacking[0]!r}"
        raise UndefinedEstimateError(f"regret is undefined: the arm lacks {which}")
    sums = np.stack([regime_sums(each) for each in (*utilities, own.loc[questions])], axis=1)
    shape = sums.shape[1:]

    def means(totals: Floats) -> Floats:
        count, total = np.moveaxis(totals.reshape(*totals.shape[:-1], *shape), -1, 0)
        every = np.where(count > 0, total / np.where(count > 0, count, 1.0), np.nan)
        return np.asarray(every.mean(axis=-1))

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
    episodes: Episodes,
    branches: Branches,
    *,
    k: int = 5,
    regimes: Sequence[str] = MEAN4,
    **options: Unpack[Options],
) -> Estimate:
    """Return what answering at once, after k useless results in a row, gains over what the agent did.

    At the first decision of each run at which the run of USELESS reaches k: success of the answer-now branch
    minus success of the run itself, averaged over those decisions. Specific to sources that do not recover
    once they have failed k times. Paper §3, Appendix D.2 "Continue or answer now" (arXiv:2610.06191).

    Parameters
    ----------
    episodes, branches, regimes
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
        If no run reaches k, or judgments or branches are missing or not what is expected; if `k` is not a
        whole number of at least 1.
    """
    plan = Resampling(**options)
    policy = StoppingPolicy(own=k)
    runs = aligned_runs(episodes, branches, regimes)
    first = first_firing(policy, runs)
    reached = np.flatnonzero(first != NEVER)
    name = f"answering now, after {k} useless results, minus continuing"
    if not len(reached):
        raise UndefinedEstimateError(f"{name} is undefined: no run of {k} useless results")
    now, own = branches_at(name, first[reached], runs), runs.own_success[reached]
    codes, questions = pd.factorize(runs.frame["question_id"])
    columns = np.stack([np.ones_like(now), now - own], axis=1)
    sums = cluster_sums(codes[reached].astype(np.int64), len(questions), columns)
    parts = {
        "answering": float(now.mean()), "continuing": float(own.mean()),
        "answering_better": float((now > own).sum()), "continuing_better": float((own > now).sum()),
        "calls_saved": float((runs.own_calls[reached] - runs.calls_before[first[reached]]).mean()),
    }  # fmt: skip
    return Measure(name, sums, share, n=len(reached), parts=parts).estimate(plan)
