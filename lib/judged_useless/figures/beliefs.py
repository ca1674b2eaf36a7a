"""The three panels of what agents believe, what came of it, and what they do (paper, Figure 6)."""

import matplotlib as mpl
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from judged_useless.figures.base import STYLE, WIDTH, set_title

_COLOURS = sns.color_palette("colorblind").as_hex()
#: Quantity -> its label, colour and line: said in orange, realised in blue, the observer in green.
_LINES = {
    "says going on is worth": ("the agent says", _COLOURS[1], "-", "o"),
    "ideal observer": ("ideal observer", _COLOURS[2], "--", "s"),
    "going on was worth": ("what it came to", _COLOURS[0], "-", "^"),
    "says answering now is worth": ("the agent says", _COLOURS[1], "-", "o"),
    "answering now was worth": ("what it came to", _COLOURS[0], "-", "^"),
    "answers": ("answers", _COLOURS[0], "-", "^"),
    "favours answering": ("its report favours it", _COLOURS[1], "-", "o"),
}
_TITLES = {
    "continuing": "value of going on",
    "answering now": "value of answering now",
    "acting": "share of decisions",
}


def belief_panels(curves: pd.DataFrame, *, title: str) -> Axes:
    """Draw beliefs, realised values and actions by the number of failed results.

    Parameters
    ----------
    curves : pandas.DataFrame
        ``panel, quantity, k, value, low, high``, as `judged_useless.estimators.belief_curves` returns it;
        one model.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        The uppermost of three panels, one below the other; whiskers are the intervals.

    Raises
    ------
    ValueError
        If a panel has nothing to draw.
    """
    panels = list(_TITLES)
    with mpl.rc_context(STYLE):
        rows = Figure(figsize=(WIDTH, 8.4), layout="constrained").subplots(len(panels), 1, sharex=True)
    for axes, panel in zip(rows, panels, strict=True):
        part = curves[(curves["panel"] == panel) & curves["value"].notna()]
        if part.empty:
            raise ValueError(f"nothing to draw in the panel {panel!r}")
        for quantity in dict.fromkeys(part["quantity"]):
            _draw(axes, part[part["quantity"] == quantity], *_LINES[quantity])
        axes.set_ylabel(_TITLES[panel])
        axes.set_ylim(-0.03, 1.03)
        axes.grid(visible=True, axis="y")
        axes.legend(frameon=False, loc="best")
    rows[-1].set_xlabel("failed results so far")
    first: Axes = rows[0]
    set_title(first, title)
    return first


def _draw(axes: Axes, line: pd.DataFrame, label: str, colour: str, style: str, marker: str) -> None:
    axes.plot(line["k"], line["value"], style, color=colour, marker=marker, label=label)
    whole = line[line["low"].notna()]
    axes.vlines(whole["k"], whole["low"], whole["high"], color=colour, linewidth=1.5)
