"""Figures of all arms at once: the heat map of Δ, and cost against success."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.lines import Line2D

from paper_book.figures.style import (
    COLOURS,
    CONDITIONS,
    MODELS,
    Picture,
    add_legend,
    new_axes,
    picture,
    spaced,
)
from paper_book.measures.own_models import on_paper_questions
from paper_book.measures.recompute import as_grid
from paper_book.reading import our_numbers
from paper_book.tables.data_table import Notice
from paper_book.tables.number_texts import number

if TYPE_CHECKING:
    from paper_book.tables.compared import Comparison

#: Values at which the colours end; the largest of the paper's |Δ| is a little above.
_LIMIT = 0.4
#: Models that have room beside each other.
_MOST = 6
#: Conditions in which the harness stops the agent.
_HARNESS = ("enforced_rule", "combo")
_OTHER = ("#4d4d4d", "o")


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
    """Return a model's name in two lines, broken at its last hyphen or its first colon."""
    return model.replace(":", ":\n", 1) if ":" in model else "\n".join(model.rsplit("-", 1))


def contrast_heatmap(
    deltas: "Comparison", conditions: Sequence[str], *, values: str, split: str, again: str = ""
) -> Picture | Notice:
    """Draw Δ by condition and model, with its replication in parentheses (the paper's Figure 3).

    Parameters
    ----------
    deltas : Comparison
        Published and recomputed Δ of every arm.
    conditions : sequence of str
        Rows, from top to bottom.
    values : {"published", "recomputed"}
        Which of the two; of recomputed ones, arms and models without one are left out.
    split, again : str
        Questions of the numbers, and of those in parentheses.

    Returns
    -------
    Picture or Notice
        Blue cells are above zero, red ones below; a dot stands for what is missing.
    """
    mine = values == "recomputed"
    deltas = replace(deltas, rows=on_paper_questions(deltas.rows))
    rows = deltas.rows
    models = _in_order(rows["model"][rows["value"].notna() | mine], MODELS)
    column = "recomputed" if mine else "value"
    first, second = (
        as_grid(rows[rows["split"] == each], column, conditions, models) for each in (split, again)
    )
    if again == split:
        second[:] = np.nan
    held = first.notna() | second.notna()
    if mine:
        first, second = (grid.loc[held.any(axis=1), held.any(axis=0)] for grid in (first, second))
    left = (
        f" {len(first.columns) - _MOST} more models have no room here." if len(first.columns) > _MOST else ""
    )
    first, second = (grid.iloc[:, :_MOST] for grid in (first, second))
    if not held.any(axis=None):
        return deltas.page.absent(f"No Δ of these arms is {values} on {split}")
    twice = bool(second.notna().any(axis=None))
    title = (
        "Δ of the episodes used here"
        if mine
        else "Δ as published: blue for every model only where the harness stops"
    )
    axes = new_axes(1.7 + 0.62 * len(first), title, grid="")
    numbers, seconds = (table.to_numpy(dtype=float) for table in (first, second))
    axes.imshow(
        np.ma.masked_invalid(numbers), cmap=colormaps["RdBu"], vmin=-_LIMIT, vmax=_LIMIT, aspect="auto"
    )
    for row, place in np.ndindex(numbers.shape):
        value, beside = float(numbers[row, place]), float(seconds[row, place])
        dark = abs(value) > 0.6 * _LIMIT  # white letters where the colour is dark; NaN compares false
        look: dict[str, Any] = {"ha": "center", "va": "center", "color": "white" if dark else "black"}
        below = not np.isnan(beside)
        axes.text(place, row - (0.16 if below else 0.0), signed(value), fontsize=12, **look)
        if below:
            axes.text(place, row + 0.24, f"({signed(beside)})", fontsize=9, **look)
    axes.set_xticks(range(len(first.columns)), [*map(model_label, first.columns)], fontsize=10)
    axes.set_yticks(range(len(first)), [*map(spaced, first.index)])
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for label, name in zip(axes.get_yticklabels(), first.index, strict=True):
        if name in _HARNESS:
            label.set(color=COLOURS["harness"], weight="bold")
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.set_xlabel(f"Δ (in parentheses: {again})" if twice else "Δ")
    also = f"; in parentheses on {again}" if twice else ""
    words = "; ".join(
        f"{model}, {spaced(arm)}: {number(value)}"
        for model in first
        for arm, value in first[model].dropna().items()
    )
    origin = f"Δ, {our_numbers(deltas.source)}," if mine else f"Published Δ ({deltas.printed})"
    return picture(
        axes,
        f"{origin} on the agent's own judgments, by condition and model, on {split}{also}. Blue: at the same "
        "step the agent answers more often after an unbroken run of results it judged useless; red: less "
        "often; a dot: not run or not available. In the conditions with blue names the harness stops the "
        f"agent (the paper's Figure 3).{left}",
        f"{int(first.notna().to_numpy().sum())} cells. {words}.",
    )


