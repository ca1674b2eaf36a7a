"""Figures of the best stopping point: what is computed there is of no model."""

import numpy as np
import pandas as pd

from paper_book.figures.style import COLOURS, PALETTE, Picture, add_legend, new_axes, picture
from paper_book.tables.number_texts import number

#: What every caption of the page says of its numbers.
WORLD = "computed, no model: an agent that judges at the rates of the parameters"
_MARKERS = ("o", "s", "^", "D", "v", "P")
#: Statistic -> its label, colour and line.
_RULES = {
    "run": ("run length", PALETTE[0], "-"),
    "page": ("Page's test", PALETTE[2], "--"),
    "wald": ("Wald's test", PALETTE[1], ":"),
}


def run_length_curves(curve: pd.DataFrame, *, price: float, budget: int) -> Picture:
    """Draw the worth of the run-length rule by k, one line a source, and the most any policy could have."""
    names = list(dict.fromkeys(curve["problem"]))
    if not 1 <= len(names) <= len(_MARKERS):
        raise ValueError(f"{len(names)} sources, expected 1 to {len(_MARKERS)}")
    axes = new_axes(3.4 + 0.3 * len(names), "What each run length k is worth", grid="y")
    words = []
    for name, colour, marker in zip(names, PALETTE, _MARKERS, strict=False):
        line = curve[curve["problem"] == name]
        best, most = line[line["best"]], float(line["optimum"].iloc[0])
        axes.axhline(most, color=colour, linestyle="--", linewidth=1)
        axes.plot(line["k"], line["utility"], color=colour, marker=marker, mfc="white", ms=7, label=name)
        axes.plot(best["k"], best["utility"], color=colour, marker=marker, ms=10, linestyle="none")
        values = ", ".join(number(value) for value in line["utility"])
        words.append(
            f"{name}: best at k = {best['k'].item()}; utility by k: {values}; at most {number(most)}"
        )
    ks = sorted(set(curve["k"]))
    paper = 5 in ks
    if paper:
        axes.axvline(5, color=COLOURS["unjudged"], linewidth=6, zorder=0)
    # From 0, or from below where a source is worth less than nothing.
    axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
    axes.set_xticks(ks)
    axes.set_xlabel("k: useless results in a row before answering")
    axes.set_ylabel("utility (correct answers)")
    add_legend(axes)
    return picture(
        axes,
        "Utility, the share of questions answered correctly minus the price of the calls, of an agent that "
        f"gives up and answers from memory after k useless results in a row ({WORLD}; {price:g} a call, "
        f"{budget} actions). One line a source, whose regime is hidden from the agent. Filled: its best k. "
        f"Dashed: the most that any policy could have.{' Grey: the paper’s k = 5.' * paper}",
        ". ".join(words) + ".",
    )


def sequential_tests(table: pd.DataFrame, *, alpha: float, beta: float) -> Picture:
    """Draw the run-length rule and Wald's and Page's tests on one history, each by its own threshold."""
    axes = new_axes(4.0, "Three rules on one history", grid="y")
    axes.axhline(1, color="black", linewidth=1)
    axes.annotate("gives the source up", (table.index[0] - 0.4, 1), (0, 4), textcoords="offset points")
    for name, (label, colour, style) in _RULES.items():
        axes.plot(table.index, table[name], style, color=colour, marker="o", markersize=4, label=label)
    signs = ["–" if judgment == "USELESS" else "+" for judgment in table["judgment"]]
    axes.set_xticks(np.asarray(table.index), [f"{t}\n{s}" for t, s in zip(table.index, signs, strict=True)])
    axes.set_xlabel("result, and its judgment (– useless, + useful)")
    axes.set_ylabel("share of the threshold")
    axes.margins(y=0.12)
    add_legend(axes, columns=3)
    return picture(
        axes,
        f"Each rule's statistic as a share of its threshold ({WORLD}; Wald's α = {alpha:g}, β = {beta:g}, "
        "k = 5). A rule gives the source up where its line reaches 1.",
        "; ".join(f"{name}: {', '.join(number(value, '.2f') for value in table[name])}" for name in _RULES)
        + ".",
    )
