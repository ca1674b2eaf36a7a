"""Tables whose cells link to other pages and to each other."""

import re
from dataclasses import dataclass
from html import escape

import pandas as pd

from paper_book.tables.shown import Table

#: A text and the address that it leads to.
Link = tuple[str, str]
_TOKEN = re.compile(r"jucell(\d+)x")


@dataclass(frozen=True)
class LinkedTable(Table):
    """A table for a page, with links.

    Attributes
    ----------
    frame, caption, note
        As for `Table`; a cell that is a list of (text, address) becomes links.
    anchors : tuple of (str, str)
        Texts of cells with their anchors on the page, which other cells can link to.
    """

    anchors: tuple[tuple[str, str], ...] = ()

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        anchors: dict[object, str] = dict(self.anchors)
        cells: list[object] = []

        # The cells go through the plain table, which escapes, as tokens, and come out as links.
        def token(cell: object) -> object:
            if not (isinstance(cell, list) or cell in anchors):
                return cell
            cells.append(cell)
            return f"jucell{len(cells) - 1}x"

        tokens = pd.DataFrame({name: self.frame[name].map(token) for name in self.frame})
        words = pd.DataFrame({name: self.frame[name].map(_plain) for name in self.frame})
        html = Table(tokens, self.caption, self.note)._repr_mimebundle_()["text/html"]
        linked = _TOKEN.sub(lambda match: _html(cells[int(match[1])], anchors), html)
        return Table(words, self.caption, self.note)._repr_mimebundle_() | {"text/html": linked}


def _html(cell: object, anchors: dict[object, str]) -> str:
    if isinstance(cell, list):
        links = [f'<a href="{escape(address, quote=True)}">{escape(text)}</a>' for text, address in cell]
        return "; ".join(links)
    return f'<span id="{escape(anchors[cell], quote=True)}">{escape(str(cell))}</span>'


def _plain(cell: object) -> object:
    return "; ".join(text for text, _ in cell) if isinstance(cell, list) else cell
