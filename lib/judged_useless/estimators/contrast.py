"""Contrasts at the same step: Δ on the agent's own judgments, and its design-label form."""

from typing import Literal

import numpy as np

from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.schema import Episodes
from judged_useless.episodes.steps import UNKNOWN
from judged_useless.estimators.cells import warn_if_pooled
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.matching import (
    Bools,
    Ints,
    Weights,
    require_judgments,
    step_window,
    stratified_difference,
)
from judged_useless.estimators.measure import Measure
from judged_useless.estimators.resampling import Resampling, Stream
from judged_useless.estimators.stated_runs import Judgments, with_judgments

Strata = Literal["step", "question", "regime"]


def compared_histories(points: DecisionPoints, first: int, last: int, gap: int = 2) -> tuple[Bools, Bools]:
    """Return the two groups of decisions that Δ compares.

    Parameters
    ----------
    points : DecisionPoints
        The decisions.
    first, last : int
        Window of steps.
    gap : int, default 2
        Results at the start that the run of group (b) leaves out at least.

    Returns
    -------
    tuple of numpy.ndarray of bool, shape (n,)
        (a): the run covers every result, s = t. (b): 1 <= s <= t - gap.
    """
    inside = (points.t >= first) & (points.t <= last) & (points.run != UNKNOWN)
    return inside & (points.run == points.t), inside & (points.run >= 1) & (points.run <= points.t - gap)


def _strata(points: DecisionPoints, strata: Strata, last: int) -> Ints:
    if strata != "regime":
        return points.t
    codes, _ = points.label_codes("regime")
    return codes * (last + 1) + points.t


def contrast_measure(
    points: DecisionPoints,
    strata: Strata = "step",
    t_min: int = 3,
    t_max: int | None = None,
    gap: int = 2,
    weights: Weights = "mantel_haenszel",
) -> Measure:
    """Return Δ as a measure, not yet resampled.

    Parameters
    ----------
    points : DecisionPoints
        The decisions.
    strata, t_min, t_max, gap, weights
        As in :func:`time_matched_contrast`.

    Returns
    -------
    Measure

    Raises
    ------
    UndefinedEstimateError
        If a group is empty, or judgments are missing.
    ValueError
        If an option is out of range.
    """
    if strata not in ("step", "question", "regime"):
        raise ValueError(f"strata must be 'step', 'question' or 'regime', not {strata!r}")
    if weights not in ("mantel_haenszel", "equal", "n"):
        raise ValueError(f"weights must be 'mantel_haenszel', 'equal' or 'n', not {weights!r}")
    if gap < 1:
        raise ValueError(f"gap must be at least 1, not {gap}: (a) and (b) would overlap")
    first, last = step_window(points, t_min, t_max)
    require_judgments("Δ", points, (points.t >= first) & (points.t <= last))
    a, b = compared_histories(points, first, last, gap)
    return stratified_difference(
        "Δ",
        points,
        points.answered,
        a,
        b,
        _strata(points, strata, last),
        within_question=strata == "question",
        weights=weights,
    )


