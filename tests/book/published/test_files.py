"""The published files: their form and words, what a fault in them says, and a table added from outside."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from paper_book.published import transcribed
from paper_book.published.transcribed import (
    PublishedError,
    check_files,
    count_numbers,
    published,
    published_dir,
    read_file,
    tables,
    titles,
)


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have a copy of the files in the place of the project's."""
    folder = Path(shutil.copytree(published_dir(), tmp_path / "published"))
    monkeypatch.setattr(transcribed, "published_dir", lambda: folder)
    return folder


def change(path: Path, row: int, field: str, text: str) -> None:
    frame = pd.read_csv(path, dtype=str, na_filter=False)
    frame.loc[row, field] = text
    frame.to_csv(path, index=False, lineterminator="\n")


def test_nothing_is_wrong(copy: Path) -> None:
    check_files()


@pytest.mark.parametrize(
    ("field", "text", "fault"),
    [
        ("value", "5 %", "expected a decimal number, found '5 %'"),
        ("table", "7", "found '7'"),
        *[
            (field, "nine", "'nine' is not in vocabulary.csv")
            for field in ("model", "condition", "task", "split", "regime", "measure", "unit")
        ],
    ],
)
def test_a_fault_names_file_line_and_field(copy: Path, field: str, text: str, fault: str) -> None:
    change(copy / "table_06.csv", 4, field, text)
    with pytest.raises(PublishedError, match=rf"table_06\.csv, line 6: field '{field}': {fault}"):
        check_files()


def test_a_repeated_number_is_caught(copy: Path) -> None:
    lines = (copy / "table_06.csv").read_text("utf-8").splitlines()
    (copy / "table_06.csv").write_text("\n".join([*lines, lines[3]]) + "\n", "utf-8")
    with pytest.raises(PublishedError, match=rf"line {len(lines) + 1}: field 'row': repeats a row above"):
        check_files()


def test_a_table_is_one_file_and_one_row_of_titles(copy: Path) -> None:
    """Added without touching another file: it is read, checked, counted and selected from."""
    six = pd.read_csv(copy / "table_06.csv", dtype=str, na_filter=False)
    six.head(3).assign(table="29").to_csv(copy / "table_29.csv", index=False)
    with (copy / "titles.csv").open("a", encoding="utf-8") as stream:
        stream.write("29,table_29.csv,Ours,A table of our own.\n")
    transcribed._titles.cache_clear()
    check_files()
    assert list(tables())[-1] == "29"
    assert published(29)["value"].tolist() == published(6)["value"].tolist()[:3]
    assert count_numbers().set_index("table").loc["29", "rows"] == 3


def test_every_file_has_a_title_and_every_word_of_the_vocabulary_is_used() -> None:
    assert set(titles()["file"]) == {path.name for path in published_dir().glob("*.csv")} - {
        "titles.csv",
        "vocabulary.csv",
        "released_cells.csv",
    }
    rows = pd.concat([read_file(path) for path in tables().values()])
    words = pd.read_csv(published_dir() / "vocabulary.csv", dtype=str, na_filter=False)
    used = {field: set(rows[field].str.split(" - ").explode()) for field in set(words["field"])}
    assert [(field, name) for field, name in zip(words["field"], words["name"], strict=True)
            if name not in used[field]] == []  # fmt: skip
    assert words["meaning"].ne("").all()


def test_counts_every_number_once() -> None:
    counted = count_numbers().set_index("table")
    assert list(counted.index) == list(tables())
    frame = read_file(tables()["20"])
    filled = sum(int((frame[name] != "").sum()) for name in ("value", "low", "high", "p", "k"))
    assert counted.loc["20", "numbers"] == filled == 52


@pytest.mark.parametrize("table", ["4", "5"])
def test_the_printed_outcome_holds_every_number_of_its_test(table: str) -> None:
    rows = read_file(tables()[table]).to_dict("records")
    printed = {(row["panel"], row["row"]): row["note"] for row in rows if row["measure"] == "printed_outcome"}
    compared = 0
    for row in rows:
        if not row["column"].startswith("Outcome"):
            continue
        text = re.sub(r"\+|p\{=\}", " ", printed[row["panel"], row["row"]])
        texts = [row[name].lstrip("<") for name in ("value", "low", "high", "p") if row[name]]
        texts += [f"{row['k']}/{row['n']}"] if row["k"] and row["value"] == "" else []
        for number in texts:
            bare = number if "/" in number else number.lstrip("-").removeprefix("0") or "0"
            sign = "-" if number.startswith("-") else ""
            if row["k"] and f"all {row['n']}" in text:
                continue
            assert f"{sign}{bare}" in text or f"{sign}0{bare}" in text, (row["row"], number, text)
            compared += 1
    assert compared > 100
