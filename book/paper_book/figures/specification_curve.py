"""Figures of how far a number depends on choices, and of how many questions it takes to see it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

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

#: Column of a curve -> what its settings are called, in the order in which they are drawn.
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
_MARKERS = "osD^vP"


def sides(curve: pd.DataFrame) -> "pd.Series[str]":
    """Return where each interval lies: above zero, below it, or across; or that there is none."""
    conditions = [curve["low"] > 0, curve["high"] < 0, curve["low"].notna()]
    where = np.select(conditions, ["above", "below", "across"], "unknown")
    return pd.Series(where, index=curve.index)


def specification_curve(page: "Page", curve: pd.DataFrame) -> Picture | Notice:
    """Draw Δ under every combination of choices, in order, above the choices that each is made of.

    Parameters
    ----------
    page : Page
        Where Δ is from.
    curve : pandas.DataFrame
        Result of :func:`judged_useless.estimators.sensitivity.specification_curve`.

    Returns
    -------
    Picture or Notice
        Upper panel: values with their intervals; the diamond is the published form. Lower panel: a mark for
        each choice that a specification is made of.
    """
    if "window" not in curve or curve.empty:
        return page.absent("No specification curve is drawn")
    drawn = curve.dropna(subset=["value"]).sort_values("value", kind="stable", ignore_index=True)
    rows = _settings(drawn)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 3.6 + 0.22 * len(rows)), layout="constrained")
        upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 0.22 * len(rows)])
    _draw_values(upper, drawn)
    _draw_settings(lower, drawn, rows)
    lower.set_xlabel(f"{len(drawn)} specifications, in order of Δ")
    where = sides(drawn)
    shown = [name for name in SIDES if (where == name).any()]
    handles = [Line2D([], [], color=SIDES[name][1], linewidth=2, label=SIDES[name][0]) for name in shown]
    add_legend(upper, [*handles, Line2D([], [], label="as published", **_DIAMOND)], columns=2)  # type: ignore[arg-type]
    set_title(upper, f"Δ under every choice: {spaced(page.condition)}")
    lacking = len(curve) - len(drawn)
    return picture(
        upper,
        f"Δ in each combination of steps, gap of group (b), strata and weights: {page.about} ({page.name}). "
        f"Lines: {page.level:.0%} question-cluster intervals. Marks below: what each is made of. Diamond: "
        f"the published form. {lacking} more have no decision in one of the groups.",
        _in_words(drawn, where, rows),
    )


_DIAMOND = {"marker": "D", "linestyle": "", "color": "black", "markerfacecolor": "white", "markersize": 8}


def _settings(drawn: pd.DataFrame) -> list[tuple[str, object, str]]:
    """Return column, setting and label of each row of the lower panel; windows from wide to narrow."""
    rows: list[tuple[str, object, str]] = []
    for column, (_, words) in CHOICES.items():
        there = sorted(set(drawn[column]), key=lambda each: (-len(str(each)), str(each)))
        settings = [each for each in words if each in there] or there
        rows += [(column, each, words.get(each, str(each))) for each in settings]
    return rows


def _draw_values(axes: Axes, drawn: pd.DataFrame) -> None:
    axes.grid(visible=True, axis="y")
    axes.axhline(0, color="black", linewidth=1)
    where = sides(drawn)
    for name, (_, colour) in SIDES.items():
        part = drawn[where == name]
        axes.vlines(part.index, part["low"], part["high"], color=colour, linewidth=1, alpha=0.6)
        axes.plot(part.index, part["value"], ".", color=colour, markersize=4)
    published = drawn[drawn["published"]]
    axes.plot(published.index, published["value"], **_DIAMOND)  # type: ignore[arg-type]
    axes.set_ylabel("Δ (difference of\nprobabilities)")
    axes.tick_params(axis="x", length=0, labelbottom=False)


def _draw_settings(axes: Axes, drawn: pd.DataFrame, rows: list[tuple[str, object, str]]) -> None:
    axes.grid(visible=False)
    labels, places, y = [], [], 0.0
    for place, (column, setting, label) in enumerate(rows):
        first = place == 0 or rows[place - 1][0] != column
        y -= 1.4 if first and place else 1.0
        at = drawn.index[drawn[column] == setting]
        axes.plot(at, np.full(len(at), y), "|", color="black", markersize=5, markeredgewidth=0.8)
        labels.append(f"{CHOICES[column][0]}: {label}" if first else label)
        places.append(y)
    axes.set_yticks(places, labels, fontsize=9)
    axes.tick_params(axis="both", length=0)
    axes.set_xticks([])
    axes.set_ylim(y - 0.8, places[0] + 0.8)
    axes.spines["left"].set_visible(False)


def _in_words(drawn: pd.DataFrame, where: "pd.Series[str]", rows: list[tuple[str, object, str]]) -> str:
    there = [name for name in SIDES if (where == name).any()]
    counts = ", ".join(f"{SIDES[name][0]}: {(where == name).sum()}" for name in there)
    medians = "; ".join(
        f"{CHOICES[column][0]} {label}: {number(drawn['value'][drawn[column] == setting].median())}"
        for column, setting, label in rows
    )
    published = "".join(f" Published form: {number(each)}." for each in drawn["value"][drawn["published"]])
    first, last = number(drawn["value"].iloc[0]), number(drawn["value"].iloc[-1])
    return f"{len(drawn)} values from {first} to {last}; {counts}.{published} Medians by choice: {medians}."


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
    labels = (("width", "width of the interval\n(probability)"), ("power", "power (share of\nstudies)"))
    for axes, (column, label) in zip(panels, labels, strict=True):
        axes.grid(visible=True, axis="both")
        for (name, plan), marker in zip(mine.items(), _MARKERS, strict=False):
            colour = CONDITIONS.get(name, "black")
            axes.plot(plan.index, plan[column], marker=marker, color=colour, linewidth=2, label=spaced(name))
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
