"""Whether stopping on the agent's own judgments would have paid."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN4
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.resampling import (
    Measure,
    Resampling,
    Stream,
    cluster_sums,
    share,
    whole_number,
)
from judged_useless.stopping.fitted_policies import (
    NEVER,
    Branches,
    StoppingPolicy,
    aligned_runs,
    first_firing,
)


def continue_or_answer(
    episodes: Episodes,
    branches: Branches,
    *,
    k: int = 5,
    regimes: Sequence[str] = MEAN4,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return what answering at once, after k useless results in a row, gains over what the agent did.

    At the first decision of each run at which the run of USELESS reaches k: success of the answer-now branch
    minus success of the run itself, averaged over those decisions.

    Parameters
    ----------
    episodes, branches, regimes
        As in :func:`policy_values`.
    k : int, default 5
        Results in a row judged USELESS.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A difference of shares in [-1, 1]; `n` counts decisions. Its parts hold both success rates
        (``answering``, ``continuing``), the discordant counts (``answering_better``, ``continuing_better``)
        and ``calls_saved``, the tool calls a run that answers at once would not have made.

    Raises
    ------
    UndefinedEstimateError
        If no run reaches k, or judgments or branches are missing.
    EpisodeError
        If an episode or a branch is not what is expected.
    TypeError
        If `k` is not a whole number.
    ValueError
        If `k` is below 1.

    Notes
    -----
    Specific to sources that do not recover once they have failed k times.

    References
    ----------
    Paper §3, Appendix D.2 "Continue or answer now" (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    policy = StoppingPolicy(own=whole_number("k", k))
    data = aligned_runs(episodes, branches, regimes)
    first = first_firing(policy, data)
    reached = np.flatnonzero(first != NEVER)
    name = f"answering now, after {k} useless results, minus continuing"
    if not len(reached):
        raise UndefinedEstimateError(f"{name} is undefined: no run of {k} useless results")
    now, own = data.branch[first[reached]], data.own_success[reached]
    if np.isnan(now).any():
        raise UndefinedEstimateError(
            f"{name} is undefined: {int(np.isnan(now).sum())} of {len(now)} decisions have no answer-now "
            "branch"
        )
    codes, questions = pd.factorize(data.frame["question_id"])
    columns = np.stack([np.ones_like(now), now - own], axis=1)
    sums = cluster_sums(codes[reached].astype(np.int64), len(questions), columns)
    parts = {
        "answering": float(now.mean()), "continuing": float(own.mean()),
        "answering_better": float((now > own).sum()), "continuing_better": float((own > now).sum()),
        "calls_saved": float((data.own_calls[reached] - data.calls_before[first[reached]]).mean()),
    }  # fmt: skip

    return Measure(name, sums, share, n=len(reached), parts=parts).estimate(plan)
