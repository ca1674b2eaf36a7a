"""Figures of how far a number depends on choices, and of how many questions it takes to see it."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from paper_book.figures.style import (
    CONDITIONS,
    PALETTE,
    STYLE,
    WIDTH,
    Picture,
    add_legend,
    picture,
    set_title,
    spaced,
)
from paper_book.tables.data_table import Notice
from paper_book.tables.number_texts import number

if TYPE_CHECKING:
    from paper_book.page import Page

#: Column of a curve -> its heading, and what its settings are called; those of the first two as they come.
CHOICES: dict[str, tuple[str, dict[object, str]]] = {
    "window": ("steps", {}),
    "gap": ("gap of (b)", {}),
    "strata": ("strata", {"step": "step", "question": "question × step", "regime": "regime × step"}),
    "weights": ("weights", {"mantel_haenszel": "Mantel–Haenszel", "equal": "equal", "n": "by decisions"}),
}
#: Where an interval lies -> its words and colour.
SIDES = {
    "above": ("interval above zero", PALETTE[0]),
    "across": ("interval holds zero", PALETTE[7]),
    "below": ("interval below zero", PALETTE[3]),
    "unknown": ("no interval", PALETTE[5]),
}
_DIAMOND: Any = {"marker": "D", "linestyle": "", "color": "black", "mfc": "white", "markersize": 8}
_MARKERS = "osD^vP"
#: A row of marks: heading of its choice, label, and the specifications that have it.
_Row = tuple[str, str, "pd.Series[bool]"]


def sides(curve: pd.DataFrame) -> "pd.Series[str]":
    """Return where each interval lies: above zero, below it, or across; or that there is none."""
    conditions = [curve["low"] > 0, curve["high"] < 0, curve["low"].notna()]
    return pd.Series(np.select(conditions, ["above", "below", "across"], "unknown"), index=curve.index)


def specification_curve(page: "Page", curve: pd.DataFrame) -> Picture | Notice:
    """Draw Δ under every combination of choices, in order, above the choices that each is made of.

    Parameters
    ----------
    page : Page
        Where Δ is from.
    curve : pandas.DataFrame
        Result of :func:`paper_book.sensitivity.specification_curve`.

    Returns
    -------
    Picture or Notice
        Upper panel: values with their intervals; the diamond is the published form. Lower panel: a mark for
        each choice that a specification is made of.
    """
    if "window" not in curve or curve.empty:
        return page.absent("No specification curve is drawn")
    drawn = curve.dropna(subset=["value"]).sort_values("value", kind="stable", ignore_index=True)
    rows: list[_Row] = []
    for column, (heading, words) in CHOICES.items():
        there = sorted(set(drawn[column]), key=lambda each: (-len(str(each)), each))  # wide windows first
        rows += [(heading, words.get(each, str(each)), drawn[column] == each) for each in words or there]
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.6 + 0.22 * len(rows)), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 0.22 * len(rows)])
    counts = _draw_values(upper, drawn)
    _draw_marks(lower, rows)
    lower.set_xlabel(f"{len(drawn)} specifications, in order of Δ")
    set_title(upper, f"Δ under every choice: {spaced(page.condition)}")
    medians = "; ".join(
        f"{heading} {label}: {number(drawn['value'][at].median())}" for heading, label, at in rows
    )
    published = ", ".join(map(number, drawn["value"][drawn["published"]]))
    return picture(
        upper,
        f"Δ in each combination of steps, gap of group (b), strata and weights: {page.about} ({page.name}). "
        f"Lines: {page.level:.0%} question-cluster intervals. Marks below: what each is made of. Diamond: "
        f"the published form. {len(curve) - len(drawn)} more have no decision in one of the groups.",
        f"{len(drawn)} values from {' to '.join(map(number, drawn['value'].iloc[[0, -1]]))}; {counts}. "
        f"Published form: {published}. Medians by choice: {medians}.",
    )


def _draw_values(axes: Axes, drawn: pd.DataFrame) -> str:
    """Draw values and intervals, and return in words on which side of zero how many lie."""
    axes.grid(visible=True, axis="y")
    axes.axhline(0, color="black", linewidth=1)
    where, handles, counts = sides(drawn), [], []
    for name, (words, colour) in SIDES.items():
        part = drawn[where == name]
        if len(part):
            axes.vlines(part.index, part["low"], part["high"], color=colour, linewidth=1, alpha=0.6)
            axes.plot(part.index, part["value"], ".", color=colour, markersize=4)
            handles.append(Line2D([], [], color=colour, linewidth=2, label=words))
            counts.append(f"{words}: {len(part)}")
    published = drawn[drawn["published"]]
    axes.plot(published.index, published["value"], **_DIAMOND)
    axes.set_ylabel("Δ (difference of\nprobabilities)")
    axes.tick_params(axis="x", length=0, labelbottom=False)
    add_legend(axes, [*handles, Line2D([], [], label="as published", **_DIAMOND)], columns=2)
    return ", ".join(counts)


def _draw_marks(axes: Axes, rows: Sequence[_Row]) -> None:
    axes.grid(visible=False)
    places: list[float] = []
    labels, y, before = [], 0.0, rows[0][0]
    for heading, label, at in rows:
        y -= 1.0 if heading == before else 1.4
        labels.append(label if places and heading == before else f"{heading}: {label}")
        places.append(y)
        axes.plot(at.index[at], np.full(at.sum(), y), "|k", markersize=5, markeredgewidth=0.8)
        before = heading
    axes.set_yticks(places, labels, fontsize=9)
    axes.tick_params(axis="both", length=0)
    axes.set_xticks([])
    axes.set_ylim(y - 0.8, -0.2)
    axes.spines["left"].set_visible(False)


def study_sizes(page: "Page", plans: Mapping[str, pd.DataFrame]) -> Picture | Notice:
    """Draw how wide Δ's interval is to be expected, and how often it leaves zero out, by number of questions.

    Parameters
    ----------
    page : Page
        Where Δ is from.
    plans : mapping of str to pandas.DataFrame
        Condition -> result of :func:`judged_useless.estimators.plan_questions`.

    Returns
    -------
    Picture or Notice
        Upper panel: width; lower panel: power against zero, if the true value is the one found.
    """
    mine = {name: plan for name, plan in plans.items() if "power" in plan and plan["power"].notna().any()}
    if not mine:
        return page.absent("No study can be planned")
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
        panels = figure.subplots(2, 1, sharex=True)
    labels = {"width": "width of the interval\n(probability)", "power": "power (share of\nstudies)"}
    for axes, (column, label) in zip(panels, labels.items(), strict=True):
        axes.grid(visible=True, axis="both")
        for (name, plan), marker in zip(mine.items(), _MARKERS, strict=False):
            look: Any = {"marker": marker, "color": CONDITIONS.get(name, "black"), "linewidth": 2}
            axes.plot(plan.index, plan[column], label=spaced(name), **look)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
    sizes = sorted({n for plan in mine.values() for n in plan.index})
    panels[1].set_ylim(0, 1.05)
    panels[1].axhline(0.8, color="black", linewidth=1, linestyle=":")
    panels[1].set_xscale("log")
    panels[1].set_xticks(sizes, [*map(str, sizes)])
    panels[1].minorticks_off()
    panels[1].set_xlabel("questions of the study (log scale)")
    add_legend(panels[0], panels[0].get_lines(), columns=2)
    set_title(panels[0], "How many questions Δ takes")
    words = (
        f"{spaced(name)}, {n} questions: width {number(row['width'])}, power {number(row['power'], '.2f')}"
        for name, plan in mine.items()
        for n, row in plan.iterrows()
    )
    return picture(
        panels[0],
        f"Expected width of Δ's {page.level:.0%} interval, and share of studies whose interval leaves zero "
        "out, by number of questions, each with its five regimes with failures: studies imitated by drawing "
        f"questions of {page.name}; the true value is the one found there. Dotted: 80 %.",
        "; ".join(words) + ".",
    )
