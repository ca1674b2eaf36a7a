"""Tables whose cells link to other pages and to each other."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from judged_useless.preregistration.claims import claim_rows, slug
from judged_useless.preregistration.printed import number_rows
from judged_useless.preregistration.report import outcome_rows
from judged_useless.preregistration.results import NOT_EVALUABLE, Result
from judged_useless.published import show
from judged_useless.tables import Table

#: What a quantity of the tables goes without saying.
_USUAL = re.compile(r" · (hotpotqa|test300|8)(?= ·)")
_TOKEN = re.compile(r"jucell(\d+)x")


@dataclass(frozen=True)
class LinkedTable(Table):
    """A table for a page, with links.

    Attributes
    ----------
    frame, caption, note
        As for :class:`~judged_useless.tables.Table`; a cell that is a list of (text, address) becomes links.
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


def outcome_table(results: Sequence[Result], *, caption: str, source: str, note: str = "") -> LinkedTable:
    """Return the whole table of tests: prediction, published and recomputed outcome, agreement.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.
    caption : str
        What the table says and where its numbers come from.
    source : str
        Name of the source, for the recomputed column.
    note : str, optional
        A line below the table.

    Returns
    -------
    LinkedTable
        Every test has an anchor that other tables link to.
    """
    columns = {"recomputed": f"recomputed ({source})", "decided": "cases decided"}
    frame = outcome_rows(results)[
        ["test", "prediction", "decided by", "published", "recomputed", "decided", "agreement"]
    ].rename(columns=columns)
    return LinkedTable(frame, caption, note, tuple((key, slug(key)) for key in frame["test"]))


def claim_table(results: Sequence[Result], *, caption: str) -> LinkedTable:
    """Return Table 3: claims, linked to the sections that recompute them and to their tests.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.
    caption : str
        What the table says.

    Returns
    -------
    LinkedTable
    """
    return LinkedTable(claim_rows(results), caption)


def _printed_text(row: "pd.Series[Any]") -> str:
    """Return a published number as printed: value and interval, a count, or a bound alone."""
    low, high = str(row["low_printed"]), str(row["high_printed"])
    if pd.notna(row["k"]) and not row["value_printed"]:
        return f"{row['k']}/{row['n']}"
    texts = [str(row["value_printed"])] if row["value_printed"] else []
    if low and high:
        texts.append(f"[{low}, {high}]")
    else:
        texts += [f"{name} bound {bound}" for name, bound in (("lower", low), ("upper", high)) if bound]
    return " ".join(texts).replace("-", "−")


def _recomputed_text(row: "pd.Series[Any]") -> str:
    digits = len(str(row["value_printed"] or row["low_printed"] or row["high_printed"]).partition(".")[2])
    return show(row["recomputed"], row["recomputed_low"], row["recomputed_high"], digits + 1 if digits else 3)


def number_table(results: Sequence[Result], *, caption: str, source: str) -> Table:
    """Return the numbers that the paper prints with its tests beside the recomputed ones.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.
    caption : str
        What the table says.
    source : str
        Name of the source of the recomputed column.

    Returns
    -------
    Table
        ``at printed precision`` says "equal" or "differs" of all that is printed of a number.
    """
    rows = number_rows(results)
    words = {True: "equal", False: "differs"}
    frame = pd.DataFrame(
        {
            "test": rows["test"],
            "quantity": [_USUAL.sub("", each) for each in rows["quantity"]],
            "published": [_printed_text(row) for _, row in rows.iterrows()],
            f"recomputed ({source})": [_recomputed_text(row) for _, row in rows.iterrows()],
            "at printed precision": [words.get(each, "") for each in rows.get("equal", [])],
        }
    )
    return Table(frame, caption, "" if len(frame) else "These episodes give none of the printed numbers.")


def needs_table(results: Sequence[Result], *, caption: str) -> Table:
    """Return what is missing for each outcome that the episodes do not decide.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.
    caption : str
        What the table says.

    Returns
    -------
    Table
    """
    rows = outcome_rows(results)
    missing = rows[rows["recomputed"] == NOT_EVALUABLE]
    return Table(missing[["test", "needs"]], caption, "" if len(missing) else "Nothing is missing.")


def record_table(record: Sequence[Result], *, caption: str) -> Table:
    """Return the tests decided on the paper's printed numbers.

    Parameters
    ----------
    record : sequence of Result
        From :func:`~judged_useless.preregistration.evaluate_record`.
    caption : str
        What the table says.

    Returns
    -------
    Table
    """
    columns = {"recomputed": "on printed numbers", "decided": "cases decided"}
    rows = outcome_rows(record)[["test", "published", "as printed", "recomputed", "decided", "agreement"]]
    return Table(rows.rename(columns=columns), caption)
