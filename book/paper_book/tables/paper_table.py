"""A table of the paper in its own layout: each printed number, and below it the recomputed one."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import pandas as pd
import yaml
from judged_useless._io.messages import listed
from judged_useless._io.paths import data_dir
from judged_useless.sources.readers import Source

from paper_book.measures.filling import commands_to_fill, filling
from paper_book.measures.own_models import elsewhere
from paper_book.published.transcribed import published, titles
from paper_book.reading import our_numbers, source_name
from paper_book.tables.html import label, render, slug
from paper_book.tables.number_texts import (
    IN_WORDS,
    Row,
    in_words,
    minus,
    missing,
    places,
    printed_text,
    recomputed_text,
)

#: Rows up to which a folded table is open when its page opens.
SMALL = 8
#: Tables of registered tests, whose cells hold an outcome in words: thresholds, and what came out.
REGISTERED = ("4", "5")
_BOUNDS, _OUTCOME = "bounds of the rule", "Outcome"
_PREDICTION = "prediction: "
_TASKS = {"hotpotqa": "HotpotQA", "fever": "FEVER"}
#: Marks of the paper behind a number, by the sign that begins the note which explains them.
_MARKS = {"† ": "†", "‡ ": "‡", "* ": "∗"}
#: A text and the kind of its mark; plain text has none.
Part = tuple[str, str]
#: The lines of a cell.
Lines = list[tuple[Part, ...]]


@cache
def headings(kind: str) -> dict[str, str]:
    """Return names of ``panels`` in tables, of ``measures`` in captions, or of ``criteria`` in tests."""
    return dict(yaml.safe_load((data_dir() / "tables.yaml").read_text("utf-8"))[kind])


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper, for a page."""

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


def _mark(row: Row) -> Part | None:
    """Return the recomputed number, marked equal or with its difference."""
    text = recomputed_text(row)
    if not text:
        return None
    if row.get("recomputed_words") and (printed := printed_text(row)):
        return (f"{text} =", "equal") if text == printed else (f"{text} ≠", "differs")
    if missing(row["equal"]):
        return text + (f" ({_gap(row)}, fitted)" if row["task"] == "simulated" else ""), "mine"
    if row["equal"]:
        return f"{text} {'≈' if row['task'] == 'simulated' else '='}", "equal"
    return f"{text} ≠ ({_gap(row)})", "differs"


def _gap(row: Row) -> str:
    gap = row["difference"]
    return "interval" if missing(gap) else minus(f"{float(gap):+.{places(row) + 1}f}")


def _cell(rows: list[Row]) -> Lines:
    """Return what a cell holds: what is printed, and on the next line what was recomputed."""
    texts = [
        f"{text}{_MARKS.get(str(row['note'])[:2], '')}" if (text := printed_text(row)) else "–"
        for row in rows
    ]
    kind = "best" if any(row.get("best") for row in rows) else ""
    lines: Lines = [((" / ".join(texts) if set(texts) != {"–"} else "–", kind),)]
    marks = [mark for row in rows if (mark := _mark(row))]
    if marks:
        lines.append(tuple(part for mark in marks for part in ((" / ", ""), mark))[1:])
    return lines


def _registered_cell(rows: list[Row]) -> Lines:
    """Return a cell of Tables 4 and 5: the outcome in the paper's words, and what was recomputed of it."""
    lines: Lines = [
        ((in_words(str(row["note"])), ""),) for row in rows if row["measure"] == "printed_outcome"
    ]
    for row in rows:
        column = str(row["column"])
        if column.startswith(_PREDICTION):
            lines.append(((f"{column.removeprefix(_PREDICTION)}: {printed_text(row)}", ""),))
        elif mark := _mark(row):
            names = ("model", *(("task", "split") if row.get("own") else ()), "condition", "regime")
            about = label(", ".join(str(row[name]) for name in names if row[name]))
            printed = f"{text}; " if (text := printed_text(row)) else ""
            lines.append(((f"{about}: {printed}recomputed ", ""), mark))
    return list(dict.fromkeys(lines))


def _rows(rows: pd.DataFrame, panel: str, table: str) -> tuple[list[str], list[dict[str, Any]]]:
    """Return the columns of a panel, and its rows with their cells."""
    registered = table in REGISTERED
    columns: dict[str, None] = dict.fromkeys((_BOUNDS, _OUTCOME) if registered else ())
    cells: dict[str, dict[str, list[Row]]] = {}
    for row in rows.to_dict("records"):
        column = str(row["column"])
        if registered:  # one layout for all documents, whatever each of them predicts
            column = _BOUNDS if column.startswith(_PREDICTION) else _OUTCOME
        columns[column] = None
        cells.setdefault(str(row["row"]), {}).setdefault(column, []).append(row)
    fill = _registered_cell if registered else _cell
    return list(columns), [
        {
            "name": name,
            "address": f"07_preregistration.html#{slug(f'{panel} {name}')}" if registered else "",
            "cells": {column: fill(held) for column, held in given.items()},
        }
        for name, given in cells.items()
    ]


