"""What agents say going on and answering now are worth, against what both came to (paper, Appendix C.4)."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN4, REGIMES
from judged_useless.episodes.decisions import points_of
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes

from .estimate import Estimate, UndefinedEstimateError, estimates_frame
from .matching import Bools, regime_names, require_one_cell
from .resampling import Floats, Measure, Options, Resampling, cluster_sums, resampled, share

#: Quantity -> its panel of Figure 6.
QUANTITIES = {
    "says going on is worth": "continuing", "ideal observer": "continuing",
    "going on was worth": "continuing", "says answering now is worth": "answering now",
    "answering now was worth": "answering now", "answers": "acting", "favours answering": "acting",
}  # fmt: skip
_BELIEFS = ("usefulness", "p_continue", "p_answer_now", "prefer")


def _asked_points(episodes: Episodes, *, repaired: bool) -> pd.DataFrame:
    """Return the decisions of probed episodes, and what was said at each; `attrs` hold ``n_questions``."""
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments", "success"), beside=True)
    for name in _BELIEFS:
        if name not in frame or frame[name].isna().all():
            raise EpisodeError(f"episodes: field {name!r} is missing; ask for it with the probe beliefs")
    require_one_cell(frame)
    points = points_of(frame)

    success = frame["success"]
    if repaired and "repaired_success" in frame:  # what was not asked to be repaired has its own
        success = frame["repaired_success"].where(frame["repaired_success"].notna(), success)
    table = pd.DataFrame(
        {
            "question": points.question, "t": points.t, "answers": points.answered.astype(np.float64),
            "regime": frame["regime"].to_numpy()[points.episode],
            "failed_only": points.failed_run == points.t,
            "usefulness": pd.Series(points.replies("usefulness"), dtype=object),
            "prefer": pd.Series(points.replies("prefer"), dtype=object),
            "says going on is worth": np.array(points.replies("p_continue"), dtype=np.float64),
            "says answering now is worth": np.array(points.replies("p_answer_now"), dtype=np.float64),
            "going on was worth": success.to_numpy(dtype=np.float64)[points.episode],
            "answering now was worth": np.array(
                points.replies(*["answer_now_repaired"] * repaired, "answer_now"), dtype=np.float64
            ),
        }
    )  # fmt: skip
    table["favours answering"] = (table["prefer"] == "answer_now").where(table["prefer"].notna())
    table.attrs["n_questions"] = points.n_questions
    return table


def _mean(name: str, asked: pd.DataFrame, inside: Bools, values: str) -> Measure:
    """Return the mean of a column over those decisions at which it is known."""
    known = inside & asked[values].notna().to_numpy()
    of = np.where(known, asked[values].to_numpy(dtype=np.float64), 0.0)
    columns = np.stack([known.astype(np.float64), of], axis=1)
    sums = cluster_sums(asked["question"].to_numpy(), asked.attrs["n_questions"], columns)
    return Measure(name, sums, share, n=int(known.sum()), undefined="nothing was asked, or no reply parses")


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
    there = set(asked["regime"])
    # A regime of which there is none may be missing beside one that is there, but not a name that is none.
    wrong = [each for each in names if each not in there and (each not in REGIMES or there.isdisjoint(names))]
    if wrong:
        lacking = f"no decision of regime {', '.join(wrong)}; there is {', '.join(sorted(there))}"
        raise UndefinedEstimateError(f"{name} is undefined: {lacking}")
    favoured = (asked["regime"].isin(names) & (asked["prefer"] == "answer_now")).to_numpy()
    if not favoured.any():
        raise UndefinedEstimateError(f"{name} is undefined: no report favours answering now")
    measure = _mean(name, asked, favoured, "answers")
    return replace(measure, parts={"answers": float(measure.sums[:, 1].sum())}).estimate(plan)


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
    here = (asked["regime"] == regime).to_numpy() & asked["failed_only"].to_numpy()
    if not here.any():
        raise UndefinedEstimateError(f"beliefs are undefined: no decision of {regime} after failures only")
    sums, n, n_unasked = _observer(asked, names)
    tables = []
    for k in asked["t"][here].drop_duplicates().sort_values().tolist():
        inside = here & (asked["t"] == k).to_numpy()
        reason = f"no regime of the prior has replies up to result {k} and a decision there"
        value = partial(_expected, k=k, n_regimes=len(names))
        measures = {name: _mean(name, asked, inside, name) for name in QUANTITIES if name in asked}
        lacking = {name: int(inside.sum()) - each.n for name, each in measures.items()}
        measures["ideal observer"] = Measure("ideal observer", sums, value, n, undefined=reason)
        lacking["ideal observer"] = n_unasked
        found = {name: Estimate.attempt(measures[name].estimate, plan) for name in QUANTITIES}
        part = estimates_frame(found, "quantity").drop(columns="name").reset_index()
        part.insert(0, "panel", [*QUANTITIES.values()])
        part.insert(2, "k", k)
        tables.append(part.assign(n_missing=[lacking[name] for name in QUANTITIES]))
    return pd.concat(tables, ignore_index=True)


def _observer(asked: pd.DataFrame, prior: tuple[str, ...]) -> tuple[Floats, int, int]:
    """Return sums by question of all that the ideal observer is made of, its decisions, and those unasked."""
    absent = [name for name in prior if name not in set(asked["regime"])]
    if absent:
        raise UndefinedEstimateError(
            f"the ideal observer is undefined: no decision of regime {', '.join(absent)}"
        )
    said, old = asked["usefulness"].notna(), asked["usefulness"] != "USEFUL_NEW"
    columns = []
    for name in prior:
        for t in range(1, int(asked["t"].max()) + 1):
            inside = (asked["regime"] == name) & (asked["t"] == t)
            worth = asked["going on was worth"].where(inside, 0)
            columns += [inside & said, inside & said & old, inside, worth]
    stacked = np.stack(columns, axis=1).astype(np.float64)
    of_prior = asked["regime"].isin(prior)
    sums = cluster_sums(asked["question"].to_numpy(), asked.attrs["n_questions"], stacked)
    return sums, int(of_prior.sum()), int((of_prior & ~said).sum())


def _expected(totals: Floats, k: int, n_regimes: int) -> Floats:
    """Return the ideal observer's value of going on after k failed results, from :func:`_observer`'s sums."""
    table = totals.reshape(*totals.shape[:-1], n_regimes, -1, 4)
    replied, old, decisions, successes = np.moveaxis(table, -1, 0)
    q = np.where(replied > 0, old / np.where(replied > 0, replied, 1.0), np.nan)
    weight = q[..., :k].prod(axis=-1)
    there = decisions[..., k - 1]
    value = successes[..., k - 1] / np.where(there > 0, there, 1.0)
    weight = np.where(np.isfinite(weight) & (there > 0), weight, 0.0)
    total = weight.sum(axis=-1)
    mean = (weight * value).sum(axis=-1) / np.where(total > 0, total, 1.0)
    return np.asarray(np.where(total > 0, mean, np.nan))


def _has_replies(episodes: pd.DataFrame) -> Bools:
    """Return which episodes have a reply: a regime that was not asked has lists of nothing."""
    lists = episodes["p_continue"] if "p_continue" in episodes else [None] * len(episodes)
    return np.array(
        [isinstance(each, list) and any(entry is not None for entry in each) for each in lists], bool
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
    """Return the :func:`belief_curves` of every model that was asked, with one :func:`belief_prior`.

    Parameters
    ----------
    episodes, regime
        As in :func:`belief_curves`.
    """
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
