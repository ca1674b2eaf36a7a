"""Comparing two cells question by question, and many comparisons at once."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN6
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.cost import utility_matrix
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.measure import Measure, with_interval
from judged_useless.estimators.resampling import Resampling, Stream
from judged_useless.estimators.success import mean_measure, success_matrix


def _matrix(episodes: Episodes, regimes: Sequence[str], price: float, charge_judgments: bool) -> pd.DataFrame:
    if price == 0:
        return success_matrix(episodes, regimes)
    return utility_matrix(episodes, regimes, price, charge_judgments)


def paired_measure(name: str, a: pd.DataFrame, b: pd.DataFrame) -> tuple[Measure, int]:
    """Return the mean difference of two tables by question and regime, and how many questions have no pair.

    Parameters
    ----------
    name : str
        Shown before the number.
    a, b : pandas.DataFrame
        Rows are questions, columns regimes; the pairs are the questions and regimes that both have.

    Returns
    -------
    measure : Measure
        The difference a - b averaged over questions, then over regimes with equal weight.
    n_unpaired : int
        Questions that only one of the two has.

    Raises
    ------
    UndefinedEstimateError
        If they have no question in common.
    """
    common = a.index[a.index.isin(b.index)]
    if common.empty:
        raise UndefinedEstimateError(f"{name} is undefined: the two have no question in common")
    differences = a.loc[common] - b.loc[common]
    return mean_measure(name, differences), len(a) + len(b) - 2 * len(common)


def paired_contrast(
    a: Episodes,
    b: Episodes,
    *,
    regimes: Sequence[str] = MEAN6,
    price: float = 0.0,
    charge_judgments: bool = False,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the difference of two cells in mean success (or utility), paired by question.

    The mean over regimes, with equal weight, of the mean difference a - b over the questions that both have.
    Questions are resampled with all their regimes.

    Parameters
    ----------
    a, b : pandas.DataFrame or iterable of mappings
        Episodes of one model and condition each, with ``question_id``, ``regime`` and ``success``; at a
        `price` also ``actions`` and ``judgments``.
    regimes : sequence of str, default MEAN6
        Regimes averaged; each must be in both.
    price : float, default 0
        λ: price of a tool call in units of a correct answer. At 0 the difference is one of success.
    charge_judgments : bool, default False
        Charge judgment calls and discarded turns too; see :func:`~judged_useless.estimators.cost.utility`.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A difference in [-1, 1] of success (unbounded at a price); `n` counts pairs of episodes. Its parts
        hold ``p_one_sided``, the share of resampled differences that are 0 or less (unadjusted; 0 means less
        than 1 / n_boot), and ``n_unpaired``, the questions left out because only one cell has them.

    Raises
    ------
    UndefinedEstimateError
        If the two share no question, or a regime is missing.
    EpisodeError
        If an episode is not what the schema says, or models and conditions are mixed.
    ValueError
        If an option is out of range.

    Notes
    -----
    The p-value is the bootstrap's, as in the paper, not that of an exact test: with few discordant questions
    read the interval instead. Where the interval is undefined there is no ``p_one_sided`` either.

    References
    ----------
    Paper §2 "Models and protocol", Appendix D.1, Tables 15, 20 and 21 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> rule, unaided = (load_episodes(condition=name) for name in ("enforced_rule", "unaided"))
    >>> print(paired_contrast(rule, unaided, regimes=FAIL))
    difference in mean success = 0.028 [0.013, 0.044]
    """
    plan = Resampling(n_boot, seed, level, stream)
    what = "success" if price == 0 else f"utility (λ = {price:g})"
    tables = [_matrix(each, regimes, price, charge_judgments) for each in (a, b)]
    measure, unpaired = paired_measure(f"difference in mean {what}", *tables)
    value = measure.value()
    values = measure.resampled(plan) if measure.n_clusters > 1 else np.empty(0)
    parts = {"n_unpaired": float(unpaired)}
    defined = values[np.isfinite(values)]
    if len(defined):
        parts["p_one_sided"] = float((defined <= 0).mean())
    return with_interval(
        measure.name, value, values, plan, n=measure.n, n_clusters=measure.n_clusters, parts=parts
    )


