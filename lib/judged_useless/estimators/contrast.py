"""Contrasts at the same step: Δ on the agent's own judgments, and its design-label form."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judged_useless.episodes.decisions import UNKNOWN, DecisionPoints, build_decision_points
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.resampling import Floats, Resampling, Statistic, Stream, cluster_sums, estimate

Strata = Literal["step", "question", "regime"]
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]

_DEFAULT_BUDGET = 8


def _budget(points: DecisionPoints) -> int:
    """Return the number of actions an episode may take: the episodes' own, or the paper's eight."""
    if "budget" not in points.episodes or points.episodes["budget"].isna().all():
        return _DEFAULT_BUDGET
    budgets = points.episodes["budget"].dropna().unique()
    if len(budgets) > 1:
        raise EpisodeError(
            f"episodes: field 'budget' mixes {sorted(map(int, budgets))}; contrast them one by one"
        )
    return int(budgets[0])


def step_window(points: DecisionPoints, t_min: int, t_max: int | None) -> tuple[int, int]:
    """Return the first and last decision that a contrast pools.

    Parameters
    ----------
    points : DecisionPoints
        Decision points, whose episodes may state a ``budget``.
    t_min : int
        First decision, at least 3: before that no history can have a useless run behind a useful result.
    t_max : int or None
        Last decision; None stands for the budget minus 2, which leaves out the last chance to answer.

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        If the window is empty or starts before 3.
    """
    last = _budget(points) - 2 if t_max is None else t_max
    if t_min < 3:
        raise ValueError(
            f"t_min must be at least 3, not {t_min}: earlier decisions have no reference history"
        )
    if last < t_min:
        raise ValueError(f"t_max must be at least t_min = {t_min}, not {last}")
    return t_min, last


def mantel_haenszel(sums: Floats) -> Floats:
    """Return the Mantel–Haenszel risk difference over strata.

    ``sum w (p_a - p_b) / sum w`` with ``w = n_a n_b / (n_a + n_b)``; strata with an empty side drop out.

    Parameters
    ----------
    sums : numpy.ndarray of float64, shape (..., strata, 4)
        Of each stratum: decisions in (a), answers in (a), decisions in (b), answers in (b).

    Returns
    -------
    numpy.ndarray of float64, shape (...)
        NaN where no stratum has both sides.
    """
    n_a, x_a, n_b, x_b = np.moveaxis(sums, -1, 0)
    total = n_a + n_b
    safe = np.where(total > 0, total, 1.0)
    weight = (n_a * n_b / safe).sum(axis=-1)
    # w (p_a - p_b) = (x_a n_b - x_b n_a) / (n_a + n_b), which needs no division by an empty side.
    difference = ((x_a * n_b - x_b * n_a) / safe).sum(axis=-1)
    return np.where(weight > 0, difference / np.where(weight > 0, weight, 1.0), np.nan)


def stratified_difference(
    name: str,
    points: DecisionPoints,
    event: Bools,
    a: Bools,
    b: Bools,
    stratum: Ints,
    plan: Resampling,
    *,
    within_question: bool = False,
) -> Estimate:
    """Return the Mantel–Haenszel difference of an event between two sets of decisions.

    Parameters
    ----------
    name : str
        Shown before the number.
    points : DecisionPoints
        The decisions.
    event, a, b : numpy.ndarray of bool, shape (n,)
        What is counted, and the two (disjoint) sets compared.
    stratum : numpy.ndarray of int, shape (n,)
        Stratum of each decision, from 0.
    plan : Resampling
        How to resample.
    within_question : bool, default False
        Compare only within a question: strata are question × `stratum`.

    Returns
    -------
    Estimate
        With the counts and the crude rates of both sets as parts.

    Raises
    ------
    UndefinedEstimateError
        If a set is empty, or no stratum holds decisions of both.
    """
    for side, chosen in (("(a), the long run", a), ("(b), the short run", b)):
        if not chosen.any():
            raise UndefinedEstimateError(f"{name} is undefined: no decision in group {side}")
    used = a | b
    columns = np.stack([a, a & event, b, b & event], axis=1)[used].astype(np.float64)
    strata, code = np.unique(stratum[used], return_inverse=True)
    question, width = points.question[used], len(strata)
    cells = cluster_sums(question * width + code, points.n_questions * width, columns)
    by_stratum = cells.reshape(points.n_questions, width, 4)
    sums, statistic = _question_ratio(by_stratum) if within_question else _pooled(by_stratum)
    counts = dict(zip(("n_a", "answers_a", "n_b", "answers_b"), columns.sum(axis=0).tolist(), strict=True))
    rates = {"rate_a": counts["answers_a"] / counts["n_a"], "rate_b": counts["answers_b"] / counts["n_b"]}
    return estimate(
        name, sums, statistic, plan,
        n=int(used.sum()), parts=counts | rates, undefined="no stratum holds decisions of both groups",
    )  # fmt: skip


def _pooled(by_stratum: Floats) -> tuple[Floats, Statistic]:
    shape = by_stratum.shape[1:]
    flat = by_stratum.reshape(len(by_stratum), -1)
    return flat, lambda sums: mantel_haenszel(sums.reshape(*sums.shape[:-1], *shape))


def _question_ratio(by_stratum: Floats) -> tuple[Floats, Statistic]:
    """Each question's own strata are resampled with it, so two sums a question are enough."""
    n_a, x_a, n_b, x_b = np.moveaxis(by_stratum, -1, 0)
    safe = np.where(n_a + n_b > 0, n_a + n_b, 1.0)
    sums = np.stack([((x_a * n_b - x_b * n_a) / safe).sum(axis=1), (n_a * n_b / safe).sum(axis=1)], axis=1)

    def ratio(pair: Floats) -> Floats:
        weight = pair[..., 1]
        return np.where(weight > 0, pair[..., 0] / np.where(weight > 0, weight, 1.0), np.nan)

    return sums, ratio


