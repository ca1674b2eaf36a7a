"""Every measure that episodes alone can give, under the names of the published numbers."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import pandas as pd

from judged_useless import estimators
from judged_useless.estimators import Estimate, UndefinedEstimateError
from judged_useless.regimes import FAIL, MEAN3, MEAN4, MEAN6

#: Splits of the first run and its two replicates (Table 28).
THREE_RUNS = ("test300", "test300-run2", "test300-run3")
#: Sets of regimes that the paper pools or averages under one name.
REGIME_SETS: dict[str, tuple[str, ...]] = {
    "fail": FAIL,
    "mean6": MEAN6,
    "mean3": MEAN3,
    "mean4": MEAN4,
    "mean4_late": ("persistent", "late_onset_from_3", "recover_after_2", "clean"),
    "ts_fail": tuple(f"ts_{regime}" for regime in FAIL),
    "ts_mean6": tuple(f"ts_{regime}" for regime in MEAN6),
    "persistent+recover_after_2": ("persistent", "recover_after_2"),
    "persistent+plausible": ("persistent", "plausible"),
    "mean6 of three runs": tuple(f"{regime} of {split}" for split in THREE_RUNS for regime in MEAN6),
}


_T = TypeVar("_T")


@dataclass(frozen=True)
class Options:
    """How intervals are resampled.

    Attributes
    ----------
    n_boot, seed, level
        As in :class:`judged_useless.estimators.resampling.Resampling`.
    memory : dict
        What several measures of a cell have in common, computed once while these options are in use.
    """

    n_boot: int = 2000
    seed: int = 0
    level: float = 0.95
    memory: dict[Hashable, Any] = field(default_factory=dict, compare=False, repr=False)

    def keywords(self) -> dict[str, Any]:
        """Return the options as keyword arguments of an estimator."""
        return {"n_boot": self.n_boot, "seed": self.seed, "level": self.level}

    def once(self, cell: pd.DataFrame, what: Hashable, make: Callable[[], _T]) -> _T:
        """Return what was made of a cell before under this name, or make it.

        Parameters
        ----------
        cell : pandas.DataFrame
            The cell; it is kept, so that no other can take its identity.
        what : hashable
            Name of what is made.
        make : callable
            Makes it.
        """
        key = (id(cell), what)
        if key not in self.memory:
            self.memory[key] = (cell, make())
        made: _T = self.memory[key][1]
        return made


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
    there = set(cell["regime"].unique())
    missing = [each for each in names if each not in there]
    if missing:
        raise UndefinedEstimateError(f"no episode of regime {', '.join(missing) or 'unnamed'}")
    return names


def _chosen(cell: pd.DataFrame, name: str) -> pd.DataFrame:
    return cell[cell["regime"].isin(regimes_of(name, cell))]


def _pooled(estimator: Callable[..., Estimate], unnamed: str = "", **fixed: object) -> Measure:
    """Estimate from the episodes of the named regimes, pooled; `unnamed` are those of rows without a name."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        chosen = _chosen(cell, regime or unnamed)
        return estimator(chosen, **fixed, **options.keywords())

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


