"""Published quantities on the questions that a page is about, and in the form that it compares them in."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from paper_book.published.comparing import one_each
from paper_book.published.transcribed import QUANTITY, published

_NUMBERS = ["value", "low", "high", "p"]


def without_numbers(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows of published numbers with nothing printed in them."""
    nothing = pd.array([pd.NA] * len(rows), dtype="Int64")
    blank = rows.assign(n=nothing, k=nothing, note="")
    blank[_NUMBERS] = np.nan
    blank[[f"{name}_printed" for name in _NUMBERS]] = ""
    return blank


def on_split(printed: pd.DataFrame, split: str) -> pd.DataFrame:
    """Return published quantities on another split, from wherever the paper prints each, if it does.

    Examples
    --------
    >>> delta = published(6, panel="delta", model="qwen3-8b", condition="unaided")
    >>> on_split(delta, "fresh300")[["table", "value_printed"]].to_numpy().tolist()
    [['22', '-0.05']]
    """
    if printed["split"].eq(split).all():
        return printed
    everything = published()
    there = one_each(everything[everything["split"] == split])
    known = dict(zip(_quantities(there), there.index, strict=True))
    moved = without_numbers(printed.assign(split=split))
    rows = [
        there.loc[[known[key]]] if key in known else moved.loc[[place]]
        for place, key in zip(moved.index, _quantities(moved), strict=True)
    ]
    return pd.concat(rows, ignore_index=True)


def _quantities(rows: pd.DataFrame) -> list[tuple[object, ...]]:
    return list(rows[list(QUANTITY)].astype("string").fillna("").itertuples(index=False, name=None))


def as_counts(printed: pd.DataFrame) -> pd.DataFrame:
    """Return published shares as the counts k of n wherever the paper prints these beside the share.

    Examples
    --------
    >>> row = as_counts(published(5, model="search-r1", measure="answered_after_5")).iloc[0]
    >>> f"{row['k']} of {row['n']}", row["value_printed"]
    ('29 of 165', '')
    """
    counted = printed["k"].notna() & printed["n"].notna()
    return printed.assign(
        value=printed["value"].where(~counted), value_printed=printed["value_printed"].where(~counted, "")
    )


def filled(compared: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a comparison that show a number, published or recomputed."""
    shown = compared[["value", "low", "high", "recomputed"]].notna().any(axis=1)
    return compared[shown].reset_index(drop=True)


def where_printed(printed: pd.DataFrame) -> str:
    """Return in words where published numbers stand; rows without a number are left out.

    Examples
    --------
    >>> where_printed(published(6, panel="delta"))
    'Table 6'
    """
    there = printed[printed[["value", "low", "high", "k"]].notna().any(axis=1)]
    names = list(dict.fromkeys(_place(record) for record in there.to_dict("records")))
    if not names:
        return "nothing for these questions"
    return ", ".join(names[:-1]) + (" and " if names[1:] else "") + names[-1]


def _place(record: Mapping[Any, Any]) -> str:
    table, panel = str(record["table"]), str(record["panel"])
    if table.isdigit():
        return f"Table {table}"
    if table != "text":
        return "the data set's card" if table == "card" else table.capitalize()
    if panel.startswith("caption:"):
        return f"the caption of {panel.removeprefix('caption:').capitalize()}"
    if panel[:1].isdigit():
        return f"§{panel}"
    return f"Appendix {panel}" if panel[:1].isupper() else f"the {panel}"
