"""What a browser would see of a part of a page: elements, texts, and the rows of its tables."""

from html.parser import HTMLParser
from typing import Any

#: Elements that have no end.
_VOID = ("br", "input", "img", "hr")


class Reader(HTMLParser):
    """Reads HTML, in which every element must end where it may."""

    def __init__(self, shown: Any) -> None:
        """Read HTML, or that of an object that shows itself; a break in a cell becomes "|"."""
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.rows: list[list[str]] = []
        self._open: list[str] = []
        self.feed(shown if isinstance(shown, str) else shown._repr_mimebundle_()["text/html"])
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "br" and {"td", "th"} & set(self._open):
            self.rows[-1][-1] += "|"

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append(data)
        if {"td", "th"} & set(self._open):
            self.rows[-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """Return the attributes of every element with this tag."""
        return [attributes for each, attributes in self.elements if each == tag]
