"""Contrasts at the same step: Δ on the agent's own judgments, on design labels, and for leaving a source."""

from typing import Literal, Unpack

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.frames import UNKNOWN, as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.protocol.vocabulary import ACTIONS

from .estimate import Estimate, UndefinedEstimateError
from .matching import (
    Bools,
    Ints,
    Judgments,
    Weights,
    failing_points,
    noted,
    require_judgments,
    step_window,
    stratified_difference,
    warn_if_pooled,
    with_judgments,
)
from .resampling import Measure, Options, Resampling, resampled, whole_number

Strata = Literal["step", "question", "regime"]
_EXITS = [ACTIONS.index(word) for word in ("backup_search", "finish")]
_NEVER = np.iinfo(np.int64).max


def compared_histories(points: DecisionPoints, first: int, last: int, gap: int = 2) -> tuple[Bools, Bools]:
    """Return which decisions of a window are in (a), s = t, and which in (b), 1 <= s <= t - gap."""
    inside = (points.t >= first) & (points.t <= last) & (points.run != UNKNOWN)
    return inside & (points.run == points.t), inside & (points.run >= 1) & (points.run <= points.t - gap)


def contrast_measure(
    points: DecisionPoints,
    strata: Strata = "step",
    t_min: int = 3,
    t_max: int | None = None,
    gap: int = 2,
    weights: Weights = "mantel_haenszel",
) -> Measure:
    """Return Δ as a measure, not yet resampled; the options are those of :func:`time_matched_contrast`."""
    if strata not in ("step", "question", "regime"):
        raise ValueError(f"strata must be 'step', 'question' or 'regime', not {strata!r}")
    if weights not in ("mantel_haenszel", "equal", "n"):
        raise ValueError(f"weights must be 'mantel_haenszel', 'equal' or 'n', not {weights!r}")
    whole_number("gap", gap)  # at 0, (a) and (b) would overlap
    first, last = step_window(points, t_min, t_max)
    require_judgments("Δ", points, (points.t >= first) & (points.t <= last))
    a, b = compared_histories(points, first, last, gap)
    stratum = points.t
    if strata == "regime":
        stratum = points.label_codes("regime")[0] * (last + 1) + points.t
    within = strata == "question"
    return stratified_difference(
        "Δ", points, points.answered, a, b, stratum, within_question=within, weights=weights
    )