def _delta(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    # The runs in reasoning mode have fewer regimes; their rows name none and pool the failing ones.
    chosen = _chosen(cell, regime) if regime else cell[cell["regime"].isin(FAIL)]
    if chosen.empty:
        raise UndefinedEstimateError("no episode of a regime with failures")
    return estimators.time_matched_contrast(chosen, **options.keywords())


def _on_stated(cell: pd.DataFrame) -> pd.DataFrame:
    if "stated" not in cell or cell["stated"].isna().any():
        raise UndefinedEstimateError("no judgments stated in the reasoning were read for these episodes")
    return cell


def _delta_stated(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    chosen = _on_stated(_chosen(cell, regime))
    return estimators.time_matched_contrast(chosen, judgments="stated", **options.keywords())


def _answered_after_stated(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    chosen = _on_stated(_chosen(cell, regime))
    return estimators.answer_rate_after_run(
        chosen, k=5, regime=regime, judgments="stated", level=options.level
    )


def _answered_after(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    return estimators.answer_rate_after_run(cell, k=5, regime=regime, level=options.level)


def _answered_where_favoured(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    # The paper pools two regimes; its rows name none (§3).
    names = regimes_of(regime or "persistent+plausible", cell)
    return estimators.answers_when_favoured(cell, regimes=names, **options.keywords())


def _useless(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    names = regimes_of(regime, cell)
    if len(names) > 1:
        raise UndefinedEstimateError("the share of useless judgments is defined for one regime at a time")
    rates = estimators.useless_rate(_chosen(cell, regime), failed=True, **options.keywords())
    return Estimate.from_row(rates.iloc[0].to_dict())


def _hazard(part: str) -> Measure:
    """One component of the integration index; the paper prints no interval for it."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        index = options.once(
            cell,
            ("integration_index", regime),
            lambda: estimators.integration_index(_chosen(cell, regime), **options.keywords()),
        )
        return _without_interval(part, index.parts[part], int(index.parts[part.replace("h", "n", 1)]), index)

    return measure


def _n_answered(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    share = estimators.share_answered(_chosen(cell, regime), regime=regime, **options.keywords())
    return _without_interval("answered", round(share.value * share.n), share.n, share)


def _share_exhausted(cell: pd.DataFrame, regime: str, _: Options) -> Estimate:
    chosen = _chosen(cell, regime)
    budget = chosen.get("budget", 8)
    spent = chosen["actions"].map(lambda actions: len(actions) and actions[-1] != "finish")
    exhausted = spent.astype(bool) & (chosen["actions"].map(len) >= budget)
    n = len(chosen)
    return Estimate(
        "share exhausted", float(exhausted.mean()), None, None, 0.95, "share", n=n,
        n_clusters=chosen["question_id"].nunique(), reason="a plain share",
    )  # fmt: skip


def _switch(part: str) -> Measure:
    """One entry of the summary of first switches; the paper prints no interval for it."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        chosen = _chosen(cell, regime)
        summary = estimators.switch_summary(chosen)
        return Estimate(
            part, float(summary[part]), None, None, options.level, "summary", n=int(summary["n"]),
            n_clusters=chosen["question_id"].nunique(), reason="a plain summary",
        )  # fmt: skip

    return measure


def _specificity(kind: str, seen: str) -> Measure:
    """Share of real pages judged useful; the pages are in a run's log, not among the released fields."""

    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        if not {"pages", "gold_titles"} <= set(cell) or cell["gold_titles"].isna().any():
            raise UndefinedEstimateError("the episodes do not say which page a search returned")
        chosen = _chosen(cell, regime) if regime else cell
        rates = options.once(
            cell, ("specificity", regime), lambda: estimators.specificity(chosen, **options.keywords())
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
                _chosen(cell, regime), question_effects=question_effects, **keywords
            ),
        )
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
    "delta_stated": _delta_stated,
    "answered_after_5": _answered_after,
    "answered_after_5_stated": _answered_after_stated,
    "answered_where_report_favors": _answered_where_favoured,
    "share_answered": _in_regime(estimators.share_answered),
    "n_answered": _n_answered,
    "median_answer_action": _in_regime(estimators.median_answer_action),
    "share_exhausted": _share_exhausted,
    "share_at_last_action": _in_regime(estimators.share_at_last_action),
    "premature_rate": _in_regime(estimators.premature_rate),
    "success": _over_regimes(estimators.mean_success),
    "tool_calls": _over_regimes(estimators.tool_calls),
    "extra_calls": _over_regimes(estimators.extra_calls),
    "utility": _over_regimes(estimators.utility, charge_judgments=True),
    "cost_adjusted_success": _over_regimes(estimators.utility),
    "cost_adjusted_success_judgments_charged": _over_regimes(estimators.utility, charge_judgments=True),
    "useless_rate": _useless,
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
    "paired_difference": _difference(),
    "utility_difference": _difference(price=0.05, charge_judgments=True),
    "cost_adjusted_difference": _difference(price=0.05),
    "tool_call_difference": _tool_call_difference,
}
