"""Rows in the paper's tables for models that the paper does not have."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from paper_book.measures.cell_index import CellKey
from paper_book.measures.quantities import quantity_of
from paper_book.published.on_splits import without_numbers

#: How the tables name the paper's models in their rows and columns.
_LABELS = {
    "qwen2.5-7b": ("Qwen2.5-7B", "Qwen2.5 7B", "Q2.5"),
    "llama3.1-8b": ("Llama-3.1-8B", "Llama-3.1 8B", "L"),
    "qwen3-8b": ("Qwen3-8B", "Qwen3 8B", "Q3"),
    "qwen3-32b": ("Qwen3-32B", "Qwen3 32B"),
}
#: Models of a source that the paper does not have and tables can still show.
MOST_MODELS = 50
#: What tells the questions of one number from those of another: the same split has others on another task.
_QUESTIONS = ["task", "split", "budget"]


def on_paper_questions(compared: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a comparison on questions that the paper has a number on; all, if it has none."""
    apart = elsewhere(compared)
    return compared if apart.all() else compared[~apart]


def elsewhere(compared: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows of a comparison have a task, split or budget that no published row of it has."""
    questions = pd.MultiIndex.from_frame(compared[_QUESTIONS].astype("object").fillna(""))
    printed = ~compared["own"].astype(bool)
    return pd.Series(~questions.isin(questions[printed]), index=compared.index)


def of_the_paper(compared: pd.DataFrame) -> pd.DataFrame:
    """Return what can decide a claim of the paper: its own cells, as language models fill them."""
    rows = compared[~compared["own"].astype(bool)].copy()
    if "simulated" in rows:
        numbers = [name for name in rows if str(name).startswith("recomputed") and name != "recomputed_words"]
        rows.loc[rows["simulated"].astype(bool), [*numbers, "difference", "equal"]] = np.nan
    return rows


def with_own_models(printed: pd.DataFrame, cells: Sequence[CellKey]) -> pd.DataFrame:
    """Append rows for the first models that the paper does not have, after the rows of one that it has."""
    known = set(printed["model"]) | set(_LABELS)
    template = next((model for model in _LABELS if model in set(printed["model"])), None)
    own = list(dict.fromkeys(key.model for key in cells if key.model not in known))[:MOST_MODELS]
    settings: dict[CellKey, set[str]] = {}
    for key in cells:
        if key.model in own and template is not None:
            settings.setdefault(key._replace(condition=""), set()).add(key.condition)
    rows = printed[printed["model"] == template]
    added = [_rows_for(rows, str(template), key, conditions) for key, conditions in settings.items()]
    return pd.concat([printed.assign(own=False), *added], ignore_index=True)


def _rows_for(rows: pd.DataFrame, template: str, key: CellKey, conditions: set[str]) -> pd.DataFrame:
    """Return the rows of one model for another, with nothing published in them."""
    records = rows.to_dict("records")
    own = rows.loc[[{each.condition for each in quantity_of(row).keys} <= conditions for row in records]]
    settings = pd.MultiIndex.from_frame(own[_QUESTIONS].astype("object"))
    given = tuple(map(str, key[2:]))
    there = [tuple(map(str, each)) for each in settings]
    # A task or split that the paper does not have follows the first one that it has.
    wanted = given if given in there or not there else there[0]
    own = own[np.array([each == wanted for each in there], dtype=bool)]
    labels = {
        name: _labels(own[name], template, key.model, _place(given, wanted)) for name in ("row", "column")
    }
    budget = pd.array([key.budget] * len(own), dtype="Int64")
    here: dict[str, Any] = {"model": key.model, "task": key.task, "split": key.split, "own": True}
    return without_numbers(own.assign(**labels, **here, budget=budget))


def _place(given: Sequence[str], table: Sequence[str]) -> str:
    """Return in parentheses the task, split and budget of a row in a table on others; else nothing."""
    asked = [f"{given[0]} {given[1]}"] if given[:2] != table[:2] else []
    asked += [f"budget {given[2]}"] if given[2] != table[2] else []
    return f" ({', '.join(asked)})" if asked else ""


def _labels(labels: pd.Series, template: str, model: str, place: str) -> list[str]:
    """Return labels of rows or columns with another model in the place of one of the paper's."""
    # Only a label that names the model says where it ran: others are shared with the paper's rows, or tell
    # which measure a row holds.
    renamed = []
    for label in labels.astype(str):
        old = next((name for name in _LABELS[template] if f"{label} ".startswith(f"{name} ")), None)
        renamed.append(label if old is None else model + label.removeprefix(old) + place)
    return renamed
