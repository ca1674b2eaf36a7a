"""What a section says after it was rerun: its claim and claims beside the default's, and a page to read."""

import json
import re
from ast import literal_eval
from collections.abc import Mapping, Sequence
from html import escape, unescape
from pathlib import Path
from typing import Any

from judged_useless._io.messages import visible
from markdown_it import MarkdownIt

_STYLE = Path("book/_static/book.css")
_GLUE = re.compile(r"\{glue:text\}`(\w+)`")
_ROLES = re.compile(r"\{[a-z:]+\}`([^`]*)`")
_LINKS = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_MARKS = re.compile(r"^\([\w-]+\)=$|^<div.*</div>$", re.MULTILINE)
_TAG = re.compile(r"<[^>]+>")
_HEAD = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<style>body {{ font: 16px/1.6 system-ui, sans-serif; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }}
table {{ border-collapse: collapse; }} pre {{ overflow-x: auto; }} {style}</style></head><body>
<p><em>Rerun with {given}.</em></p>
"""


class ExecutedSection:
    """An executed notebook: its cells, and what was glued in it."""

    def __init__(self, path: Path) -> None:
        self.cells: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cells"]
        self.glued: dict[str, str] = {}
        for cell in self.cells:
            for output in cell.get("outputs", ()):
                if name := output.get("metadata", {}).get("scrapbook", {}).get("name"):
                    value = "".join(output["data"].get("application/papermill.record/text/plain", ""))
                    # A text is stored as Python writes it, with its marks and escapes.
                    self.glued[name] = str(literal_eval(value)) if value[:1] in "'\"" else value

    def prose(self, cell: Mapping[str, Any]) -> str:
        """Return a cell's prose with the values that were glued for it, without roles of the book."""
        text = _GLUE.sub(lambda found: self.glued.get(found[1], "n/a"), "".join(cell["source"]))
        # Nothing lies beside the page that a link could lead to.
        return _ROLES.sub(r"\1", _LINKS.sub(r"\1", _MARKS.sub("", text)))

    @property
    def headline(self) -> str:
        """The claim that the section begins with."""
        first = next((self.prose(cell) for cell in self.cells if cell["cell_type"] == "markdown"), "none")
        found = re.search(r"\*\*Claim\.\*\*(.*?)(?:\n\n|\Z)", first, re.DOTALL)
        return " ".join((found[1] if found else first).split())

    @property
    def claims(self) -> dict[str, str]:
        """Each claim with its verdict and what decided it."""
        claiming = (cell for cell in self.cells if "claim" in cell["metadata"].get("tags", ()))
        told = {}
        for row in re.findall(r"<tr>(.*?)</tr>", "".join(map(_html, claiming)), re.DOTALL):
            texts = [unescape(_TAG.sub("", each)) for each in re.findall("<td>(.*?)</td>", row, re.DOTALL)]
            if texts:
                told[texts[0]] = f"{texts[-2]} ({texts[-1]})"
        return told

    def page(self, given: str) -> str:
        """Return the section as a page of its own, in the book's style; no text of it is markup."""
        markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
        parts = []
        for cell in self.cells:
            if cell["cell_type"] == "markdown":
                parts.append(markdown.render(self.prose(cell)))
            elif "remove-cell" not in cell["metadata"].get("tags", ()):
                code = escape("".join(cell["source"]))
                parts.append(f"<details><summary>code</summary><pre>{code}</pre></details>{_html(cell)}")
        style = _STYLE.read_text(encoding="utf-8") if _STYLE.is_file() else ""
        head = _HEAD.format(title=escape(self.headline[:80]), style=style, given=escape(given))
        return f"{head}{''.join(parts)}</body></html>\n"


def _html(cell: Mapping[str, Any]) -> str:
    """Return what a cell shows: its HTML, which the book made and escaped, or its text."""
    shown = []
    for output in cell.get("outputs", ()):
        data = output.get("data", {})
        if "text/html" in data:
            shown.append("".join(data["text/html"]))
        elif "text/plain" in data:
            shown.append(f"<pre>{escape(''.join(data['text/plain']))}</pre>")
    return "".join(shown)


def told(default: Path, rerun: Path, given: Sequence[str]) -> str:
    """Write a page of a rerun beside its notebook; return what changed against the default, and its path."""
    before, now = ExecutedSection(default), ExecutedSection(rerun)
    lines = [f"{default.stem} with {', '.join(given) or 'its defaults'}", ""]
    lines += [f"claim: {now.headline}"]
    lines += [f"  by default: {before.headline}"] if before.headline != now.headline else []
    for claim, verdict in now.claims.items():
        usual = before.claims.get(claim, "not among its claims")
        lines += ["", claim, f"  here:       {verdict}"]
        lines += [f"  by default: {usual}"] if usual != verdict else ["  as by default"]
    page = rerun.with_suffix(".html")
    page.write_text(now.page(", ".join(given) or "its defaults"), encoding="utf-8")
    lines += ["", f"The page is {page.resolve()}: open it in a browser. Its notebook lies beside it."]
    return visible("\n".join(lines)) + "\n"
