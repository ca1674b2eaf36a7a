"""Figures that show single episodes and what is compared between them."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Patch, Rectangle

from paper_book.figures.style import COLOURS, add_legend, new_axes, set_title

_LETTERS = {"USELESS": "–", "USEFUL": "+", "UNPARSED": "?"}


def _tile(axes: Axes, x: float, y: float, colour: str, text: str, *, dashed: bool = False) -> None:
    axes.add_patch(
        Rectangle(
            (x + 0.06, y - 0.36),
            0.88,
            0.72,
            facecolor="white" if dashed else colour,
            edgecolor=colour if dashed else "white",
            linestyle="--" if dashed else "-",
            linewidth=1.5,
        )
    )
    axes.text(
        x + 0.5,
        y,
        text,
        ha="center",
        va="center",
        color="black" if dashed else "white",
        fontsize=12,
        weight="bold",
    )


def _strip_axes(rows: int, columns: int, labels: Sequence[str], title: str) -> Axes:
    axes = new_axes(1.9 + 0.42 * rows)
    axes.grid(visible=False)
    axes.set_xlim(0, columns)
    axes.set_ylim(-0.6, rows - 0.4)
    axes.set_yticks(np.arange(rows)[::-1], labels)
    axes.set_xticks(np.arange(columns) + 0.5, [str(t) for t in range(1, columns + 1)])
    axes.tick_params(length=0)
    axes.spines[["left", "bottom"]].set_visible(False)
    set_title(axes, title)
    return axes


def _legend(axes: Axes, names: Sequence[tuple[str, str]], columns: int) -> None:
    handles = [Patch(facecolor=COLOURS[key], label=text) for key, text in names]
    add_legend(axes, handles, columns=columns)


def contrasted_histories(t: int = 5) -> Axes:
    """Draw what Δ compares at a fixed step (the paper's Figure 2, redrawn from its definition).

    Parameters
    ----------
    t : int, default 5
        Results seen at the decision, at least 3.

    Returns
    -------
    matplotlib.axes.Axes
        One row a history: (a) all results judged useless, and each history that (b) holds at this step, which
        are those with a run of 1 to t - 2.

    Raises
    ------
    ValueError
        If t is below 3: then no history can be in (b).
    """
    if t < 3:
        raise ValueError(f"t must be at least 3, not {t}")
    runs = [t, *range(t - 2, 0, -1)]
    labels = [f"(a) run {t}"] + [f"(b) run {run}" for run in runs[1:]]
    axes = _strip_axes(len(runs), t + 1, labels, f"Two kinds of history after {t} results")
    for y, run in zip(range(len(runs) - 1, -1, -1), runs, strict=True):
        for position in range(1, t + 1):
            if position > t - run:
                _tile(axes, position - 1, y, COLOURS["USELESS"], "–")
            elif position == t - run:
                _tile(axes, position - 1, y, COLOURS["USEFUL"], "+")
            else:
                _tile(axes, position - 1, y, COLOURS["unjudged"], "·", dashed=True)
        _tile(axes, t, y, "black", "?", dashed=True)
    axes.set_xlabel("result seen, then the decision")
    axes.set_xticks(np.arange(t + 1) + 0.5, [*map(str, range(1, t + 1)), "answer?"])
    _legend(axes, [("USELESS", "judged useless"), ("USEFUL", "judged useful"), ("unjudged", "either")], 3)
    return axes


def episode_strips(episodes: pd.DataFrame, labels: Sequence[str], *, title: str, columns: int = 8) -> Axes:
    """Draw episodes action by action: how each result was judged, and where the agent answered.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes, drawn from top to bottom.
    labels : sequence of str
        Label of each.
    title : str
        Title.
    columns : int, default 8
        Actions on the horizontal axis at least; a longer episode is drawn whole.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ValueError
        If the labels do not fit the episodes.
    """
    if len(labels) != len(episodes) or episodes.empty:
        raise ValueError(
            f"{len(labels)} labels for {len(episodes)} episodes; expected one each, and at least one"
        )
    columns = max(columns, *map(len, episodes["actions"]))
    axes = _strip_axes(len(episodes), columns, labels, title)
    for y, (actions, judgments) in enumerate(zip(episodes["actions"], episodes["judgments"], strict=True)):
        for position, action in enumerate(actions):
            row = len(episodes) - 1 - y
            if action == "finish":
                _tile(axes, position, row, COLOURS["answer"], "A")
            else:
                judgment = judgments[position] if position < len(judgments) else None
                colour = COLOURS[judgment] if judgment else COLOURS["unjudged"]
                _tile(axes, position, row, colour, _LETTERS.get(str(judgment), " "))
    axes.set_xlabel("action")
    names = [
        ("USELESS", "judged useless"),
        ("USEFUL", "judged useful"),
        ("answer", "answered"),
        ("unjudged", "no judgment"),
    ]
    _legend(axes, names, 2)
    return axes


def failure_schedules(failed: pd.DataFrame, *, title: str) -> Axes:
    """Draw which observations fail in each regime.

    Parameters
    ----------
    failed : pandas.DataFrame of bool
        One row a regime, one column an observation index.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes
    """
    axes = _strip_axes(len(failed), failed.shape[1], list(map(str, failed.index)), title)
    for y, (_, row) in enumerate(failed.iterrows()):
        for x, fails in enumerate(row):
            _tile(axes, x, len(failed) - 1 - y, COLOURS["failed" if fails else "real"], "×" if fails else "✓")
    axes.set_xlabel("observation")
    _legend(axes, [("failed", "failed: another question's paragraph"), ("real", "real result")], 1)
    return axes
