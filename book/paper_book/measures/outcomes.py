"""Every measure that episodes alone can give, under the names of the published numbers."""

from collections.abc import Callable, Sequence

import pandas as pd
from judged_useless import estimators
from judged_useless.environment.regimes import FAIL
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

from paper_book.measures.definitions import (
    REGIME_SETS,
    Contrast,
    Measure,
    Options,
    Pooled,
    chosen,
    plain,
    regimes_of,
)


def _pooled(estimator: Callable[..., Estimate], unnamed: str = "", **fixed: object) -> Measure:
    """Estimate from the episodes of the named regimes, pooled; `unnamed` are those of rows without a name."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        part = chosen(cell, regime or unnamed)
        return estimator(part, **fixed, **options.keywords())

    return measure


def _in_regime(estimator: Callable[..., Estimate]) -> Measure:
    """Estimate in one regime, which the estimator takes by name."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        return estimator(chosen(cell, regime), regime=regime, **options.keywords())

    return measure


def _over_regimes(estimator: Callable[..., Estimate], **fixed: object) -> Measure:
    """Average over the named regimes with equal weight."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        return estimator(cell, regimes=regimes_of(regime, cell), **fixed, **options.keywords())

    return measure


def _design(cell: pd.DataFrame, _: str, options: Options) -> Estimate:
    return estimators.design_label_contrast(cell, **options.keywords())


def _delta(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    # The runs in reasoning mode have fewer regimes; their rows name none and pool the failing ones.
    part = chosen(cell, regime) if regime else cell[cell["regime"].isin(FAIL)]
    if part.empty:
        raise UndefinedEstimateError("no episode of a regime with failures")
    return estimators.time_matched_contrast(part, **options.keywords())


def _answered_after(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    return estimators.answer_rate_after_run(cell, k=5, regime=regime, level=options.level)


def _useless(*, failed: bool) -> Measure:
    """Share of judgments that say USELESS; rows without a regime pool the six of mean6, without interval."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        names = regimes_of(regime or "mean6", cell)
        if len(names) > 1 and regime:
            raise UndefinedEstimateError("the share of useless judgments is defined for one regime at a time")
        part = cell[cell["regime"].isin(names)]
        rates = estimators.useless_rate(part, failed=failed, **options.keywords())
        if regime:
            return Estimate.from_row(rates.iloc[0].to_dict())
        known = rates.dropna(subset=["value"])
        n = int(known["n"].sum())
        return plain("judged useless", (known["value"] * known["n"]).sum() / n, n, part, options)

    return measure


def _hazard(part: str) -> Measure:
    """One component of the integration index; the paper prints no interval for it."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        index = options.once(
            cell,
            ("integration_index", regime),
            lambda: estimators.integration_index(chosen(cell, regime), **options.keywords()),
        )
        return _without_interval(part, index.parts[part], int(index.parts[part.replace("h", "n", 1)]), index)

    return measure


def _n_answered(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    share = estimators.share_answered(chosen(cell, regime), regime=regime, **options.keywords())
    return _without_interval("answered", round(share.value * share.n), share.n, share)


def _switch(entry: str) -> Measure:
    """One entry of the summary of first switches; the paper prints no interval for it."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        part = chosen(cell, regime)
        summary = estimators.switch_summary(part)
        return plain(entry, summary[entry], int(summary["n"]), part, options)

    return measure


def _specificity(kind: str, seen: str) -> Measure:
    """Share of real pages judged useful; the pages are in a run's log, not among the released fields."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        if not {"pages", "gold_titles"} <= set(cell) or cell["gold_titles"].isna().any():
            raise UndefinedEstimateError("the episodes do not say which page a search returned")
        # A cell may hold other regimes besides those of Table 11, such as two sources.
        part = cell[cell["regime"].isin(REGIME_SETS[regime or "mean6+plausible"])]
        rates = options.once(
            cell, ("specificity", regime), lambda: estimators.specificity(part, **options.keywords())
        )
        return Estimate.from_row(rates.T[kind, seen].to_dict())

    return measure


def _tool_call_difference(a: pd.DataFrame, b: pd.DataFrame, regime: str, options: Options) -> Estimate:
    """Return how many more tool calls a question the first cell makes; the paper prints no interval."""
    first, second = (MEASURES["tool_calls"](cell, regime, options) for cell in (a, b))
    return _without_interval("more tool calls", first.value - second.value, first.n, first)


def _without_interval(name: str, value: float, n: int, like: Estimate) -> Estimate:
    return Estimate(
        name, float(value), None, None, like.level, "count", n=n, n_clusters=like.n_clusters,
        reason="a part of another estimate",
    )  # fmt: skip


def _coefficient(row: str, *, question_effects: bool) -> Measure:
    """One coefficient of the hazard model, with the paper's 1,000 resamples when 2,000 are asked for."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        keywords = options.keywords() | {"n_boot": max(1, options.n_boot // 2)}
        table = options.once(
            cell,
            ("hazard_model", regime, question_effects),
            lambda: estimators.hazard_model(
                chosen(cell, regime), question_effects=question_effects, **keywords
            ),
        )
        return Estimate.from_row(table.T[row].to_dict())

    return measure


def difference(**fixed: object) -> Contrast:
    """Difference of two cells in success, or in utility at a price."""

    def contrast(a: pd.DataFrame, b: pd.DataFrame, regime: str, options: Options) -> Estimate:
        names: Sequence[str] = regimes_of(regime, a)
        regimes_of(regime, b)
        return estimators.paired_contrast(a, b, regimes=names, **fixed, **options.keywords())  # type: ignore[arg-type]

    return contrast


def _pooled_difference(
    pairs: Sequence[tuple[pd.DataFrame, pd.DataFrame]], regime: str, options: Options
) -> Estimate:
    names = regimes_of(regime, pairs[0][0])
    return estimators.pooled_contrast(pairs, regimes=names, **options.keywords())


#: Measures of one cell.
MEASURES: dict[str, Measure] = {
    "delta": _delta,
    "delta_by_question": _pooled(estimators.time_matched_contrast, strata="question"),
    "delta_by_regime": _pooled(estimators.time_matched_contrast, strata="regime"),
    "design_label_contrast": _design,
    "integration_index": _pooled(estimators.integration_index, unnamed="persistent+recover_after_2"),
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
    "extra_calls": _over_regimes(estimators.extra_calls),
    "utility": _over_regimes(estimators.utility, charge_judgments=True),
    "cost_adjusted_success": _over_regimes(estimators.utility),
    "useless_rate": _useless(failed=True),
    "useless_rate_real": _useless(failed=False),
    **{
        f"useful_rate_{kind}_{seen}": _specificity(kind, seen)
        for kind in ("gold", "distractor")
        for seen in ("first", "repeat")
    },
    "leave_contrast": _pooled(estimators.leave_contrast),
    "switched_by_4": _switch("switched_by"),
    "ever_switched": _switch("ever_switched"),
    "median_first_switch": _switch("median_first"),
    "answered_first": _switch("answered_first"),
}

#: Measures of two cells on the same questions, the first minus the second.
CONTRASTS: dict[str, Contrast] = {
    "paired_difference": difference(),
    "utility_difference": difference(price=0.05, charge_judgments=True),
    "cost_adjusted_difference": difference(price=0.05),
    "tool_call_difference": _tool_call_difference,
}

#: Measures of several runs of the same two cells.
POOLED: dict[str, Pooled] = {"paired_difference": _pooled_difference}
