"""Long tables in foldable groups: a line a group says what is inside."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from paper_book.tables.html import render

#: The text of a cell, or that and a smaller second line.
Text = str | tuple[str, str]


@dataclass(frozen=True)
class Group:
    """Rows that fold away together."""

    what: str
    count: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Text, ...]]
    opened: bool = False


@dataclass(frozen=True)
class GroupedTable:
    """A table in foldable groups, for a page."""

    caption: str
    groups: tuple[Group, ...]
    note: str = ""
    anchors: Mapping[str, str] = field(default_factory=dict)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        lines = [f"Table: {self.caption}"]
        for group in self.groups:
            rows = (" | ".join(map(_one_line, row)) for row in group.rows.values())
            lines += ["", f"{group.what}: {group.count}", *rows]
        return {
            "text/html": str(render("grouped", self)),
            "text/plain": "\n".join([*lines, self.note]).rstrip(),
        }


def _one_line(cell: Text) -> str:
    return cell if isinstance(cell, str) else f"{cell[0]} ({cell[1]})" if cell[1] else cell[0]
