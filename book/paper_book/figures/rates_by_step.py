"""The figure of how Δ is made: answer rates of its two groups, step by step."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from paper_book.figures.maps import signed
from paper_book.figures.style import COLOURS, STYLE, WIDTH, Picture, add_legend, picture, set_title, spaced
from paper_book.tables.data_table import Notice

if TYPE_CHECKING:
    from paper_book.page import Page

#: Group -> its words and look.
_GROUPS: dict[str, tuple[str, dict[str, Any]]] = {
    "a": ("(a) every result judged useless", {"color": "#a34b00", "marker": "o"}),
    "b": (
        "(b) the latest useless, an earlier one not",
        {"color": COLOURS["USEFUL"], "marker": "s", "linestyle": "--"},
    ),
}


def rates_by_step(page: "Page", steps: Mapping[str, pd.DataFrame]) -> Picture | Notice:
    """Draw how Δ is made: how often both groups answer at each step, and the gap between them.

    Parameters
    ----------
    page : Page
        Whose model and questions these are.
    steps : mapping of str to pandas.DataFrame
        Condition -> result of :func:`paper_book.sensitivity.contrast_by_step`; one without steps is left out.

    Returns
    -------
    Picture or Notice
        One panel a condition, each with a vertical axis of its own.
    """
    mine = {name: table for name, table in steps.items() if "weight" in table and len(table)}
    if not mine:
        return page.absent("The rates behind Δ are not drawn")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 1.2 + 2.3 * len(mine)), layout="constrained")
        panels = figure.subplots(len(mine), 1, sharex=True, squeeze=False)[:, 0]
    words = []
    for axes, (name, table) in zip(panels, mine.items(), strict=True):
        t = table["t"].to_numpy()
        a, b = (100 * table[f"rate_{group}"].to_numpy(dtype=float) for group in "ab")
        axes.grid(visible=True, axis="y")
        axes.fill_between(t, a, b, color=COLOURS["unjudged"], zorder=1)
        for (label, line), rates in zip(_GROUPS.values(), (a, b), strict=True):
            axes.plot(t, rates, linewidth=2, markersize=7, zorder=3, clip_on=False, label=label, **line)
        high = float(np.nanmax([a, b]))
        axes.set_ylim(0, 1.3 * high if high else 1)
        gaps = table["value"].to_numpy(dtype=float)
        look: dict[str, Any] = {"textcoords": "offset points", "ha": "center", "fontsize": 11, "zorder": 4}
        for at, gap, top in zip(t, gaps, np.fmax(a, b), strict=True):
            if np.isfinite(gap):
                paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.85}
                axes.annotate(signed(gap), (at, top), (0, 9), bbox=paper, **look)
        delta = float((table["value"].fillna(0) * table["weight"]).sum())
        axes.set_title(f"{spaced(name)}: Δ = {signed(delta, 3)}", loc="left", fontsize=12)
        axes.set_ylabel("answers (%)")
        counts = (
            f"after {row['t']} results (a) {row['answers_a']} of {row['n_a']}, (b) {row['answers_b']} of "
            f"{row['n_b']}, gap {signed(row['value'])}, weight {row['weight']:.2f}"
            for row in table.dropna(subset=["value"]).to_dict("records")
        )
        words.append(f"{spaced(name)}, Δ {signed(delta, 3)}: {'; '.join(counts)}")
    steps_shown = sorted({int(t) for table in mine.values() for t in table["t"]})
    panels[-1].set_xticks(steps_shown)
    panels[-1].set_xlim(steps_shown[0] - 0.35, steps_shown[-1] + 0.35)
    panels[-1].set_xlabel("results seen before the decision")
    handles = [*panels[0].get_lines(), Patch(color=COLOURS["unjudged"], label="the gap, written above it")]
    add_legend(panels[0], handles)
    set_title(panels[0], "How Δ is made: the gap at each step")
    return picture(
        panels[0],
        "Share of decisions that are answers, by the number of results seen, in the two groups that Δ "
        f"compares: {page.model}, {page.split} ({page.name}). Δ is the mean of the gaps (a) minus (b), each "
        "weighted by the decisions behind it. Every panel has a vertical axis of its own.",
        ". ".join(words) + ".",
    )
