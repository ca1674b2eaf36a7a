"""What all figures share: style, colours, and a picture with its caption and alternative text."""

import base64
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

import matplotlib as mpl
from judged_useless._io.messages import visible
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.text import Text

from paper_book.tables.html import render

#: A palette that the colour-blind can tell apart: seaborn's "colorblind", its light ones 3 to 1 on white.
PALETTE = (
    "#0173b2", "#b87404", "#029e73", "#d55e00", "#c061ae",
    "#a5713f", "#7a2e66", "#808080", "#9a8f00", "#3a95cf",
)  # fmt: skip
#: One colour a kind of source: what the paper printed, and what was recomputed here.
PUBLISHED, RECOMPUTED = "#4d4d4d", PALETTE[0]
#: One colour a judgment or action, the same on every page.
COLOURS = {
    "USELESS": PALETTE[1], "USEFUL": PALETTE[0], "UNPARSED": PALETTE[7], "unjudged": "#d9d9d9",
    "answer": PALETTE[2], "failed": PALETTE[3], "real": PALETTE[9], "harness": PALETTE[0],
}  # fmt: skip
#: One colour and one marker a model, the same on every page, and in the order of the paper.
MODELS = {
    "qwen2.5-7b": (PALETTE[0], "o"),
    "llama3.1-8b": (PALETTE[1], "s"),
    "qwen3-8b": (PALETTE[2], "^"),
    "qwen3-32b": (PALETTE[3], "D"),
    "claude-haiku-4.5": (PALETTE[4], "v"),
    "claude-sonnet-5": (PALETTE[5], "P"),
    "search-r1": (PALETTE[7], "X"),
}
#: One colour a condition, the same on every page.
CONDITIONS = {
    "unaided": PALETTE[7], "permit": PALETTE[6], "budget": PALETTE[4], "stated_rule": PALETTE[1],
    "call_cost": PALETTE[5], "decide": PALETTE[9], "enforced_rule": PALETTE[0], "combo": PALETTE[2],
    "stated_judgment_rule": PALETTE[3], "stated_combo": "#4d4d4d",
}  # fmt: skip
#: Width in inches. Narrow, so that 12-point labels stay readable where the page is a phone wide.
WIDTH = 4.8
#: Where a drawing has coordinates.
_COORDINATES = re.compile(r'\b(?:d|x|y|points)="[^"]*"|translate\([^)]*\)')
#: Characters beside an axis that still leave room for what is drawn.
_WIDEST_LABEL = 48
# Typed loosely: matplotlib types its options one by one.
STYLE: Any = {
    "font.size": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "x",
    "grid.color": "#e3e3e3",
    "legend.frameon": False,
    "figure.facecolor": "white",
    "svg.fonttype": "path",
    # Without a salt the file's identifiers are random, and two runs would differ.
    "svg.hashsalt": "judged-useless",
}


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21 (WCAG 2.2)."""
    channels = [[c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(each)]
                for each in (one, other)]  # fmt: skip
    dark, light = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in channels)
    return (light + 0.05) / (dark + 0.05)


def ink(colour: str) -> str:
    """Return black or white, whichever is the easier to read on a colour."""
    return max(("white", "black"), key=lambda each: contrast(each, colour))


def short(text: str, word: int = 40, most: int = 300) -> str:
    """Return a label without what no figure has room for, such as a model's name of a thousand letters."""
    cut = re.sub(rf"(\S{{{word - 1}}})\S{{2,}}?([,.:;]?)(?!\S)", r"\1…\2", text)
    return cut if len(cut) <= most else f"{cut[: most - 1]}…"


def spaced(name: object) -> str:
    """Return the name of a condition or regime with blanks in the place of underscores."""
    return str(name).replace("_", " ")


def new_axes(height: float, title: str, *, grid: str = "x") -> Axes:
    """Return empty axes in the book's style, on a figure of their own that pyplot does not know."""
    with mpl.rc_context(STYLE):
        axes: Axes = Figure(figsize=(WIDTH, height), layout="constrained").subplots()
    axes.grid(visible=False)
    if grid:
        axes.grid(visible=True, axis=grid)  # type: ignore[arg-type]
    set_title(axes, title)
    return axes


def _figure(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    if figure is None:
        raise ValueError("the axes belong to no figure")
    return figure


def set_title(axes: Axes, title: str) -> None:
    """Give a figure its title, from the left edge and broken into lines that fit a narrow page."""
    _figure(axes).suptitle(fill(short(title), 42), x=0.01, ha="left", fontsize=13, weight="bold")


def add_legend(
    axes: Axes, handles: Sequence[Artist] | None = None, *, columns: int = 1, title: str = ""
) -> None:
    """Give a figure its legend, below the axes, with labels broken to fit a narrow page."""
    given: dict[str, Any] = {} if handles is None else {"handles": list(handles)}
    legend = _figure(axes).legend(
        **given, loc="outside lower left", ncols=columns, frameon=False, fontsize=11,
        title=fill(short(title), 46), title_fontsize=11, alignment="left",
    )  # fmt: skip
    for text in legend.get_texts():
        text.set_text(fill(short(text.get_text()), 46 // columns))


@dataclass(frozen=True)
class Picture:
    """A drawn figure with a caption that can be read alone and a text for those who cannot see it."""

    svg: str
    caption: str
    alt: str
    axes: Axes = field(repr=False, compare=False)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        data = base64.b64encode(self.svg.encode()).decode("ascii")
        return {
            "text/html": str(render("figure", data, self.caption, self.alt)),
            "text/plain": f"Figure: {self.caption}\n{self.alt}",
        }


def _shorten_ticks(figure: Figure) -> None:
    """Shorten and break the names at the axes that would leave nothing of a narrow figure to its data."""
    for axis in (each for axes in figure.axes for each in (axes.xaxis, axes.yaxis)):
        labels = [label.get_text() for label in axis.get_majorticklabels()]
        if max(map(len, labels), default=0) > _WIDEST_LABEL:
            kept = [
                label if len(label) <= _WIDEST_LABEL else fill(short(label, 23, 96), 24) for label in labels
            ]
            # Set at the axis: the labels themselves are written anew whenever a figure is drawn.
            axis.set_ticks(axis.get_majorticklocs(), kept)


def picture(axes: Axes, caption: str, alt: str) -> Picture:
    """Return drawn axes as a picture for a page."""
    figure = _figure(axes)
    # Labels are words, some of them from data: a dollar sign in one starts no formula.
    for text in figure.findobj(Text):
        text.set_parse_math(False)
        text.set_text(visible(short(text.get_text())))
    _shorten_ticks(figure)
    buffer = io.StringIO()
    with mpl.rc_context(STYLE):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    # The header names the drawing library's version, which would make every upgrade a difference.
    svg = re.sub(r"\s*<!--.*?-->|\n +", "\n", buffer.getvalue(), flags=re.DOTALL)
    # A hundredth of a point is finer than any screen; more decimals only weigh.
    svg = _COORDINATES.sub(lambda found: re.sub(r"(\.\d\d)\d+", r"\1", found[0]), svg)
    return Picture(svg, short(caption, 200, len(caption)), short(alt, 200, len(alt)), axes)
