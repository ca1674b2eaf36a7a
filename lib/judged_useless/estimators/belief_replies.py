"""Belief replies at decision points: how many are missing, and what is done where they favour answering."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes, missing
from judged_useless.estimators.arguments import regime_names, require_some_regime
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import require_one_cell
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

    Episodes that were not probed beside others that were, as a table of both has them, have no reply at all.

    Raises
    ------
    EpisodeError
        If no episode was probed for beliefs, a reply is not what the probe writes, or models and conditions
        are mixed.
    """
    frame = as_frame(episodes, _FIELDS, beside=True)
    for name in _BELIEFS:
        # Beside runs that were probed, a run that was not has the column without a value.
        if name not in frame or frame[name].isna().all():
            raise EpisodeError(f"episodes: field {name!r} is missing; ask for it with the probe beliefs")
    require_one_cell(frame)
    points = build_decision_points(frame)
    places = list(zip(points.episode.tolist(), (points.t - 1).tolist(), strict=True))

    def at_points(name: str, otherwise: str | None = None) -> list[Any]:
        lists = _lists(frame, name, otherwise)
        return [None if (values := lists[row]) is None else _entry(values, t) for row, t in places]

    def numbers(name: str, otherwise: str | None = None) -> Floats:
        return np.array(at_points(name, otherwise), dtype=np.float64)

    def words(name: str) -> NDArray[np.str_]:
        return np.array([word or "" for word in at_points(name)], dtype=np.str_)

    now = numbers("answer_now_repaired", "answer_now") if repaired else numbers("answer_now")
    return Asked(
        points,
        frame["regime"].to_numpy(dtype=np.str_)[points.episode],
        numbers("p_continue"), numbers("p_answer_now"), words("prefer"), words("usefulness"),
        _success(frame, repaired=repaired)[points.episode], now,
    )  # fmt: skip


def _success(frame: pd.DataFrame, *, repaired: bool) -> Floats:
    """Return success of each episode; what was not asked to be repaired has its own."""
    values = frame["success"].tolist()
    if repaired and "repaired_success" in frame:
        own = zip(values, frame["repaired_success"].tolist(), strict=True)
        values = [before if missing(value) else value for before, value in own]
    return np.array(values, dtype=np.float64)


def _lists(frame: pd.DataFrame, name: str, otherwise: str | None = None) -> list[list[Any] | None]:
    """Return a field's lists, None where nothing was asked; where it has none, those of another field."""
    if name not in frame:
        return _lists(frame, otherwise) if otherwise else [None] * len(frame)
    lists = [
        None if missing(values) else [None if missing(value) else value for value in values]
        for values in frame[name].tolist()
    ]
    if otherwise and any(values is None for values in lists):
        others = _lists(frame, otherwise)
        return [other if own is None else own for own, other in zip(lists, others, strict=True)]
    return lists


def _entry(values: list[Any], place: int) -> Any:  # noqa: ANN401 - a list's entry, or None
    return values[place] if place < len(values) else None


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
        If the episodes were not probed for beliefs, a reply is not what the probe writes, or models or
        conditions are mixed.
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
        Regimes that are pooled, as far as there are decisions of them.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts such decisions, ``parts["answers"]`` those at which it answers.

    Raises
    ------
    UndefinedEstimateError
        If no report favours answering, or no decision is of these regimes.
    EpisodeError
        If the episodes were not probed for beliefs, a reply is not what the probe writes, or models or
        conditions are mixed.
    TypeError, ValueError
        If `regimes` is one text, empty, or has one twice.

    References
    ----------
    Paper §3 (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    names, name = regime_names("regimes", regimes), "answers where its report favours answering"
    asked = asked_points(episodes, repaired=False)
    require_some_regime(name, names, set(asked.regime.tolist()))
    favoured = np.isin(asked.regime, names) & (asked.prefer == "answer_now")
    if not favoured.any():
        raise UndefinedEstimateError(f"{name} is undefined: no report favours answering now")
    answered = asked.points.answered.astype(np.float64)
    parts = {"answers": float(answered[favoured].sum())}
    sums = sums_of(asked.points, favoured, answered)
    return Measure(name, sums, share, n=int(favoured.sum()), parts=parts).estimate(plan)
