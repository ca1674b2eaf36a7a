"""What agents say going on and answering now are worth, against what both came to (paper, Appendix C.4)."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.arguments import regime_names
from judged_useless.estimators.belief_replies import Asked, asked_points, sums_of
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Floats, Resampling, Statistic, Stream, cluster_sums
from judged_useless.estimators.success import MEAN4

NEW = "USEFUL_NEW"
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
        If the episodes were not probed for beliefs, a reply is not what the probe writes, or models or
        conditions are mixed.
    TypeError, ValueError
        If `prior` is one text, empty, or has a regime twice.

    Notes
    -----
    Probabilities that an agent states are compared within a model only. The observer is a reference, not an
    optimum: it does not know the budget, and it takes the agent's replies as given.

    References
    ----------
    Paper, Appendix C.4, Figure 6 (arXiv:2610.06191).
    """
    plan, names = Resampling(n_boot, seed, level, stream), regime_names("prior", prior)
    asked = asked_points(episodes, repaired=repaired)
    here = (asked.regime == regime) & (asked.points.failed_run == asked.points.t)
    if not here.any():
        raise UndefinedEstimateError(
            f"beliefs are undefined: no decision of {regime} after failed results only"
        )
    observer = _Observer(asked, names)
    tables = []
    for k in np.unique(asked.points.t[here]).tolist():
        inside = here & (asked.points.t == k)
        estimates = dict(_quantities(asked, inside, k, observer, plan))
        table = estimates_frame({name: each for name, (each, _) in estimates.items()}, "quantity")
        part = table.loc[list(QUANTITIES)].drop(columns="name").reset_index()
        missing = [estimates[name][1] for name in QUANTITIES]
        panels = [panel for panel, _ in QUANTITIES.values()]
        tables.append(part.assign(n_missing=missing, panel=panels, k=k))
    whole = pd.concat(tables, ignore_index=True)
    first = ["panel", "quantity", "k"]
    return whole[[*first, *(name for name in whole if name not in first)]]


def _quantities(
    asked: Asked, inside: NDArray[np.bool_], k: int, observer: "_Observer", plan: Resampling
) -> Iterator[tuple[object, tuple[Estimate, int]]]:
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
            yield name, (Estimate.undefined("nothing was asked, or no reply parses"), missing)
            continue
        sums = sums_of(asked.points, known, values)
        yield name, (Measure(name, sums, share, n=int(known.sum())).estimate(plan), missing)
    yield "ideal observer", (observer.estimate(k, plan), observer.missing)


class _Observer:
    """The ideal observer: sums by question of everything it is made of."""

    def __init__(self, asked: Asked, prior: tuple[str, ...]) -> None:
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
                replied = inside & said
                old = replied & (asked.usefulness != NEW)
                columns += [replied, old, inside, np.where(inside, asked.value_on, 0.0)]
        stacked = np.stack(columns, axis=1).astype(np.float64)
        self._sums = cluster_sums(points.question, points.n_questions, stacked)
        self._n = int(np.isin(asked.regime, prior).sum())
        self.missing = int((np.isin(asked.regime, prior) & ~said).sum())

    def estimate(self, k: int, plan: Resampling) -> Estimate:
        measure = Measure("ideal observer", self._sums, self._statistic(k), n=self._n)
        try:
            return measure.estimate(plan)
        except UndefinedEstimateError:
            return Estimate.undefined(
                f"no regime of the prior has replies up to result {k} and a decision there"
            )

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


def _has_replies(episodes: pd.DataFrame) -> NDArray[np.bool_]:
    """Return which episodes have a reply: a regime that was not asked has lists of nothing."""
    lists = episodes.get("p_continue", pd.Series([None] * len(episodes), dtype=object)).tolist()
    return np.array(
        [isinstance(each, list) and any(entry is not None for entry in each) for each in lists], dtype=bool
    )


def belief_prior(episodes: pd.DataFrame, regimes: Sequence[str] = MEAN4) -> tuple[str, ...]:
    """Return the regimes that the ideal observer's prior can be put on: those that every model was asked in.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of models.
    regimes : sequence of str, default MEAN4
        Those of the paper.

    Returns
    -------
    tuple of str
        In the order of `regimes`; empty where nothing was asked.
    """
    asked = episodes[_has_replies(episodes)]
    there = [set(part["regime"]) for _, part in asked.groupby("model", sort=False)]
    return tuple(name for name in regimes if there and all(name in each for each in there))


def beliefs_by_model(
    episodes: pd.DataFrame,
    *,
    regime: str = "persistent",
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> dict[str, pd.DataFrame]:
    """Return the belief curves of every model that was asked, for a page.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of one condition and any number of models; those of models that were not asked are left out.
    regime, n_boot, seed, level
        As in :func:`belief_curves`; the prior is that of :func:`belief_prior`.

    Returns
    -------
    dict of str to pandas.DataFrame
        Model -> its curves; empty where nothing was asked, or nothing in this regime.
    """
    prior = belief_prior(episodes)
    if regime not in prior:
        return {}
    replied = episodes[_has_replies(episodes)]
    # All episodes of a model that replied: where it gave no reply, that is counted.
    asked = episodes[episodes["model"].isin(replied["model"])]
    options: dict[str, Any] = {
        "regime": regime,
        "prior": prior,
        "n_boot": n_boot,
        "seed": seed,
        "level": level,
    }
    curves = {}
    for model, part in asked.groupby("model", sort=False):
        # A model that answers at once has no decision to be asked at.
        with suppress(UndefinedEstimateError):
            curves[str(model)] = belief_curves(part, **options)
    return curves


def belief_table(curves: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return belief curves of several models as the table that `paper_book.figures.beliefs` draws.

    Parameters
    ----------
    curves : mapping of str to pandas.DataFrame
        Model -> result of :func:`belief_curves`.

    Returns
    -------
    pandas.DataFrame
        One row a model and number of failed results: ``model, failed``, the columns of `QUANTITIES`,
        ``decisions`` (how many there are), ``no_report`` and ``no_branch`` (at how many the agent gave no
        report that parses, and at how many it was not made to answer).

    Raises
    ------
    ValueError
        If there is no model.
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
        tables.append(wide.rename_axis("failed").reset_index().assign(model=model))
    whole = pd.concat(tables, ignore_index=True)
    return whole[["model", *(name for name in whole if name != "model")]]
