"""The note below a table: what would fill its empty cells."""

from html import escape

import pandas as pd

from paper_book.measures.filling import commands_to_fill, filling


def what_would_fill(rows: pd.DataFrame) -> str:
    """Return the note below a table: what would fill its empty cells, with the commands.

    Parameters
    ----------
    rows : pandas.DataFrame
        Compared rows of the table.

    Returns
    -------
    str
        HTML of a fold; empty where nothing is missing.
    """
    kinds = filling(rows)
    if kinds.empty:
        return ""
    lines = "".join(
        f"<li>{row.numbers}: {escape(str(row.what))}</li>"
        for row in kinds.rename(columns={"what would fill them": "what"}).itertuples()
    )
    commands = commands_to_fill(rows)
    block = f"<pre>{escape(chr(10).join(commands))}</pre>" if commands else ""
    total = int(kinds["numbers"].sum())
    return (
        f'<details class="ju-fill"><summary>{total} numbers are not recomputed here: what would fill them'
        f"</summary>"
        f"<ul>{lines}</ul>{block}</details>"
    )
