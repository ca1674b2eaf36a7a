"""The sheet on which disagreements are adjudicated: written, filled in by hand, and read back."""

import csv
import re
from io import StringIO
from pathlib import Path

import pandas as pd

from judged_useless._io.files import write_atomically
from judged_useless.afterwards.items import RECORD
from judged_useless.afterwards.rubric import STREAMS, load_rubric

#: What the annotators said; only on a sheet that is not blind.
_SAID = ["first", "second", "changes_count"]
#: What a person is told, and what that person fills in.
_ASKED, _FILLED = ["task", "labels"], ["adjudicated", "note"]
#: What does not come back from a spreadsheet.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
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


def _table(items: pd.DataFrame, found: pd.DataFrame, *, show_labels: bool) -> pd.DataFrame:
    """Return the sheet of disagreements as it is written, by id."""
    rubric, table = load_rubric(), found.sort_index().join(items[["stream", *RECORD]])
    table["earlier"] = table["earlier"].map("\n---\n".join)
    table["changes_count"] = table["changes_count"].map({True: "yes", False: "no"})
    table["task"] = [
        f"{rubric.asks(name)} (data/rubric.md, version {rubric.version}, {name})" for name in table["stream"]
    ]
    table["labels"] = [", ".join(STREAMS[name].labels) for name in table["stream"]]
    table[_FILLED] = ""
    # A column that no row uses is left out.
    record = [name for name in RECORD if table[name].any()]
    columns = ["id", "stream", *record, *(_SAID if show_labels else ()), *_ASKED, *_FILLED]
    return table.reset_index(names="id")[columns].map(formula_free)


def write_sheet(
    items: pd.DataFrame, found: pd.DataFrame, path: str | Path, *, show_labels: bool = False
) -> Path:
    """Write disagreements to a CSV file, to be adjudicated in a spreadsheet program.

    Parameters
    ----------
    items : pandas.DataFrame
        As `annotation_items` returns them, among them all that are in `found`.
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


def stream_of_sheet(path: Path) -> str:
    """Return the stream of a sheet; SheetError if it is none that was written."""
    streams = set(_read(path).get("stream", ()))
    if len(streams) != 1 or not streams <= set(STREAMS):
        raise SheetError(f"{path}: field 'stream': {', '.join(streams) or 'none'}, expected S1 or S2")
    return str(streams.pop())


def read_sheet(items: pd.DataFrame, found: pd.DataFrame, path: str | Path) -> dict[str, str]:
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
    sheet = _read(Path(path))
    expected = _table(items, found, show_labels="first" in sheet)
    names, columns = ([str(name) for name in table] for table in (sheet, expected))
    if sorted(names) != sorted(columns):
        raise SheetError(f"{path}: columns {', '.join(names)}; expected {', '.join(columns)}")
    written = {row["id"]: row for row in expected.to_dict("records")}
    rulings: dict[str, str] = {}
    for number, row in sheet.to_dict("index").items():
        place = f"{path}, row {number}: field"
        original = written.pop(row["id"], None)
        if original is None:
            what = "a second time" if row["id"] in found.index else "is none of the ids written"
            raise SheetError(f"{place} 'id': {row['id']!r} {what}")
        for column in original.keys() - {*_ASKED, *_FILLED}:
            if _plain(row[column]) != _plain(original[column]):
                raise SheetError(
                    f"{place} {column!r} was changed; only {' and '.join(_FILLED)} may be (letters other "
                    "than a to z lost in it point to a file that was not opened as UTF-8)"
                )
        if _GARBLED in row["note"]:
            raise SheetError(f"{place} 'note' has characters that were lost")
        if row["adjudicated"].strip():
            label = re.sub(r"[\s_-]+", "_", row["adjudicated"].strip().casefold())
            if label not in original["labels"].split(", "):
                raise SheetError(
                    f"{place} 'adjudicated': {row['adjudicated']!r}, expected one of {original['labels']}"
                )
            rulings[row["id"]] = label
    if written:
        raise SheetError(f"{path}: {len(written)} rows are missing, such as that of id {min(written)!r}")
    return rulings


def _read(path: Path) -> pd.DataFrame:
    """Return the rows of a sheet that are not blank, by their number in it."""
    try:
        text = path.read_text(encoding="utf-8-sig")
        separator = max(",;\t", key=text.partition("\n")[0].count)
        table = pd.read_csv(
            StringIO(text), sep=separator, dtype=str, na_filter=False, skip_blank_lines=False, index_col=False
        )
    except UnicodeDecodeError as error:
        raise SheetError(
            f"{path}: not UTF-8 text; save it as CSV in UTF-8 (“CSV UTF-8”), or what is not ASCII would be "
            "read as something else"
        ) from error
    except pd.errors.EmptyDataError:
        table = pd.DataFrame(columns=["id"])
    except pd.errors.ParserError as error:
        raise SheetError(f"{path}: not CSV ({error})") from error
    # A spreadsheet program may leave rows without a value, and columns without one and a name, behind.
    table = table[(table != "").any(axis=1)]
    unnamed = table.columns.str.startswith("Unnamed: ") & (table == "").all()
    table = table.loc[:, ~unnamed]
    if table.empty:
        raise SheetError(f"{path}: no row in it, expected all that were written")
    return table.set_axis(table.index + 2)
