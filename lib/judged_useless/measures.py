"""Every measure that episodes alone can give, under the names of the published numbers."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import pandas as pd

from judged_useless import estimators
from judged_useless.estimators import Estimate, UndefinedEstimateError
from judged_useless.regimes import FAIL, MEAN3, MEAN4, MEAN6

#: Sets of regimes that the paper pools or averages under one name.
REGIME_SETS: dict[str, tuple[str, ...]] = {
    "fail": FAIL,
    "mean6": MEAN6,
    "mean3": MEAN3,
    "mean4": MEAN4,
    "persistent+recover_after_2": ("persistent", "recover_after_2"),
}


@dataclass(frozen=True)
class Options:
    """How intervals are resampled.

    Attributes
    ----------
    n_boot, seed, level
        As in :class:`judged_useless.estimators.resampling.Resampling`.
    """

    n_boot: int = 2000
    seed: int = 0
    level: float = 0.95

    def keywords(self) -> dict[str, Any]:
        """Return the options as keyword arguments of an estimator."""
        return asdict(self)


Measure = Callable[[pd.DataFrame, str, Options], Estimate]
Contrast = Callable[[pd.DataFrame, pd.DataFrame, str, Options], Estimate]


def regimes_of(name: str, cell: pd.DataFrame) -> tuple[str, ...]:
    """Return the regimes behind a published name, all of which the cell must have.

    Parameters
    ----------
    name : str
        A regime, or a key of :data:`REGIME_SETS`.
    cell : pandas.DataFrame
        Episodes of one cell.

    Returns
    -------
    tuple of str

    Raises
    ------
    UndefinedEstimateError
        If the cell lacks one of them.
    """
    names = REGIME_SETS.get(name, (name,))
    missing = [each for each in names if each not in set(cell["regime"])]
    if missing:
        raise UndefinedEstimateError(f"no episode of regime {', '.join(missing) or 'unnamed'}")
    return names


def _chosen(cell: pd.DataFrame, name: str) -> pd.DataFrame:
    return cell[cell["regime"].isin(regimes_of(name, cell))]


def _pooled(estimator: Callable[..., Estimate], **fixed: object) -> Measure:
    """Estimate from the episodes of the named regimes, pooled."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        return estimator(_chosen(cell, regime), **fixed, **options.keywords())

    return measure


def _in_regime(estimator: Callable[..., Estimate]) -> Measure:
    """Estimate in one regime, which the estimator takes by name."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        return estimator(_chosen(cell, regime), regime=regime, **options.keywords())

    return measure


def _over_regimes(estimator: Callable[..., Estimate], **fixed: object) -> Measure:
    """Average over the named regimes with equal weight."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        return estimator(cell, regimes=regimes_of(regime, cell), **fixed, **options.keywords())

    return measure


def _design(cell: pd.DataFrame, _: str, options: Options) -> Estimate:
    return estimators.design_label_contrast(cell, **options.keywords())


def _answered_after(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    return estimators.answer_rate_after_run(cell, k=5, regime=regime, level=options.level)


def _useless(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    names = regimes_of(regime, cell)
    if len(names) > 1:
        raise UndefinedEstimateError("the share of useless judgments is defined for one regime at a time")
    rates = estimators.useless_rate(_chosen(cell, regime), failed=True, **options.keywords())
    return Estimate.from_row(rates.iloc[0].to_dict())


def _hazard(part: str) -> Measure:
    """One component of the integration index; the paper prints no interval for it."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        index = estimators.integration_index(_chosen(cell, regime), **options.keywords())
        return _without_interval(part, index.parts[part], int(index.parts[part.replace("h", "n", 1)]), index)

    return measure


def _n_answered(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    share = estimators.share_answered(_chosen(cell, regime), regime=regime, **options.keywords())
    return _without_interval("answered", round(share.value * share.n), share.n, share)


def _without_interval(name: str, value: float, n: int, like: Estimate) -> Estimate:
    return Estimate(
        name, float(value), None, None, like.level, "count", n=n, n_clusters=like.n_clusters,
        reason="a part of another estimate",
    )  # fmt: skip


def _coefficient(row: str, *, question_effects: bool) -> Measure:
    """One coefficient of the hazard model, with the paper's 1,000 resamples when 2,000 are asked for."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        keywords = options.keywords() | {"n_boot": max(1, options.n_boot // 2)}
        table = estimators.hazard_model(_chosen(cell, regime), question_effects=question_effects, **keywords)
        return Estimate.from_row(table.T[row].to_dict())

    return measure


def _difference(**fixed: object) -> Contrast:
    def contrast(a: pd.DataFrame, b: pd.DataFrame, regime: str, options: Options) -> Estimate:
        names: Sequence[str] = regimes_of(regime, a)
        regimes_of(regime, b)
        return estimators.paired_contrast(a, b, regimes=names, **fixed, **options.keywords())  # type: ignore[arg-type]

    return contrast


#: Measures of one cell.
MEASURES: dict[str, Measure] = {
    "delta": _pooled(estimators.time_matched_contrast),
    "delta_by_question": _pooled(estimators.time_matched_contrast, strata="question"),
    "delta_by_regime": _pooled(estimators.time_matched_contrast, strata="regime"),
    "design_label_contrast": _design,
    "integration_index": _pooled(estimators.integration_index),
    "hazard_4_5": _hazard("h_4_5"),
    "hazard_1_2": _hazard("h_1_2"),
    "beta": _coefficient("run", question_effects=False),
    "beta_question_effects": _coefficient("run", question_effects=True),
    "gamma": _coefficient("earlier_useful", question_effects=False),
    "answered_after_5": _answered_after,
    "share_answered": _in_regime(estimators.share_answered),
    "n_answered": _n_answered,
    "median_answer_action": _in_regime(estimators.median_answer_action),
    "share_at_last_action": _in_regime(estimators.share_at_last_action),
    "premature_rate": _in_regime(estimators.premature_rate),
    "success": _over_regimes(estimators.mean_success),
    "tool_calls": _over_regimes(estimators.tool_calls),
    "utility": _over_regimes(estimators.utility, charge_judgments=True),
    "cost_adjusted_success": _over_regimes(estimators.utility),
    "cost_adjusted_success_judgments_charged": _over_regimes(estimators.utility, charge_judgments=True),
    "useless_rate": _useless,
}

#: Measures of two cells on the same questions, the first minus the second.
CONTRASTS: dict[str, Contrast] = {"paired_difference": _difference()}
