"""Comparing two cells question by question, over several runs, and many comparisons at once."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless._io.messages import listed
from judged_useless.environment.regimes import MEAN6
from judged_useless.episodes.frames import from_records
from judged_useless.episodes.schema import Episodes, with_task

from .estimate import Estimate, UndefinedEstimateError
from .resampling import Floats, Measure, Options, Resampling, number, resampled, weight_blocks
from .success import mean_measure, success_matrix, utility_matrix


@resampled
def paired_contrast(
    a: Episodes,
    b: Episodes,
    *,
    regimes: Sequence[str] = MEAN6,
    price: float = 0.0,
    charge_judgments: bool = False,
    **options: Unpack[Options],
) -> Estimate:
    """Return the difference of two cells in mean success (or utility), paired by question.

    The mean over regimes, with equal weight, of the mean difference a - b over the questions that both have.
    Paper §2 "Models and protocol", Appendix D.1, Tables 15, 20 and 21 (arXiv:2610.06191).

    Parameters
    ----------
    a, b : pandas.DataFrame or iterable of mappings
        Episodes of one model and condition each, with ``question_id``, ``regime`` and ``success``; at a
        `price` also ``actions`` and ``judgments``.
    regimes : sequence of str, default MEAN6
        Regimes averaged; each must be in both.
    price, charge_judgments
        As in :func:`~judged_useless.estimators.success.utility`; at the default price 0 it is success.

    Returns
    -------
    Estimate
        A difference in [-1, 1] of success (unbounded at a price); `n` counts pairs of episodes. Its parts
        hold ``p_one_sided``, the share of resampled differences that are 0 or less (unadjusted, and no exact
        test: with few discordant questions read the interval), and ``n_unpaired``, the questions that only
        one cell has.

    Raises
    ------
    UndefinedEstimateError, EpisodeError
        If the two share no question or a regime is missing; if models or conditions are mixed within a cell.
        Cells of two models are compared with a warning.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> rule, unaided = (load_episodes(condition=name) for name in ("enforced_rule", "unaided"))
    >>> print(paired_contrast(rule, unaided, regimes=FAIL))
    difference in mean success = 0.028 [0.013, 0.044]
    """
    plan = Resampling(**options)
    name = f"difference in mean {'success' if price == 0 else f'utility (λ = {price:g})'}"
    # As tables, so that both can be read twice.
    a, b = (each if isinstance(each, pd.DataFrame) else from_records(each) for each in (a, b))
    _warn_if_unlike(a, b)
    first, second = (
        utility_matrix(each, regimes, price, charge_judgments) if price else success_matrix(each, regimes)
        for each in (a, b)
    )
    common = first.index[first.index.isin(second.index)]
    if common.empty:
        raise UndefinedEstimateError(f"{name} is undefined: the two have no question in common")
    measure = mean_measure(name, first.loc[common] - second.loc[common])
    return _with_p(measure, measure.resampled(plan), plan, len(first) + len(second) - 2 * len(common))


def _with_p(measure: Measure, values: Floats, plan: Resampling, n_unpaired: int) -> Estimate:
    """Return the estimate of a difference, with the share of its resampled values that are 0 or less."""
    defined = values[np.isfinite(values)]
    p = {"p_one_sided": float((defined <= 0).mean())} if len(defined) else {}
    parts = {**measure.parts, "n_unpaired": float(n_unpaired), **p}
    return replace(measure, parts=parts).estimate(plan, values)


def _warn_if_unlike(a: pd.DataFrame, b: pd.DataFrame) -> None:
    """Warn where two cells that are compared differ in more than their condition."""
    for name in ("model", "split", "task"):
        one, other = (with_task(each)[name].unique().tolist() if name in each else [] for each in (a, b))
        if one and other and one != other:
            warnings.warn(f"the two cells differ in {name}: {listed(one)} and {listed(other)}", stacklevel=3)


@resampled
def non_inferiority(
    a: Episodes,
    b: Episodes,
    *,
    margin: float = 0.05,
    regimes: Sequence[str] = MEAN6,
    **options: Unpack[Options],
) -> Estimate:
    """Return the paired difference in mean success, and whether its lower bound lies above ``-margin``.

    Paper, Appendix A (margins of -0.05), Tables 4 and 5 (arXiv:2610.06191).

    Parameters
    ----------
    a, b, regimes
        As in :func:`paired_contrast`; one regime alone tests that regime, as in the paper's H3.
    margin : float, default 0.05
        Loss that would still be accepted.

    Returns
    -------
    Estimate
        As from :func:`paired_contrast`; its parts also hold ``margin`` and ``non_inferior``, 1 or 0. A 0 does
        not show that a is worse, only that too much of a loss cannot be excluded.

    Raises
    ------
    UndefinedEstimateError
        If the interval, and so the verdict, is undefined.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> rule, unaided = (load_episodes(condition=name) for name in ("enforced_rule", "unaided"))
    >>> non_inferiority(rule, unaided, regimes=["recover_after_1"])["non_inferior"]
    0.0
    """
    number("margin", margin, 0, inside=True)
    result = paired_contrast(a, b, regimes=regimes, **options)
    if result.low is None:
        raise UndefinedEstimateError(f"non-inferiority is undefined: {result.reason}")
    verdict = {"margin": float(margin), "non_inferior": float(result.low > -margin)}
    return replace(result, parts={**result.parts, **verdict})


@resampled
def pooled_contrast(
    pairs: Sequence[tuple[Episodes, Episodes]], *, regimes: Sequence[str] = MEAN6, **options: Unpack[Options]
) -> Estimate:
    """Return the difference of two conditions in mean success, pooled over several runs (paper, Table 28).

    The mean over runs of the question-paired difference a - b. Each resample draws runs, and independently
    questions, with replacement; a question is drawn with its episodes of all runs. The paper does not say how
    they are drawn together; this is the simplest way.

    Parameters
    ----------
    pairs : sequence of (episodes, episodes)
        For each run the two cells that are compared, as in :func:`paired_contrast`.
    regimes : sequence of str, default MEAN6
        Regimes averaged with equal weight; each must be in every cell.

    Returns
    -------
    Estimate
        A difference of success in [-1, 1]; `n` counts pairs of episodes. Its parts hold ``n_runs``,
        ``n_unpaired`` (questions not complete in every cell, left out) and ``p_one_sided``. Three runs say
        little about the variation between runs.

    Raises
    ------
    UndefinedEstimateError
        If there is no run, or no question is complete in every cell.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> run = tuple(load_episodes(condition=name) for name in ("enforced_rule", "unaided"))
    >>> print(pooled_contrast([run], regimes=FAIL))
    pooled difference in mean success = 0.028 [0.013, 0.044]
    """
    plan, what = Resampling(**options), "the pooled difference is undefined"
    if not pairs:
        raise UndefinedEstimateError(f"{what}: there is no run")
    tables = [[success_matrix(each, regimes).dropna() for each in pair] for pair in pairs]
    flat = [table for pair in tables for table in pair]
    common = flat[0].index
    for table in flat[1:]:
        common = common[common.isin(table.index)]
    if common.empty:
        raise UndefinedEstimateError(f"{what}: no question is complete in every cell")
    differences = np.array([(a.loc[common] - b.loc[common]).mean(axis=1) for a, b in tables])
    n_runs, n_questions = differences.shape
    runs = np.concatenate(list(weight_blocks(n_runs, replace(plan, seed=plan.seed + 1)))) / n_runs
    values, done = np.empty(plan.n_boot), 0
    for block in weight_blocks(n_questions, plan):
        rows = slice(done, done := done + len(block))
        values[rows] = ((runs[rows] @ differences) * (block / n_questions)).sum(axis=1)
    measure = Measure(
        "pooled difference in mean success", differences.T, lambda _: np.asarray(differences.mean()),
        n_runs * n_questions * len(regimes), {"n_runs": float(n_runs)},
    )  # fmt: skip
    every = {question for table in flat for question in table.index}
    return _with_p(measure, values, plan, len(every) - n_questions)


def holm(pvalues: Mapping[str, float] | Sequence[float], *, alpha: float = 0.05) -> pd.DataFrame:
    """Return p-values adjusted by Holm's step-down method, computed by statsmodels.

    Parameters
    ----------
    pvalues : mapping of str to float, or sequence of float
        One p-value a test, in [0, 1]; the paper's families are the models within one hypothesis (§2).
    alpha : float, default 0.05
        Family-wise error rate.

    Returns
    -------
    pandas.DataFrame
        In the order given: ``p``, ``p_holm`` and ``reject``.

    Examples
    --------
    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})["p_holm"].round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    named = dict(pvalues) if isinstance(pvalues, Mapping) else dict(enumerate(pvalues))
    if not named:
        raise UndefinedEstimateError("there is no p-value to adjust")
    given = np.array([number(f"p-value {name!r}", p, 0, 1) for name, p in named.items()])
    number("alpha", alpha, 0, 1, inside=True)
    # Here, because statsmodels takes longer to import than all of this package.
    from statsmodels.stats.multitest import multipletests

    reject, adjusted, _, _ = multipletests(given, alpha=alpha, method="holm")
    return pd.DataFrame(
        {"p": given, "p_holm": adjusted, "reject": reject}, index=pd.Index(list(named), name="test")
    )


def wilson_interval(count: int, n: int, *, level: float = 0.95) -> tuple[float, float]:
    """Return Wilson's score interval for a share of `n` independent trials (paper, Appendix B.2).

    Examples
    --------
    >>> low, high = wilson_interval(35, 40)
    >>> round(low, 2), round(high, 2)
    (0.74, 0.95)
    """
    if n < 1:
        raise UndefinedEstimateError("a share is undefined: there is no trial")
    number("count", count, 0, n)
    number("level", level, 0, 1, inside=True)
    # Here, because statsmodels takes longer to import than all of this package.
    from statsmodels.stats.proportion import proportion_confint

    low, high = proportion_confint(count, n, alpha=1 - level, method="wilson")
    return float(low), float(high)
