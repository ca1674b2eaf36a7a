"""Fill the recomputed column: every published quantity that some episodes can give."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from judged_useless._io.paths import data_dir
from judged_useless._io.strict_json import shown
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

from paper_book.measures import CONTRASTS, MEASURES, POOLED, WORDS
from paper_book.measures.definitions import Options
from paper_book.measures.needs import CELL as _CELL
from paper_book.measures.needs import Needed, needed
from paper_book.measures.own_models import with_own_models
from paper_book.published.comparing import compare
from paper_book.published.transcribed import QUANTITY
from paper_book.reading import SEPARATOR, is_simulated

#: Other names under which runs record a condition of the published numbers.
_SAME_CONDITION = {
    "unaided_thinking": ("thinking", "unaided+thinking"),
    "budget_thinking": ("budget+thinking", "thinking+budget"),
}
#: What tells recomputed quantities apart: the published names, and what rows of the same names differ in.
_KEY = [*QUANTITY, "needed"]


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
        Key: model, condition, task, split, budget; in order of appearance. Lists that a cell's source does
        not have are left out, as that of failures or of stated judgments.
    """
    labelled = with_cell_labels(episodes)
    return {key: _without_silent(cell) for key, cell in labelled.groupby(_CELL, sort=False, observed=True)}


def _without_silent(cell: pd.DataFrame) -> pd.DataFrame:
    # Every measure checks the episodes that it is given, and lists take longest.
    return cell.drop(
        columns=[name for name in ("failed", "stated") if name in cell and cell[name].isna().all()]
    )


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
        Rows of :func:`paper_book.published.published`.
    episodes : pandas.DataFrame
        Episodes of any number of cells. Those of a model that the paper does not have are added below, with
        the same measures and an empty published column.
    n_boot, seed, level
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
        As :func:`paper_book.published.compare` returns it, with ``reason``: why a quantity could not be
        recomputed (empty where it was), ``recomputed_words``: the result where it is no number,
        ``simulated``: whether its episodes are of an agent that is no language model, ``own``: whether it is
        of a model that the paper does not have, and, of several sources, ``loaded_from``: which were used.
        Counts printed as k of n are compared as counts.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    options = Options(n_boot=n_boot, seed=seed, level=level)
    by_cell = cells(validate(episodes))
    wanted = with_own_models(printed, by_cell)
    records = wanted.to_dict("records")
    labels = [needed(record).label for record in records]
    rows: dict[tuple[object, ...], dict[str, object]] = {}
    found: list[tuple[Estimate | str | None, str]] = []
    # One quantity stands in several tables, and is computed once.
    done: dict[tuple[object, ...], tuple[Estimate | str | None, str]] = {}
    for record, label in zip(records, labels, strict=True):
        quantity = tuple(record[name] for name in QUANTITY)
        what = needed(record)
        if (key := (*quantity, what.measure, what.price)) not in done:
            done[key] = _one(record, by_cell, options)
        value = done[key][0]
        if isinstance(value, Estimate):
            row = (*quantity, label)
            rows[row] = dict(zip(_KEY, row, strict=True)) | _as_row(value, what.scale)
        found.append(done[key])
    computed = pd.DataFrame(list(rows.values()), columns=[*_KEY, "value", "low", "high", "k", "n"])
    compared = compare(wanted.assign(needed=labels), computed.drop(columns=["k", "n"]), on=_KEY).assign(
        reason=[reason for _, reason in found],
        recomputed_words=[value if isinstance(value, str) else "" for value, _ in found],
    )
    compared = compared.assign(**_origin(records, by_cell))
    return _compare_counts(compared, computed).drop(columns="needed")


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
) -> tuple[Estimate | str | None, str]:
    """Return a quantity, or why these episodes do not give it."""
    what = needed(record)
    if not measured(what):
        return None, f"needs more than episodes: {what.measure}"
    if what.several_cells:
        return None, "is about several cells at once"
    found = [_cell(key, by_cell) for key in what.keys]
    lacking = [" × ".join(map(str, key)) for key, cell in zip(what.keys, found, strict=True) if cell is None]
    if lacking:
        return None, f"needs the cell {' and '.join(dict.fromkeys(lacking))}"
    there = [cell for cell in found if cell is not None]
    try:
        for cell in there:
            _require_one_seed(cell)
        return _measure(what, there, str(record["regime"]), replace(options, price=what.price)), ""
    except (UndefinedEstimateError, EpisodeError) as error:
        # The episodes were checked before, so what is wrong with them here is a field this measure lacks.
        return None, str(error)


