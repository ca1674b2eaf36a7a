"""Whether and when agents answer: shares, the last action, the median action, and after k useless results."""

from dataclasses import replace
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import get_regime
from judged_useless.episodes.decisions import observations_of, points_of
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes

from .estimate import Estimate, UndefinedEstimateError
from .inference import wilson_interval
from .matching import (
    UNKNOWN_FAILURES,
    Bools,
    Judgments,
    budget_note,
    budget_of,
    warn_if_pooled,
    with_judgments,
)
from .resampling import Floats, Measure, Options, Resampling, resampled, share_measure, whole_number

_FIELDS = ("question_id", "actions")


def _of_regime(frame: pd.DataFrame, regime: str, name: str) -> tuple[pd.DataFrame, str]:
    """Return the episodes of a regime (all of them if they have none) and the measure's full name."""
    warn_if_pooled(frame, name, 4)
    if "regime" not in frame:
        return frame, name
    name = f"{name} ({regime})"
    chosen = frame[frame["regime"] == regime]
    if chosen.empty:
        there = ", ".join(map(str, frame["regime"].unique()))
        raise UndefinedEstimateError(f"{name} is undefined: no episode of {regime!r}; there is {there}")
    return chosen.reset_index(drop=True), name


def ends_in_answer(frame: pd.DataFrame) -> Bools:
    """Return which episodes end with finish."""
    return np.array([list(actions)[-1:] == ["finish"] for actions in frame["actions"]], dtype=bool)


def _share_of(
    name: str, frame: pd.DataFrame, part: Bools, among: Bools | None = None, undefined: str = ""
) -> Measure:
    measure = share_measure(name, frame["question_id"], part, among, undefined)
    return replace(measure, parts={"count": float(measure.sums[:, 1].sum())})


@resampled
def share_answered(episodes: Episodes, *, regime: str = "persistent", **options: Unpack[Options]) -> Estimate:
    """Return the share of episodes that end in an answer (paper, Tables 16, 21 and 24).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id`` and ``actions``; one model and condition.
    regime : str, default "persistent"
        Regime the episodes are taken from, when they have a ``regime``.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts episodes, ``parts["count"]`` those answered. Undefined without any.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(share_answered(load_episodes(condition="unaided")))
    share answered (persistent) = 0.027 [0.010, 0.047]
    """
    plan = Resampling(**options)
    frame, name = _of_regime(as_frame(episodes, _FIELDS), regime, "share answered")
    return _share_of(name, frame, ends_in_answer(frame)).estimate(plan)


@resampled
def share_at_last_action(
    episodes: Episodes, *, regime: str = "persistent", **options: Unpack[Options]
) -> Estimate:
    """Return the share of answers that are given with the last action (paper §4, Tables 4 (H10) and 16).

    Parameters
    ----------
    episodes, regime
        As in :func:`share_answered`, with ``budget`` when it is not 8.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts answers, ``parts["count"]`` those at the last action. Undefined if there
        is no answer, or the budget is not known.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> last = share_at_last_action(load_episodes(condition="enforced_rule"))
    >>> int(last["count"]), last.n
    (1, 284)
    """
    plan = Resampling(**options)
    frame, name = _of_regime(as_frame(episodes, _FIELDS), regime, "answers at the last action")
    if note := budget_note(frame):
        raise UndefinedEstimateError(f"{name} is undefined: {note}, and who had an action left is not known")
    at_last = frame["actions"].map(len).to_numpy() == budget_of(frame)
    answered, undefined = ends_in_answer(frame), "no episode ends in an answer"
    return _share_of(name, frame, at_last, answered, undefined).estimate(plan)


@resampled
def premature_rate(
    episodes: Episodes, *, regime: str = "recover_after_3", **options: Unpack[Options]
) -> Estimate:
    """Return the share of episodes that answer before any real result (paper §4, Appendix B.4, Table 24).

    Parameters
    ----------
    episodes, regime
        As in :func:`share_answered`, with ``judgments`` (which may be empty) and ``regime`` or ``failed``; a
        regime whose source fails at first and recovers.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts episodes, ``parts["count"]`` the premature answers. Undefined if the
        regime has no episode or its source does not recover, refused if it is unknown which results failed.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(premature_rate(load_episodes(condition="enforced_rule")))
    premature answers (recover_after_3) = 0.010 [0.000, 0.023]
    """
    plan = Resampling(**options)
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    frame, name = _of_regime(frame, regime, "premature answers")
    if not recovers(regime):
        raise UndefinedEstimateError(f"{name} is undefined: the source does not fail at first and recover")
    failed = observations_of(frame)["failed"]
    if failed.isna().any():
        raise EpisodeError(UNKNOWN_FAILURES)
    real = np.bincount(failed.index, weights=~failed.to_numpy(dtype=bool), minlength=len(frame))
    return _share_of(name, frame, ends_in_answer(frame) & (real == 0)).estimate(plan)


