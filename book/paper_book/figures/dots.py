"""Figures with one row a quantity: published beside recomputed, in named groups."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from textwrap import fill
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from judged_useless.estimators.estimate import Estimate
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from paper_book.figures.style import (
    COLOURS,
    CONDITIONS,
    MODELS,
    PUBLISHED,
    RECOMPUTED,
    Picture,
    add_legend,
    ink,
    new_axes,
    picture,
    spaced,
)
from paper_book.measures.own_models import on_paper_questions
from paper_book.reading import our_numbers
from paper_book.tables.data_table import Notice
from paper_book.tables.number_texts import number, printed_text, recomputed_text

if TYPE_CHECKING:
    from paper_book.page import Page
    from paper_book.tables.compared import Comparison

#: Rows of a forest from which on it is drawn closer, with its numbers also above it.
_MANY = 12
#: Rows that are drawn, at most.
_MOST = 80
_LIGHT, _DARK = "#9ecae1", "#08519c"


def described(rows: pd.DataFrame, labels: Sequence[str]) -> str:
    """Return published and recomputed values in words, for those who cannot see the figure."""
    parts = []
    for name, row in zip(labels, rows.to_dict("records"), strict=True):
        mine = recomputed_text(row, bounded=True)
        parts.append(
            f"{name}: published {printed_text(row) or 'nothing'}" + (f", recomputed {mine}" if mine else "")
        )
    return "; ".join(parts) + "."


def _points(
    axes: Axes, places: np.ndarray, rows: pd.DataFrame, prefix: str, label: str, look: Mapping[str, Any]
) -> None:
    """Draw values with their intervals on given rows; nothing is drawn for what is missing."""
    names = (prefix, f"{prefix}_low", f"{prefix}_high") if prefix else ("value", "low", "high")
    value, low, high = (rows[name].to_numpy(dtype=float) for name in names)
    drawn = np.isfinite(value)
    bounded = drawn & np.isfinite(low) & np.isfinite(high)
    axes.hlines(places[bounded], low[bounded], high[bounded], color=look["color"], linewidth=2)
    if drawn.any():
        axes.plot(value[drawn], places[drawn], linestyle="", markersize=7, label=label, **look)


def _grouped_axes(
    groups: Sequence[str], labels: Sequence[str], height: float, title: str, xlabel: str
) -> tuple[Axes, np.ndarray]:
    """Return axes with a row a label below the heading of its group, and the place of each row."""
    places: list[float] = []
    headings: dict[str, float] = {}
    y = 0.0
    for group in groups:
        if group and group not in headings:
            y -= 0.35 if headings else 0.0
            headings[group] = y
            y -= 1.0
        places.append(y)
        y -= 1.0
    axes = new_axes(1.9 - height * y, title)
    axes.set_yticks([*places, *headings.values()], [*labels, *headings])
    for tick in axes.get_yticklabels()[len(places) :]:
        tick.set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(y + 0.3, 0.7)
    axes.set_xlabel(fill(xlabel, 36))
    return axes, np.array(places)


def _sorted(rows: pd.DataFrame, by: Sequence[str], words: Mapping[str, str]) -> pd.DataFrame:
    """Return rows in the order of `words`, then of the paper, then as they come."""
    there = [each for name in by for each in rows[name]]
    place = {name: i for i, name in enumerate(dict.fromkeys([*words, *MODELS, *CONDITIONS, *there]))}
    keys = [rows[name].map(place) for name in by]
    order = pd.concat(keys, axis=1, keys=range(len(by))).sort_values([*range(len(by))], kind="stable").index
    return rows.loc[order].reset_index(drop=True)


def forest(
    comparison: "Comparison",
    label: str,
    *,
    title: str,
    xlabel: str,
    group: str = "",
    words: Mapping[str, str] | None = None,
    reading: str = "",
) -> Picture | Notice:
    """Draw published and recomputed values with their intervals, one row each, in named groups.

    Parameters
    ----------
    comparison : Comparison
        What is drawn; rows on questions that the paper has no number on are left out.
    label, group : str
        Columns that name a row and the group it stands in.
    title, xlabel : str
        Title, and label of the horizontal axis with its unit.
    words : mapping of str to str, optional
        Other names for those in the two columns; their order is that of the rows.
    reading : str
        A sentence of the caption on how to read the figure.

    Returns
    -------
    Picture or Notice
        Hollow diamonds are published, filled circles recomputed; a line marks zero where it is in sight. Many
        rows stand closer, with the numbers of the horizontal axis above them as well.
    """
    names = dict(words or {})
    rows = _sorted(on_paper_questions(comparison.rows), [group, label] if group else [label], names)
    if rows.empty or rows[["value", "recomputed"]].isna().all(axis=None):
        why = next(
            filter(None, rows.get("reason", ())), "neither this source nor the paper has a number of it"
        )
        return comparison.page.absent(f"Nothing is drawn of '{title}'", why)
    if len(rows) > _MOST:
        reading, rows = f"{reading} The first {_MOST} of {len(rows)} rows.".strip(), rows[:_MOST]
    comparison = replace(comparison, rows=rows)
    labels, groups = (
        [names.get(each, spaced(each)) for each in rows[name]] if name else [""] * len(rows)
        for name in (label, group)
    )
    many = len(rows) >= _MANY
    axes, places = _grouped_axes(groups, labels, 0.27 if many else 0.4, title, xlabel)
    # A reader of the upper rows of a long figure does not see its lower end.
    axes.tick_params(axis="x", top=many, labeltop=many)
    hollow = {"color": PUBLISHED, "marker": "D", "markerfacecolor": "white"}
    _points(axes, places + 0.15, rows, "", "published", hollow)
    solid = {"color": RECOMPUTED, "marker": "o"}
    _points(axes, places - 0.15, rows, "recomputed", our_numbers(comparison.source), solid)
    if np.nanmin(rows[["low", "recomputed_low", "value", "recomputed"]].to_numpy(dtype=float)) < 0:
        axes.axvline(0, color="black", linewidth=1, zorder=1)
    add_legend(axes)
    named = [", ".join(filter(None, both)) for both in zip(groups, labels, strict=True)]
    caption = f"{comparison.caption}: {comparison.origin}. {reading}".strip()
    return picture(axes, caption, described(rows, named))


def answering_actions(actions: "Comparison") -> Picture | Notice:
    """Draw the median action of the answer under two budgets (the paper's Figure 4)."""
    actions = replace(actions, rows=on_paper_questions(actions.rows))
    rows = actions.rows
    budgets = sorted(set(rows["budget"]))
    if not 1 <= len(budgets) <= 2:
        return actions.page.absent(f"No answering action is drawn: there are {len(budgets)} budgets")
    arms = rows.drop_duplicates(["model", "condition"])
    axes, places = _grouped_axes(
        arms["model"].tolist(),
        [*map(spaced, arms["condition"])],
        0.4,
        "Median answering action under two budgets",
        "median action of the answer, counted from 1",
    )
    colours = dict(zip(budgets, (_LIGHT, _DARK), strict=False))
    at = dict(zip(zip(arms["model"], arms["condition"], strict=True), places, strict=True))
    for row in rows.to_dict("records"):
        y = at[row["model"], row["condition"]] + (0.2 if row["budget"] == budgets[0] else -0.2)
        if np.isfinite(row["value"]):
            axes.barh(y, row["value"], height=0.38, color=colours[row["budget"]])
        if np.isfinite(row["recomputed"]):
            axes.plot(row["recomputed"], y, "o", color=RECOMPUTED, markeredgecolor="white", markersize=9)
    handles: list[Patch | Line2D] = []
    for budget in budgets:
        axes.axvline(float(budget), color=PUBLISHED, linewidth=1, linestyle=":")
        handles.append(Patch(color=colours[budget], label=f"budget of {budget} actions, published"))
    mine = our_numbers(actions.source)
    if rows["recomputed"].notna().any():
        handles.append(Line2D([], [], marker="o", linestyle="", color=RECOMPUTED, label=mine))
    axes.set_xlim(0, budgets[-1] + 0.5)
    axes.set_xticks(range(0, int(budgets[-1]) + 1, 2))
    add_legend(axes, handles)
    labels = rows["model"] + ", " + rows["condition"].map(spaced) + ", budget " + rows["budget"].astype(str)
    return picture(
        axes,
        "Median action at which agents answer on a persistently failing source, with a smaller "
        f"budget (light) and a larger one (dark): {actions.origin}. Dotted lines mark the budgets (the "
        "paper's Figure 4).",
        described(rows, labels.tolist()),
    )


def judged_and_answered(
    page: "Page", judged: pd.DataFrame, answered: Estimate, *, regime: str = "persistent"
) -> Picture | Notice:
    """Draw how often a failing source is judged useless, and how often the agent then answers."""
    useless: Any = judged.loc[regime]
    if not useless["n"] and not answered.n:
        return page.absent(f"The figure needs judgments in the regime {regime}")
    axes = new_axes(2.4, "Judged useless, queried anyway")
    k = number(float(str(answered["k"])), ".0f").replace("n/a", "a number")
    for place, share, colour in ((1.0, useless, "USELESS"), (0.0, answered, "answer")):
        given = pd.Series([share[name] for name in ("value", "low", "high")], dtype=float)
        value, low, high = 100 * given
        if np.isnan(value):
            axes.text(2, place, "not available", va="center")
            continue
        axes.barh(place, value, height=0.6, color=COLOURS[colour])
        right = np.nanmax([value, high])
        axes.hlines(place, low, high, color="black", linewidth=1.5)
        inside = right > 80
        look: dict[str, Any] = {"ha": "center", "color": ink(COLOURS[colour])} if inside else {"ha": "left"}
        at = value / 2 if inside else right + 2
        axes.text(at, place, f"{value:.1f} %", va="center", weight="bold", **look)
    axes.set_yticks([1.0, 0.0], ["results\njudged useless", f"answered after\n{k} in a row"])
    axes.set_xlim(0, 100)
    axes.set_xlabel("share (%)")
    return picture(
        axes,
        f"{page.about}, {regime} regime ({page.name}). Upper bar: share of its judgments that call a failed "
        "result useless. Lower bar: share of questions on which the episode ends in an answer, among those "
        f"with {k} such judgments in a row. Whiskers: {page.level:.0%} intervals.",
        f"Judged useless: {number(useless['value'], '.1%')} of {useless['n']:,.0f} judgments. Answered after "
        f"{k} useless results: {number(float(str(answered['answers'])), '.0f')} of {answered.n} questions.",
    )
