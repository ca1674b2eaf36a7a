"""Figures with a step on the horizontal axis: hazards, judgments by position, beliefs."""

from collections.abc import Mapping
from textwrap import fill
from typing import Any, cast

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from paper_book.figures.style import (
    COLOURS,
    CONDITIONS,
    PALETTE,
    PUBLISHED,
    WIDTH,
    add_legend,
    new_axes,
    set_title,
    short,
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
        look: Any = {"marker": marker, "linewidth": 2}
        if name not in hazards:  # a line would promise one that is not drawn
            look = {"marker": "D", "linestyle": "", "markerfacecolor": "white"}
        handles.append(Line2D([], [], color=colour, label=label, **look))
    hollow = {"marker": "D", "linestyle": "-", "markerfacecolor": "white", "color": PUBLISHED}
    handles.append(Line2D([], [], label="published, two lengths", **hollow))  # type: ignore[arg-type]
    axes.set_ylim(-0.03, 1.03)
    axes.set_xticks(range(1, 7))
    axes.set_xlabel("failed results in a row, just before the decision")
    axes.set_ylabel("probability of answering")
    add_legend(axes, handles, columns=2, title=f"lines: recomputed ({source})" if hazards else "")
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
    add_legend(axes, columns=2)
    set_title(axes, title)
    return axes


#: Panels of the beliefs figure: heading, lines (column, what it is), and the count of what is missing in it.
PANELS: tuple[tuple[str, tuple[tuple[str, str], ...], str], ...] = (
    (
        "going on",
        (("continue_reported", "report"), ("continue_ideal", "ideal"), ("continue_realized", "realized")),
        "no_report",
    ),
    ("answering now", (("answer_reported", "report"), ("answer_realized", "realized")), "no_branch"),
    ("acts", (("favors", "report"), ("answers", "acts")), "no_report"),
)
#: What a line is -> its label and look.
_BELIEF_LINES: dict[str, tuple[str, dict[str, Any]]] = {
    "report": ("the agent's own report", {"color": PALETTE[1], "marker": "o"}),
    "realized": ("realized value", {"color": PUBLISHED, "marker": "s", "linestyle": ":"}),
    "ideal": ("ideal observer", {"color": PALETTE[0], "marker": "D", "linestyle": "--"}),
    "acts": ("answers", {"color": PALETTE[2], "marker": "^", "linestyle": "--"}),
}


def beliefs(table: pd.DataFrame, *, title: str) -> Axes:
    """Draw what agents believe, what is true, and what they do, by failed results so far (Figure 6).

    Parameters
    ----------
    table : pandas.DataFrame
        Result of :func:`judged_useless.estimators.belief_table`: one row a model and number of failed
        results; values in [0, 1], NaN where missing.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel of the first of the models, which have a row of three panels each: the value of going
        on, that of answering now, and the share of decisions at which the agent answers and at which its
        report favours that. Grey bars are the share of decisions at which something is missing.

    Raises
    ------
    ValueError
        If there is no row.
    """
    if table.empty:
        raise ValueError("there is no belief to draw")
    models = list(dict.fromkeys(table["model"]))
    with mpl.rc_context(style()):
        grid = Figure(figsize=(WIDTH, 2.5 + 1.9 * len(models)), layout="constrained").subplots(
            len(models), len(PANELS), sharex=True, sharey=True, squeeze=False
        )
    for (heading, *_), axes in zip(PANELS, grid[0], strict=True):
        axes.set_title(fill(heading, 10), fontsize=11)
    for line, model in zip(grid, models, strict=True):
        rows = table[table["model"] == model]
        for axes, (_, lines, lacking) in zip(line, PANELS, strict=True):
            axes.grid(axis="both")
            axes.bar(rows["failed"], rows[lacking] / rows["decisions"], color=COLOURS["unjudged"])
            for column, what in lines:
                axes.plot(rows["failed"], rows[column], markersize=5, **_BELIEF_LINES[what][1])
        line[0].set_ylabel(fill(short(str(model)), 16, break_on_hyphens=False), fontsize=11)
    _finish_beliefs(grid[-1][1], sorted(set(table["failed"])))
    top: Axes = grid[0][0]
    set_title(top, title)
    return top


def _finish_beliefs(lowest: Axes, steps: list[int]) -> None:
    """Label the lower edge and explain the lines; all panels share their axes."""
    lowest.set_ylim(-0.04, 1.04)
    lowest.set_xticks(steps[::2])
    lowest.set_xlabel("failed results so far")
    handles: list[Any] = [
        Line2D([], [], label=label, markersize=5, **look) for label, look in _BELIEF_LINES.values()
    ]
    handles.append(Patch(color=COLOURS["unjudged"], label="share missing"))
    add_legend(lowest, handles, columns=2)


def described_beliefs(table: pd.DataFrame) -> str:
    """Return in words what `beliefs` draws, at the first and the last step of each model.

    Parameters
    ----------
    table : pandas.DataFrame
        As for :func:`beliefs`.

    Returns
    -------
    str
        Such as ``"qwen3-8b after 1 failed results: going on is worth 0.80 by its report, …"``
    """
    parts = []
    ends = pd.DataFrame(table.groupby("model", sort=False).nth([0, -1]))
    for row in ends.to_dict("records"):
        words = ", ".join(
            f"{label} {row[column]:.2f}"
            for column, label in (
                ("continue_reported", "going on is worth by its report"),
                ("continue_ideal", "to the ideal observer"),
                ("continue_realized", "realized"),
                ("answer_reported", "answering now by its report"),
                ("answer_realized", "realized"),
                ("favors", "share of reports that favor answering"),
                ("answers", "share of decisions at which it answers"),
            )
            if not pd.isna(row[column])
        )
        parts.append(f"{row['model']} after {row['failed']} failed results: {words}")
    return "; ".join(parts) + "."
