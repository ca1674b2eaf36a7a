"""The best simple stopping policy in hindsight, and how far an arm stays behind it."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN4
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import budget_of
from judged_useless.estimators.resampling import Floats, Measure, Resampling, Stream
from judged_useless.estimators.success import mean_measure, regime_sums, tool_call_counts, value_matrix
from judged_useless.stopping.fitted_policies import (
    FIELDS,
    Branches,
    StoppingPolicy,
    aligned_runs,
    outcome,
    simple_policies,
)


def policy_values(
    episodes: Episodes,
    branches: Branches,
    *,
    price: float = 0.0,
    policies: Sequence[StoppingPolicy] | None = None,
    regimes: Sequence[str] = MEAN4,
) -> pd.DataFrame:
    """Return what each simple stopping policy would have achieved on recorded runs.

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
        By default every one of :func:`simple_policies`.
    regimes : sequence of str, default MEAN4
        Regimes averaged with equal weight; those with answer-now branches.

    Returns
    -------
    pandas.DataFrame
        Index ``policy``, best first: ``success`` (a share), ``tool_calls`` (an episode) and ``utility``
        (success - price × calls). Equal utilities stay in the order of the policies.

    Raises
    ------
    UndefinedEstimateError
        If a regime has no episode, judgments are missing for an own-judgment policy, or a branch is missing
        where a policy fires.
    EpisodeError
        If an episode or a branch is not what is expected.
    ValueError
        If `price` is negative.

    References
    ----------
    Paper, Appendix D.2, Table 17 (arXiv:2610.06191).
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


def _policy_tables(
    episodes: Episodes,
    branches: Branches,
    price: float,
    policies: Sequence[StoppingPolicy] | None,
    regimes: Sequence[str],
) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    if price is None or isinstance(price, str | bool) or not (np.isfinite(price) and price >= 0):
        raise ValueError(f"price must be a finite number of at least 0, not {price!r}")
    data = aligned_runs(episodes, branches, regimes)
    chosen = simple_policies(budget_of(data.frame)) if policies is None else list(policies)
    if not chosen:
        raise ValueError("policies must name at least one policy")
    tables = {}
    for policy in chosen:
        success, calls = outcome(policy, data)
        tables[policy.name] = (
            value_matrix(data.frame, success, regimes), value_matrix(data.frame, calls, regimes)
        )  # fmt: skip
    return tables


def policy_regret(
    arm: Episodes,
    episodes: Episodes,
    branches: Branches,
    *,
    price: float = 0.0,
    policies: Sequence[StoppingPolicy] | None = None,
    regimes: Sequence[str] = MEAN4,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return how far an arm stays behind the best simple policy chosen in hindsight.

    Regret = max over policies of their offline utility on the unaided runs, minus the arm's own utility,
    both over the same questions and regimes.

    Parameters
    ----------
    arm : pandas.DataFrame or iterable of mappings
        Episodes of the arm (one model and condition), with ``success``.
    episodes, branches, price, policies, regimes
        As in :func:`policy_values`; `episodes` may be the arm itself.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`. The best policy is chosen
        anew in each resample.

    Returns
    -------
    Estimate
        In units of a correct answer; negative when the arm is better. `n` counts the arm's episodes. The
        name tells the best policy; its parts hold ``best_utility`` and ``arm_utility``.

    Raises
    ------
    UndefinedEstimateError
        As for :func:`policy_values`, or if the arm lacks a question of `episodes`.
    EpisodeError
        If an episode or a branch is not what is expected.
    ValueError
        If `price` is negative.

    Notes
    -----
    The best of many policies on the same data is an optimistic reference, and so the regret is biased
    upwards; its interval inherits that. The paper gives no interval.

    References
    ----------
    Paper §5 "How good is the stopping point?", Appendix D.2, Table 17 (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    tables = _policy_tables(episodes, branches, price, policies, regimes)
    names = list(tables)
    utilities = [success - price * calls for success, calls in tables.values()]
    frame = as_frame(arm, FIELDS)
    own_values = frame["success"].to_numpy(dtype=np.float64) - price * tool_call_counts(frame)
    questions = utilities[0].index
    own = value_matrix(frame, own_values, regimes)
    lacking = questions[~questions.isin(own.index)]
    if len(lacking):
        raise UndefinedEstimateError(
            f"regret is undefined: the arm lacks {len(lacking)} of {len(questions)} questions, such as "
            f"{lacking[0]!r}"
        )
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
    name = f"regret against {names[best]} (λ = {price:g})"
    return Measure(name, flat, regret, n=int(sums[:, -1, :, 0].sum()), parts=parts).estimate(plan)
