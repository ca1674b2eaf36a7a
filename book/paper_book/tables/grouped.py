"""Long tables in foldable groups: a line a group says what is inside."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

from paper_book.folds import fold


@dataclass(frozen=True)
class Cell:
    """A cell: its text, and a smaller second line."""

    text: str
    below: str = ""

    def __str__(self) -> str:
        return f"{self.text} ({self.below})" if self.below else self.text


@dataclass(frozen=True)
class Group:
    """Rows that fold away together.

    Attributes
    ----------
    what, count : str
        The line of the fold: what it holds, and how that came out.
    columns : tuple of str
        Headings.
    rows : tuple of tuple of Cell
        One cell a column; the first names its row.
    keys : tuple of str
        A name a row that is unique on the page.
    opened : bool, default False
        Whether the fold is open when the page opens.
    """

    what: str
    count: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    keys: tuple[str, ...]
    opened: bool = False


@dataclass(frozen=True)
class GroupedTable:
    """A table in foldable groups, for a page.

    Attributes
    ----------
    caption : str
        What the table says and where its numbers come from.
    groups : tuple of Group
        Its groups in order.
    note : str
        A line below the table.
    anchors : mapping of str to str
        Key of a row -> its anchor on the page, for the rows that others link to.
    """

    caption: str
    groups: tuple[Group, ...]
    note: str = ""
    anchors: Mapping[str, str] = field(default_factory=dict)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        note = f'<p class="ju-note">{escape(self.note)}</p>' if self.note else ""
        groups = "".join(
            fold(group.what, group.count, self._table(group), opened=group.opened) for group in self.groups
        )
        html = (
            f'<figure class="ju-table ju-groups"><figcaption>{escape(self.caption)}</figcaption>'
            f"{groups}{note}</figure>"
        )
        return {"text/html": html, "text/plain": self._plain()}

    def _plain(self) -> str:
        lines = [f"Table: {self.caption}"]
        for group in self.groups:
            lines += ["", f"{group.what}: {group.count}"]
            lines += [" | ".join(map(str, row)) for row in group.rows]
        return "\n".join([*lines, self.note]).rstrip()

    def _table(self, group: Group) -> str:
        # A narrow screen shows a row as a block, which would take the roles away from rows and cells.
        head = "".join(f'<th scope="col" role="columnheader">{escape(name)}</th>' for name in group.columns)
        body = "".join(
            self._row(key, row, group.columns) for key, row in zip(group.keys, group.rows, strict=True)
        )
        name = escape(f"{group.what}: {group.count}", quote=True)
        return (
            f'<table class="ju-rows" role="table" aria-label="{name}"><thead role="rowgroup">'
            f'<tr role="row">{head}</tr></thead><tbody role="rowgroup">{body}</tbody></table>'
        )

    def _row(self, key: str, row: Sequence[Cell], columns: Sequence[str]) -> str:
        anchor = f' id="{escape(self.anchors[key], quote=True)}"' if key in self.anchors else ""
        cells = "".join(
            f'<td role="cell" data-column="{escape(column, quote=True)}">{_html(cell)}</td>'
            for column, cell in zip(columns[1:], row[1:], strict=True)
        )
        first = f'<th scope="row" role="rowheader">{_html(row[0])}</th>'
        return f'<tr role="row"{anchor}>{first}{cells}</tr>'


def _html(cell: Cell) -> str:
    below = f'<span class="ju-below">{escape(cell.below)}</span>' if cell.below else ""
    return escape(cell.text) + below
