"""A table of the paper for a page: its layout, counts and note put together."""

from dataclasses import dataclass
from html import escape

import pandas as pd
from judged_useless.sources.readers import Source

from paper_book.folds import fold
from paper_book.measures.own_models import elsewhere
from paper_book.provenance import source_name
from paper_book.published.transcribed import titles
from paper_book.tables.notes import what_would_fill
from paper_book.tables.rendering import grids

#: Rows up to which a folded table is open when its page opens.
SMALL = 8


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper, for a page.

    Attributes
    ----------
    number : str
        Number of the table.
    html : str
        The table with its caption and note.
    published, recomputed, differing : int
        Numbers it prints, those that were recomputed, and those of them that differ at the printed precision.
    """

    number: str
    html: str
    published: int
    recomputed: int
    differing: int

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        plain = (
            f"Table {self.number}: {self.published} published numbers, {self.recomputed} recomputed, "
            f"{self.differing} of them differ"
        )
        return {"text/html": self.html, "text/plain": plain}


def _in_short(published: int, recomputed: int, differing: int) -> str:
    """Return the counts of a table for the line of its fold."""
    if not published:
        return "in words"
    if not recomputed:
        return f"{published} numbers, none recomputed"
    verdict = f"{differing} differ" if differing else "all equal" if recomputed > 1 else "equal"
    return f"{published} numbers, {recomputed} recomputed, {verdict}"


def _origin(rows: pd.DataFrame, number: str, source: Source) -> str:
    """Return what the lines of a table's cells are, and what some of its rows are about."""
    name = source_name(source, rows)
    if number == "7":
        name = "policies simulated anew, within three standard errors where marked ≈"
    lines = f"Upper line: published; lower line: recomputed ({name})."
    own = rows[rows["recomputed"].notna() & elsewhere(rows)] if "own" in rows else rows[:0]
    if own.empty:
        return lines
    return f"{lines} {' and '.join(own['model'].unique())}: on the task and questions named with the model."


def _caption(title: str, lines: str, folded: bool) -> str:
    """Return the caption; the line of a fold shows the title already, except to screen readers."""
    if not folded:
        return f"<figcaption>{escape(f'{title} {lines}'.rstrip())}</figcaption>"
    if not lines:
        return f'<figcaption class="ju-hidden">{escape(title)}</figcaption>'
    return f'<figcaption><span class="ju-hidden">{escape(title)}</span> {escape(lines)}</figcaption>'


def paper_table(
    compared: pd.DataFrame, table: str | int, *, source: Source, folded: bool = False
) -> PaperTable:
    """Return a table of the paper in its own layout, with the recomputed numbers beside the printed ones.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`paper_book.coverage.recompute_everything`.
    table : str or int
        Number of the table, 1 to 28.
    source : str, path or list of them
        Source of the recomputed numbers, or its name; of several, those are named that this table's numbers
        are from.
    folded : bool, default False
        Put the table into a fold, whose line holds title and counts; it is open if the table has few rows.

    Returns
    -------
    PaperTable
        The upper line of a cell is printed, the lower one recomputed, to one more place: "=" where it is
        equal at the printed precision, "≠" with the difference (recomputed minus printed) where it is not.

    Raises
    ------
    KeyError
        If there is no such table; the message lists those there are.
    """
    number = str(table)
    rows = compared[compared["table"] == number]
    sentences = titles()["title"]
    if rows.empty or not sentences.get(number):
        raise KeyError(
            f"there is no table {number!r}; there are {', '.join(sentences.index[sentences.ne('')])}"
        )
    printed = rows[rows["value"].notna()]
    n_recomputed = int(printed["recomputed"].notna().sum())
    differing = int(printed["equal"].fillna(True).eq(False).sum())
    title = f"Table {number}. {sentences[number]}"
    lines = _origin(rows, number, source) if rows["recomputed"].notna().any() else ""
    caption = f"{title} {lines}".rstrip()
    body = f"{grids(rows, number, caption)}{what_would_fill(rows)}"
    html = f'<figure class="ju-table">{_caption(title, lines, folded)}{body}</figure>'
    if folded:
        short = _in_short(len(printed), n_recomputed, differing)
        few = len(rows[["panel", "row"]].drop_duplicates()) <= SMALL
        html = fold(sentences[number].removesuffix("."), short, html, opened=few)
    return PaperTable(number, html, len(printed), n_recomputed, differing)
