"""Figures with a step on the horizontal axis: hazards, judgments by position, beliefs."""

from collections.abc import Mapping
from textwrap import fill
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import pandas as pd
from judged_useless.estimators.beliefs import belief_prior
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from paper_book.figures.style import (
    COLOURS,
    CONDITIONS,
    PALETTE,
    PUBLISHED,
    STYLE,
    WIDTH,
    Picture,
    add_legend,
    new_axes,
    picture,
    set_title,
    short,
    spaced,
)
from paper_book.measures.filling import probe_commands
from paper_book.reading import our_numbers
from paper_book.tables.data_table import Notice

if TYPE_CHECKING:
    from paper_book.page import Page

_MARKERS = "osD^vPX<>"


def hazards_by_run(
    page: "Page", hazards: Mapping[str, pd.DataFrame], published: pd.DataFrame
) -> Picture | Notice:
    """Draw the stopping hazard by the number of failed results in a row (the paper's Figure 5).

    Parameters
    ----------
    page : Page
        Where the hazards are from.
    hazards : mapping of str to pandas.DataFrame
        Condition → result of :func:`judged_useless.estimators.hazard_by_failed_run`. May be empty.
    published : pandas.DataFrame
        Printed hazards over two run lengths: rows of the measures ``hazard_1_2`` and ``hazard_4_5`` of one
        model. May be empty.

    Returns
    -------
    Picture or Notice
        Lines with intervals are recomputed; hollow diamonds with a bar over their two run lengths are
        published.
    """
    mine = {name: table for name, table in hazards.items() if table["value"].notna().any()}
    names = list(dict.fromkeys([*mine, *published["condition"]]))
    if not names:
        return page.absent("No hazard is drawn")
    axes = new_axes(4.2 + 0.24 * (len(names) + 1) // 2, "Stopping hazard by failed results", grid="both")
    handles, words = [], []
    for place, name in enumerate(names):
        look: Any = {
            "color": CONDITIONS.get(name, "black"),
            "marker": _MARKERS[place % len(_MARKERS)],
            "lw": 2,
        }
        if name in mine:
            table = mine[name]
            j = table.index.to_numpy(dtype=float) + 0.05 * (place - len(names) / 2)
            axes.plot(j, table["value"], markersize=7, **look)
            axes.vlines(j, table["low"], table["high"], color=look["color"], linewidth=1.5)
            points = (f"{at}: {value:.2f}" for at, value in table["value"].dropna().items())
            words.append(f"{spaced(name)}: {', '.join(points)}")
        else:  # a line would promise one that is not drawn
            look |= {"marker": "D", "linestyle": "", "markerfacecolor": "white"}
        for row in published[published["condition"] == name].to_dict("records"):
            first, last = map(int, row["measure"].removeprefix("hazard_").split("_"))
            axes.hlines(row["value"], first, last, color=look["color"], linewidth=1.5)
            middle = (first + last) / 2
            axes.plot(middle, row["value"], "D", color=look["color"], markerfacecolor="white", markersize=8)
            words.append(f"{spaced(name)}, published, runs {first} to {last}: {row['value']}")
        handles.append(Line2D([], [], label=spaced(name), **look))
    hollow: Any = {"marker": "D", "linestyle": "-", "markerfacecolor": "white", "color": PUBLISHED}
    handles.append(Line2D([], [], label="published, two lengths", **hollow))
    axes.set_ylim(-0.03, 1.03)
    axes.set_xticks(range(1, 7))
    axes.set_xlabel("failed results in a row, just before the decision")
    axes.set_ylabel("probability of answering")
    add_legend(axes, handles, columns=2, title=f"lines: {our_numbers(page.name)}" if mine else "")
    about = ", ".join([str(page.model), *map(spaced, mine), str(page.split)])
    lines = f"Lines with {page.level:.0%} intervals: {about}, {our_numbers(page.name)}"
    return picture(
        axes,
        "Probability of answering at a decision, by the number of failed results in a row just before it, "
        f"the last action left out. {lines if mine else 'Nothing is recomputed here'}. Hollow diamonds: "
        f"{', '.join(published['model'].unique())} as published, over runs of 1–2 and of 4–5 (Table 13; the "
        "paper's Figure 5).",
        "; ".join(words) + ".",
    )


def judgments_by_position(page: "Page", judged: pd.DataFrame) -> Picture | Notice:
    """Draw how often results are judged useless, by position, for failed and for real results."""
    if judged.empty:
        return page.absent("No judgment is drawn")
    axes = new_axes(3.9, "Judgments, position by position", grid="both")
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
    words = (
        f"{'failed' if row['failed'] else 'real'} at {row['t']}: {row['useless']:.1%} of {row['n']}"
        for row in judged.to_dict("records")
    )
    return picture(
        axes,
        "Share of results judged useless by position in the episode, for results that failed by design and "
        f"for real ones: {page.about}, the regimes with failures ({page.name}).",
        "; ".join(words) + ".",
    )


#: Quantity of :func:`judged_useless.estimators.belief_curves` -> its column in the figure's table.
_COLUMNS = {
    "says going on is worth": "continue_reported",
    "ideal observer": "continue_ideal",
    "going on was worth": "continue_realized",
    "says answering now is worth": "answer_reported",
    "answering now was worth": "answer_realized",
    "answers": "answers",
    "favours answering": "favors",
}


def belief_table(curves: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the belief curves of models, by name, as the figure's table: one row a model and run length."""
    tables = []
    for model, curve in curves.items():
        of = {name: part.set_index("k") for name, part in curve.groupby("quantity")}
        table = pd.DataFrame({column: of[name]["value"] for name, column in _COLUMNS.items()})
        table = (
            table.rename_axis("failed")
            .reset_index()
            .assign(
                decisions=of["answers"]["n"].to_numpy(),
                no_report=of["says going on is worth"]["n_missing"].to_numpy(),
                no_branch=of["answering now was worth"]["n_missing"].to_numpy(),
            )
        )
        table.insert(0, "model", model)
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


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


def beliefs(page: "Page", curves: Mapping[str, pd.DataFrame], *, model: str) -> Picture | Notice:
    """Draw what agents believe, what is true, and what they do, by failed results so far (Figure 6)."""
    if not curves:
        return Notice(
            "The paper's Figure 6 stands here when the source has such reports. Released episodes have none. "
            f"These commands make them for {model}, and draw them.",
            commands=probe_commands(
                model,
                ["beliefs", "answer-now", "repair"],
                condition=str(page.condition),
                split=str(page.split),
                section="02b_beliefs",
            ),
        )
    table = belief_table(curves)
    models = list(dict.fromkeys(table["model"]))
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(WIDTH, 2.5 + 1.9 * len(models)), layout="constrained")
        grid = figure.subplots(len(models), len(PANELS), sharex=True, sharey=True, squeeze=False)
    for (heading, *_), axes in zip(PANELS, grid[0], strict=True):
        axes.set_title(fill(heading, 10), fontsize=11)
    for line, model in zip(grid, models, strict=True):
        _belief_panels(line, table[table["model"] == model])
        line[0].set_ylabel(fill(short(str(model)), 16, break_on_hyphens=False), fontsize=11)
    lowest: Axes = grid[-1][1]
    lowest.set_ylim(-0.04, 1.04)
    lowest.set_xticks(sorted(set(table["failed"]))[::2])
    lowest.set_xlabel("failed results so far")
    handles: list[Any] = [
        Line2D([], [], label=label, markersize=5, **look) for label, look in _BELIEF_LINES.values()
    ]
    add_legend(lowest, [*handles, Patch(color=COLOURS["unjudged"], label="share missing")], columns=2)
    set_title(grid[0][0], "What agents believe, and what they do")
    prior = ", ".join(belief_prior(page.episodes))
    return picture(
        grid[0][0],
        f"{page.about}, persistent regime ({page.name}): means over decisions, by the number of failed "
        "results so far. Left: the value of going on, as the agent reports it, as an ideal observer would "
        "put it, and as it came out. Middle: the value of answering now, as reported and as it came out when "
        "the agent was made to answer there. Right: share of decisions at which the report favors answering, "
        "and at which the agent answers. Placeholder answers are repaired. Grey bars: share of decisions "
        "without a report that can be read (middle: without a forced answer), left out of the means. The "
        f"observer starts from {prior}, equally likely (the paper's Figure 6).",
        _described(table),
    )


def _belief_panels(line: Any, rows: pd.DataFrame) -> None:  # noqa: ANN401 - a row of axes
    for axes, (_, columns, lacking) in zip(line, PANELS, strict=True):
        axes.grid(axis="both")
        axes.bar(rows["failed"], rows[lacking] / rows["decisions"], color=COLOURS["unjudged"])
        for column, what in columns:
            axes.plot(rows["failed"], rows[column], markersize=5, **_BELIEF_LINES[what][1])


def _described(table: pd.DataFrame) -> str:
    """Return in words what is drawn, at the first and the last step of each model."""
    labels = {
        "continue_reported": "going on is worth by its report",
        "continue_ideal": "to the ideal observer",
        "continue_realized": "realized",
        "answer_reported": "answering now by its report",
        "answer_realized": "realized",
        "favors": "share of reports that favor answering",
        "answers": "share of decisions at which it answers",
    }
    parts = []
    for row in pd.DataFrame(table.groupby("model", sort=False).nth([0, -1])).to_dict("records"):
        words = (f"{label} {row[name]:.2f}" for name, label in labels.items() if pd.notna(row[name]))
        parts.append(f"{row['model']} after {row['failed']} failed results: {', '.join(words)}")
    return "; ".join(parts) + "."