def non_inferiority(
    a: Episodes,
    b: Episodes,
    *,
    margin: float = 0.05,
    regimes: Sequence[str] = MEAN6,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the paired difference in mean success, with the verdict whether a is non-inferior to b.

    a is non-inferior when the lower bound of the interval of a - b lies above ``-margin``.

    Parameters
    ----------
    a, b : pandas.DataFrame or iterable of mappings
        As in :func:`paired_contrast`.
    margin : float, default 0.05
        Loss that would still be accepted, a positive difference of success.
    regimes : sequence of str, default MEAN6
        Regimes averaged; one regime alone tests that regime, as in the paper's H3.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        As from :func:`paired_contrast`; its parts also hold ``margin`` and ``non_inferior``, 1 or 0.

    Raises
    ------
    UndefinedEstimateError
        If the interval, and so the verdict, is undefined, or for the reasons of :func:`paired_contrast`.
    ValueError
        If `margin` is not positive.

    Notes
    -----
    Failing the test does not show that a is worse, only that too much of a loss cannot be excluded.

    References
    ----------
    Paper, Appendix A (margins of -0.05), Tables 4 and 5 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> rule, unaided = (load_episodes(condition=name) for name in ("enforced_rule", "unaided"))
    >>> result = non_inferiority(rule, unaided, regimes=["recover_after_1"])
    >>> round(result.low, 3), result["non_inferior"]
    (-0.057, 0.0)
    """
    if not margin > 0:
        raise ValueError(f"margin must be positive, not {margin}")
    result = paired_contrast(a, b, regimes=regimes, n_boot=n_boot, seed=seed, level=level, stream=stream)
    if result.low is None:
        raise UndefinedEstimateError(f"non-inferiority is undefined: {result.reason}")
    verdict = {"margin": float(margin), "non_inferior": float(result.low > -margin)}
    fields = dict(result) | {"parts": dict(result.parts) | verdict}
    return Estimate(**fields)  # type: ignore[arg-type]


def holm(pvalues: Mapping[str, float] | Sequence[float], *, alpha: float = 0.05) -> pd.DataFrame:
    """Return p-values adjusted by Holm's step-down method.

    Parameters
    ----------
    pvalues : mapping of str to float, or sequence of float
        One p-value a test, in [0, 1]; the paper's families are the models within one hypothesis.
    alpha : float, default 0.05
        Family-wise error rate.

    Returns
    -------
    pandas.DataFrame
        In the order given: ``p``, ``p_holm`` and ``reject``.

    Raises
    ------
    UndefinedEstimateError
        If there is no p-value.
    ValueError
        If a p-value is not in [0, 1], or `alpha` not strictly between 0 and 1.

    References
    ----------
    Paper §2 "Models and protocol", Appendix A (arXiv:2610.06191); computed by statsmodels.

    Examples
    --------
    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})["p_holm"].round(2).tolist()
    [0.03, 0.06, 0.06]
    """
    named = dict(pvalues) if isinstance(pvalues, Mapping) else dict(enumerate(pvalues))
    if not named:
        raise UndefinedEstimateError("there is no p-value to adjust")
    for name, p in named.items():
        if not 0 <= p <= 1:
            raise ValueError(f"p-value {name!r} is {p}, expected a number in [0, 1]")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie strictly between 0 and 1, not {alpha}")
    given = np.array(list(named.values()), dtype=np.float64)
    # Here, because statsmodels takes longer to import than all of this package.
    from statsmodels.stats.multitest import multipletests

    reject, adjusted, _, _ = multipletests(given, alpha=alpha, method="holm")
    return pd.DataFrame(
        {"p": given, "p_holm": adjusted, "reject": reject}, index=pd.Index(list(named), name="test")
    )
