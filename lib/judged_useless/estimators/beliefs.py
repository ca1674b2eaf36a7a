"""What agents say going on and answering now are worth, against what both came to (paper, Appendix C.4)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.environment.regimes import MEAN4
from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes, missing
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.matching import Bools, regime_names, require_one_cell, require_some_regime
from judged_useless.estimators.resampling import (
    Floats,
    Measure,
    Options,
    Resampling,
    cluster_sums,
    resampled,
    share,
)

#: Quantity -> its panel of Figure 6, and its column in the figure's table.
QUANTITIES: dict[str, tuple[str, str]] = {
    "says going on is worth": ("continuing", "continue_reported"),
    "ideal observer": ("continuing", "continue_ideal"),
    "going on was worth": ("continuing", "continue_realized"),
    "says answering now is worth": ("answering now", "answer_reported"),
    "answering now was worth": ("answering now", "answer_realized"),
    "answers": ("acting", "answers"),
    "favours answering": ("acting", "favors"),
}
_BELIEFS = ("usefulness", "p_continue", "p_answer_now", "prefer")


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

    def sums(self, known: Bools, values: Floats) -> Floats:
        """Return count and sum of the known values by question."""
        columns = np.stack([known.astype(np.float64), np.where(known, values, 0.0)], axis=1)
        return cluster_sums(self.points.question, self.points.n_questions, columns)


def _asked_points(episodes: Episodes, *, repaired: bool) -> _Asked:
    """Return the decision points of probed episodes; an episode that was not probed has no reply at all."""
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments", "success"), beside=True)
    for name in _BELIEFS:
        if name not in frame or frame[name].isna().all():
            raise EpisodeError(f"episodes: field {name!r} is missing; ask for it with the probe beliefs")
    require_one_cell(frame)
    points = build_decision_points(frame)

    def replies(*names: str) -> list[Any]:
        """Return the entry at each decision, of the first of these fields that an episode has."""
        nothing = [None] * len(frame)
        columns = [frame[name].tolist() if name in frame else nothing for name in names]
        lists = [next((each for each in row if not missing(each)), ()) for row in zip(*columns, strict=True)]
        places = zip(points.episode.tolist(), (points.t - 1).tolist(), strict=True)
        found = [lists[row][t] if t < len(lists[row]) else None for row, t in places]
        return [None if missing(each) else each for each in found]

    def numbers(*names: str) -> Floats:
        return np.array(replies(*names), dtype=np.float64)

    def words(name: str) -> NDArray[np.str_]:
        return np.array([word or "" for word in replies(name)], dtype=np.str_)

    success = frame["success"]
    if repaired and "repaired_success" in frame:  # what was not asked to be repaired has its own
        success = frame["repaired_success"].where(frame["repaired_success"].notna(), success)
    now = ("answer_now_repaired", "answer_now") if repaired else ("answer_now",)
    return _Asked(
        points,
        frame["regime"].to_numpy(dtype=np.str_)[points.episode],
        numbers("p_continue"), numbers("p_answer_now"), words("prefer"), words("usefulness"),
        success.to_numpy(dtype=np.float64)[points.episode], numbers(*now),
    )  # fmt: skip


@resampled
def answers_when_favoured(
    episodes: Episodes, *, regimes: Sequence[str] = ("persistent", "plausible"), **options: Unpack[Options]
) -> Estimate:
    """Return how often the agent answers where its own report favours answering now (paper §3).

    Parameters
    ----------
    episodes
        As for :func:`belief_curves`.
    regimes : sequence of str, default persistent and plausible
        Regimes that are pooled, as far as there are decisions of them.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts such decisions, ``parts["answers"]`` those at which it answers.

    Raises
    ------
    UndefinedEstimateError
        If no report favours answering, or no decision is of these regimes.
    """
    plan = Resampling(**options)
    names, name = regime_names("regimes", regimes), "answers where its report favours answering"
    asked = _asked_points(episodes, repaired=False)
    require_some_regime(name, names, set(asked.regime.tolist()))
    favoured = np.isin(asked.regime, names) & (asked.prefer == "answer_now")
    if not favoured.any():
        raise UndefinedEstimateError(f"{name} is undefined: no report favours answering now")
    sums = asked.sums(favoured, asked.points.answered.astype(np.float64))
    parts = {"answers": float(sums[:, 1].sum())}
    return Measure(name, sums, share, n=int(favoured.sum()), parts=parts).estimate(plan)


@resampled
def belief_curves(
    episodes: Episodes,
    *,
    regime: str = "persistent",
    prior: Sequence[str] = MEAN4,
    repaired: bool = True,
    **options: Unpack[Options],
) -> pd.DataFrame:
    r"""Return beliefs, realised values and actions by the number k of results so far, all of which failed.

    The ideal observer starts from an equal prior over regimes, weighs each by how often the agent's own
    replies call its results not newly useful, and averages what going on came to:

    .. math::

        E[V_c \mid k] = \sum_r w_r V_{r,k}, \quad w_r \propto \prod_{i \le k} q_{r,i}

    with :math:`q_{r,i}` the share of replies at result i in regime r other than USEFUL_NEW and
    :math:`V_{r,k}` the success of the runs of regime r that come to decision k. A regime without a run that
    comes so far is left out at that k.
    Paper, Appendix C.4, Figure 6 (arXiv:2610.06191).

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
        If the episodes were not probed for beliefs, a reply is not what the probe writes, or models or
        conditions are mixed.

    Notes
    -----
    Probabilities that an agent states are compared within a model only. The observer is a reference, not an
    optimum: it does not know the budget, and it takes the agent's replies as given.
    """
    plan, names = Resampling(**options), regime_names("prior", prior)
    asked = _asked_points(episodes, repaired=repaired)
    here = (asked.regime == regime) & (asked.points.failed_run == asked.points.t)
    if not here.any():
        raise UndefinedEstimateError(
            f"beliefs are undefined: no decision of {regime} after failed results only"
        )
    observer = _Observer(asked, names)
    tables = []
    for k in np.unique(asked.points.t[here]).tolist():
        found = dict(_quantities(asked, here & (asked.points.t == k), plan))
        found["ideal observer"] = observer.estimate(k, plan), observer.missing
        table = estimates_frame({name: found[name][0] for name in QUANTITIES}, "quantity")
        part = table.drop(columns="name").reset_index()
        part.insert(0, "panel", [panel for panel, _ in QUANTITIES.values()])
        part.insert(2, "k", k)
        tables.append(part.assign(n_missing=[found[name][1] for name in QUANTITIES]))
    return pd.concat(tables, ignore_index=True)


def _quantities(asked: _Asked, inside: Bools, plan: Resampling) -> Iterator[tuple[str, tuple[Estimate, int]]]:
    """Yield each quantity at some decisions, and at how many of them it is missing."""
    columns = {
        "says going on is worth": asked.going_on, "going on was worth": asked.value_on,
        "says answering now is worth": asked.answering, "answering now was worth": asked.value_now,
        "answers": asked.points.answered.astype(np.float64),
        "favours answering": np.where(asked.prefer == "", np.nan, asked.prefer == "answer_now"),
    }  # fmt: skip
    for name, values in columns.items():
        known = inside & np.isfinite(values)
        estimate = Estimate.undefined("nothing was asked, or no reply parses")
        if known.any():
            estimate = Measure(name, asked.sums(known, values), share, n=int(known.sum())).estimate(plan)
        yield name, (estimate, int(inside.sum() - known.sum()))


class _Observer:
    """The ideal observer: sums by question of everything it is made of."""

    def __init__(self, asked: _Asked, prior: tuple[str, ...]) -> None:
        absent = [name for name in prior if name not in set(asked.regime.tolist())]
        if absent:
            raise UndefinedEstimateError(
                f"the ideal observer is undefined: no decision of regime {', '.join(absent)}"
            )
        points, self._regimes, self._last = asked.points, len(prior), int(asked.points.t.max())
        said = asked.usefulness != ""
        columns = []
        for name in prior:
            for t in range(1, self._last + 1):
                inside = (asked.regime == name) & (points.t == t)
                old = inside & said & (asked.usefulness != "USEFUL_NEW")
                columns += [inside & said, old, inside, np.where(inside, asked.value_on, 0.0)]
        stacked = np.stack(columns, axis=1).astype(np.float64)
        self._sums = cluster_sums(points.question, points.n_questions, stacked)
        self._n = int(np.isin(asked.regime, prior).sum())
        self.missing = int((np.isin(asked.regime, prior) & ~said).sum())

    def estimate(self, k: int, plan: Resampling) -> Estimate:
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

        measure = Measure("ideal observer", self._sums, expected, n=self._n)
        try:
            return measure.estimate(plan)
        except UndefinedEstimateError:
            return Estimate.undefined(
                f"no regime of the prior has replies up to result {k} and a decision there"
            )


def _has_replies(episodes: pd.DataFrame) -> Bools:
    """Return which episodes have a reply: a regime that was not asked has lists of nothing."""
    lists = episodes.get("p_continue", pd.Series([None] * len(episodes), dtype=object)).tolist()
    return np.array(
        [isinstance(each, list) and any(entry is not None for entry in each) for each in lists], dtype=bool
    )


def belief_prior(episodes: pd.DataFrame, regimes: Sequence[str] = MEAN4) -> tuple[str, ...]:
    """Return those of some regimes that every model was asked in: the ideal observer's prior."""
    asked = episodes[_has_replies(episodes)]
    there = [set(part["regime"]) for _, part in asked.groupby("model", sort=False)]
    return tuple(name for name in regimes if there and all(name in each for each in there))


