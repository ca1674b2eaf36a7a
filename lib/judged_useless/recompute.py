"""Fill the recomputed column: every published quantity that some episodes can give."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.measures import CONTRASTS, MEASURES, THREE_RUNS, Options
from judged_useless.paths import data_dir
from judged_useless.published import QUANTITY, compare

#: Other names under which runs record a condition of the published numbers.
_SAME_CONDITION = {
    "unaided_thinking": ("thinking", "unaided+thinking"),
    "budget_thinking": ("budget+thinking", "thinking+budget"),
}
_CELL = ["model", "condition", "task", "split", "budget"]
#: What the record of published numbers calls three runs on the same questions, taken together.
POOLED_RUNS = "test300-three-runs"


def with_cell_labels(episodes: pd.DataFrame) -> pd.DataFrame:
    """Return episodes with ``task`` and ``budget``, which released episodes leave out.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes.

    Returns
    -------
    pandas.DataFrame
        With ``task`` "hotpotqa" (or "fever", on a split whose name starts so) and ``budget`` 8 where they
        were missing.
    """
    splits = episodes["split"] if "split" in episodes else pd.Series("", index=episodes.index, dtype="str")
    by_split = splits.str.startswith("fever").map({True: "fever", False: "hotpotqa"})
    task = episodes["task"].fillna(by_split) if "task" in episodes else by_split
    budget = episodes["budget"].fillna(8) if "budget" in episodes else pd.Series(8, index=episodes.index)
    return episodes.assign(task=task.astype("str"), budget=budget.astype(int))


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
    options = Options(n_boot=n_boot, seed=seed, level=level)
    by_cell = cells(validate(episodes))
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


#: How the tables name the paper's models in their rows and columns.
_LABELS = {
    "qwen2.5-7b": ("Qwen2.5-7B", "Qwen2.5 7B", "Q2.5"),
    "llama3.1-8b": ("Llama-3.1-8B", "Llama-3.1 8B", "L"),
    "qwen3-8b": ("Qwen3-8B", "Qwen3 8B", "Q3"),
    "qwen3-32b": ("Qwen3-32B", "Qwen3 32B"),
}


def _renamed(label: str, old: str, new: str) -> str:
    """Return a row or column label of one model for another."""
    for name in _LABELS.get(old, ()):
        if label == name or label.startswith(f"{name} "):
            return new + label.removeprefix(name)
    return label


def _with_new_models(
    printed: pd.DataFrame, by_cell: Mapping[tuple[object, ...], pd.DataFrame]
) -> pd.DataFrame:
    """Append rows for each model the paper does not have, after the rows of one that it has."""
    known = set(printed["model"]) | set(_LABELS)
    template = next((model for model in _LABELS if model in set(printed["model"])), None)
    settings: dict[tuple[object, ...], set[object]] = {}
    for model, condition, *setting in by_cell:
        if model not in known and template is not None:
            settings.setdefault((model, *setting), set()).add(condition)
    added = [
        _rows_for(printed[printed["model"] == template], str(template), setting, conditions)
        for setting, conditions in settings.items()
    ]
    return pd.concat([printed, *added], ignore_index=True) if added else printed.reset_index(drop=True)


def _rows_for(
    rows: pd.DataFrame, template: str, setting: tuple[object, ...], conditions: set[object]
) -> pd.DataFrame:
    """Return the rows of one model for another, with nothing published in them."""
    model, task, split, budget = map(str, setting)
    own = rows[[set(str(condition).split(" - ")) <= conditions for condition in rows["condition"]]]
    settings = pd.MultiIndex.from_frame(own[["task", "split", "budget"]].astype("object"))
    wanted = setting[1:]
    if wanted not in settings and not own.empty:
        wanted = settings[0]  # a task or split that the paper does not have follows the first one that it has
    own = own[settings == wanted].copy()
    labels = {
        name: [_renamed(str(each), template, str(model)) for each in own[name]] for name in ("row", "column")
    }
    own = own.assign(model=model, task=task, split=split, note="", **labels)
    own[["value", "low", "high"]] = np.nan
    own[["value_printed", "low_printed", "high_printed", "p_printed"]] = ""
    nothing = pd.array([pd.NA] * len(own), dtype="Int64")
    return own.assign(n=nothing, k=nothing, budget=pd.array([int(budget)] * len(own), dtype="Int64"))


def as_grid(
    compared: pd.DataFrame, values: str, rows: Sequence[str], columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return one number for each condition and model.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`recompute`, with one row a model and condition.
    values : str
        Column of the number, such as ``"value"`` or ``"recomputed"``.
    rows : sequence of str
        Conditions, in the order wanted.
    columns : sequence of str, optional
        Models, in the order wanted; those of `compared` by default.

    Returns
    -------
    pandas.DataFrame
        Index ``condition``, columns ``model``; NaN where there is no number.
    """
    names = list(dict.fromkeys(compared["model"])) if columns is None else list(columns)
    by_cell = compared.set_index(["condition", "model"])[values].astype(float)
    return pd.DataFrame(
        {name: [by_cell.get((row, name), np.nan) for row in rows] for name in names},
        index=pd.Index(list(rows), name="condition"),
    ).rename_axis(columns="model")


