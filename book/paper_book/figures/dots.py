"""Figures with one row a quantity, in named groups."""

from collections.abc import Sequence
from textwrap import fill
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from paper_book.figures.published_beside import draw_points
from paper_book.figures.style import COLOURS, PUBLISHED, RECOMPUTED, add_legend, new_axes, set_title

#: Rows of a forest from which on it is drawn closer, with its numbers also above it.
_MANY = 12
_LIGHT, _DARK = "#9ecae1", "#08519c"


def _places(groups: Sequence[str]) -> tuple[np.ndarray, dict[str, float], float]:
    """Return a place for each row and each group's heading, from top to bottom, and the height in rows."""
    places: list[float] = []
    headings: dict[str, float] = {}
    y = 0.0
    for group in groups:
        if group not in headings:
            y -= 0.35 if headings else 0.0
            headings[group] = y
            y -= 1.0
        places.append(y)
        y -= 1.0
    return np.array(places), headings, -y


def _grouped_axes(
    groups: Sequence[str], labels: Sequence[str], height: float, title: str, xlabel: str
) -> tuple[Axes, np.ndarray]:
    if not groups or len(groups) != len(labels):
        raise ValueError(f"{len(labels)} labels for {len(groups)} rows; expected one each, and at least one")
    places, headings, rows = _places(groups)
    axes = new_axes(1.9 + height * rows)
    axes.set_yticks([*places, *headings.values()], [*labels, *headings])
    for tick in axes.get_yticklabels()[len(places) :]:
        tick.set_fontweight("bold")
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-rows + 0.3, 0.7)
    axes.set_xlabel(fill(xlabel, 36))
    set_title(axes, title)
    return axes, places


def contrast_forest(
    comparison: pd.DataFrame,
    groups: Sequence[str],
    labels: Sequence[str],
    *,
    title: str,
    xlabel: str,
    source: str,
) -> Axes:
    """Draw differences with their intervals, one row each, below the heading of their group.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of :func:`paper_book.published.compare`.
    groups, labels : sequence of str
        Group and label of each row; rows of one group follow each other.
    title, xlabel : str
        Title, and label of the horizontal axis with its unit.
    source : str
        Name of the source that values were recomputed from.

    Returns
    -------
    matplotlib.axes.Axes
        Hollow diamonds are published, filled circles recomputed; a line marks zero. Many rows stand closer,
        with the numbers of the horizontal axis above them as well.

    Raises
    ------
    ValueError
        If there is nothing to draw, or groups, labels and rows differ in number.
    """
    if len(comparison) != len(labels):
        raise ValueError(f"{len(labels)} labels for {len(comparison)} rows; expected one each")
    many = len(comparison) >= _MANY
    axes, places = _grouped_axes(groups, labels, 0.27 if many else 0.4, title, xlabel)
    # A reader of the upper rows of a long figure does not see its lower end.
    axes.tick_params(axis="x", top=many, labeltop=many)
    axes.axvline(0, color="black", linewidth=1)
    draw_points(axes, places + 0.15, comparison, ("value", "low", "high"), "published", PUBLISHED)
    mine = ("recomputed", "recomputed_low", "recomputed_high")
    draw_points(axes, places - 0.15, comparison, mine, f"recomputed ({source})", RECOMPUTED)
    add_legend(axes)
    return axes


