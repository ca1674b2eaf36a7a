"""How far Δ depends on choices (beyond the paper): specifications, what is left out, and what carries it.

Every function takes the episodes of one model and condition, and raises what `time_matched_contrast` raises:
where Δ as the paper defines it is undefined, so is how it depends on choices.
"""

from collections.abc import Iterable
from dataclasses import replace
from itertools import product
from typing import Any, get_args

import numpy as np
import pandas as pd
from judged_useless.episodes.decisions import DecisionPoints
from judged_useless.episodes.frames import UNKNOWN
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.contrast import Strata, compared_histories, contrast_measure
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.inference import wilson_interval
from judged_useless.estimators.matching import Bools, Ints, Weights, failing_points, step_window
from judged_useless.estimators.resampling import Measure, Resampling

from paper_book.tables.number_texts import minus

STRATA: tuple[Strata, ...] = get_args(Strata)
WEIGHTS: tuple[Weights, ...] = get_args(Weights)
#: Results at the start that the run of group (b) leaves out at least, the paper's first.
GAPS = (2, 1, 3)
_SHOWN = ("value", "low", "high", "n_a", "answers_a", "n_b", "answers_b", "reason")
#: Permuted values that differ by less are taken for equal: rounding, not chance.
_SAME = 1e-12


def _published(episodes: Episodes) -> tuple[DecisionPoints, Measure, Bools, Bools]:
    """Return the decisions, and Δ and the two groups as the paper defines them."""
    points, _ = failing_points(episodes, "Δ")
    measure = contrast_measure(points)
    measure.value()  # raises where undefined
    return points, measure, *compared_histories(points, *step_window(points, 3, None))


def _windows(points: DecisionPoints) -> dict[str, dict[str, int]]:
    """Return the windows that are tried, by name: the published one, later starts, single steps."""
    first, last = step_window(points, 3, None)
    starts = [(start, last) for start in range(first, min(first + 3, last))]
    windows = [*starts, *((t, t) for t in range(first, last + 1))]
    return {"–".join(map(str, sorted(set(each)))): {"t_min": each[0], "t_max": each[1]} for each in windows}


def _tried(points: DecisionPoints, plan: Resampling, **choices: Any) -> Estimate:  # noqa: ANN401
    return Estimate.attempt(lambda: contrast_measure(points, **choices).estimate(plan))


def _clustered(points: DecisionPoints, codes: Ints, n: int) -> DecisionPoints:
    """Return decisions whose clusters are others than questions."""
    return replace(points, question=codes, questions=tuple(map(str, range(n))))


