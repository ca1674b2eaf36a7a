"""The sheet on which disagreements are adjudicated: written, filled in by hand, and read back."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from judged_useless.annotation.items import Item
from judged_useless.annotation.labels import get_stream
from judged_useless.files import write_atomically

#: Columns that are written; the last two are filled in.
COLUMNS = (
    "id", "stream", "question", "earlier", "result", "thought", "first", "second", "changes_count",
    "adjudicated", "note",
)  # fmt: skip
_FILLED = ("adjudicated", "note")
#: A cell that starts so would be a formula to a spreadsheet program.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class SheetError(ValueError):
    """A sheet that is not the one that was written; the message names file, row and field."""


class Ruling(NamedTuple):
    """What was decided on one item."""

    label: str
    note: str


def _rows(items: Sequence[Item], found: pd.DataFrame) -> list[dict[str, str]]:
    known = {item.id: item for item in items}
    rows = []
    for name, first, second, changes in zip(
        found.index, found["first"], found["second"], found["changes_count"], strict=True
    ):
        item = known[name]
        row = {
            "id": item.id, "stream": item.stream, "question": item.question,
            "earlier": "\n---\n".join(item.earlier), "result": item.observation, "thought": item.thought,
            "first": first, "second": second, "changes_count": "yes" if changes else "no",
            "adjudicated": "", "note": "",
        }  # fmt: skip
        rows.append({column: _cell(value) for column, value in row.items()})
    return rows


def _cell(text: str) -> str:
    # Line breaks come back from a spreadsheet in its own form.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return f"'{text}" if text.startswith(_FORMULA) else text


def write_sheet(items: Sequence[Item], found: pd.DataFrame, path: str | Path) -> Path:
    """Write disagreements to a CSV file, to be adjudicated in a spreadsheet program.

    Parameters
    ----------
    items : sequence of Item
        Among them all that are in `found`.
    found : pandas.DataFrame
        As `disagreements` returns it, or some of its rows.
    path : path
        Where the file belongs.

    Returns
    -------
    pathlib.Path
        One row an item, without regime, expected answer and outcome. ``adjudicated`` is to be filled with a
        label of the stream, ``note`` with anything; nothing else is to be changed.
    """

    def write(target: Path) -> None:
        with target.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n", quoting=csv.QUOTE_ALL)
            writer.writeheader()
            writer.writerows(_rows(items, found))

    return write_atomically(Path(path), write)


def read_sheet(items: Sequence[Item], found: pd.DataFrame, path: str | Path) -> dict[str, Ruling]:
    """Read an adjudicated sheet back, and refuse one that was changed elsewhere than where it may be.

    Parameters
    ----------
    items, found
        As given to :func:`write_sheet`.
    path : path
        The file.

    Returns
    -------
    dict of str to Ruling
        Item id -> what was decided; items whose ``adjudicated`` is empty are not in it.

    Raises
    ------
    SheetError
        If a row or column is missing, occurs twice, is new or was changed, or a label is none of the
        stream's.
    """
    path = Path(path)
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.DictReader(stream, restkey="", strict=True)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise SheetError(f"{path}: columns {reader.fieldnames}, expected {', '.join(COLUMNS)}")
        try:
            read = list(reader)
        except csv.Error as error:
            raise SheetError(f"{path}, line {reader.line_num}: not CSV ({error})") from error
    wanted = {row["id"]: row for row in _rows(items, found)}
    rulings: dict[str, Ruling] = {}
    seen: set[str] = set()
    for number, row in enumerate(read, 2):
        name = row["id"]
        if name not in wanted:
            raise SheetError(f"{path}, row {number}: field 'id': {name!r} is none of the ids written")
        if name in seen:
            raise SheetError(f"{path}, row {number}: field 'id': {name!r} a second time")
        seen.add(name)
        _unchanged(path, number, row, wanted[name])
        if row["adjudicated"].strip():
            rulings[name] = Ruling(_label(path, number, row), row["note"])
    if lost := sorted(wanted.keys() - seen):
        raise SheetError(f"{path}: {len(lost)} rows are missing, such as that of id {lost[0]!r}")
    return rulings


def _unchanged(path: Path, number: int, row: dict[str, str], wanted: dict[str, str]) -> None:
    for column in COLUMNS:
        if column not in _FILLED and _cell(row[column] or "") != wanted[column]:
            raise SheetError(
                f"{path}, row {number}: field {column!r} was changed; only {' and '.join(_FILLED)} may be"
            )


def _label(path: Path, number: int, row: dict[str, str]) -> str:
    label, labels = row["adjudicated"].strip(), get_stream(row["stream"]).labels
    if label not in labels:
        raise SheetError(
            f"{path}, row {number}: field 'adjudicated': {label!r}, expected one of {', '.join(labels)}"
        )
    return label
