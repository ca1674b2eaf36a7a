"""Figures that put published and recomputed values side by side."""

from collections.abc import Mapping, Sequence
from textwrap import fill

import numpy as np
import pandas as pd
from judged_useless.estimators.estimate import Estimate
from judged_useless.sources.readers import Source
from matplotlib.axes import Axes

from paper_book.figures.style import COLOURS, PUBLISHED, RECOMPUTED, add_legend, new_axes, set_title
from paper_book.provenance import source_name
from paper_book.published.comparing import show


def described(comparison: pd.DataFrame, labels: Sequence[str]) -> str:
    """Return published and recomputed values in words, for those who cannot see the figure.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of :func:`paper_book.published.compare`.
    labels : sequence of str
        Name of each row.

    Returns
    -------
    str
        Such as ``"unaided: published −0.06 [−0.10, −0.04], recomputed −0.065 [−0.095, −0.039]."``
    """
    parts = []
    for label, row in zip(labels, comparison.to_dict("records"), strict=True):
        digits = int(row["decimals"])
        printed = show(row["value"], row["low"], row["high"], digits) or "nothing"
        mine = show(row["recomputed"], row["recomputed_low"], row["recomputed_high"], digits + 1)
        name = str(label).replace("\n", " ").replace("_", " ")
        parts.append(f"{name}: published {printed}" + (f", recomputed {mine}" if mine else ""))
    return "; ".join(parts) + "."


def where_from(comparison: pd.DataFrame, printed: str, source: Source) -> str:
    """Return for a caption what a figure shows: published values, and recomputed ones only if it has any.

    Parameters
    ----------
    comparison : pandas.DataFrame
        What is drawn: rows of :func:`paper_book.measures.recompute.recompute`.
    printed : str
        Where the paper prints the values.
    source : str, path or list of them
        Source of the recomputed values; of several, those are named that these values are from.

    Returns
    -------
    str
        Such as ``"published (Table 22) and recomputed (embedded released cells)"``.
    """
    text = f"published ({printed})"
    if not comparison["recomputed"].notna().any():
        return f"{text}; none is recomputed here"
    return f"{text} and recomputed ({source_name(source, comparison)})"


def draw_points(
    axes: Axes, places: np.ndarray, rows: pd.DataFrame, names: tuple[str, str, str], label: str, colour: str
) -> None:
    """Draw values with their intervals on given rows: filled circles if recomputed, else hollow diamonds.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Where to draw.
    places : numpy.ndarray, shape (n,)
        Vertical place of each row.
    rows : pandas.DataFrame
        n rows with the columns `names`.
    names : tuple of str
        Columns of the value and its bounds; NaN where there is none.
    label, colour : str
        Label of the legend, and colour.
    """
    value, low, high = (rows[name].to_numpy(dtype=float) for name in names)
    drawn = np.isfinite(value)
    if not drawn.any():
        return
    filled = colour == RECOMPUTED
    bounded = drawn & np.isfinite(low) & np.isfinite(high)
    axes.hlines(places[bounded], low[bounded], high[bounded], color=colour, linewidth=2)
    axes.plot(
        value[drawn],
        places[drawn],
        "o" if filled else "D",
        color=colour,
        markerfacecolor=colour if filled else "white",
        markersize=7,
        label=label,
    )


def published_and_recomputed(
    comparison: pd.DataFrame,
    labels: Sequence[str],
    *,
    title: str,
    xlabel: str,
    source: str,
    zero: bool = False,
) -> Axes:
    """Draw published and recomputed values with their intervals, one row a quantity.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of :func:`paper_book.published.compare`; rows are drawn from top to bottom.
    labels : sequence of str
        Label of each row.
    title, xlabel : str
        Title, and label of the horizontal axis with its unit.
    source : str
        Name of the source that values were recomputed from, for the legend.
    zero : bool, default False
        Mark zero, for a difference.

    Returns
    -------
    matplotlib.axes.Axes
        Hollow diamonds are published, filled circles recomputed; nothing is drawn for what is missing.

    Raises
    ------
    ValueError
        If there is nothing to draw, or the labels do not fit the rows.
    """
    if comparison.empty or len(labels) != len(comparison):
        raise ValueError(
            f"{len(labels)} labels for {len(comparison)} rows; expected one each, and at least one"
        )
    axes = new_axes(1.9 + 0.62 * len(comparison))
    places = np.arange(len(comparison))[::-1].astype(float)
    if zero:
        axes.axvline(0, color="black", linewidth=1)
    draw_points(axes, places + 0.14, comparison, ("value", "low", "high"), "published", PUBLISHED)
    mine = ("recomputed", "recomputed_low", "recomputed_high")
    draw_points(axes, places - 0.14, comparison, mine, f"recomputed ({source})", RECOMPUTED)
    axes.set_yticks(places, labels)
    axes.set_ylim(-0.6, len(comparison) - 0.4)
    axes.set_xlabel(fill(xlabel, 36))
    set_title(axes, title)
    add_legend(axes)
    return axes


def judged_and_answered(useless: Mapping[str, float] | pd.Series, answered: Estimate, *, title: str) -> Axes:
    """Draw how often a failing source is judged useless, and how often the agent then answers.

    Parameters
    ----------
    useless : mapping
        ``value``, ``low`` and ``high`` of the share of results judged useless.
    answered : Estimate
        Share of episodes that end in an answer after a run of such judgments; its part ``k`` is the run.
    title : str
        Title.

    Returns
    -------
    matplotlib.axes.Axes
        Two horizontal bars with intervals, in per cent; words in the place of one that is missing.
    """
    axes = new_axes(2.4)
    k = float(str(answered["k"]))
    run = "a number" if np.isnan(k) else f"{k:.0f}"
    bars = ((1.0, useless, "USELESS"), (0.0, answered, "answer"))
    for place, share, colour in bars:
        value, low, high = (share[name] for name in ("value", "low", "high"))
        percent = 100 * float(str(value))
        if np.isnan(percent):
            axes.text(2, place, "not available", va="center")
            continue
        axes.barh(place, percent, height=0.6, color=COLOURS[colour])
        right = percent
        if low is not None and high is not None:
            bounds = 100 * float(str(low)), 100 * float(str(high))
            axes.hlines(place, *bounds, color="black", linewidth=1.5)
            right = max(percent, bounds[1])
        inside = right > 80
        axes.text(
            percent / 2 if inside else right + 2,
            place,
            f"{percent:.1f} %",
            va="center",
            ha="center" if inside else "left",
            color="white" if inside else "black",
            weight="bold",
        )
    axes.set_yticks([1.0, 0.0], ["results\njudged useless", f"answered after\n{run} in a row"])
    axes.set_xlim(0, 100)
    axes.set_xlabel("share (%)")
    set_title(axes, title)
    return axes