def _one(
    record: Mapping[Any, Any], by_cell: Mapping[tuple[object, ...], pd.DataFrame], options: Options
) -> tuple[Estimate | None, str]:
    """Return a quantity, or why these episodes do not give it."""
    name, regime = str(record["measure"]), str(record["regime"])
    keys = cell_keys(record)
    if name not in (MEASURES if len(keys) == 1 else CONTRASTS):
        return None, f"needs more than episodes: {name}"
    if any(not key[0] or not key[1] for key in keys):
        return None, "is about several cells at once"
    found = [_cell(key, by_cell) for key in keys]
    lacking = [" × ".join(map(str, key)) for key, cell in zip(keys, found, strict=True) if cell is None]
    if lacking:
        return None, f"needs the cell {' and '.join(lacking)}"
    there = [cell for cell in found if cell is not None]
    if keys[0][3] == POOLED_RUNS:
        regime = f"{regime} of three runs"
    try:
        if len(there) == 1:
            return MEASURES[name](there[0], regime, options), ""
        return CONTRASTS[name](there[0], there[1], regime, options), ""
    except (UndefinedEstimateError, EpisodeError) as error:
        # The episodes were checked before, so what is wrong with them here is a field this measure lacks.
        return None, str(error)


def cell_keys(record: Mapping[Any, Any]) -> list[tuple[object, ...]]:
    """Return the cells that a published quantity is about: one, or the two that are compared.

    Parameters
    ----------
    record : mapping
        A row of published numbers; ``condition`` or ``split`` may read "a - b".

    Returns
    -------
    list of tuple
        Model, condition, task, split, budget.
    """
    varied = {name: str(record[name]).split(" - ") for name in ("condition", "split")}
    n = max(map(len, varied.values()))
    return [
        tuple(
            varied[label][min(i, len(varied[label]) - 1)] if label in varied else record[label]
            for label in _CELL
        )
        for i in range(n)
    ]


def _cell(key: tuple[object, ...], by_cell: Mapping[tuple[object, ...], pd.DataFrame]) -> pd.DataFrame | None:
    """Return a cell, or the first 200 questions of one where the paper looks at those only."""
    model, condition, task, split, budget = key
    if split == POOLED_RUNS:
        return _pooled_runs(key, by_cell)
    for name in (condition, *_SAME_CONDITION.get(str(condition), ())):
        if (model, name, task, split, budget) in by_cell:
            return by_cell[model, name, task, split, budget]
    whole, first, n = str(split).partition("-first")
    if not first:
        return None
    cell = by_cell.get((model, condition, task, whole, budget))
    manifest = data_dir() / "manifests" / f"{whole}.txt"
    if cell is None or not manifest.is_file():
        return None
    chosen = cell[cell["question_id"].isin(manifest.read_text(encoding="utf-8").split()[: int(n)])]
    return chosen if chosen["question_id"].nunique() == int(n) else None


def _pooled_runs(
    key: tuple[object, ...], by_cell: Mapping[tuple[object, ...], pd.DataFrame]
) -> pd.DataFrame | None:
    """Return the three runs of a cell as one, where a question has each regime three times."""
    runs = [_cell((*key[:3], split, key[4]), by_cell) for split in THREE_RUNS]
    there = [run for run in runs if run is not None]
    if len(there) < len(runs):
        return None
    return pd.concat(
        [
            run.assign(regime=run["regime"].astype(str) + f" of {split}")
            for run, split in zip(there, THREE_RUNS, strict=True)
        ],
        ignore_index=True,
    )


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
