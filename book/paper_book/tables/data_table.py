"""Tables and sentences of a page: a frame with caption and note, and published beside recomputed numbers."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Number
from typing import Any

import pandas as pd
from judged_useless._io.messages import visible
from judged_useless.estimators.estimate import estimates_frame
from markupsafe import Markup, escape

from paper_book.reading import our_numbers
from paper_book.tables.html import render
from paper_book.tables.number_texts import number, places, printed_text, recomputed_text

#: A text and the address that it leads to.
Link = tuple[str, str]
#: The text of a cell, or that and a smaller second line.
Text = str | tuple[str, str]


def _links(cell: object) -> bool:
    return isinstance(cell, list) and bool(cell) and all(isinstance(each, tuple) for each in cell)


def _plain(cell: object) -> object:
    """Return a cell as text; a number stays one, so that a column is formatted as a whole."""
    if isinstance(cell, list) and _links(cell):
        return "; ".join(text for text, _ in cell)
    if isinstance(cell, list | tuple):
        return visible(" ".join("–" if each is None else str(each) for each in cell))
    return cell if isinstance(cell, Number) or cell is None else visible(str(cell))


def _each_cell(frame: pd.DataFrame, shown: Callable[[object], object]) -> pd.DataFrame:
    """Return a frame with its cells made text, and missing values empty."""
    made = frame.copy()
    for place, (_, column) in enumerate(frame.items()):
        if isinstance(column.dtype, pd.api.extensions.ExtensionDtype) and column.isna().any():
            column = column.astype(object).where(column.notna(), "")
        if not pd.api.types.is_numeric_dtype(column):
            made.isetitem(place, column.astype(object).map(shown).to_numpy())
        else:
            made.isetitem(place, column.to_numpy())
    return made


def framed(given: pd.DataFrame | Mapping[Any, Any], by: str) -> pd.DataFrame:
    """Return what a table is made of; of several frames, below each other behind a column of their names."""
    if not isinstance(given, Mapping):
        return given
    if not any(isinstance(each, pd.DataFrame) for each in given.values()):
        return estimates_frame(given, by)
    reasons = {name: each.attrs["reason"] for name, each in given.items() if "reason" in each.attrs}
    frame: pd.DataFrame = pd.concat(given, names=[by]).reset_index(by).reset_index(drop=True)
    named = [f"{name}: {why}" for name, why in reasons.items()] if len(frame) else reasons.values()
    frame.attrs = {"reason": "; ".join(dict.fromkeys(named))}
    return frame


def with_intervals(frame: pd.DataFrame, digits: int) -> pd.DataFrame:
    """Return a frame with a value and its interval in one cell."""
    texts = []
    for three in frame[["value", "low", "high"]].astype(float).itertuples(index=False):
        value, low, high = ("" if pd.isna(each) else number(each, f".{digits}f") for each in three)
        texts.append(_unbroken(f"{value} [{low}, {high}]" if low else value))
    return frame.assign(value=texts).drop(columns=["low", "high"])


@dataclass(frozen=True)
class Table:
    """A table for a page."""

    frame: pd.DataFrame
    caption: str
    note: str = ""
    commands: Sequence[str] = field(default=(), kw_only=True)
    anchors: Mapping[str, str] = field(default_factory=dict, kw_only=True)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        words = _each_cell(self.frame, _plain)
        cells = _each_cell(self.frame, self._cell).rename(columns=lambda name: escape(visible(str(name))))
        body = Markup(cells.to_html(index=False, border=0, classes="ju-sortable", escape=False, na_rep=""))  # noqa: S704 - every cell was escaped
        parts = [f"Table: {self.caption}", words.to_string(index=False, na_rep=""), self.note, *self.commands]
        return {
            "text/html": str(render("table", self.caption, body, self.note, self.commands)),
            "text/plain": "\n".join(parts).rstrip(),
        }

    def _cell(self, cell: object) -> object:
        if _links(cell):
            return render("links", cell)
        if isinstance(cell, str) and cell in self.anchors:
            return render("anchor", self.anchors[cell], cell)
        text = _plain(cell)
        return escape(text) if isinstance(text, str) else text


@dataclass(frozen=True)
class FoldedRows:
    """Rows of a long table that fold away together, below a line that says what is inside."""

    what: str
    count: str
    columns: tuple[str, ...]
    rows: Mapping[str, tuple[Text, ...]]


@dataclass(frozen=True)
class FoldedTable:
    """A long table in foldable parts, for a page."""

    caption: str
    parts: tuple[FoldedRows, ...]
    note: str = ""
    anchors: Mapping[str, str] = field(default_factory=dict)
    open_first: bool = False

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        lines = [f"Table: {self.caption}"]
        for part in self.parts:
            rows = (" | ".join(map(_one_line, row)) for row in part.rows.values())
            lines += ["", f"{part.what}: {part.count}", *rows]
        return {
            "text/html": str(render("folded", self)),
            "text/plain": "\n".join([*lines, self.note]).rstrip(),
        }


def _one_line(cell: Text) -> str:
    return cell if isinstance(cell, str) else f"{cell[0]} ({cell[1]})" if cell[1] else cell[0]


@dataclass(frozen=True)
class Notice:
    """A sentence of a page about its own numbers, such as what its source lacks."""

    text: str
    warns: bool = False
    commands: Sequence[str] = field(default=(), kw_only=True)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {
            "text/html": str(render("notice", self.text, self.warns, self.commands)),
            "text/plain": "\n".join([f"Note: {self.text}", *self.commands]),
        }


def comparison_table(
    rows: pd.DataFrame,
    labels: Mapping[str, Sequence[object]],
    *,
    caption: str,
    source: str,
    missing: str = "",
    commands: Sequence[str] = (),
) -> Table:
    """Return published and recomputed values side by side, with their difference."""
    if "recomputed_k" in rows:
        # Where the paper prints k of n, counts are compared, so counts are shown; of other models too.
        counted = rows["value_printed"].eq("") & rows["k"].notna() & rows["n"].notna()
        counted |= rows["value"].isna() & rows["measure"].isin(rows["measure"][counted])
        rows = rows.assign(counted=counted)
    records = rows.to_dict("records")
    verdicts = [
        "" if pd.isna(row["equal"]) else "equal" if row["equal"] else f"differs, {_gap(row)}"
        for row in records
    ]
    frame = pd.DataFrame(
        {
            **labels,
            "published": [_unbroken(printed_text(row)) or "–" for row in records],
            our_numbers(source): [_unbroken(recomputed_text(row, bounded=True)) for row in records],
            "at printed precision": verdicts,
        }
    )
    empty = rows["recomputed"].isna() & rows[["value", "low", "high", "k"]].notna().any(axis=1)
    return Table(frame, caption, missing, commands=commands) if empty.any() else Table(frame, caption)


def _gap(row: Mapping[Any, Any]) -> str:
    return number(row["difference"], f"+.{places(row) + 1}f") if pd.notna(row["difference"]) else ""


def _unbroken(text: str) -> str:
    """Keep a number and its interval, or a count and its total, on one line."""
    return text.replace("/", " of ").replace(" ", "\u00a0")
