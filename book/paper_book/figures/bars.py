"""How many of the paper's numbers can be had from where."""

import pandas as pd

from paper_book.figures.style import COLOURS, RECOMPUTED, Picture, new_axes, picture


def bars_of_numbers(counts: pd.DataFrame, source: str) -> Picture:
    """Draw the result of :func:`paper_book.coverage.where_numbers_are_from`: a bar for each way."""
    total = int(counts["numbers"].sum())
    axes = new_axes(1.1 + 0.42 * len(counts), f"The paper's {total:,} printed values")
    here = counts["where"].str.startswith("recomputed")
    colours = [RECOMPUTED if mine else COLOURS["unjudged"] for mine in here]
    bars = axes.barh(counts["where"], counts["numbers"], color=colours)
    axes.bar_label(bars, [f"{n:,}" for n in counts["numbers"]], padding=4, fontsize=11)
    axes.invert_yaxis()
    axes.margins(x=0.18)
    axes.grid(visible=False)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)
    words = "; ".join(f"{row['where']}: {row['numbers']:,}" for row in counts.to_dict("records"))
    return picture(
        axes,
        f"Of {total:,} printed values, how many are recomputed in this book ({source}), and what the others "
        "would take.",
        f"{words}.",
    )
