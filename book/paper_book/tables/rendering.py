"""The paper's tables as HTML, in their own layout."""

from collections.abc import Iterable
from html import escape

import pandas as pd

from paper_book.registered.load import load_documents
from paper_book.registered.rules import slug
from paper_book.tables.layout import IN_WORDS, PANELS, REGISTERED, TASKS
from paper_book.tables.texts import (
    Record,
    in_words,
    label,
    minus,
    missing,
    places,
    printed_text,
    recomputed_text,
)

#: Columns of Tables 4 and 5: the thresholds (the predictions are on their own page), and what came out.
BOUNDS = "bounds of the rule"
OUTCOME = "Outcome"
_ABOUT = ("model", "condition", "regime")
_TESTS = "07_preregistration.html"
#: Label and cells of a row.
Row = tuple[str, dict[str, str]]


def _mark(record: Record) -> str:
    """Return the recomputed number as HTML, marked equal or with its difference."""
    text = recomputed_text(record)
    if not text:
        return ""
    if record.get("recomputed_words") and (printed := printed_text(record)):
        kind, sign = ("equal", "=") if text == printed else ("differs", "≠")
        return f'<span class="ju-mine ju-{kind}">{escape(text)} {sign}</span>'
    equal = record["equal"]
    if missing(equal):
        return f'<span class="ju-mine">{escape(text)}</span>'
    if equal:
        sign = "≈" if record["task"] == "simulated" else "="
        return f'<span class="ju-mine ju-equal">{escape(text)} {sign}</span>'
    difference = float(record["difference"])
    gap = "interval" if missing(difference) else minus(f"{difference:+.{places(record) + 1}f}")
    return f'<span class="ju-mine ju-differs">{escape(text)} ≠ ({escape(gap)})</span>'


def _cell(records: list[Record]) -> str:
    """Return what a cell holds: what is printed, and on the next line what was recomputed."""
    texts = [printed_text(record) or "–" for record in records]
    printed = " / ".join(texts) if set(texts) != {"–"} else "–"
    mine = [mark for record in records if (mark := _mark(record))]
    return escape(printed) + ("<br/>" + " / ".join(mine) if mine else "")


def _registered_cell(records: list[Record]) -> str:
    """Return a cell of Tables 4 and 5: the outcome in the paper's words, and what was recomputed of it."""
    lines = [
        escape(in_words(str(record["note"]))) for record in records if record["measure"] == "printed_outcome"
    ]
    for record in records:
        column = str(record["column"])
        if column.startswith("prediction: "):
            lines.append(escape(f"{column.removeprefix('prediction: ')}: {printed_text(record)}"))
        elif mark := _mark(record):
            names = ("model", "task", "split", "condition", "regime") if record.get("own") else _ABOUT
            about = ", ".join(str(record[name]) for name in names if record[name])
            printed = f"{escape(text)}; " if (text := printed_text(record)) else ""
            lines.append(f"{escape(label(about))}: {printed}recomputed {mark}")
    return "<br/>".join(dict.fromkeys(lines))


def _grid(rows: pd.DataFrame, table: str) -> tuple[list[str], list[Row]]:
    """Return the columns of a panel, and its rows with their cells."""
    records: list[Record] = list(rows.to_dict("records"))
    columns: dict[str, None] = {}
    cells: dict[str, dict[str, list[Record]]] = {}
    for record in records:
        column = str(record["column"])
        if table in REGISTERED:  # one layout for all documents, whatever each of them predicts
            column = BOUNDS if column.startswith("prediction: ") else OUTCOME
        columns[column] = None
        cells.setdefault(str(record["row"]), {}).setdefault(column, []).append(record)
    fill = _registered_cell if table in REGISTERED else _cell
    names = [BOUNDS, OUTCOME] if table in REGISTERED else list(columns)
    return names, [
        (row, {name: fill(given[name]) for name in names if name in given}) for row, given in cells.items()
    ]


def _heading(row: str, panel: str, table: str) -> str:
    """Return the label of a row; that of a registered test leads to its prediction."""
    if table not in REGISTERED:
        return escape(label(row))
    address = f"{_TESTS}#{slug(f'{panel} {row}')}"
    return f'<a href="{escape(address, quote=True)}">{escape(row)}</a>'


def _body(rows: Iterable[Row], columns: list[str], panel: str, table: str) -> str:
    return "".join(
        f'<tr><th scope="row">{_heading(row, panel, table)}</th>'
        + "".join(f"<td>{cells.get(name, '–')}</td>" for name in columns)
        + "</tr>"
        for row, cells in rows
    )


def _panel_name(name: str, table: str) -> str:
    """Return the name of a panel; a document of registered tests with what it is about."""
    if table in REGISTERED and name not in PANELS:
        return f"{name}: {load_documents()[name]}"
    return PANELS.get(name, name)


def _panels(rows: pd.DataFrame, table: str) -> list[tuple[list[str], list[str]]]:
    """Return groups of panels that share their columns: the columns, and a body of rows a panel."""
    keys = rows["panel"]
    if table == "12":  # the two tasks stand side by side in the paper, under columns of the same names
        keys = rows["task"].map(TASKS) + ", " + rows["panel"]
    blocks: list[tuple[list[str], list[str]]] = []
    for key, part in rows.groupby(keys, sort=False):
        columns, lines = _grid(part, table)
        name = escape(_panel_name(str(key), table))
        span = len(columns) + 1
        heading = f'<tr><th class="ju-panel" colspan="{span}" scope="rowgroup">{name}</th></tr>'
        body = f"<tbody>{heading if name else ''}{_body(lines, columns, str(key), table)}</tbody>"
        if blocks and blocks[-1][0] == columns:
            blocks[-1][1].append(body)
        else:
            blocks.append((columns, [body]))
    return blocks


def grids(rows: pd.DataFrame, table: str, caption: str) -> str:
    """Return the panels of a table: below each other in one grid if their columns are the same, else apart.

    Parameters
    ----------
    rows : pandas.DataFrame
        Compared rows of the table.
    table : str
        Its number.
    caption : str
        Name of the scrolling regions.

    Returns
    -------
    str
        HTML in which no text of the rows is markup.
    """
    name = escape(caption, quote=True)
    kind = "words" if set(rows["measure"]) & set(IN_WORDS[:3]) else "numbers"
    return "".join(
        f'<div class="ju-scroll" tabindex="0" role="region" aria-label="{name}">'
        f'<table class="ju-paper ju-{kind}"><thead><tr><td></td>{_columns(columns)}</tr></thead>'
        f"{''.join(bodies)}</table></div>"
        for columns, bodies in _panels(rows, table)
    )


def _columns(names: list[str]) -> str:
    return "".join(f'<th scope="col">{escape(label(name))}</th>' for name in names)