def _blocks(rows: pd.DataFrame, table: str, documents: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return groups of panels that share their columns."""
    keys = rows["panel"]
    if table == "12":  # the two tasks stand side by side in the paper, under columns of the same names
        keys = rows["task"].map(_TASKS) + ", " + rows["panel"]
    names = {name: f"{name}: {about}" for name, about in documents.items()} | headings("panels")
    blocks: list[dict[str, Any]] = []
    for key, part in rows.groupby(keys, sort=False):
        columns, lines = _rows(part, str(key), table)
        panel = {"name": names.get(str(key), key), "rows": lines}
        if blocks and blocks[-1]["columns"] == columns:
            blocks[-1]["panels"].append(panel)
        else:
            blocks.append({"columns": columns, "panels": [panel]})
    return blocks


def _in_short(published: int, recomputed: int, differing: int, fitted: int) -> str:
    """Return the counts of a table for the line of its fold."""
    if not published:
        return "in words"
    if not recomputed:
        return f"{published} numbers, none recomputed"
    verdict = f"{differing} differ" if differing else "all equal" if recomputed > 1 else "equal"
    if fitted:
        verdict = f"{recomputed - differing - fitted} agree, {fitted} fitted"
    return f"{published} numbers, {recomputed} recomputed, {verdict}"


def _origin(rows: pd.DataFrame, number: str, source: Source) -> str:
    """Return what the lines of a table's cells are, and what some of its rows are about."""
    if not rows["recomputed"].notna().any():
        return ""
    mine = our_numbers(source_name(source, rows))
    if number == "7":
        mine = (
            "policies simulated anew (≈ is within two standard errors of the ten simulations of the paper; "
            "fitted is a policy whose slope was fitted to this row, which is no test of it)"
        )
    lines = f"Upper line: published; lower line: {mine}."
    own = rows[rows["recomputed"].notna() & elsewhere(rows)] if "own" in rows else rows[:0]
    if own.empty:
        return lines
    return f"{lines} {listed(own['model'].unique())}: on the task and questions named with the model."


def what_would_fill(rows: pd.DataFrame) -> str:
    """Return as HTML what would fill the empty cells of a table, with the commands; empty where none are."""
    kinds = filling(rows).rename(columns={"what would fill them": "what"}).to_dict("records")
    return render("filling", kinds, commands_to_fill(rows))


def paper_table(
    compared: pd.DataFrame,
    table: str | int,
    *,
    source: Source,
    folded: bool = False,
    documents: Mapping[str, str] | None = None,
) -> PaperTable:
    """Return a table of the paper in its own layout, with the recomputed numbers beside the printed ones.

    The upper line of a cell is printed, the lower one recomputed, to one more place: "=" where it is equal at
    the printed precision, "≠" with the difference (recomputed minus printed) where it is not. `folded` puts
    it into a fold, whose line holds title and counts, and which is open if the table has few rows;
    `documents` are those of registered tests, with what each is about.
    """
    number, sentences = str(table), titles()["title"]
    rows = compared[compared["table"] == number]
    if rows.empty or not sentences.get(number):
        known = ", ".join(sentences.index[sentences.ne("")])
        raise KeyError(f"there is no table {number!r}; there are {known}")
    printed = rows[rows["value"].notna()]
    recomputed = printed[printed["recomputed"].notna()]
    counts = len(printed), len(recomputed), int(printed["equal"].fillna(True).eq(False).sum())
    title, lines = f"Table {number}. {sentences[number]}", _origin(rows, number, source)
    notes = [(mark, note) for note in printed["note"].astype(str).unique() if (mark := _MARKS.get(note[:2]))]
    lines = " ".join([lines, *(f"{mark} {note[2:]}." for mark, note in notes)]).strip()
    if number == "2":  # its caption says what is bold; the text that the numbers were read from does not
        highest = published(2).groupby("model")["value"].max()
        rows = rows.assign(best=rows["value"].eq(rows["model"].map(highest)))
        lines = f"{lines} Bold: best per model.".strip()
    kind = "words" if set(rows["measure"]) & set(IN_WORDS[:3]) else "numbers"
    body = render("grids", _blocks(rows, number, documents or {}), kind, f"{title} {lines}".rstrip())
    html = render("paper_table", title, lines, folded, body, what_would_fill(rows))
    if folded:
        few = len(rows[["panel", "row"]].drop_duplicates()) <= SMALL
        short = _in_short(*counts, fitted=int(recomputed["equal"].isna().sum()) if number == "7" else 0)
        html = render("fold", sentences[number].removesuffix("."), short, html, few)
    return PaperTable(number, str(html), *counts)