def specification_curve(
    episodes: Episodes, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Return Δ under every combination of window, gap, strata and weights, in order of its value.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``.
    n_boot, seed, level
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        One row a specification: ``window`` (steps, as "3–6"), ``gap`` (of group (b)), ``strata``,
        ``weights``, ``published`` (whether it is the paper's), ``value, low, high``, the counts ``n_a,
        answers_a, n_b, answers_b``, and ``reason``. Undefined ones stand last and say why. A single step has
        one stratum, so that its weights don't vary.

    Notes
    -----
    The rows share their decisions: that they agree is no replication. Equal weights, and weights by n, count
    strata with a handful of decisions on one side in full: by regime × step their intervals are lopsided.

    References
    ----------
    Simonsohn, Simmons & Nelson (2020), Specification curve analysis, doi:10.1038/s41562-020-0912-z.
    """
    plan = Resampling(n_boot, seed, level)
    points, *_ = _published(episodes)
    rows: list[dict[str, object]] = []
    for (window, steps), gap, strata, weights in product(_windows(points).items(), GAPS, STRATA, WEIGHTS):
        if steps["t_min"] == steps["t_max"] and strata == "step" and weights != WEIGHTS[0]:
            continue
        choices = {"gap": gap, "strata": strata, "weights": weights}
        found = _tried(points, plan, **steps, **choices)
        row = {"window": window, **choices, "published": not rows}
        rows.append(row | {name: found[name] for name in _SHOWN})
    table = pd.DataFrame(rows).astype({"low": "float64", "high": "float64"})
    return table.sort_values("value", kind="stable", ignore_index=True)


def one_choice_at_a_time(
    episodes: Episodes, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Return Δ as published, and with one choice changed at a time.

    Parameters
    ----------
    episodes, n_boot, seed, level
        As in :func:`specification_curve`.

    Returns
    -------
    pandas.DataFrame
        Index ``choice``: "as published", then what is changed, such as "steps 4–6", "gap 1", "strata question
        × step", "weights equal", "clusters episode", "without persistent" and "linear model"; columns as in
        :meth:`Estimate.row`. Clusters and the linear model change the interval only.
    """
    plan = Resampling(n_boot, seed, level)
    points, _, a, b = _published(episodes)
    found: dict[object, Estimate] = {"as published": _tried(points, plan)}
    for window, steps in list(_windows(points).items())[1:]:
        found[f"steps {window}" if "–" in window else f"step {window}"] = _tried(points, plan, **steps)
    found |= {f"gap {each}": _tried(points, plan, gap=each) for each in GAPS[1:]}
    found |= {f"strata {each} × step": _tried(points, plan, strata=each) for each in STRATA[1:]}
    found |= {f"weights {each}": _tried(points, plan, weights=each) for each in WEIGHTS[1:]}
    decisions = np.where(a | b, np.cumsum(a | b) - 1, 0)
    episode = _clustered(points, points.episode, len(points.episodes))
    for name, other in (("episode", episode), ("decision", _clustered(points, decisions, (a | b).sum()))):
        method = f"{name}-cluster bootstrap, percentile"
        found[f"clusters {name}"] = replace(_tried(other, plan), method=method)
    regimes = points.episodes["regime"]
    for name in dict.fromkeys(regimes):
        rest = replace(
            points, run=np.where((regimes == name).to_numpy()[points.episode], UNKNOWN, points.run)
        )
        found[f"without {name}"] = _tried(rest, plan)
    found["linear model"] = linear_probability_contrast(points.episodes, level=level)
    return estimates_frame(found, "choice")


def linear_probability_contrast(episodes: Episodes, *, level: float = 0.95) -> Estimate:
    """Return Δ as a coefficient of a linear model of answering, with a cluster-robust interval.

    Least squares of answering on group (a) and a dummy for each step, over the decisions of both groups. The
    coefficient equals the Mantel–Haenszel Δ, whose weights are those of least squares; the interval is
    normal, and its variance allows for dependence within questions (statsmodels).

    Parameters
    ----------
    episodes
        As in :func:`specification_curve`; no ``regime`` is needed.
    level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Estimate
        A difference of probabilities; `n` counts decisions, `n_clusters` their questions. Its parts hold
        ``p``, two-sided, ``se``, and the counts of both groups.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> print(linear_probability_contrast(load_episodes(condition="unaided", regimes=FAIL)))
    Δ (linear model) = -0.065 [-0.093, -0.037]
    """
    # Here, because statsmodels takes longer to import than all of this package.
    from statsmodels.regression.linear_model import OLS

    points, measure, a, b = _published(episodes)
    used = a | b
    question = points.question[used]
    regressors = np.column_stack([a[used], points.t[used, None] == np.unique(points.t[used])])
    model = OLS(points.answered[used].astype(np.float64), regressors.astype(np.float64))
    fit = model.fit(cov_type="cluster", cov_kwds={"groups": question})
    low, high = fit.conf_int(alpha=1 - level)[0].tolist()
    return Estimate(
        "Δ (linear model)", float(fit.params[0]), low, high, level, "cluster-robust, normal",
        n=int(used.sum()), n_clusters=len(np.unique(question)),
        reason="" if np.isfinite(low) else "one question has no variance between questions",
        parts={"p": float(fit.pvalues[0]), "se": float(fit.bse[0])} | dict(measure.parts),
    )  # fmt: skip


def left_out(episodes: Episodes, label: str = "question_id") -> pd.DataFrame:
    """Return Δ without each question, or without each value of another label, such as ``regime``.

    Parameters
    ----------
    episodes
        As in :func:`specification_curve`.
    label : str, default "question_id"
        A label of the episodes.

    Returns
    -------
    pandas.DataFrame
        What is left out, in a column named as the label; ``value``, Δ without it (NaN where nothing is left
        to compare), in its order; and ``change`` from Δ on all.
    """
    points, delta, *_ = _published(episodes)
    codes, names = points.label_codes(label)
    measure = contrast_measure(_clustered(points, codes, len(names)))
    without = measure.statistic(measure.sums.sum(axis=0) - measure.sums)
    table = pd.DataFrame({label: names, "value": without, "change": without - delta.value()})
    return table.sort_values("value", kind="stable", ignore_index=True)


def permutation_test(
    episodes: Episodes, *, n_permutations: int = 10_000, seed: int = 0, level: float = 0.95
) -> Estimate:
    """Return the p-value of a permutation test of Δ within questions.

    If only question and step decided on answering, each decision of a question at a step would be as likely
    to be the one that answers. So the answers of each question × step are dealt out anew to its decisions of
    both groups, and Δ with strata question × step is computed from each deal.

    Parameters
    ----------
    episodes
        As in :func:`specification_curve`; no ``regime`` is needed.
    n_permutations : int, default 10,000
        Deals.
    seed : int, default 0
        Of NumPy's default generator.
    level : float, default 0.95
        Coverage of the interval.

    Returns
    -------
    Estimate
        Two-sided p in (0, 1]: the share of deals with a Δ at least as far from 0, the one found counted in.
        Its interval (Wilson) is the Monte-Carlo error only. `n`, `n_clusters` and the part ``n_strata`` count
        decisions, questions, and question × steps that tell: with both groups, and an answer and none. Other
        parts: ``contrast`` (Δ), and ``null_sd``, its standard deviation over the deals.

    Raises
    ------
    UndefinedEstimateError
        If no question × step tells.
    """
    plan = Resampling(n_permutations, seed, level)
    points, _, a, b = _published(episodes)
    decisions = pd.DataFrame({"question": points.question, "t": points.t, "n_a": a, "x": points.answered})
    cells = decisions.assign(n=1, x_a=a & points.answered)[a | b].groupby(["question", "t"]).sum()
    told = cells.query("0 < n_a < n and 0 < x < n")
    if told.empty:
        raise UndefinedEstimateError(
            "the permutation test is undefined: at no step has a question decisions of both groups, of which "
            "some answer and some do not"
        )
    # Mantel–Haenszel: w (p_a - p_b) = x_a - n_a x / n, and the weights w = n_a n_b / n stay as they are.
    weight = (cells["n_a"] * (cells["n"] - cells["n_a"]) / cells["n"]).sum()
    n, n_a, x, x_a = (told[name].to_numpy() for name in ("n", "n_a", "x", "x_a"))
    dealt = np.random.default_rng(seed).hypergeometric(x, n - x, n_a, (n_permutations, len(x)))
    found, *null = (np.vstack([x_a, dealt]) - n_a * x / n).sum(axis=1) / weight
    extreme = 1 + int((np.abs(null) >= abs(found) - _SAME).sum())
    low, high = wilson_interval(extreme, n_permutations + 1, level=level)
    return Estimate(
        "p (permutation)", extreme / (n_permutations + 1), low, high, plan.level, "Monte-Carlo error, Wilson",
        n=int(n.sum()), n_clusters=told.index.get_level_values("question").nunique(),
        n_boot=n_permutations, seed=seed,
        parts={"contrast": float(found), "null_sd": float(np.std(null)), "n_strata": float(len(x))},
    )  # fmt: skip


def interval_by_seed(
    episodes: Episodes, seeds: Iterable[int] = range(20), *, n_boot: int = 2000, level: float = 0.95
) -> pd.DataFrame:
    """Return ``low`` and ``high`` of Δ's interval by ``seed``: their spread is the Monte-Carlo error.

    Parameters
    ----------
    episodes, n_boot, level
        As in :func:`specification_curve`.
    seeds : iterable of int
        The published intervals have 0.
    """
    _, measure, *_ = _published(episodes)
    ends: dict[object, Estimate] = {seed: measure.estimate(Resampling(n_boot, seed, level)) for seed in seeds}
    return estimates_frame(ends, "seed")[["low", "high"]]


def contrast_by_step(
    episodes: Episodes, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Return what Δ is made of: both groups and their difference, step by step.

    Parameters
    ----------
    episodes, n_boot, seed, level
        As in :func:`specification_curve`.

    Returns
    -------
    pandas.DataFrame
        ``t``, the results seen; ``n_a, answers_a, rate_a`` and the same of (b); ``value, low, high`` of the
        step alone; ``weight``, its share in Δ, which is the weighted sum of the values.
    """
    plan = Resampling(n_boot, seed, level)
    points, *_ = _published(episodes)
    first, last = step_window(points, 3, None)
    columns = ["n_a", "answers_a", "rate_a", "n_b", "answers_b", "rate_b", "value", "low", "high"]
    rows = []
    for t in range(first, last + 1):
        found = _tried(points, plan, t_min=t, t_max=t)
        rows.append({"t": t} | {name: found[name] for name in columns})
    table = pd.DataFrame(rows).astype({"low": "float64", "high": "float64"})
    weight = (table["n_a"] * table["n_b"] / (table["n_a"] + table["n_b"])).fillna(0.0)
    # A step that one group does not reach has no counts.
    whole = dict.fromkeys(["n_a", "answers_a", "n_b", "answers_b"], "Int64")
    return table.assign(weight=weight / weight.sum()).astype(whole)


def gaps_in_words(steps: pd.DataFrame) -> str:
    """Return the gaps of :func:`contrast_by_step` for a sentence, and why one is undefined.

    Examples
    --------
    >>> gaps_in_words(pd.DataFrame({"t": [3, 4], "value": [-0.5, float("nan")]}))
    '−0.50, undefined after 4 results (a group without a decision)'
    """
    none = "undefined after {} results (a group without a decision)"
    pairs = zip(steps.get("t", ()), steps.get("value", ()), strict=True)
    words = (none.format(t) if pd.isna(gap) else minus(f"{gap:+.2f}") for t, gap in pairs)
    return ", ".join(words) or "not available"


def answers_behind(episodes: Episodes) -> pd.DataFrame:
    """Return how many answers, of how many questions, Δ rests on.

    Parameters
    ----------
    episodes
        As in :func:`specification_curve`.

    Returns
    -------
    pandas.DataFrame
        ``group``: (a), (b) and both. ``decisions`` and the ``questions`` they are of; ``answers`` among
        them, and the questions ``answered``; ``most``, the answers of the question that has most.
    """
    points, _, a, b = _published(episodes)
    rows = []
    for group, inside in (("(a)", a), ("(b)", b), ("both", a | b)):
        decisions, answers = (np.bincount(points.question[inside & each]) for each in (True, points.answered))
        counts = (decisions.sum(), (decisions > 0).sum(), answers.sum(), (answers > 0).sum())
        rows.append([group, *map(int, counts), int(answers.max(initial=0))])
    return pd.DataFrame(rows, columns=["group", "decisions", "questions", "answers", "answered", "most"])