def time_matched_contrast(
    episodes: Episodes,
    *,
    strata: Strata = "step",
    t_min: int = 3,
    t_max: int | None = None,
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
        :data:`judged_useless.FAIL`; what is given is what is pooled.
    strata : {"step", "question", "regime"}, default "step"
        Compare at the same t; at the same t of the same question; at the same t in the same regime.
    t_min : int, default 3
        First decision pooled.
    t_max : int, optional
        Last decision pooled; by default the budget minus 2 (6 of 8 actions), so that the last chance to
        answer is left out. The budget is the episodes' ``budget``, or 8.
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
        If a group is empty or no stratum has both, as when all judgments are missing.
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
    Paper §2 "Measuring what stopping responds to", Appendix C.1, Table 6 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> unaided = load_episodes(condition="unaided", regimes=FAIL)
    >>> print(time_matched_contrast(unaided))
    Δ = -0.065 [-0.095, -0.039]
    """
    if strata not in ("step", "question", "regime"):
        raise ValueError(f"strata must be 'step', 'question' or 'regime', not {strata!r}")
    plan = Resampling(n_boot, seed, level, stream)
    points = build_decision_points(episodes)
    first, last = step_window(points, t_min, t_max)
    if not points.judged.any():
        raise UndefinedEstimateError(
            "Δ is undefined: no result of these episodes has a judgment; replay the judgments, or use "
            "design_label_contrast"
        )
    inside = (points.t >= first) & (points.t <= last) & (points.run != UNKNOWN)
    long_run = inside & (points.run == points.t)
    short_run = inside & (points.run >= 1) & (points.run <= points.t - 2)
    stratum = points.t
    if strata == "regime":
        codes, _ = points.label_codes("regime")
        stratum = codes * (last + 1) + points.t
    return stratified_difference(
        "Δ", points, points.answered, long_run, short_run, stratum, plan, within_question=strata == "question"
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
    """
    plan = Resampling(n_boot, seed, level, stream)
    points = build_decision_points(episodes)
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
        plan,
    )
