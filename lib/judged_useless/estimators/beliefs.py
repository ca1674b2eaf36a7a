"""What agents say going on and answering now are worth, against what both came to (paper, Appendix C.4)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.decisions import DecisionPoints, as_frame, build_decision_points
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Floats, Resampling, Statistic, Stream, cluster_sums
from judged_useless.estimators.success import MEAN4

NEW = "USEFUL_NEW"
#: Panel of the figure -> its quantities, in the order in which they are drawn.
PANELS: dict[str, tuple[str, ...]] = {
    "continuing": ("says going on is worth", "ideal observer", "going on was worth"),
    "answering now": ("says answering now is worth", "answering now was worth"),
    "acting": ("answers", "favours answering"),
}
_BELIEFS = ("usefulness", "p_continue", "p_answer_now", "prefer")
_FIELDS = ("question_id", "regime", "actions", "judgments", "success")


@dataclass(frozen=True)
class _Asked:
    """Decision points with what was said at each; NaN or an empty text where it is missing."""

    points: DecisionPoints
    regime: NDArray[np.str_]
    going_on: Floats
    answering: Floats
    prefer: NDArray[np.str_]
    usefulness: NDArray[np.str_]
    value_on: Floats
    value_now: Floats


def _asked(episodes: Episodes, *, repaired: bool) -> _Asked:
    frame = as_frame(episodes, _FIELDS)
    for name in _BELIEFS:
        if name not in frame:
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
    return _Asked(
        points,
        frame["regime"].to_numpy(dtype=np.str_)[rows],
        numbers("p_continue"), numbers("p_answer_now"), words("prefer"), words("usefulness"),
        frame[own].to_numpy(dtype=np.float64)[rows], now,
    )  # fmt: skip


def _entry(values: Any, place: int) -> Any:  # noqa: ANN401 - a list's entry, or None
    return values[place] if values is not None and place < len(values) else None


def belief_curves(
    episodes: Episodes,
    *,
    regime: str = "persistent",
    prior: Sequence[str] = MEAN4,
    repaired: bool = True,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> pd.DataFrame:
    r"""Return beliefs, realised values and actions by the number k of results so far, all of which failed.

    The ideal observer starts from an equal prior over regimes, weighs each by how often the agent's own
    replies call its results not newly useful, and averages what going on came to:

    .. math::

        E[V_c \mid k] = \sum_r w_r V_{r,k}, \quad w_r \propto \prod_{i \le k} q_{r,i}

    with :math:`q_{r,i}` the share of replies at result i in regime r other than USEFUL_NEW and
    :math:`V_{r,k}` the success of the runs of regime r that come to decision k. A regime without a run that
    comes so far is left out at that k.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``usefulness, p_continue, p_answer_now, prefer`` and, for the value of
        answering now, ``answer_now`` (and ``answer_now_repaired``): a run that was probed for beliefs and
        answer_now.
    regime : str, default "persistent"
        Regime whose decisions are shown.
    prior : sequence of str, default MEAN4
        Regimes of the ideal observer's prior; those without an episode are refused.
    repaired : bool, default True
        Count placeholder answers by what the agent gave in their place, where that was asked, as the paper
        does here and only here.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        One row a panel, quantity and k: ``panel, quantity, k``, the columns of an estimate, ``n`` decisions
        that it rests on, and ``n_missing`` decisions without a reply that parses or without a branch. All
        values are in [0, 1].

    Raises
    ------
    UndefinedEstimateError
        If the regime has no such decision, or a regime of the prior no episode.
    EpisodeError
        If the episodes were not probed for beliefs.

    Notes
    -----
    Probabilities that an agent states are compared within a model only. The observer is a reference, not an
    optimum: it does not know the budget, and it takes the agent's replies as given.

    References
    ----------
    Paper, Appendix C.4, Figure 6 (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    asked = _asked(episodes, repaired=repaired)
    here = (asked.regime == regime) & (asked.points.failed_run == asked.points.t)
    if not here.any():
        raise UndefinedEstimateError(
            f"beliefs are undefined: no decision of {regime} after failed results only"
        )
    observer = _Observer(asked, tuple(prior))
    tables = []
    for k in np.unique(asked.points.t[here]).tolist():
        inside = here & (asked.points.t == k)
        estimates = dict(_quantities(asked, inside, k, observer, plan))
        table = estimates_frame({name: each for name, (each, _) in estimates.items()}, "quantity")
        for panel, names in PANELS.items():
            part = table.loc[list(names)].drop(columns="name").reset_index()
            missing = [estimates[name][1] for name in names]
            tables.append(part.assign(n_missing=missing).assign(panel=panel, k=k))
    whole = pd.concat(tables, ignore_index=True)
    first = ["panel", "quantity", "k"]
    return whole[[*first, *(name for name in whole if name not in first)]]


def _quantities(
    asked: _Asked, inside: NDArray[np.bool_], k: int, observer: "_Observer", plan: Resampling
) -> Iterator[tuple[object, tuple[Estimate | str, int]]]:
    answered = asked.points.answered.astype(np.float64)
    favours = np.where(asked.prefer == "", np.nan, asked.prefer == "answer_now")
    columns = {
        "says going on is worth": asked.going_on, "going on was worth": asked.value_on,
        "says answering now is worth": asked.answering, "answering now was worth": asked.value_now,
        "answers": answered, "favours answering": favours,
    }  # fmt: skip
    for name, values in columns.items():
        known = inside & np.isfinite(values)
        missing = int(inside.sum() - known.sum())
        if not known.any():
            yield name, ("nothing was asked, or no reply parses", missing)
            continue
        sums = _sums(asked.points, known, values)
        yield name, (Measure(name, sums, share, n=int(known.sum())).estimate(plan), missing)
    yield "ideal observer", (observer.estimate(k, plan), observer.missing)


def _sums(points: DecisionPoints, known: NDArray[np.bool_], values: Floats) -> Floats:
    columns = np.stack([known.astype(np.float64), np.where(known, values, 0.0)], axis=1)
    return cluster_sums(points.question, points.n_questions, columns)


class _Observer:
    """The ideal observer: sums by question of everything it is made of."""

    def __init__(self, asked: _Asked, prior: tuple[str, ...]) -> None:
        absent = [name for name in prior if name not in set(asked.regime.tolist())]
        if not prior or absent:
            lacking = ", ".join(absent) or "(none given)"
            raise UndefinedEstimateError(f"the ideal observer is undefined: no decision of regime {lacking}")
        points, self._regimes, self._last = asked.points, len(prior), int(asked.points.t.max())
        said = asked.usefulness != ""
        columns = []
        for name in prior:
            for t in range(1, self._last + 1):
                inside = (asked.regime == name) & (points.t == t)
                replied = inside & said
                old = replied & (asked.usefulness != NEW)
                columns += [replied, old, inside, np.where(inside, asked.value_on, 0.0)]
        stacked = np.stack(columns, axis=1).astype(np.float64)
        self._sums = cluster_sums(points.question, points.n_questions, stacked)
        self._n = int(np.isin(asked.regime, prior).sum())
        self.missing = int((np.isin(asked.regime, prior) & ~said).sum())

    def estimate(self, k: int, plan: Resampling) -> Estimate | str:
        measure = Measure("ideal observer", self._sums, self._statistic(k), n=self._n)
        try:
            return measure.estimate(plan)
        except UndefinedEstimateError:
            return f"no regime of the prior has replies up to result {k} and a decision there"

    def _statistic(self, k: int) -> Statistic:
        def expected(totals: Floats) -> Floats:
            table = totals.reshape(*totals.shape[:-1], self._regimes, self._last, 4)
            replied, old, decisions, successes = np.moveaxis(table, -1, 0)
            q = np.where(replied > 0, old / np.where(replied > 0, replied, 1.0), np.nan)
            weight = q[..., :k].prod(axis=-1)
            there = decisions[..., k - 1]
            value = successes[..., k - 1] / np.where(there > 0, there, 1.0)
            weight = np.where(np.isfinite(weight) & (there > 0), weight, 0.0)
            total = weight.sum(axis=-1)
            mean = (weight * value).sum(axis=-1) / np.where(total > 0, total, 1.0)
            return np.asarray(np.where(total > 0, mean, np.nan))

        return expected


def missing_replies(episodes: Episodes) -> pd.DataFrame:
    """Return how many belief replies are missing, by regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        As for :func:`belief_curves`.

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
    asked = _asked(episodes, repaired=False)
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
        As for :func:`belief_curves`.
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
    asked = _asked(episodes, repaired=False)
    favoured = np.isin(asked.regime, list(regimes)) & (asked.prefer == "answer_now")
    name = "answers where its report favours answering"
    if not favoured.any():
        raise UndefinedEstimateError(f"{name} is undefined: no report favours answering now")
    answered = asked.points.answered.astype(np.float64)
    parts = {"answers": float(answered[favoured].sum())}
    sums = _sums(asked.points, favoured, answered)
    return Measure(name, sums, share, n=int(favoured.sum()), parts=parts).estimate(plan)