def time_matched_contrast(
    episodes: Episodes,
    *,
    strata: Strata = "step",
    judgments: Judgments = "recorded",
    t_min: int = 3,
    t_max: int | None = None,
    gap: int = 2,
    weights: Weights = "mantel_haenszel",
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    r"""Return Δ, the time-matched contrast on the agent's own judgments.

    At each decision t in ``t_min .. t_max`` group (a) holds the histories whose results were all judged
    USELESS (run s = t), group (b) those whose latest result was and an earlier one was not
    (1 <= s <= t - 2). Δ is the Mantel–Haenszel risk difference in answering,

    .. math::

        \Delta = \sum_t w_t (p_{a,t} - p_{b,t}) / \sum_t w_t,
        \quad w_t = n_{a,t} n_{b,t} / (n_{a,t} + n_{b,t}).

    Positive for an agent that stops on its run of useless results, zero for one that stops by a clock or the
    deadline, negative when stops follow earlier useful evidence.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``actions`` and ``judgments``. The paper pools the five regimes in
        :data:`judged_useless.FAIL`; what is given is what is pooled, with a warning where it is of more than
        one model, condition or split.
    strata : {"step", "question", "regime"}, default "step"
        Compare at the same t; at the same t of the same question; at the same t in the same regime.
    judgments : {"recorded", "stated"}, default "recorded"
        "stated" reads ``stated``, the judgments in the agent's reasoning, in place of ``judgments``. A
        missing judgment makes the run unknown until one other than USELESS follows, and decisions with an
        unknown run are left out (Appendix D.4).
    t_min : int, default 3
        First decision pooled.
    t_max : int, optional
        Last decision pooled; by default the budget minus 2 (6 of 8 actions), so that the last chance to
        answer is left out. The budget is the episodes' ``budget``, or 8.
    gap : int, default 2
        Results at the start that the run of group (b) leaves out at least: 1 <= s <= t - `gap`.
    weights : {"mantel_haenszel", "equal", "n"}
        Weight of a stratum: as above, 1, or its decisions.
    n_boot : int, default 2000
        Question-cluster resamples.
    seed : int, default 0
        Seed of the resampling.
    level : float, default 0.95
        Coverage of the percentile interval.
    stream : {"released", "numpy"}, default "released"
        "released" reproduces the published intervals to the last digit.

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions. Also ``["delta"]``, ``["ci_low"]``,
        ``["ci_high"]``; its parts hold the counts and crude rates of both groups.

    Raises
    ------
    UndefinedEstimateError
        If a group is empty or no stratum has both, as when all judgments are missing; or if a regime has no
        judgment at all while others have.
    EpisodeError
        If an episode is not what the schema says, or the strata need a regime that is not given.
    ValueError
        If an option is out of range.

    Notes
    -----
    Not to be trusted when group (b) is small (read ``parts["n_b"]``), or when decisions with an unknown run
    were left out selectively. A history in (b) may hold useful evidence, so a negative Δ does not by itself
    say that useless results keep the agent going; see the hazard model.

    References
    ----------
    Paper §2 "Measuring what stopping responds to", Appendix C.1, Tables 6, 22 and 23 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> unaided = load_episodes(condition="unaided", regimes=FAIL)
    >>> print(time_matched_contrast(unaided))
    Δ = -0.065 [-0.095, -0.039]
    >>> print(time_matched_contrast(unaided, strata="question"))
    Δ = -0.076 [-0.109, -0.046]
    """
    plan = Resampling(n_boot, seed, level, stream)
    points = warn_if_pooled(build_decision_points(with_judgments(episodes, judgments)), "Δ")
    return contrast_measure(points, strata, t_min, t_max, gap, weights).estimate(plan)


def design_label_measure(points: DecisionPoints, t_min: int = 3, t_max: int | None = None) -> Measure:
    """Return the design-label contrast as a measure, not yet resampled.

    Parameters
    ----------
    points : DecisionPoints
        The decisions.
    t_min, t_max
        As in :func:`design_label_contrast`.

    Returns
    -------
    Measure

    Raises
    ------
    UndefinedEstimateError
        If one of the two regimes has no decision in the window.
    """
    first, last = step_window(points, t_min, t_max)
    inside = (points.t >= first) & (points.t <= last)
    codes, regimes = points.label_codes("regime")
    members = {name: inside & (codes == code) for code, name in enumerate(regimes)}
    nowhere = np.zeros_like(inside)
    return stratified_difference(
        "design-label contrast",
        points,
        points.answered,
        members.get("persistent", nowhere),
        members.get("late_onset_from_3", nowhere),
        points.t,
        sides=("(a), persistent", "(b), late_onset_from_3"),
    )


def design_label_contrast(
    episodes: Episodes,
    *,
    t_min: int = 3,
    t_max: int | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the time-matched contrast on design labels, for agents without recorded judgments.

    As Δ, with (a) the decisions of the persistent regime and (b) those of late_onset_from_3 at the same t:
    in both the latest result failed, in (b) the first two did not.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments`` (which may be empty); regimes other
        than the two are ignored.
    t_min, t_max, n_boot, seed, level, stream
        As in :func:`time_matched_contrast`.

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions.

    Raises
    ------
    UndefinedEstimateError
        If one of the two regimes has no decision in the window.
    EpisodeError
        If an episode is not what the schema says.
    ValueError
        If an option is out of range.

    Notes
    -----
    Agents that answer in late_onset_from_3 before its onset leave few decisions in (b), and those are a
    selected set.

    References
    ----------
    Paper §2 "Reading Δ", Appendix C.1, Table 6 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(design_label_contrast(load_episodes(condition="enforced_rule")))
    design-label contrast = 0.158 [0.118, 0.197]
    """
    plan = Resampling(n_boot, seed, level, stream)
    points = warn_if_pooled(build_decision_points(episodes), "the design-label contrast")
    return design_label_measure(points, t_min, t_max).estimate(plan)
