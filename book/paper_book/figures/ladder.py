"""Δ of agents on one ladder: the paper's as published, others beside them."""

from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd

from paper_book.figures.style import PUBLISHED, RECOMPUTED, Picture, add_legend, new_axes, picture
from paper_book.tables.number_texts import number


def ladder(rungs: pd.DataFrame, source: str) -> Picture:
    """Draw values with their intervals from the highest to the lowest.

    Parameters
    ----------
    rungs : pandas.DataFrame
        Columns ``name, value, low, high`` and ``own``, whether it is an agent of `source`.
    source : str
        Name of where the agents beside the paper's are from.
    """
    rungs = rungs.dropna(subset=["value"]).sort_values("value", ignore_index=True)
    axes = new_axes(1.5 + 0.4 * len(rungs), "Δ, from the highest to the lowest")
    places = np.arange(len(rungs))
    hollow = {
        "color": PUBLISHED,
        "marker": "D",
        "markerfacecolor": "white",
        "label": "the paper's, published",
    }
    solid = {"color": RECOMPUTED, "marker": "o", "label": f"measured ({source})"}
    looks: list[tuple[bool, dict[str, Any]]] = [(False, hollow), (True, solid)]
    for own, look in looks:
        part = rungs[rungs["own"] == own]
        axes.hlines(part.index, part["low"], part["high"], color=look["color"], linewidth=2)
        axes.plot(part["value"], part.index, linestyle="", markersize=7, **look)
    axes.set_yticks(places, [fill(name, 24) for name in rungs["name"]])
    for label, own in zip(axes.get_yticklabels(), rungs["own"], strict=True):
        label.set_fontweight("bold" if own else "normal")
    axes.axvline(0, color="black", linewidth=1, zorder=1)
    axes.set_xlabel("Δ")
    add_legend(axes)
    words = (
        f"{row['name']}: {number(row['value'])} [{number(row['low'])}, {number(row['high'])}]"
        for row in rungs[::-1].to_dict("records")
    )
    return picture(
        axes,
        f"Δ of the agents of these runs (measured, {source}) between those of the paper (published, Table 6) "
        "with 95% intervals where there are any. The paper's are of its questions and its source, these of "
        "their own.",
        "; ".join(words) + ".",
    )
