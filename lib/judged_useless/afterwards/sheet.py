"""The sheet on which disagreements are adjudicated: written, filled in by hand, and read back."""

import csv
import re
from collections.abc import Sequence
from io import StringIO
from pathlib import Path

import pandas as pd

from judged_useless._io.files import write_atomically
from judged_useless.afterwards.items import Item
from judged_useless.afterwards.rubric import STREAMS, get_stream, load_rubric

#: What an item is; a column that no row of a sheet uses is left out.
_RECORD = ["id", "stream", "question", "earlier", "result", "thought"]
#: What the annotators said; only on a sheet that is not blind.
_SAID = ["first", "second", "changes_count"]
#: What a person is told, and what that person fills in.
_ASKED, _FILLED = ["task", "labels"], ["adjudicated", "note"]
#: What does not come back from a spreadsheet, and halves of surrogate pairs, which UTF-8 has no bytes for.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
#: What a spreadsheet program would take for a formula.
_FORMULA = re.compile(r"[=+\-@\t\n]|" + _CONTROLS.pattern)
_GARBLED = "\ufffd"


class SheetError(ValueError):
    """A sheet that is not the one that was written; the message names file, row and field."""


def formula_free(text: str) -> str:
    """Return a text as it stands in a sheet, with an apostrophe before what would be a formula."""
    # Line breaks come back from a spreadsheet in its own form, other control characters not at all.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return ("'" if _FORMULA.match(text) else "") + _CONTROLS.sub(_GARBLED, text)


def _plain(cell: str) -> str:
    """Return a cell without the apostrophe: some spreadsheet programs keep it, some do not."""
    return formula_free(cell).removeprefix("'")


def _table(items: Sequence[Item], found: pd.DataFrame, *, show_labels: bool) -> pd.DataFrame:
    """Return the sheet of disagreements as it is written, by id."""
    known, rubric = {item.id: item for item in items}, load_rubric()
    rows = []
    for name, said in found.sort_index().to_dict("index").items():
        item = known[str(name)]
        asks = f"{rubric.asks(item.stream)} (data/rubric.md, version {rubric.version}, {item.stream})"
        row = {
                "id": item.id, "stream": item.stream, "question": item.question,
                "earlier": "\n---\n".join(item.earlier), "result": item.observation, "thought": item.thought,
                "first": said["first"], "second": said["second"],
                "changes_count": "yes" if said["changes_count"] else "no",
                "task": asks, "labels": ", ".join(get_stream(item.stream).labels),
                "adjudicated": "", "note": "",
        }  # fmt: skip
        rows.append({column: formula_free(text) for column, text in row.items()})
    table = pd.DataFrame(rows, columns=[*_RECORD, *_SAID, *_ASKED, *_FILLED])
    unused = [name for name in _RECORD[2:] if not table[name].any()]
    return table.drop(columns=[*unused, *([] if show_labels else _SAID)])


def write_sheet(
    items: Sequence[Item], found: pd.DataFrame, path: str | Path, *, show_labels: bool = False
) -> Path:
    """Write disagreements to a CSV file, to be adjudicated in a spreadsheet program.

    Parameters
    ----------
    items : sequence of Item
        Among them all that are in `found`.
    found : pandas.DataFrame
        As `disagreements` returns it, or some of its rows.
    path : path
        Where the file belongs.
    show_labels : bool, default False
        Show what the two annotators said, and whether it changes a count. Without, the ruling is blind to
        all three.

    Returns
    -------
    pathlib.Path
        One row an item, sorted by id, without regime, expected answer and outcome; UTF-8 with the mark that
        spreadsheet programs know it by. ``task`` and ``labels`` say what is asked, ``adjudicated`` is to be
        filled with one of the labels, ``note`` with anything; nothing else is to be changed.
    """
    table = _table(items, found, show_labels=show_labels)
    text = table.to_csv(index=False, lineterminator="\n", quoting=csv.QUOTE_ALL)
    return write_atomically(Path(path), lambda target: target.write_bytes(text.encode("utf-8-sig")))


