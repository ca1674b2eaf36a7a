"""Leaving the primary source when there are two (paper, Appendix D.5)."""

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.cells import warn_if_pooled
from judged_useless.estimators.contrast import compared_histories
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import require_judgments, step_window, stratified_difference
from judged_useless.estimators.resampling import Resampling, Stream
from judged_useless.protocol.vocabulary import ACTIONS

_EXITS = [ACTIONS.index(word) for word in ("backup_search", "finish")]
_NEVER = np.iinfo(np.int64).max


def first_switch(episodes: pd.DataFrame) -> NDArray[np.int64]:
    """Return the number of actions before an episode's first backup_search, or a huge number without one."""
    places = [list(actions) for actions in episodes["actions"]]
    return np.array(
        [actions.index("backup_search") if "backup_search" in actions else _NEVER for actions in places],
        dtype=np.int64,
    )


def on_primary(points: DecisionPoints) -> NDArray[np.bool_]:
    """Return which decisions are still at the primary source: no earlier action was backup_search."""
    return points.t <= first_switch(points.episodes)[points.episode]


def leave_contrast(
    episodes: Episodes,
    *,
    t_min: int = 3,
    t_max: int | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the time-matched contrast for leaving the primary source, by switching or by answering.

    As Δ, over the decisions at which the backup has not been used yet, with the event "the action is
    backup_search or finish": the share that leaves after s = t useless results in a row, minus the share
    after 1 <= s <= t - 2, Mantel–Haenszel pooled over t.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Two-source episodes with ``question_id``, ``actions`` and ``judgments``; the paper pools the failure
        regimes of the primary source.
    t_min, t_max, n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions.

    Raises
    ------
    UndefinedEstimateError
        If no episode uses the backup at all (these are no two-source episodes, or Δ says the same), a group
        is empty, or judgments are missing.
    EpisodeError
        If an episode is not what the schema says.
    ValueError
        If an option is out of range.

    Notes
    -----
    Agents that switch at the first useless result leave few decisions at t >= 3, and a selected set of them.

    References
    ----------
    Paper §4 "A backup tool", Appendix D.5, Table 25 (arXiv:2610.06191).

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
    plan = Resampling(n_boot, seed, level, stream)
    points = warn_if_pooled(build_decision_points(episodes), "Δ (leave)")
    first, last = step_window(points, t_min, t_max)
    name = "Δ (leave)"
    if (first_switch(points.episodes) == _NEVER).all():
        raise UndefinedEstimateError(f"{name} is undefined: no episode uses backup_search")
    still = on_primary(points)
    require_judgments(name, points, still & (points.t >= first) & (points.t <= last))
    long_run, short_run = compared_histories(points, first, last)
    leaves = np.isin(points.action, _EXITS)
    return stratified_difference(
        name, points, leaves, long_run & still, short_run & still, points.t
    ).estimate(plan)


def switch_summary(episodes: Episodes, *, by: int = 4) -> pd.Series:
    """Return when episodes first switch to the backup source.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Two-source episodes of one regime (the paper: a persistently failing primary source), with
        ``question_id`` and ``actions``.
    by : int, default 4
        Action, counted from 1, by which a switch counts as early.

    Returns
    -------
    pandas.Series
        ``switched_by`` and ``ever_switched`` (shares of episodes in [0, 1]), ``median_first`` (action of the
        first switch, counted from 1, among those that switch; missing if none does), ``answered_first``
        (share of episodes that answer without a switch before) and ``n`` (episodes).

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    ValueError
        If `by` is below 1.

    References
    ----------
    Paper, Appendix D.5, Table 25 (arXiv:2610.06191).

    Examples
    --------
    >>> episodes = [
    ...     {"question_id": "q1", "actions": ["search", "backup_search", "finish"]},
    ...     {"question_id": "q2", "actions": ["search", "finish"]},
    ... ]
    >>> switch_summary(episodes).to_dict()
    {'switched_by': 0.5, 'ever_switched': 0.5, 'median_first': 2.0, 'answered_first': 0.5, 'n': 2.0}
    """
    if by < 1:
        raise ValueError(f"by must be at least 1, not {by}")
    frame = as_frame(episodes, ("question_id", "actions"))
    first = first_switch(frame)
    switched = first < _NEVER
    answered = np.array([list(actions)[-1:] == ["finish"] for actions in frame["actions"]])
    return pd.Series(
        {
            "switched_by": float((first < by).mean()),
            "ever_switched": float(switched.mean()),
            "median_first": float(np.median(first[switched] + 1)) if switched.any() else float("nan"),
            "answered_first": float((answered & ~switched).mean()),
            "n": float(len(frame)),
        }
    )
