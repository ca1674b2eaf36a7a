"""The stopping hazard by the number of failed results in a row."""

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import build_decision_points
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.cells import warn_if_pooled
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.index import before_last_action
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Resampling, Stream, cluster_sums


def hazard_by_failed_run(
    episodes: Episodes,
    *,
    t_max: int | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> pd.DataFrame:
    """Return the probability of answering at a decision, by the number j of failed results just before it.

    h(j) = answers / decisions, over the decisions whose current run of failed results (design labels) has
    length j, pooled over the episodes given; the last chance to answer is left out.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime`` (or ``failed``), ``actions`` and ``judgments`` (which may be empty);
        the paper pools the five regimes in :data:`judged_useless.FAIL`.
    t_max : int, optional
        Last decision pooled; by default the budget minus 2 (6 of 8 actions).
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with index ``failed_run``, one row for each j >= 1 that occurs; ``value`` is a
        probability in [0, 1], ``n`` counts decisions. Where no or every decision answers, the interval is
        stated as undefined, with its ``reason``.

    Raises
    ------
    UndefinedEstimateError
        If no decision follows a failed result.
    EpisodeError
        If it is not known which results failed.
    ValueError
        If an option is out of range.

    Notes
    -----
    A rise with j is no sign of integration: j grows with time when the source fails from the start. Decisions
    at a large j are those of agents that have not stopped before.

    References
    ----------
    Paper, Appendix C.2, Figure 5 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> hazard = hazard_by_failed_run(load_episodes(condition="enforced_rule", regimes=FAIL))
    >>> hazard["value"].round(2).to_dict()
    {1: 0.0, 2: 0.01, 3: 0.05, 4: 0.11, 5: 0.93, 6: 0.24}
    """
    plan = Resampling(n_boot, seed, level, stream)
    points = warn_if_pooled(build_decision_points(episodes), "the hazard")
    inside = before_last_action(points, t_max)
    lengths = [int(j) for j in np.unique(points.failed_run[inside]) if j >= 1]
    if not lengths:
        raise UndefinedEstimateError("the hazard is undefined: no decision follows a failed result")
    estimates: dict[object, Estimate] = {}
    for j in lengths:
        here = inside & (points.failed_run == j)
        columns = np.stack([here, here & points.answered], axis=1).astype(np.float64)
        sums = cluster_sums(points.question, points.n_questions, columns)
        estimates[j] = Measure(f"h({j})", sums, share, n=int(here.sum())).estimate(plan)
    return estimates_frame(estimates, "failed_run")
