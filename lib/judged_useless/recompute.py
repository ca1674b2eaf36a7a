"""Fill the recomputed column: every published quantity that some episodes can give."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.judgments import useless_rate
from judged_useless.estimators.rates import answer_rate_after_run
from judged_useless.estimators.success import mean_success
from judged_useless.published import QUANTITY, compare
from judged_useless.regimes import FAIL, MEAN6

#: Sets of regimes that the paper pools or averages under one name.
REGIME_SETS: dict[str, tuple[str, ...]] = {
    "fail": FAIL,
    "mean6": MEAN6,
    "mean3": ("persistent", "recover_after_2", "clean"),
    "mean4": ("clean", "persistent", "plausible", "recover_after_2"),
}
_DEFAULTS = {"task": "hotpotqa", "budget": 8}
_CELL = ["model", "condition", "task", "split", "budget"]


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

    def keywords(self) -> dict[str, float]:
        """Return the options as keyword arguments of an estimator."""
        return {"n_boot": self.n_boot, "seed": self.seed, "level": self.level}


Measure = Callable[[pd.DataFrame, str, Options], Estimate]


def _chosen(cell: pd.DataFrame, regime: str) -> pd.DataFrame:
    """Return the episodes of a regime or of a set of regimes, all of which must be there."""
    names = REGIME_SETS.get(regime, (regime,))
    missing = [name for name in names if name not in set(cell["regime"])]
    if missing:
        raise UndefinedEstimateError(f"no episode of regime {', '.join(missing)}")
    return cell[cell["regime"].isin(names)]


def _delta(strata: str) -> Measure:
    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        return time_matched_contrast(_chosen(cell, regime), strata=strata, **options.keywords())  # type: ignore[arg-type]

    return measure


def _design(cell: pd.DataFrame, _: str, options: Options) -> Estimate:
    return design_label_contrast(cell, **options.keywords())  # type: ignore[arg-type]


def _success(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    names = REGIME_SETS.get(regime, (regime,))
    return mean_success(_chosen(cell, regime), regimes=names, **options.keywords())  # type: ignore[arg-type]


def _answered_after(k: int) -> Measure:
    def measure(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
        return answer_rate_after_run(cell, k=k, regime=regime, level=options.level)

    return measure


def _useless(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    rates = useless_rate(_chosen(cell, regime), failed=True, **options.keywords())  # type: ignore[arg-type]
    if len(rates) != 1:
        raise UndefinedEstimateError("the share of useless judgments is defined for one regime at a time")
    return Estimate(**{str(name): value for name, value in rates.iloc[0].items()})


#: What can be recomputed, under the names of the published measures.
MEASURES: dict[str, Measure] = {
    "delta": _delta("step"),
    "delta_by_question": _delta("question"),
    "delta_by_regime": _delta("regime"),
    "design_label_contrast": _design,
    "success": _success,
    "answered_after_5": _answered_after(5),
    "useless_rate": _useless,
}


def with_cell_labels(episodes: pd.DataFrame) -> pd.DataFrame:
    """Return episodes with ``task`` and ``budget``, which released episodes leave out.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes.

    Returns
    -------
    pandas.DataFrame
        With ``task`` "hotpotqa" and ``budget`` 8 where they were missing.
    """
    filled = {
        name: (episodes[name] if name in episodes else pd.Series(None, index=episodes.index, dtype=object))
        .where(lambda column: column.notna(), default)
        .astype(type(default))
        for name, default in _DEFAULTS.items()
    }
    return episodes.assign(**filled)


def cells(episodes: pd.DataFrame) -> dict[tuple[object, ...], pd.DataFrame]:
    """Return episodes by cell.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells.

    Returns
    -------
    dict of tuple to pandas.DataFrame
        Key: model, condition, task, split, budget; in order of appearance.
    """
    labelled = with_cell_labels(episodes)
    return dict(iter(labelled.groupby(_CELL, sort=False, observed=True)))


def recompute(
    printed: pd.DataFrame,
    episodes: pd.DataFrame,
    *,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> pd.DataFrame:
    """Hold published quantities against what episodes give.

    Parameters
    ----------
    printed : pandas.DataFrame
        Rows of :func:`judged_useless.published.published`.
    episodes : pandas.DataFrame
        Episodes of any number of cells. Those of a model that the paper does not have are added below, with
        the same measures and an empty published column.
    n_boot, seed, level
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
        As :func:`judged_useless.published.compare` returns it, with ``reason``: why a quantity could not be
        recomputed (empty where it was). Counts printed as k of n are compared as counts.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    options = Options(n_boot, seed, level)
    by_cell = cells(episodes)
    wanted = _with_new_models(printed, by_cell)
    rows, reasons = [], []
    # One quantity stands in several tables, and is computed once.
    done: dict[tuple[object, ...], str] = {}
    for record in wanted.to_dict("records"):
        quantity = tuple(record[name] for name in QUANTITY)
        if quantity not in done:
            value, done[quantity] = _one(record, by_cell, options)
            if value is not None:
                rows.append(dict(zip(QUANTITY, quantity, strict=True)) | _as_row(value))
        reasons.append(done[quantity])
    computed = pd.DataFrame(rows, columns=[*QUANTITY, "value", "low", "high", "k", "n"])
    compared = compare(wanted, computed.drop(columns=["k", "n"]), on=list(QUANTITY))
    return _compare_counts(compared.assign(reason=reasons), computed)