def _origin(
    records: Sequence[Mapping[Any, Any]], by_cell: Mapping[tuple[object, ...], pd.DataFrame]
) -> dict[str, list[Any]]:
    """Return whether each quantity's episodes are simulated, and which sources they are from."""
    facts = {
        id(cell): (is_simulated(cell), list(cell["loaded_from"].unique()) if "loaded_from" in cell else [])
        for cell in by_cell.values()
    }
    simulated, origin = [], []
    for record in records:
        found = [_whole_cell(key, by_cell) for key in needed(record).keys]
        there = [facts[id(cell)] for cell in found if cell is not None]
        simulated.append(any(each for each, _ in there))
        origin.append(SEPARATOR.join(dict.fromkeys(name for _, names in there for name in names)) or None)
    several = any(len(names) for _, names in facts.values())
    return {"simulated": simulated} | ({"loaded_from": origin} if several else {})


def measured(what: Needed) -> bool:
    """Return whether there is a measure for a published number.

    Parameters
    ----------
    what : Needed
        What the number needs.

    Returns
    -------
    bool
    """
    n = len(what.keys)
    return what.measure in (CONTRASTS if n == 2 else POOLED if n > 2 else {**MEASURES, **WORDS})


def _require_one_seed(cell: pd.DataFrame) -> None:
    """Refuse several runs of one cell, which no measure tells apart: it would pool or pair them at random."""
    again = cell.duplicated(["question_id", "regime"])
    if not again.any():
        return
    first = cell[again].iloc[0]
    name = " × ".join(str(first[label]) for label in _CELL)
    seeds = ", ".join(str(int(seed)) for seed in sorted(cell["seed"].dropna().unique()))
    raise UndefinedEstimateError(
        f"the cell {name} has several seeds ({seeds}), and {shown(first['question_id'])} in "
        f"{first['regime']} more than once: give the episodes of one seed at a time"
    )


def _measure(what: Needed, there: Sequence[pd.DataFrame], regime: str, options: Options) -> Estimate | str:
    if len(there) > 2:
        return POOLED[what.measure](list(zip(there[::2], there[1::2], strict=True)), regime, options)
    if len(there) == 2:
        return CONTRASTS[what.measure](there[0], there[1], regime, options)
    if what.measure in WORDS:
        return WORDS[what.measure](there[0], regime, options)
    return MEASURES[what.measure](there[0], regime, options)


def cell_keys(record: Mapping[Any, Any]) -> list[tuple[object, ...]]:
    """Return the cells that a published quantity is about.

    Parameters
    ----------
    record : mapping
        A row of published numbers; ``condition`` or ``split`` may read "a - b".

    Returns
    -------
    list of tuple
        Model, condition, task, split, budget: one, the two that are compared, or both for each of several
        runs.
    """
    return list(needed(record).keys)


def _whole_cell(
    key: tuple[object, ...], by_cell: Mapping[tuple[object, ...], pd.DataFrame]
) -> pd.DataFrame | None:
    """Return a cell under any of the names of its condition, with all its questions."""
    model, condition, task, split, budget = key
    for name in (condition, *_SAME_CONDITION.get(str(condition), ())):
        if (model, name, task, split, budget) in by_cell:
            return by_cell[model, name, task, split, budget]
    whole, first, _ = str(split).partition("-first")
    return by_cell.get((model, condition, task, whole, budget)) if first else None


def _cell(key: tuple[object, ...], by_cell: Mapping[tuple[object, ...], pd.DataFrame]) -> pd.DataFrame | None:
    """Return a cell, or the first 200 questions of one where the paper looks at those only."""
    cell = _whole_cell(key, by_cell)
    split = str(key[3])
    whole, first, n = split.partition("-first")
    if not first or cell is None or split in set(cell["split"]):
        return cell
    manifest = data_dir() / "manifests" / f"{whole}.txt"
    if not manifest.is_file():
        return None
    chosen = cell[cell["question_id"].isin(manifest.read_text(encoding="utf-8").split()[: int(n)])]
    return chosen if chosen["question_id"].nunique() == int(n) else None


def _as_row(value: Estimate, scale: int) -> dict[str, object]:
    scaled = {
        name: None if (number := getattr(value, name)) is None else number * scale
        for name in ("value", "low", "high")
    }
    return scaled | {"n": value.n, "k": value.parts.get("count", value.parts.get("answers"))}


def _compare_counts(compared: pd.DataFrame, computed: pd.DataFrame) -> pd.DataFrame:
    """Where the paper prints k of n, compare k and n instead of a share at some precision."""
    counts = computed[[*_KEY, "k", "n"]].rename(columns={"k": "recomputed_k", "n": "recomputed_n"})
    joined = compared.merge(counts, on=_KEY, how="left", validate="many_to_one")
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
