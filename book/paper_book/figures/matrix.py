"""The heat map of Δ by condition and model."""

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.axes import Axes

from paper_book.figures.style import COLOURS, new_axes, set_title

#: Values at which the colours end; the largest of the paper's |Δ| is a little above.
_LIMIT = 0.4


def signed(value: float, digits: int = 2) -> str:
    """Return a difference as the paper prints it, with its sign and a true minus; a dot for a missing one.

    Examples
    --------
    >>> signed(-0.114), signed(0.334), signed(-0.001), signed(float("nan"))
    ('−.11', '+.33', '.00', '·')
    """
    if np.isnan(value):
        return "·"
    text = f"{abs(value):.{digits}f}"
    sign = "" if float(text) == 0 else "−" if value < 0 else "+"
    return sign + text.removeprefix("0")


def model_label(model: str) -> str:
    """Return a model's name in two lines, broken at its last hyphen or its first colon.

    Examples
    --------
    >>> model_label("qwen2.5-7b").split(), model_label("simulated:deadline").split()
    (['qwen2.5', '7b'], ['simulated:', 'deadline'])
    """
    if ":" in model:
        return model.replace(":", ":\n", 1)
    return "\n".join(model.rsplit("-", 1))


def contrast_heatmap(
    values: pd.DataFrame,
    replication: pd.DataFrame,
    *,
    title: str,
    harness: Collection[str] = (),
    repeated: str = "",
) -> Axes:
    """Draw Δ by condition and model, with its replication in parentheses (the paper's Figure 3).

    Parameters
    ----------
    values : pandas.DataFrame
        Δ: one row a condition, one column a model; NaN where there is none.
    replication : pandas.DataFrame
        Δ on other questions, of the same shape; NaN where there is none.
    title : str
        Title.
    harness : collection of str
        Conditions in which the harness stops the agent, whose labels are set apart.
    repeated : str
        What the numbers in parentheses are on, for the label below; empty if there are none.

    Returns
    -------
    matplotlib.axes.Axes
        Blue cells are above zero, red ones below; a dot stands for what is missing.

    Raises
    ------
    ValueError
        If the two tables differ in their rows or columns, or there is nothing to draw.
    """
    if values.empty or not (
        values.index.equals(replication.index) and values.columns.equals(replication.columns)
    ):
        raise ValueError("values and replication must have the same rows and columns, and at least one each")
    axes = new_axes(1.7 + 0.62 * len(values))
    axes.grid(visible=False)
    numbers, seconds = (table.to_numpy(dtype=float) for table in (values, replication))
    colours = colormaps["RdBu"]
    shown = np.ma.masked_invalid(numbers)
    axes.imshow(shown, cmap=colours, vmin=-_LIMIT, vmax=_LIMIT, aspect="auto")
    for row, column in np.ndindex(numbers.shape):
        value, again = float(numbers[row, column]), float(seconds[row, column])
        dark = abs(value) > 0.6 * _LIMIT  # white letters where the colour is dark; NaN compares false
        look: dict[str, Any] = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
        has_second = not np.isnan(again)
        axes.text(column, row - (0.16 if has_second else 0.0), signed(value), fontsize=12, **look)
        if has_second:
            axes.text(column, row + 0.24, f"({signed(again)})", fontsize=9, **look)
    axes.set_xticks(
        range(len(values.columns)), [model_label(str(model)) for model in values.columns], fontsize=10
    )
    axes.set_yticks(range(len(values)), [str(name).replace("_", " ") for name in values.index])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for label, name in zip(axes.get_yticklabels(), values.index, strict=True):
        if name in harness:
            label.set(color=COLOURS["harness"], weight="bold")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlabel(f"Δ (in parentheses: {repeated})" if repeated else "Δ")
    set_title(axes, title)
    return axes
