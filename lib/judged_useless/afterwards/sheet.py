"""The sheet on which disagreements are adjudicated: written, filled in by hand, and read back."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from judged_useless._io.files import write_atomically
from judged_useless.afterwards.items import Item
from judged_useless.afterwards.rubric import STREAMS, Ruling, get_stream, load_rubric

#: What an item is; a column that no row of a sheet uses is left out.
_RECORD = ("id", "stream", "question", "earlier", "result", "thought")
#: What the annotators said; only on a sheet that is not blind.
_SAID = ("first", "second", "changes_count")
#: What a person is told, and what that person fills in.
_ASKED, _FILLED = ("task", "labels"), ("adjudicated", "note")
#: A cell that starts so would be a formula to a spreadsheet program.
_FORMULA = ("=", "+", "-", "@")
#: What separates columns, by the program and the country it was set up for.
_SEPARATORS = (",", ";", "\t")
#: What does not come back from a spreadsheet, and halves of surrogate pairs, which UTF-8 has no bytes for.
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_GARBLED = "\ufffd"


class SheetError(ValueError):
    """A sheet that is not the one that was written; the message names file, row and field."""


def _rows(items: Sequence[Item], found: pd.DataFrame) -> list[dict[str, str]]:
    known, rubric = {item.id: item for item in items}, load_rubric()
    rows = []
    for name, first, second, changes in zip(
        found.index, found["first"], found["second"], found["changes_count"], strict=True
    ):
        item = known[name]
        row = {
            "id": item.id, "stream": item.stream, "question": item.question,
            "earlier": "\n---\n".join(item.earlier), "result": item.observation, "thought": item.thought,
            "first": first, "second": second, "changes_count": "yes" if changes else "no",
            "task": f"{rubric.asks(item.stream)} (data/rubric.md, version {rubric.version}, {item.stream})",
            "labels": ", ".join(get_stream(item.stream).labels), "adjudicated": "", "note": "",
        }  # fmt: skip
        rows.append({column: _cell(value) for column, value in row.items()})
    return rows


def _cell(text: str) -> str:
    """Return a text as it stands in a sheet, with an apostrophe before what would be a formula."""
    # Line breaks come back from a spreadsheet in its own form, other control characters not at all.
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    escaped = text.startswith((*_FORMULA, "\t", "\n")) or bool(_CONTROLS.match(text))
    return f"'{_CONTROLS.sub(_GARBLED, text)}" if escaped else _CONTROLS.sub(_GARBLED, text)


def _plain(cell: str) -> str:
    """Return a cell without the apostrophe: some spreadsheet programs keep it, some do not."""
    return _cell(cell).removeprefix("'")


def _columns(rows: Sequence[Mapping[str, str]], *, show_labels: bool) -> list[str]:
    used = [name for name in _RECORD if any(row[name] for row in rows) or name in ("id", "stream")]
    return [*used, *(_SAID if show_labels else ()), *_ASKED, *_FILLED]


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
    rows = sorted(_rows(items, found), key=lambda row: row["id"])

    def write(target: Path) -> None:
        with target.open("w", encoding="utf-8-sig", newline="") as stream:
            names = _columns(rows, show_labels=show_labels)
            writer = csv.DictWriter(
                stream, names, lineterminator="\n", quoting=csv.QUOTE_ALL, extrasaction="ignore"
            )
            writer.writeheader()
            writer.writerows(rows)

    return write_atomically(Path(path), write)


def streams_of(path: str | Path) -> list[str]:
    """Return the streams that a sheet has rows of.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    list of str

    Raises
    ------
    SheetError
        If it has no row, no column ``stream``, or a row of a stream that there is not.
    """
    path = Path(path)
    found = []
    for number, row in _read(path):
        name = row.get("stream", "").strip()
        if name not in STREAMS:
            raise SheetError(f"{path}, row {number}: field 'stream': {name!r}, expected S1 or S2")
        found.append(name)
    if not found:
        raise SheetError(f"{path}: no row in it, expected all that were written")
    return list(dict.fromkeys(found))


def read_sheet(items: Sequence[Item], found: pd.DataFrame, path: str | Path) -> dict[str, Ruling]:
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
    dict of str to Ruling
        Item id -> what was decided; items whose ``adjudicated`` is empty are not in it.

    Raises
    ------
    SheetError
        If the file is not UTF-8, a row or column is missing, occurs twice, is new or was changed, or a label
        is none of the stream's.
    """
    path = Path(path)
    wanted = {row["id"]: row for row in _rows(items, found)}
    rulings: dict[str, Ruling] = {}
    seen: set[str] = set()
    for number, row in _read(path, list(wanted.values())):
        name = row["id"].strip()
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


def _text(path: Path) -> str:
    raw = path.read_bytes()
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise SheetError(f"{path}: UTF-16 text; save it as CSV in UTF-8 (“CSV UTF-8”)") from error
        before = raw[: error.start].decode("utf-8-sig")
        row = sum(1 for _ in csv.reader(io.StringIO(before, newline=""), delimiter=_separator(before)))
        raise SheetError(
            f"{path}, row {max(1, row)}: not UTF-8 text; save it as CSV in UTF-8 (“CSV UTF-8”), or what is "
            "not ASCII would be read as something else"
        ) from error


def _separator(text: str) -> str:
    head = text.partition("\n")[0]
    return max(_SEPARATORS, key=head.count)


def _read(
    path: Path, written: Sequence[Mapping[str, str]] | None = None
) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield number and cells of every row that is not blank; columns are compared with those written."""
    text = _text(path)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    number = 0
    try:
        names = [name.strip() for name in next(reader, [])]
        # A spreadsheet program may leave columns without a name and without a value behind.
        while names and not names[-1]:
            names.pop()
        if written is not None:
            _check_columns(path, names, written)
        for number, cells in enumerate(reader, 2):
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) < len(names) or any(cell.strip() for cell in cells[len(names) :]):
                raise SheetError(f"{path}, row {number}: {len(cells)} cells for {len(names)} columns")
            yield number, dict(zip(names, cells, strict=False))
    except csv.Error as error:
        raise SheetError(f"{path}, after row {max(1, number)}: not CSV ({error})") from error


def _check_columns(path: Path, names: Sequence[str], written: Sequence[Mapping[str, str]]) -> None:
    forms = [_columns(written, show_labels=shown) for shown in (False, True)]
    if sorted(names) not in [sorted(form) for form in forms]:
        raise SheetError(f"{path}: columns {', '.join(names) or 'none'}; expected {', '.join(forms[0])}")


def _unchanged(path: Path, number: int, row: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    for column in row:
        if column in _FILLED:
            if _GARBLED in row[column]:
                raise SheetError(f"{path}, row {number}: field {column!r} has characters that were lost")
        elif column not in _ASKED and _plain(row[column]) != _plain(wanted[column]):
            raise SheetError(
                f"{path}, row {number}: field {column!r} was changed; only {' and '.join(_FILLED)} may be "
                "(letters other than a to z lost in it point to a file that was not opened as UTF-8)"
            )


def _label(path: Path, number: int, row: Mapping[str, str]) -> str:
    labels = get_stream(row["stream"].strip()).labels
    label = re.sub(r"[\s_-]+", "_", row["adjudicated"].strip().casefold())
    if label not in labels:
        raise SheetError(
            f"{path}, row {number}: field 'adjudicated': {row['adjudicated']!r}, expected one of "
            f"{', '.join(labels)}"
        )
    return label
