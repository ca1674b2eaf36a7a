"""Figures of the best stopping point."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from paper_book.figures.style import COLOURS, PALETTE, new_axes, set_title

_MARKERS = ("o", "s", "^", "D", "v", "P")
#: Statistic -> its label, colour and line.
_RULES = {
    "run": ("run length", PALETTE[0], "-"),
    "page": ("Page's test", PALETTE[2], "--"),
    "wald": ("Wald's test", PALETTE[1], ":"),
}


def run_length_curves(curve: pd.DataFrame, *, title: str) -> Axes:
    """Draw the worth of the run-length rule by k, one line a source, and the most any policy could have.

    Parameters
    ----------
    curve : pandas.DataFrame
        ``problem, k, utility, optimum, best``, as `judged_useless.stopping.run_length_curve` returns it.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        The best k of each line is a filled marker; the dashed line of its colour is the optimum. The paper's
        k = 5 is grey, where there is one. The value axis has 0.

    Raises
    ------
    ValueError
        If there is nothing to draw, or more sources than can be told apart.
    """
    names = list(dict.fromkeys(curve["problem"]))
    if not 1 <= len(names) <= len(_MARKERS):
        raise ValueError(f"{len(names)} sources, expected 1 to {len(_MARKERS)}")
    axes = new_axes(3.4 + 0.3 * len(names))
    axes.grid(visible=True, axis="y")
    for name, colour, marker in zip(names, PALETTE, _MARKERS, strict=False):
        line = curve[curve["problem"] == name]
        best = line[line["best"]]
        axes.axhline(float(line["optimum"].iloc[0]), color=colour, linestyle="--", linewidth=1)
        axes.plot(
            line["k"], line["utility"], color=colour, marker=marker, markerfacecolor="white", markersize=7
        )
        axes.plot(best["k"], best["utility"], color=colour, marker=marker, markersize=10, linestyle="none")
        axes.plot([], [], color=colour, marker=marker, label=name)
    ks = sorted(set(curve["k"]))
    if 5 in ks:
        axes.axvline(5, color=COLOURS["unjudged"], linewidth=6, zorder=0)
    # From 0, or from below where a source is worth less than nothing.
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.set_xticks(ks)
    axes.set_xlabel("k: useless results in a row before answering")
    axes.set_ylabel("utility (correct answers)")
    axes.figure.legend(loc="outside lower left", frameon=False)
    set_title(axes, title)
    return axes


def sequential_tests(table: pd.DataFrame, *, title: str) -> Axes:
    """Draw the run-length rule and Wald's and Page's tests on one history, each by its own threshold.

    Parameters
    ----------
    table : pandas.DataFrame
        ``judgment, run, wald, page`` by ``t``, as `judged_useless.stopping.side_by_side` returns it.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        A rule gives the source up where its line reaches 1.
    """
    axes = new_axes(4.0)
    axes.grid(visible=True, axis="y")
    axes.axhline(1, color="black", linewidth=1)
    axes.annotate("gives the source up", (table.index[0] - 0.4, 1), (0, 4), textcoords="offset points")
    for name, (label, colour, style) in _RULES.items():
        axes.plot(table.index, table[name], style, color=colour, marker="o", markersize=4, label=label)
    signs = ["–" if judgment == "USELESS" else "+" for judgment in table["judgment"]]
    axes.set_xticks(np.asarray(table.index), [f"{t}\n{s}" for t, s in zip(table.index, signs, strict=True)])
    axes.set_xlabel("result, and its judgment (– useless, + useful)")
    axes.set_ylabel("share of the threshold")
    axes.margins(y=0.12)
    axes.figure.legend(loc="outside lower left", ncols=3, frameon=False)
    set_title(axes, title)
    return axes