def answering_actions(actions: pd.DataFrame, *, title: str, source: str) -> Axes:
    """Draw the median action of the answer under two budgets (the paper's Figure 4).

    Parameters
    ----------
    actions : pandas.DataFrame
        One row a model, condition and budget: columns ``model``, ``condition``, ``budget``, ``value``
        (published) and ``recomputed``, both actions counted from 1, NaN where missing. Two budgets at most.
    title : str
        Title.
    source : str
        Name of the source that values were recomputed from.

    Returns
    -------
    matplotlib.axes.Axes
        Bars are published: light for the smaller budget, dark for the larger. Circles are recomputed.

    Raises
    ------
    ValueError
        If there is nothing to draw, or there are more than two budgets.
    """
    budgets = sorted(set(actions["budget"]))
    if len(budgets) > 2:
        raise ValueError(f"expected two budgets at most, found {', '.join(map(str, budgets))}")
    rows = actions.drop_duplicates(["model", "condition"])
    axes, places = _grouped_axes(
        rows["model"].tolist(),
        [str(name).replace("_", " ") for name in rows["condition"]],
        0.4,
        title,
        "median action of the answer, counted from 1",
    )
    colours = dict(zip(budgets, (_LIGHT, _DARK), strict=False))
    at = dict(zip(zip(rows["model"], rows["condition"], strict=True), places, strict=True))
    for row in actions.to_dict("records"):
        y = at[row["model"], row["condition"]] + (0.2 if row["budget"] == budgets[0] else -0.2)
        if np.isfinite(row["value"]):
            axes.barh(y, row["value"], height=0.38, color=colours[row["budget"]])
        if np.isfinite(row["recomputed"]):
            axes.plot(row["recomputed"], y, "o", color=RECOMPUTED, markeredgecolor="white", markersize=9)
    for budget in budgets:
        axes.axvline(float(budget), color=PUBLISHED, linewidth=1, linestyle=":")
    handles: list[Patch | Line2D] = [
        Patch(color=colours[budget], label=f"budget of {budget} actions, published") for budget in budgets
    ]
    if actions["recomputed"].notna().any():
        label = f"recomputed ({source})"
        handles.append(Line2D([], [], marker="o", linestyle="", color=RECOMPUTED, label=label))
    right = int(max(map(float, budgets), default=8.0))
    axes.set_xlim(0, right + 0.5)
    axes.set_xticks(range(0, right + 1, 2))
    add_legend(axes, handles)
    return axes


def judged_and_answered_by_model(agents: pd.DataFrame, *, title: str, source: str) -> Axes:
    """Draw, by model, how often a failing source is judged useless and how often the agent then answers.

    The paper's Figure 1, right panel.

    Parameters
    ----------
    agents : pandas.DataFrame
        One row a model: columns ``model``, ``useless`` and ``answered`` (recomputed shares in [0, 1]) and
        ``answered_published``; NaN where missing.
    title : str
        Title.
    source : str
        Name of the source that values were recomputed from.

    Returns
    -------
    matplotlib.axes.Axes
        One row a model: bars in per cent are recomputed, hollow diamonds published. Nothing is drawn, and no
        room left, for what is missing.

    Raises
    ------
    ValueError
        If there is no model.
    """
    if agents.empty:
        raise ValueError("no model is given; expected at least one")
    axes = new_axes(2.3 + 0.42 * len(agents))
    places = np.arange(len(agents))[::-1].astype(float)
    for y, row in zip(places, agents.to_dict("records"), strict=True):
        both = np.isfinite(row["useless"])
        below = y - 0.2 if both else y
        if both:
            axes.barh(y + 0.2, 100 * row["useless"], height=0.36, color=COLOURS["USELESS"])
        if np.isfinite(row["answered"]):
            axes.barh(below, 100 * row["answered"], height=0.36, color=COLOURS["answer"])
        look: dict[str, Any] = {"color": PUBLISHED, "markerfacecolor": "white", "markersize": 8}
        axes.plot(100 * row["answered_published"], below, "D", **look)
    axes.set_yticks(places, [str(model) for model in agents["model"]])
    axes.tick_params(axis="y", length=0)
    axes.set_ylim(-0.6, len(agents) - 0.4)
    axes.set_xlabel("share (%)")
    set_title(axes, title)
    axes.set_xlim(-2, 101)
    handles: list[Patch | Line2D] = [
        Patch(color=COLOURS["USELESS"], label="results judged useless"),
        Patch(color=COLOURS["answer"], label="answered after five in a row"),
        Line2D([], [], marker="D", linestyle="", color=PUBLISHED, markerfacecolor="white", label="published"),
    ]
    add_legend(axes, handles, title=f"bars: recomputed ({source})")
    return axes
