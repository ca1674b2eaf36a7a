"""The pre-registered integration index, on design labels."""

import numpy as np

from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.episodes.steps import UNKNOWN
from judged_useless.estimators.cells import warn_if_pooled
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import Bools, budget_of
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Floats, Resampling, Stream, cluster_sums

#: Runs of failed results whose hazards the index subtracts.
LATE, EARLY = (4, 5), (1, 2)


def before_last_action(points: DecisionPoints, t_max: int | None) -> Bools:
    """Return which decisions come before the last chance to answer: t up to the budget minus 2, or `t_max`.

    Raises
    ------
    EpisodeError
        If it is not known of any result whether it failed.
    ValueError
        If `t_max` is below 1.
    """
    last = budget_of(points.episodes) - 2 if t_max is None else t_max
    if last < 1:
        raise ValueError(f"t_max must be at least 1, not {last}")
    if len(points.t) and (points.failed_run == UNKNOWN).all():
        raise EpisodeError(
            "episodes: which results failed is unknown; expected a 'regime' with a failure schedule, or "
            "'failed'"
        )
    return points.t <= last


def _difference(sums: Floats) -> Floats:
    return share(sums[..., 0:2]) - share(sums[..., 2:4])


def index_measure(points: DecisionPoints, t_max: int | None = None) -> Measure:
    """Return the integration index as a measure, not yet resampled.

    Parameters
    ----------
    points : DecisionPoints
        The decisions.
    t_max : int, optional
        As in :func:`integration_index`.

    Returns
    -------
    Measure

    Raises
    ------
    UndefinedEstimateError
        If no decision follows four or five failed results in a row, or none follows one or two.
    """
    inside = before_last_action(points, t_max)
    late, early = (inside & np.isin(points.failed_run, runs) for runs in (LATE, EARLY))
    for runs, chosen in ((LATE, late), (EARLY, early)):
        if not chosen.any():
            raise UndefinedEstimateError(
                f"the integration index is undefined: no decision after {runs[0]} or {runs[1]} failed "
                "results in a row"
            )
    answered = points.answered
    columns = np.stack([late, late & answered, early, early & answered], axis=1).astype(np.float64)
    sums = cluster_sums(points.question, points.n_questions, columns)
    n_late, x_late, n_early, x_early = columns.sum(axis=0).tolist()
    parts = {
        "h_4_5": x_late / n_late, "h_1_2": x_early / n_early,
        "n_4_5": n_late, "answers_4_5": x_late, "n_1_2": n_early, "answers_1_2": x_early,
    }  # fmt: skip
    return Measure("I", sums, _difference, n=int(n_late + n_early), parts=parts)


def integration_index(
    episodes: Episodes,
    *,
    t_max: int | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    r"""Return the integration index I, the pre-registered (and confounded) stopping measure.

    .. math::

        I = h(\{4, 5\}) - h(\{1, 2\}),

    where h(J) is the share of decisions that answer among those whose current run of *failed* results has a
    length in J, pooled over the episodes given.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime`` (or ``failed``), ``actions`` and ``judgments`` (which may be empty).
        The paper pools the five regimes in :data:`judged_useless.FAIL`; a clean episode adds nothing.
    t_max : int, optional
        Last decision pooled; by default the budget minus 2 (6 of 8 actions).
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions. Its parts hold the two hazards
        ``h_4_5`` and ``h_1_2`` with their counts.

    Raises
    ------
    UndefinedEstimateError
        If one of the two kinds of decision does not occur, as when an agent always stops earlier.
    EpisodeError
        If it is not known which results failed.
    ValueError
        If an option is out of range.

    Notes
    -----
    Not a measure of integration by itself: where the source fails from the start the run grows with time,
    so an agent that stops by a clock scores up to +0.5 (Table 7).

    References
    ----------
    Paper §2, Appendix C.2, Tables 9, 13 and 14 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> index = integration_index(load_episodes(condition="enforced_rule", regimes=FAIL))
    >>> print(index)
    I = 0.473 [0.454, 0.491]
    >>> round(index["h_4_5"], 2), round(index["h_1_2"], 2)
    (0.48, 0.01)
    """
    plan = Resampling(n_boot, seed, level, stream)
    points = warn_if_pooled(build_decision_points(episodes), "I")
    return index_measure(points, t_max).estimate(plan)
