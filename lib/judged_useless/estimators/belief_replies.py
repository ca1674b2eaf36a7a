"""Belief replies at decision points: how many are missing, and what is done where they favour answering."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.decisions import DecisionPoints, as_frame, build_decision_points
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Floats, Resampling, Stream, cluster_sums

_BELIEFS = ("usefulness", "p_continue", "p_answer_now", "prefer")
_FIELDS = ("question_id", "regime", "actions", "judgments", "success")


@dataclass(frozen=True)
class Asked:
    """Decision points with what was said at each; NaN or an empty text where it is missing."""

    points: DecisionPoints
    regime: NDArray[np.str_]
    going_on: Floats
    answering: Floats
    prefer: NDArray[np.str_]
    usefulness: NDArray[np.str_]
    value_on: Floats
    value_now: Floats


def asked_points(episodes: Episodes, *, repaired: bool) -> Asked:
    """Return the decision points of probed episodes; see :class:`Asked`.

    Raises
    ------
    EpisodeError
        If the episodes were not probed for beliefs.
    """
    frame = as_frame(episodes, _FIELDS)
    for name in _BELIEFS:
        # Beside runs that were probed, a run that was not has the column without a value.
        if name not in frame or frame[name].isna().all():
            raise EpisodeError(f"episodes: field {name!r} is missing; ask for it with the probe beliefs")
    points = build_decision_points(frame)
    rows, at = points.episode, points.t - 1

    def numbers(name: str) -> Floats:
        lists = frame[name].tolist()
        return np.array([_entry(lists[row], t) for row, t in zip(rows, at, strict=True)], dtype=np.float64)

    def words(name: str) -> NDArray[np.str_]:
        lists = frame[name].tolist()
        return np.array([_entry(lists[row], t) or "" for row, t in zip(rows, at, strict=True)], dtype=np.str_)

    own = "repaired_success" if repaired and "repaired_success" in frame else "success"
    branch = "answer_now_repaired" if repaired and "answer_now_repaired" in frame else "answer_now"
    now = numbers(branch) if branch in frame else np.full(len(rows), np.nan)
    return Asked(
        points,
        frame["regime"].to_numpy(dtype=np.str_)[rows],
        numbers("p_continue"), numbers("p_answer_now"), words("prefer"), words("usefulness"),
        frame[own].to_numpy(dtype=np.float64)[rows], now,
    )  # fmt: skip


def _entry(values: Any, place: int) -> Any:  # noqa: ANN401 - a list's entry, or None
    return values[place] if isinstance(values, Sequence | np.ndarray) and place < len(values) else None


def sums_of(points: DecisionPoints, known: NDArray[np.bool_], values: Floats) -> Floats:
    """Return count and sum of the known values by question."""
    columns = np.stack([known.astype(np.float64), np.where(known, values, 0.0)], axis=1)
    return cluster_sums(points.question, points.n_questions, columns)


def missing_replies(episodes: Episodes) -> pd.DataFrame:
    """Return how many belief replies are missing, by regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        As for :func:`~judged_useless.estimators.beliefs.belief_curves`.

    Returns
    -------
    pandas.DataFrame
        Index ``regime``: ``decisions``, and of them ``no_usefulness`` and ``no_continuation``, where the
        reply did not parse or nothing was asked. They are left out of every mean, never counted as zero.

    Raises
    ------
    EpisodeError
        If the episodes were not probed for beliefs.
    """
    asked = asked_points(episodes, repaired=False)
    table = pd.DataFrame(
        {
            "regime": asked.regime,
            "decisions": 1,
            "no_usefulness": asked.usefulness == "",
            "no_continuation": asked.prefer == "",
        }
    )
    return table.groupby("regime", sort=False).sum()


def answers_when_favoured(
    episodes: Episodes,
    *,
    regimes: Sequence[str] = ("persistent", "plausible"),
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return how often the agent answers at decisions where its own report favours answering now.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        As for :func:`~judged_useless.estimators.beliefs.belief_curves`.
    regimes : sequence of str, default persistent and plausible
        Regimes that are pooled.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts such decisions, ``parts["answers"]`` those at which it answers.

    Raises
    ------
    UndefinedEstimateError
        If no report favours answering.
    EpisodeError
        If the episodes were not probed for beliefs.

    References
    ----------
    Paper §3 (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    asked = asked_points(episodes, repaired=False)
    favoured = np.isin(asked.regime, list(regimes)) & (asked.prefer == "answer_now")
    name = "answers where its report favours answering"
    if not favoured.any():
        raise UndefinedEstimateError(f"{name} is undefined: no report favours answering now")
    answered = asked.points.answered.astype(np.float64)
    parts = {"answers": float(answered[favoured].sum())}
    sums = sums_of(asked.points, favoured, answered)
    return Measure(name, sums, share, n=int(favoured.sum()), parts=parts).estimate(plan)