def _in_order(names: Iterable[str], known: Collection[str]) -> list[str]:
    """Return each name once: the known ones in their order, then the others as they come."""
    there = dict.fromkeys(names)
    return [*(name for name in known if name in there), *(name for name in there if name not in known)]


def cost_against_success(costs: "Comparison", *, price: float = 0.05) -> Picture | Notice:
    """Draw success against the number of tool calls, with lines of equal utility."""
    costs = replace(costs, rows=on_paper_questions(costs.rows))
    rows = costs.rows
    wide = rows.pivot_table(
        index=["model", "condition"], columns="measure", values=["value", "recomputed"], dropna=False
    )
    arms = pd.concat([wide[kind].assign(kind=kind).reset_index() for kind in ("value", "recomputed")])
    drawn = arms.dropna(subset=["tool_calls", "success"])
    if drawn.empty:
        return costs.page.absent("No arm has both a success and a number of calls")
    models, conditions = _in_order(drawn["model"], MODELS), _in_order(drawn["condition"], CONDITIONS)
    height = 5.4 + 0.25 * ((len(models) + len(conditions) + 1) // 2)
    axes = new_axes(height, "Success against tool calls", grid="both")
    right = float(np.ceil(drawn["tool_calls"].max() + 0.5))
    for start in np.arange(-0.4, 1.0, 0.1):
        line = [start, start + price * right]
        axes.plot([0, right], line, color="#c8c8c8", linewidth=0.8, linestyle=":", zorder=0)
    for row in drawn.to_dict("records"):
        colour = CONDITIONS.get(row["condition"], _OTHER[0])
        face = colour if row["kind"] == "recomputed" else "white"
        marker = MODELS.get(row["model"], _OTHER)[1]
        look: dict[str, Any] = {"markerfacecolor": face, "markersize": 9, "markeredgewidth": 2}
        axes.plot(row["tool_calls"], row["success"], marker, color=colour, **look)
    axes.set_xlim(0, right)
    axes.set_ylim(0, min(1.0, float(drawn["success"].max()) + 0.1))
    axes.set_xlabel("tool calls a question")
    axes.set_ylabel("success (mean6)")
    handles = [
        Line2D([], [], marker="s", linestyle="", color=CONDITIONS.get(name, _OTHER[0]), label=spaced(name))
        for name in conditions
    ]
    handles += [
        Line2D([], [], marker=MODELS.get(name, _OTHER)[1], linestyle="", color="k", mfc="w", label=name)
        for name in models
    ]
    add_legend(axes, handles, columns=2)
    mine = "recomputed" in set(drawn["kind"])
    filled = f"filled {our_numbers(costs.source)}" if mine else "none is recomputed here"
    points = (
        f"{row['model']}, {row['condition']}: {row['tool_calls']:.2f} calls, success {row['success']:.3f}"
        for row in drawn.to_dict("records")
    )
    return picture(
        axes,
        "Mean success over six regimes against tool calls a question, by model (marker) and condition "
        f"(colour): hollow published ({costs.printed}), {filled}. Along a dotted line success minus "
        f"{price:g} per tool call is the same; judgment calls are not charged here.",
        "; ".join(points) + ".",
    )