@resampled
def beliefs_by_model(
    episodes: pd.DataFrame, *, regime: str = "persistent", **options: Unpack[Options]
) -> dict[str, pd.DataFrame]:
    """Return the :func:`belief_curves` of every model that was asked; prior: :func:`belief_prior`."""
    prior = belief_prior(episodes)
    if regime not in prior:
        return {}
    # All episodes of a model that replied: where it gave no reply, that is counted.
    asked = episodes[episodes["model"].isin(episodes["model"][_has_replies(episodes)])]
    curves = {}
    for model, part in asked.groupby("model", sort=False):
        with suppress(UndefinedEstimateError):  # a model that answers at once has no decision to be asked at
            curves[str(model)] = belief_curves(part, regime=regime, prior=prior, **options)
    return curves


def belief_table(curves: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the :func:`belief_curves` of several models (by name) as the figure's table.

    One row a model and number of failed results: ``model, failed``, the columns of `QUANTITIES`,
    ``decisions`` (how many there are), ``no_report`` and ``no_branch`` (at how many the agent gave no report
    that parses, and at how many it was not made to answer).
    """
    if not curves:
        raise ValueError("curves must have at least one model, with its belief curves")
    tables = []
    for model, curve in curves.items():
        wide = curve.pivot_table(index="k", columns="quantity", values="value", dropna=False)
        columns = {name: column for name, (_, column) in QUANTITIES.items()}
        wide = wide.reindex(columns=list(columns)).rename(columns=columns).rename_axis(columns=None)
        counts = curve.pivot_table(index="k", columns="quantity", values=["n", "n_missing"])
        wide = wide.assign(
            decisions=counts["n", "answers"].astype(int),
            no_report=counts["n_missing", "says going on is worth"].astype(int),
            no_branch=counts["n_missing", "answering now was worth"].astype(int),
        )
        wide.insert(0, "model", model)
        tables.append(wide.rename_axis("failed").reset_index().set_index("model").reset_index())
    return pd.concat(tables, ignore_index=True)
