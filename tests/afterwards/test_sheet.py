"""The sheet of disagreements: what a person sees, what spreadsheet programs do to it, what is refused."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from judged_useless.afterwards.rubric import STREAMS
from judged_useless.afterwards.sheet import SheetError, read_sheet, stream_of_sheet, write_sheet

#: Texts that spreadsheets and readers of CSV trip over.
ODD = (
    '=HYPERLINK("x")', "+1", "-1\n+2", "@SUM(A1)", "\t=1", "\x01=1", "\n=1", "'quoted", 'a "b", c;d\te',
    "lines\r\nand\rmore", "bell \x07 inside", "Ærøskøbing, 東京, “curly”", "plain",
)  # fmt: skip


def made(stream: str) -> pd.DataFrame:
    rows = [
        {"id": f"x{place:02d}e4", "stream": stream, "regime": "persistent", "question": text, "result": text,
         "earlier": (text, "two") if stream == "S1" else (), "thought": text if stream == "S2" else ""}
        for place, text in enumerate(ODD)
    ]  # fmt: skip
    return pd.DataFrame(rows).set_index("id")


def found_in(items: pd.DataFrame) -> pd.DataFrame:
    labels = STREAMS[items["stream"].iloc[0]].labels
    return pd.DataFrame(
        {"first": labels[0], "second": labels[1], "changes_count": [n % 2 == 0 for n in range(len(items))]},
        index=items.index,
    )


Sheet = tuple[pd.DataFrame, pd.DataFrame, Path]


@pytest.fixture(params=["S1", "S2"])
def sheet(request: pytest.FixtureRequest, tmp_path: Path) -> Sheet:
    items = made(request.param)
    found = found_in(items)
    return items, found, write_sheet(items, found, tmp_path / "sheet.csv")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def saved(
    path: Path, change: Callable[[list[dict[str, str]]], Any], *, encoding: str = "utf-8-sig", **form: Any
) -> None:
    """Change the rows of a sheet and store it as a spreadsheet program would."""
    rows = rows_of(path)
    rows = change(rows) or rows
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\r\n", **form)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(text.getvalue().encode(encoding))


def fill(rows: list[dict[str, str]]) -> None:
    for place, row in enumerate(rows):
        row["adjudicated"] = row["labels"].split(", ")[place % 5]


def test_a_sheet_is_blind_and_says_what_is_asked(sheet: Sheet) -> None:
    items, found, path = sheet
    stream, rows = items["stream"].iloc[0], rows_of(path)
    assert path.read_bytes().startswith(b"\xef\xbb\xbf")
    text = {"S1": "earlier", "S2": "thought"}[stream]
    order = ["id", "stream", "question", "earlier", "result", "thought"]
    assert list(rows[0]) == [
        *(name for name in order if name not in {"earlier", "thought"} - {text}),
        *("task", "labels", "adjudicated", "note"),
    ]
    assert {row["labels"] for row in rows} == {", ".join(STREAMS[stream].labels)}
    assert all(f"(data/rubric.md, version 1, {stream})" in row["task"] for row in rows)
    assert [row["id"] for row in rows] == sorted(found.index)
    assert stream_of_sheet(path) == stream
    shown = write_sheet(items, found, path.with_name("shown.csv"), show_labels=True)
    assert [row["first"] for row in rows_of(shown)] == found["first"].tolist()
    assert read_sheet(items, found, shown) == read_sheet(items, found, path) == {}


def test_no_cell_is_a_formula(sheet: Sheet) -> None:
    _, _, path = sheet
    for row in rows_of(path):
        for cell in row.values():
            assert not cell.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
            assert not any(ord(character) < 32 and character not in "\n\t" for character in cell)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"delimiter": ";"},
        {"delimiter": "\t", "quoting": csv.QUOTE_ALL},
        {"encoding": "utf-8"},
    ],
)
def test_a_sheet_comes_back_whole(form: dict[str, Any], sheet: Sheet) -> None:
    items, found, path = sheet
    decided = {
        name: STREAMS[items["stream"].iloc[0]].labels[place % 5]
        for place, name in enumerate(sorted(found.index))
    }

    def change(rows: list[dict[str, str]]) -> None:
        fill(rows)
        for row in rows:
            row["adjudicated"] = f" {row['adjudicated'].upper().replace('_', ' ')} "
            row["note"] = 'why, "so"; ø'
        rows.reverse()

    saved(path, change, **form)
    rulings = read_sheet(items, found, path)
    assert rulings == decided


def test_what_spreadsheet_programs_do_is_no_change(sheet: Sheet) -> None:
    items, found, path = sheet

    def change(rows: list[dict[str, str]]) -> list[dict[str, str]]:
        fill(rows)
        # The apostrophe is dropped by some, and columns and rows without a value are left behind.
        bare = [{name: cell.removeprefix("'") for name, cell in row.items()} for row in rows]
        return [row | {"": ""} for row in (*bare, dict.fromkeys(bare[0], ""))]

    saved(path, change)
    assert len(read_sheet(items, found, path)) == len(found)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows[1].update(id="x0"), r"row 3: field 'id': 'x0' is none of the ids written"),
        (lambda rows: rows[1].update(id=rows[0]["id"]), "row 3: field 'id': .* a second time"),
        (lambda rows: rows[0].update(result="rewritten"), "row 2: field 'result' was changed"),
        (lambda rows: rows[2].update(adjudicated="fine"), "row 4: field 'adjudicated': 'fine', expected one"),
        (lambda rows: rows[2].update(note="na\ufffdve"), "row 4: field 'note' has characters that were lost"),
        (lambda rows: rows[1:], "1 rows are missing, such as that of id 'x00e4'"),
        (lambda rows: [{"id": row["id"]} for row in rows], "columns id; expected id, stream, question"),
        (lambda rows: [row | {"": "x"} for row in rows], "columns .*, Unnamed: .*; expected id, stream"),
    ],
)
def test_a_sheet_changed_elsewhere_is_refused(change: Any, message: str, sheet: Sheet) -> None:
    items, found, path = sheet
    saved(path, change)
    with pytest.raises(SheetError, match=rf"sheet\.csv.*{message}"):
        read_sheet(items, found, path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,stream,note\nx,S1,“curly” Ærø\n".encode("cp1252"), "not UTF-8 text; save it as CSV in UTF-8"),
        ("id,stream,note\nx,S1,Ærø\n".encode("utf-16"), "not UTF-8 text; save it as CSV in UTF-8"),
        (b"name,stream\na,S3\n", "field 'stream': S3, expected S1 or S2"),
        (b'id,stream\n"torn,S1\n', "not CSV"),
        (b"", "no row in it, expected all that were written"),
        (b"\xef\xbb\xbf", "no row in it"),
        (b"id,stream,question,result,task,labels,adjudicated,note\n", "no row in it"),
    ],
)
def test_what_is_no_sheet_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.csv"
    path.write_bytes(content)
    with pytest.raises(SheetError, match=rf"sheet\.csv: {message}"):
        stream_of_sheet(path)
