"""Rows in the paper's tables for models that the paper does not have."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from paper_book.measures.needs import needed

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


#: What tells the questions of one number from those of another: the same split has others on another task.
_QUESTIONS = ["task", "split", "budget"]


def on_paper_questions(compared: pd.DataFrame) -> pd.DataFrame:
    """Return the rows on questions that the paper has a number on, for figures without room to name others.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`paper_book.measures.recompute.recompute`.

    Returns
    -------
    pandas.DataFrame
        Rows whose task, split and budget are those of a published row of `compared`.
    """
    return compared[~elsewhere(compared)]


def elsewhere(compared: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows are on questions, or have a budget, that no published row of the same table has.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`paper_book.measures.recompute.recompute`.

    Returns
    -------
    pandas.Series of bool
    """
    questions = pd.MultiIndex.from_frame(compared[_QUESTIONS].astype("object").fillna(""))
    return pd.Series(~questions.isin(questions[_printed(compared)]), index=compared.index)


def of_the_paper(compared: pd.DataFrame) -> pd.DataFrame:
    """Return what can decide a claim of the paper: its own cells, as language models fill them.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`paper_book.measures.recompute.recompute`.

    Returns
    -------
    pandas.DataFrame
        The rows with a published number; nothing is recomputed in those that a simulated or scripted agent
        filled under the name of one of the paper's models.
    """
    rows = compared[_printed(compared)].copy()
    if "simulated" in rows:
        numbers = [name for name in rows if str(name).startswith("recomputed") and name != "recomputed_words"]
        rows.loc[rows["simulated"].astype(bool), [*numbers, "difference", "equal"]] = np.nan
    return rows


def _printed(compared: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows the paper has; rows of an own model have nothing published in them."""
    return ~compared["own"].astype(bool)


def with_own_models(
    printed: pd.DataFrame, by_cell: Mapping[tuple[object, ...], pd.DataFrame]
) -> pd.DataFrame:
    """Append rows for each model the paper does not have, after the rows of one that it has.

    Parameters
    ----------
    printed : pandas.DataFrame
        Rows of published numbers.
    by_cell : mapping of tuple to pandas.DataFrame
        Episodes by cell, as :func:`paper_book.measures.recompute.cells` returns them.

    Returns
    -------
    pandas.DataFrame
        The rows given, and below them those of the other models, with nothing published in them and ``own``
        set. Where their task, split or budget is not the one that the table is on, their labels name it.
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
    return pd.concat([printed.assign(own=False), *added], ignore_index=True)


def _place(given: tuple[object, ...], table: tuple[object, ...]) -> str:
    """Return in parentheses the task, split and budget of a row in a table on others; else nothing."""
    task, split, budget = map(str, given)
    asked = [f"{task} {split}"] if given[:2] != table[:2] else []
    if budget != str(table[2]):
        asked.append(f"budget {budget}")
    return f" ({', '.join(asked)})" if asked else ""


def _labels(rows: pd.DataFrame, template: str, model: str, place: str) -> dict[str, list[str]]:
    """Return the labels of rows and columns with another model in the place of one of the paper's."""
    # Only a label that names the model says where it ran: others are shared with the paper's rows, or tell
    # which measure a row holds.
    return {
        name: [
            label if label == old else label + place
            for old in rows[name].astype(str)
            for label in (_renamed(old, template, model),)
        ]
        for name in ("row", "column")
    }


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
    own = own.assign(**_labels(own, template, model, _place(setting[1:], wanted)))
    own = own.assign(model=model, task=task, split=split, note="", own=True)
    own[["value", "low", "high"]] = np.nan
    own[["value_printed", "low_printed", "high_printed", "p_printed"]] = ""
    nothing = pd.array([pd.NA] * len(own), dtype="Int64")
    return own.assign(n=nothing, k=nothing, budget=pd.array([int(budget)] * len(own), dtype="Int64"))