def streams_of(path: str | Path) -> list[str]:
    """Return the streams that a sheet has rows of; SheetError if there is none, or an unknown one."""
    _, rows = _read(Path(path))
    if not rows:
        raise SheetError(f"{path}: no row in it, expected all that were written")
    for number, row in rows.items():
        if row.get("stream") not in STREAMS:
            raise SheetError(
                f"{path}, row {number}: field 'stream': {row.get('stream')!r}, expected S1 or S2"
            )
    return list(dict.fromkeys(row["stream"].strip() for row in rows.values()))


def read_sheet(items: Sequence[Item], found: pd.DataFrame, path: str | Path) -> dict[str, str]:
    """Read an adjudicated sheet back, and refuse one that was changed elsewhere than where it may be.

    Commas, semicolons and tabs separate columns; labels may be written in capitals and with blanks.

    Parameters
    ----------
    items, found
        As given to :func:`write_sheet`.
    path : path
        The file, with or without the annotators' labels.

    Returns
    -------
    dict of str to str
        Item id -> the label that was decided; items whose ``adjudicated`` is empty are not in it.

    Raises
    ------
    SheetError
        If the file is not UTF-8, a row or column is missing, occurs twice, is new or was changed, or a label
        is none of the stream's.
    """
    path = Path(path)
    names, rows = _read(path)
    expected = _table(items, found, show_labels="first" in names)
    columns = [str(name) for name in expected]
    if sorted(names) != sorted(columns):
        raise SheetError(f"{path}: columns {', '.join(names) or 'none'}; expected {', '.join(columns)}")
    written = {row["id"]: row for row in expected.to_dict("records")}
    rulings: dict[str, str] = {}
    seen: set[str] = set()
    for number, row in rows.items():
        place, name = f"{path}, row {number}: field", row["id"].strip()
        if name not in written or name in seen:
            what = "a second time" if name in seen else "is none of the ids written"
            raise SheetError(f"{place} 'id': {name!r} {what}")
        seen.add(name)
        for column in set(names) - {*_ASKED, *_FILLED}:
            if _plain(row[column]) != _plain(written[name][column]):
                raise SheetError(
                    f"{place} {column!r} was changed; only {' and '.join(_FILLED)} may be (letters other "
                    "than a to z lost in it point to a file that was not opened as UTF-8)"
                )
        if _GARBLED in row["note"]:
            raise SheetError(f"{place} 'note' has characters that were lost")
        if row["adjudicated"].strip():
            labels = get_stream(row["stream"].strip()).labels
            label = re.sub(r"[\s_-]+", "_", row["adjudicated"].strip().casefold())
            if label not in labels:
                raise SheetError(
                    f"{place} 'adjudicated': {row['adjudicated']!r}, expected one of {', '.join(labels)}"
                )
            rulings[name] = label
    if lost := sorted(written.keys() - seen):
        raise SheetError(f"{path}: {len(lost)} rows are missing, such as that of id {lost[0]!r}")
    return rulings


def _read(path: Path) -> tuple[list[str], dict[int, dict[str, str]]]:
    """Return the columns, and the cells of every row that is not blank, by its number in the sheet."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SheetError(
            f"{path}: not UTF-8 text; save it as CSV in UTF-8 (“CSV UTF-8”), or what is not ASCII would be "
            "read as something else"
        ) from error
    separator = max(",;\t", key=text.partition("\n")[0].count)
    try:
        lines = list(csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise SheetError(f"{path}: not CSV ({error})") from error
    # A spreadsheet program may leave columns without a name and without a value behind.
    names = [name.strip() for name in lines[0]] if lines else []
    while names and not names[-1]:
        names.pop()
    rows = {}
    for number, cells in enumerate(lines[1:], 2):
        if any(cell.strip() for cell in cells):
            if len(cells) < len(names) or any(cell.strip() for cell in cells[len(names) :]):
                raise SheetError(f"{path}, row {number}: {len(cells)} cells for {len(names)} columns")
            rows[number] = dict(zip(names, cells, strict=False))
    return names, rows