def recovers(regime: str) -> bool:
    """Return whether a source fails at first and recovers; of an unknown regime that is taken for granted."""
    try:
        schedule = [get_regime(regime).failed(t) for t in range(1, 33)]
    except ValueError:
        return True
    return schedule[0] and not all(schedule)


def _median(counts: Floats) -> Floats:
    """Return the median of the values 1 .. m from how often each occurs."""
    cumulative = counts.cumsum(axis=-1)
    total = cumulative[..., -1:]
    # The two middle values are equal unless the count is even and they straddle a gap.
    lower = (cumulative < np.floor((total + 1) / 2)).sum(axis=-1) + 1
    upper = (cumulative < np.floor(total / 2) + 1).sum(axis=-1) + 1
    return np.where(total[..., 0] > 0, (lower + upper) / 2, np.nan)


@resampled
def median_answer_action(
    episodes: Episodes, *, regime: str = "persistent", **options: Unpack[Options]
) -> Estimate:
    """Return the median action of those episodes that answer (paper §4, Tables 16, 21 and 24).

    Parameters
    ----------
    episodes, regime
        As in :func:`share_answered`.

    Returns
    -------
    Estimate
        In actions, counted from 1; `n` counts answers, be they two in 300 episodes; undefined without any.
        Its interval is undefined when all resamples agree.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> median_answer_action(load_episodes(condition="enforced_rule")).value
    6.0
    """
    plan = Resampling(**options)
    frame, name = _of_regime(as_frame(episodes, _FIELDS), regime, "median answering action")
    answered = ends_in_answer(frame)
    if not answered.any():
        raise UndefinedEstimateError(f"{name} is undefined: no episode ends in an answer")
    codes, questions = pd.factorize(frame["question_id"])
    lengths = frame["actions"].map(len).to_numpy()[answered]
    width = int(lengths.max())
    counts = np.bincount(codes[answered] * width + lengths - 1, minlength=len(questions) * width)
    sums = counts.reshape(len(questions), width).astype(np.float64)
    return Measure(name, sums, _median, n=len(lengths)).estimate(plan)


def answer_rate_after_run(
    episodes: Episodes,
    *,
    k: int = 5,
    regime: str = "persistent",
    judgments: Judgments = "recorded",
    level: float = 0.95,
) -> Estimate:
    """Return the share of episodes that end in an answer, among those whose run of USELESS reaches k.

    Paper §3 "Actions do not follow the judgments", Figure 1, Appendix C.1, Table 23 (arXiv:2610.06191).

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
        Coverage of the interval (Wilson), which takes the questions as independent.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts episodes, and the parts hold ``answers`` and ``k``. Agents that answer
        before they reach k drop out of it.

    Raises
    ------
    UndefinedEstimateError
        If no episode's run reaches k, or none has a judgment.
    ValueError
        If `k` is below 1, or a question occurs more than once.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> rate = answer_rate_after_run(load_episodes(condition="unaided"))
    >>> int(rate["answers"]), rate.n
    (1, 292)
    """
    whole_number("k", k)
    frame = as_frame(with_judgments(episodes, judgments))
    chosen, name = _of_regime(frame, regime, f"answers after {k} useless results")
    points = points_of(chosen)
    reached = np.unique(points.episode[points.run == k])
    if not len(reached):
        missing = "no result has a judgment" if not points.judged.any() else f"no run of {k} useless results"
        raise UndefinedEstimateError(f"{name} is undefined: {missing}")
    ended = chosen.iloc[reached]
    if ended["question_id"].duplicated().any():
        raise ValueError(f"{name}: a question occurs more than once; give one model and condition at a time")
    answers = int(ends_in_answer(ended).sum())
    low, high = wilson_interval(answers, len(ended), level=level)
    return Estimate(
        name, answers / len(ended), low, high, level, "Wilson interval",
        n=len(ended), n_clusters=len(ended), parts={"answers": answers, "k": k},
    )  # fmt: skip