@resampled
def time_matched_contrast(
    episodes: Episodes,
    *,
    strata: Strata = "step",
    judgments: Judgments = "recorded",
    t_min: int = 3,
    t_max: int | None = None,
    gap: int = 2,
    weights: Weights = "mantel_haenszel",
    **options: Unpack[Options],
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
    Paper §2 "Measuring what stopping responds to", Appendix C.1, Tables 6, 22 and 23 (arXiv:2610.06191).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``actions`` and ``judgments``. What is given is pooled, with a warning where it
        is of more than one model, condition, split or task; clean and plausible episodes beside others are
        left out, as in the paper, which pools the regimes in :data:`judged_useless.FAIL`.
    strata : {"step", "question", "regime"}, default "step"
        Compare at the same t; at the same t of the same question; at the same t in the same regime.
    judgments : {"recorded", "stated"}, default "recorded"
        "stated" reads ``stated``, the judgments in the agent's reasoning. A missing judgment makes the run
        unknown until one other than USELESS follows; such decisions are left out (Appendix D.4).
    t_min : int, default 3
        First decision pooled.
    t_max : int, optional
        Last decision pooled; by default the budget minus 2 (6 of 8 actions), so that the last chance to
        answer is left out. The budget is the episodes' ``budget``; where none states one 8, or the actions
        of the longest, which the note says.
    gap : int, default 2
        Results at the start that the run of group (b) leaves out at least: 1 <= s <= t - `gap`.
    weights : {"mantel_haenszel", "equal", "n"}
        Weight of a stratum: as above, 1, or its decisions.
    n_boot : int, default 2000
        Question-cluster resamples.
    seed : int, default 0
        Seed of the resampling; 0 reproduces the published intervals to the last digit.
    level : float, default 0.95
        Coverage of the percentile interval.

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions. Also ``["delta"]``, ``["ci_low"]``,
        ``["ci_high"]``; its parts hold the counts and crude rates of both groups, and how many results were
        judged and how many of those judgments could not be read (``n_judged``, ``n_unparsed``).

    Raises
    ------
    UndefinedEstimateError
        If a group is empty or no stratum has both, as when all judgments are missing; or if a regime has no
        judgment at all while others have.
    EpisodeError
        If the strata need a regime that is not given.

    Notes
    -----
    Not to be trusted when group (b) is small (read ``parts["n_b"]``), or when decisions with an unknown run
    were left out selectively. A history in (b) may hold useful evidence, so a negative Δ does not by itself
    say that useless results keep the agent going; see the hazard model.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> unaided = load_episodes(condition="unaided", regimes=FAIL)
    >>> print(time_matched_contrast(unaided))
    Δ = -0.065 [-0.095, -0.039]
    >>> print(time_matched_contrast(unaided, strata="question"))
    Δ = -0.076 [-0.109, -0.046]
    """
    plan = Resampling(**options)
    points, left_out = failing_points(with_judgments(episodes, judgments), "Δ")
    measure = contrast_measure(points, strata, t_min, t_max, gap, weights)
    return noted(measure, points, t_max, left_out, judged=True).estimate(plan)


def design_label_measure(points: DecisionPoints, t_min: int = 3, t_max: int | None = None) -> Measure:
    """Return the design-label contrast as a measure, not yet resampled."""
    first, last = step_window(points, t_min, t_max)
    inside = (points.t >= first) & (points.t <= last)
    codes, regimes = points.label_codes("regime")
    a, b = (
        inside & np.isin(codes, [code for code, name in enumerate(regimes) if name == wanted])
        for wanted in ("persistent", "late_onset_from_3")
    )
    return stratified_difference(
        "design-label contrast", points, points.answered, a, b, points.t,
        sides=("(a), persistent", "(b), late_onset_from_3"),
    )  # fmt: skip


@resampled
def design_label_contrast(
    episodes: Episodes, *, t_min: int = 3, t_max: int | None = None, **options: Unpack[Options]
) -> Estimate:
    """Return the time-matched contrast on design labels, for agents without recorded judgments.

    As Δ, with (a) the decisions of the persistent regime and (b) those of late_onset_from_3 at the same t:
    in both the latest result failed, in (b) the first two did not. Paper §2 "Reading Δ", Table 6.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments`` (which may be empty); regimes other
        than the two are ignored.
    t_min, t_max
        As in :func:`time_matched_contrast`.

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions. Agents that answer before the
        onset leave few and selected decisions in (b).

    Raises
    ------
    UndefinedEstimateError
        If one of the two regimes has no decision in the window.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(design_label_contrast(load_episodes(condition="enforced_rule")))
    design-label contrast = 0.158 [0.118, 0.197]
    """
    plan = Resampling(**options)
    points = build_decision_points(episodes)
    warn_if_pooled(points.episodes, "the design-label contrast")
    return noted(design_label_measure(points, t_min, t_max), points, t_max, "", judged=False).estimate(plan)


def first_switch(episodes: pd.DataFrame) -> Ints:
    """Return the number of actions before an episode's first backup_search, or a huge number without one."""
    lists = map(list, episodes["actions"])
    return np.array([a.index("backup_search") if "backup_search" in a else _NEVER for a in lists], np.int64)


@resampled
def leave_contrast(
    episodes: Episodes, *, t_min: int = 3, t_max: int | None = None, **options: Unpack[Options]
) -> Estimate:
    """Return the time-matched contrast for leaving the primary source, by switching or by answering.

    As Δ, over the decisions at which the backup has not been used yet, with the event "the action is
    backup_search or finish". Paper §4 "A backup tool", Appendix D.5, Table 25 (arXiv:2610.06191).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Two-source episodes with ``question_id``, ``actions`` and ``judgments``; the paper pools the failure
        regimes of the primary source.
    t_min, t_max
        As in :func:`time_matched_contrast`.

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions. Agents that switch at the first
        useless result leave few and selected ones.

    Raises
    ------
    UndefinedEstimateError
        If no episode uses the backup at all, a group is empty, or judgments are missing.

    Examples
    --------
    >>> def episode(question, judgments, last):
    ...     actions = ["search"] * len(judgments) + [last]
    ...     return {"question_id": question, "actions": actions, "judgments": judgments}
    >>> useless, mixed = ["USELESS"] * 3, ["USELESS", "USEFUL", "USELESS"]
    >>> left = [episode("q1", useless, "backup_search"), episode("q2", mixed, "search")]
    >>> leave_contrast(left).value
    1.0
    """
    plan, name = Resampling(**options), "Δ (leave)"
    points, left_out = failing_points(episodes, name)
    first, last = step_window(points, t_min, t_max)
    switch = first_switch(points.episodes)
    if (switch == _NEVER).all():
        raise UndefinedEstimateError(f"{name} is undefined: no episode uses backup_search")
    still = points.t <= switch[points.episode]
    require_judgments(name, points, still & (points.t >= first) & (points.t <= last))
    a, b = compared_histories(points, first, last)
    leaves = np.isin(points.action, _EXITS)
    measure = stratified_difference(name, points, leaves, a & still, b & still, points.t)
    return noted(measure, points, t_max, left_out, judged=True).estimate(plan)


def switch_summary(episodes: Episodes, *, by: int = 4) -> pd.Series:
    """Return when episodes first switch to the backup source (paper, Appendix D.5, Table 25).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Two-source episodes of one regime, with ``question_id`` and ``actions``.
    by : int, default 4
        Action, counted from 1, by which a switch counts as early.

    Returns
    -------
    pandas.Series
        ``switched_by`` and ``ever_switched`` (shares of episodes), ``median_first`` (action of the first
        switch, counted from 1; missing if none switches), ``answered_first`` (share that answers without a
        switch before) and ``n`` (episodes).

    Examples
    --------
    >>> switch, answer = ["search", "backup_search", "finish"], ["search", "finish"]
    >>> rows = [{"question_id": q, "actions": each} for q, each in (("a", switch), ("b", answer))]
    >>> switch_summary(rows).to_dict()
    {'switched_by': 0.5, 'ever_switched': 0.5, 'median_first': 2.0, 'answered_first': 0.5, 'n': 2.0}
    """
    whole_number("by", by)
    frame = as_frame(episodes, ("question_id", "actions"))
    first = first_switch(frame)
    switched = first < _NEVER
    answered = np.array([list(actions)[-1:] == ["finish"] for actions in frame["actions"]])
    median = np.median(first[switched] + 1) if switched.any() else np.nan
    shares = {"switched_by": (first < by).mean(), "ever_switched": switched.mean(), "median_first": median}
    return pd.Series(shares | {"answered_first": (answered & ~switched).mean(), "n": len(frame)}, dtype=float)
