"""Cost against success."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from paper_book.figures.style import CONDITIONS, MODELS, add_legend, new_axes, set_title

_OTHER = ("#4d4d4d", "o")


def _in_order(names: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return each name once: the known ones in their order, then the others as they come."""
    there = dict.fromkeys(names)
    return [*(name for name in known if name in there), *(name for name in there if name not in set(known))]


def cost_against_success(arms: pd.DataFrame, *, title: str, price: float = 0.05) -> Axes:
    """Draw success against the number of tool calls, with lines of equal utility.

    Parameters
    ----------
    arms : pandas.DataFrame
        One row an arm: columns ``model``, ``condition``, ``calls`` (tool calls a question) and ``success``
        (share in [0, 1]), and ``recomputed`` (bool). Rows with a missing number are left out.
    title : str
        Title.
    price : float, default 0.05
        Price of a call, in units of a correct answer; along a dotted line, success minus price × calls is
        the same.

    Returns
    -------
    matplotlib.axes.Axes
        Markers tell models, colours conditions; hollow is published, filled recomputed.

    Raises
    ------
    ValueError
        If there is nothing to draw.
    """
    drawn = arms[arms["calls"].notna() & arms["success"].notna()]
    if drawn.empty:
        raise ValueError("no arm has both a success and a number of calls")
    models = _in_order(drawn["model"], MODELS)
    conditions = _in_order(drawn["condition"], CONDITIONS)
    axes = new_axes(5.4 + 0.25 * ((len(models) + len(conditions) + 1) // 2))
    axes.grid(axis="both")
    right = float(np.ceil(drawn["calls"].max() + 0.5))
    calls = np.array([0.0, right])
    for start in np.arange(-0.4, 1.0, 0.1):
        axes.plot(calls, start + price * calls, color="#c8c8c8", linewidth=0.8, linestyle=":", zorder=0)
    for row in drawn.to_dict("records"):
        colour = CONDITIONS.get(row["condition"], _OTHER[0])
        _, marker = MODELS.get(row["model"], _OTHER)
        face = colour if row["recomputed"] else "white"
        axes.plot(
            row["calls"],
            row["success"],
            marker,
            color=colour,
            markerfacecolor=face,
            markersize=9,
            markeredgewidth=2,
        )
    axes.set_xlim(0, right)
    axes.set_ylim(0, min(1.0, float(drawn["success"].max()) + 0.1))
    axes.set_xlabel("tool calls a question")
    axes.set_ylabel("success (mean6)")
    handles = [
        Line2D(
            [],
            [],
            marker="s",
            linestyle="",
            color=CONDITIONS.get(name, _OTHER[0]),
            label=name.replace("_", " "),
        )
        for name in conditions
    ]
    handles += [
        Line2D(
            [],
            [],
            marker=MODELS.get(name, _OTHER)[1],
            linestyle="",
            color="black",
            markerfacecolor="white",
            label=name,
        )
        for name in models
    ]
    add_legend(axes, handles, columns=2)
    set_title(axes, title)
    return axes
