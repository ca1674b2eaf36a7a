"""Figures with a step on the horizontal axis: hazards, judgments by position, beliefs."""

from collections.abc import Mapping
from textwrap import fill
from typing import cast

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from judged_useless.figures.base import (
    COLOURS,
    CONDITIONS,
    MODELS,
    PUBLISHED,
    WIDTH,
    new_axes,
    set_title,
    style,
)

_MARKERS = "osD^vPX<>"


def hazards_by_run(
    hazards: Mapping[str, pd.DataFrame], published: pd.DataFrame, *, title: str, source: str
) -> Axes:
    """Draw the stopping hazard by the number of failed results in a row (the paper's Figure 5).

    Parameters
    ----------
    hazards : mapping of str to pandas.DataFrame
        Condition → table with index ``failed_run`` and the columns ``value``, ``low`` and ``high``, as
        :func:`judged_useless.estimators.hazard_by_failed_run` returns it. May be empty.
    published : pandas.DataFrame
        Printed hazards over two run lengths: columns ``condition``, ``first``, ``last`` (run lengths) and
        ``value``. May be empty.
    title : str
        Title.
    source : str
        Name of the source of the hazards.

    Returns
    -------
    matplotlib.axes.Axes
        Lines with intervals are recomputed; hollow diamonds with a bar over their two run lengths are
        published.

    Raises
    ------
    ValueError
        If there is neither.
    """
    if not hazards and published.empty:
        raise ValueError("there is no hazard to draw")
    names = list(dict.fromkeys([*hazards, *published["condition"]]))
    axes = new_axes(4.2 + 0.24 * (len(names) + 1) // 2)
    axes.grid(axis="both")
    handles = []
    for place, name in enumerate(names):
        colour = CONDITIONS.get(name, "black")
        marker = _MARKERS[place % len(_MARKERS)]
        if name in hazards:
            table = hazards[name]
            j = table.index.to_numpy(dtype=float) + 0.05 * (place - len(names) / 2)
            axes.plot(j, table["value"], marker=marker, color=colour, linewidth=2, markersize=7)
            axes.vlines(j, table["low"], table["high"], color=colour, linewidth=1.5)
        for row in published[published["condition"] == name].itertuples():
            axes.hlines(row.value, row.first, row.last, color=colour, linewidth=1.5)
            middle = (cast(float, row.first) + cast(float, row.last)) / 2
            axes.plot(middle, row.value, "D", color=colour, markerfacecolor="white", markersize=8)
        label = name.replace("_", " ")
        handles.append(Line2D([], [], color=colour, marker=marker, linewidth=2, label=label))
    hollow = {"marker": "D", "linestyle": "-", "markerfacecolor": "white", "color": PUBLISHED}
    handles.append(Line2D([], [], label="published, two lengths", **hollow))  # type: ignore[arg-type]
    axes.set_ylim(-0.03, 1.03)
    axes.set_xticks(range(1, 7))
    axes.set_xlabel("failed results in a row, just before the decision")
    axes.set_ylabel("probability of answering")
    axes.figure.legend(
        handles=handles,
        loc="outside lower left",
        ncols=2,
        frameon=False,
        fontsize=11,
        title=f"lines: recomputed ({source})" if len(source) < 30 else "lines: recomputed",
    )
    set_title(axes, title)
    return axes


def judgments_by_position(judged: pd.DataFrame, *, title: str) -> Axes:
    """Draw how often results are judged useless, by position, for failed and for real results.

    Parameters
    ----------
    judged : pandas.DataFrame
        Result of :func:`judged_useless.episodes.judged_by_position`.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If there is no judgment.
    """
    if judged.empty:
        raise ValueError("there is no judgment to draw")
    axes = new_axes(3.9)
    axes.grid(axis="both")
    for failed, name, colour, marker in (
        (True, "failed results", COLOURS["failed"], "o"),
        (False, "real results", COLOURS["USEFUL"], "s"),
    ):
        part = judged[judged["failed"] == failed]
        axes.plot(part["t"], 100 * part["useless"], marker=marker, color=colour, linewidth=2, label=name)
    axes.set_ylim(-3, 103)
    axes.set_xticks(sorted(set(judged["t"])))
    axes.set_xlabel("position of the result in the episode")
    axes.set_ylabel("judged useless (%)")
    axes.figure.legend(loc="outside lower left", ncols=2, frameon=False)
    set_title(axes, title)
    return axes


#: Panels of the beliefs figure: title, and what is drawn solid and dashed.
PANELS = (
    ("value of continuing", "continue_reported", "continue_ideal", "own report", "ideal observer"),
    ("value of answering now", "answer_reported", "answer_realized", "own report", "realized"),
    ("share of decisions", "answers", "favors", "answers", "own report favors answering"),
)


def beliefs(table: pd.DataFrame, *, title: str) -> Axes:
    """Draw what agents believe, what is true, and what they do, by failed results so far (Figure 6).

    Parameters
    ----------
    table : pandas.DataFrame
        One row a model and number of failed results: columns ``model``, ``failed``, and, all in [0, 1],
        ``continue_reported``, ``continue_ideal``, ``answer_reported``, ``answer_realized``, ``answers`` and
        ``favors``; NaN where missing.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        The uppermost of three panels.

    Raises
    ------
    ValueError
        If there is no row.
    """
    if table.empty:
        raise ValueError("there is no belief to draw")
    with mpl.rc_context(style()):
        panels = Figure(figsize=(WIDTH, 8.4), layout="constrained").subplots(3, sharex=True)
    for axes, (name, solid, dashed, *_) in zip(panels, PANELS, strict=True):
        axes.grid(axis="both")
        for model, rows in table.groupby("model", sort=False):
            colour, marker = MODELS.get(str(model), ("black", "o"))
            axes.plot(rows["failed"], rows[solid], marker=marker, color=colour, label=str(model))
            axes.plot(
                rows["failed"],
                rows[dashed],
                marker=marker,
                color=colour,
                linestyle="--",
                markerfacecolor="white",
            )
        axes.set_ylim(-0.03, 1.03)
        axes.set_ylabel(name)
    for axes, (*_, first, second) in zip(panels, PANELS, strict=True):
        axes.set_title(fill(f"solid: {first}; dashed: {second}", 44), fontsize=11, loc="left")
    panels[-1].set_xlabel("failed results so far")
    panels[-1].set_xticks(np.unique(table["failed"]))
    figure = panels[0].get_figure()
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=2, frameon=False)
    top: Axes = panels[0]
    set_title(top, title)
    return top