def _with_new_models(
    printed: pd.DataFrame, by_cell: Mapping[tuple[object, ...], pd.DataFrame]
) -> pd.DataFrame:
    """Append a template row for each cell of a model the paper does not have."""
    known = set(printed["model"])
    templates = printed.drop_duplicates(["panel", "column", "condition", "regime", "measure"])
    added = []
    for model, condition, task, split, budget in by_cell:
        if model in known:
            continue
        rows = templates[templates["condition"] == condition].copy()
        cell: dict[str, Any] = {"model": model, "task": task, "split": split, "budget": budget}
        rows = rows.assign(**cell, row=str(model), note="")
        rows[["value", "low", "high"]] = np.nan
        rows[["value_printed", "low_printed", "high_printed", "p"]] = ""
        rows[["n", "k"]] = pd.NA
        added.append(rows)
    return pd.concat([printed, *added], ignore_index=True) if added else printed.reset_index(drop=True)


def _one(
    record: Mapping[Any, Any], by_cell: Mapping[tuple[object, ...], pd.DataFrame], options: Options
) -> tuple[Estimate | None, str]:
    cell = by_cell.get(tuple(record[name] for name in _CELL))
    if cell is None:
        return None, f"needs the cell {record['model']} × {record['condition']} × {record['split']}"
    measure = MEASURES.get(str(record["measure"]))
    if measure is None:
        return None, f"needs more than episodes: {record['measure']}"
    try:
        return measure(cell, str(record["regime"]), options), ""
    except UndefinedEstimateError as error:
        return None, str(error)


def _as_row(value: Estimate) -> dict[str, float | None]:
    row = {"value": value.value, "low": value.low, "high": value.high, "n": value.n}
    return row | {"k": value.parts.get("answers")}


def _compare_counts(compared: pd.DataFrame, computed: pd.DataFrame) -> pd.DataFrame:
    """Where the paper prints k of n, compare k and n instead of a share at some precision."""
    counts = computed[[*QUANTITY, "k", "n"]].rename(columns={"k": "recomputed_k", "n": "recomputed_n"})
    joined = compared.merge(counts, on=list(QUANTITY), how="left", validate="many_to_one")
    printed = joined["value"].isna() & joined["k"].notna() & joined["n"].notna()
    if not printed.any():
        return joined
    share = joined["k"].astype("Float64") / joined["n"].astype("Float64")
    same = (joined["recomputed_k"] == joined["k"]) & (joined["recomputed_n"] == joined["n"])
    there = printed & joined["recomputed"].notna()
    joined["value"] = joined["value"].where(~printed, share.astype(float))
    joined["decimals"] = joined["decimals"].where(~printed, 3)
    joined["difference"] = joined["difference"].where(~printed, joined["recomputed"] - joined["value"])
    joined["equal"] = joined["equal"].where(~printed, same.astype("boolean").where(there))
    return joined
