"""Rows in the paper's tables for models that the paper does not have."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from judged_useless.needed import needed

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


def with_own_models(
    printed: pd.DataFrame, by_cell: Mapping[tuple[object, ...], pd.DataFrame]
) -> pd.DataFrame:
    """Append rows for each model the paper does not have, after the rows of one that it has.

    Parameters
    ----------
    printed : pandas.DataFrame
        Rows of published numbers.
    by_cell : mapping of tuple to pandas.DataFrame
        Episodes by cell, as :func:`judged_useless.recompute.cells` returns them.

    Returns
    -------
    pandas.DataFrame
        The rows given, and below them those of the other models, with nothing published in them.
    """
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
    own = rows[[{key[1] for key in needed(record).keys} <= conditions for record in rows.to_dict("records")]]
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
