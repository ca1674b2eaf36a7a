"""What the judgments say: how often a result is called useless."""

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import observation_table
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.resampling import Floats, Resampling, Stream, cluster_sums, estimate


def estimates_frame(estimates: dict[str, Estimate], index: str) -> pd.DataFrame:
    """Return estimates as a small table.

    Parameters
    ----------
    estimates : dict of str to Estimate
        One row each.
    index : str
        Name of the index.

    Returns
    -------
    pandas.DataFrame
        Columns as in :meth:`Estimate.row`.
    """
    rows = pd.DataFrame([each.row() for each in estimates.values()])
    rows.index = pd.Index(list(estimates), name=index)
    return rows


def share(sums: Floats) -> Floats:
    """Return the share of a total: sums of shape (..., 2) hold the total and the part."""
    total, part = sums[..., 0], sums[..., 1]
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), np.nan)


def useless_rate(
    episodes: Episodes,
    *,
    failed: bool | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> pd.DataFrame:
    """Return the share of judgments that say USELESS, by regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``; one model and condition.
    failed : bool, optional
        Count only results that failed by design (True) or that did not (False); by default both.
    n_boot, seed, level, stream
        Of the question-cluster bootstrap, as in
        :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates, one row a regime that has such judgments, in order of appearance; ``value`` is
        a share in [0, 1] and ``n`` counts judgments: the unparsed ones are in it, the missing ones are not.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    UndefinedEstimateError
        If no result that is asked for has a judgment.

    References
    ----------
    Paper §3 "Judgments are accurate", Figure 1 (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    table = observation_table(episodes)
    chosen = table[table["judgment"].notna()]
    if failed is not None:
        chosen = chosen[(chosen["failed"] == failed).fillna(False)]
    if chosen.empty:
        kind = {None: "", True: "failed ", False: "real "}[failed]
        raise UndefinedEstimateError(
            f"the share of useless judgments is undefined: no {kind}result has a judgment"
        )
    estimates = {}
    for regime, part in chosen.groupby("regime", sort=False, observed=True):
        codes, questions = pd.factorize(part["question_id"])
        says = (part["judgment"] == "USELESS").to_numpy(dtype=np.float64)
        sums = cluster_sums(
            codes.astype(np.int64), len(questions), np.stack([np.ones_like(says), says], axis=1)
        )
        estimates[str(regime)] = estimate(f"judged useless ({regime})", sums, share, plan, n=len(part))
    return estimates_frame(estimates, "regime")
