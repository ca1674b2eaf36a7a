"""What agents do once their judgments have run to k."""

import numpy as np

from judged_useless.episodes.decisions import build_decision_points
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.answering import ends_in_answer, of_regime
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.stated_runs import Judgments, with_judgments


def wilson_interval(count: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a share.

    Parameters
    ----------
    count : int
        Successes, 0 to `n`.
    n : int
        Independent trials, at least 1.
    level : float, default 0.95
        Nominal coverage.

    Returns
    -------
    tuple of float
        Lower and upper bound, in [0, 1].

    Raises
    ------
    UndefinedEstimateError
        If there is no trial.
    ValueError
        If `count` is not between 0 and `n`, or `level` not between 0 and 1.

    References
    ----------
    Paper, Appendix B.2 (arXiv:2610.06191); computed by statsmodels.

    Examples
    --------
    >>> low, high = wilson_interval(35, 40)
    >>> round(low, 2), round(high, 2)
    (0.74, 0.95)
    """
    if n < 1:
        raise UndefinedEstimateError("a share is undefined: there is no trial")
    if not 0 <= count <= n:
        raise ValueError(f"count must lie between 0 and {n}, not {count}")
    if not 0 < level < 1:
        raise ValueError(f"level must lie strictly between 0 and 1, not {level}")
    # Here, because statsmodels takes longer to import than all of this package.
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, n, alpha=1 - level, method="wilson")
    return float(low), float(high)


def answer_rate_after_run(
    episodes: Episodes,
    *,
    k: int = 5,
    regime: str = "persistent",
    judgments: Judgments = "recorded",
    level: float = 0.95,
) -> Estimate:
    """Return the share of episodes that end in an answer, among those whose run of USELESS reaches k.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``actions`` and ``judgments``; one model and condition.
    k : int, default 5
        Results in a row judged USELESS, reached at a decision (so with an action still to come).
    regime : str, default "persistent"
        Regime the episodes are taken from, when they have a ``regime``.
    judgments : {"recorded", "stated"}, default "recorded"
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.
    level : float, default 0.95
        Coverage of the interval (Wilson).

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts episodes, and the parts hold ``answers`` and ``k``.

    Raises
    ------
    UndefinedEstimateError
        If no episode's run reaches k, or none has a judgment.
    ValueError
        If `k` is below 1, or a question occurs more than once: its episodes are not independent.

    Notes
    -----
    Wilson's interval takes the questions as independent. The share conditions on reaching k, so agents that
    answer earlier drop out of it.

    References
    ----------
    Paper §3 "Actions do not follow the judgments", Figure 1, Appendix C.1, Table 23 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> rate = answer_rate_after_run(load_episodes(condition="unaided"))
    >>> int(rate["answers"]), rate.n
    (1, 292)
    """
    if isinstance(k, bool) or k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    frame = as_frame(with_judgments(episodes, judgments))
    name = f"answers after {k} useless results"
    chosen, name = of_regime(frame, regime, name)
    points = build_decision_points(chosen)
    reached = np.unique(points.episode[points.run == k])
    if not len(reached):
        missing = "no result has a judgment" if not points.judged.any() else f"no run of {k} useless results"
        raise UndefinedEstimateError(f"{name} is undefined: {missing}")
    ended = points.episodes.iloc[reached]
    if ended["question_id"].duplicated().any():
        raise ValueError(f"{name}: a question occurs more than once; give one model and condition at a time")
    answers = int(ends_in_answer(ended).sum())
    low, high = wilson_interval(answers, len(ended), level=level)
    return Estimate(
        name, answers / len(ended), low, high, level, "Wilson interval",
        n=len(ended), n_clusters=len(ended), parts={"answers": answers, "k": k},
    )  # fmt: skip
