"""The published files are what was transcribed; any change is caught, and by which layer is stated."""

import csv
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from paper_book.published.transcribed import COLUMNS, published_dir, read_file, tables
from paper_book.published.verifying import LAYERS, TOTALED, count_numbers, seal, verify

FILES = sorted(path.name for path in [*tables().values(), published_dir() / "released_cells.csv"])
_WITH_NUMBERS = [name for name in FILES if name not in ("table_01.csv", "table_03.csv")]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(published_dir(), tmp_path / "published"))


def _rewrite(path: Path, change: Callable[[list[list[str]]], None]) -> None:
    with path.open(encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream))
    change(lines)
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, lineterminator="\n").writerows(lines)


def _caught_by(folder: Path, name: str) -> set[str]:
    return {problem.layer for problem in verify(folder, files=[name])}


def test_nothing_is_wrong() -> None:
    assert verify() == []


def test_a_rewritten_copy_is_still_right(copy: Path) -> None:
    for name in FILES:
        _rewrite(copy / name, lambda lines: None)
    assert verify(copy) == []


@pytest.mark.parametrize("name", FILES)
def test_renaming_any_column_fails_the_schema(copy: Path, name: str) -> None:
    header = (copy / name).read_text("utf-8").partition("\n")[0].split(",")
    for i, column in enumerate(header):
        shutil.copyfile(published_dir() / name, copy / name)
        _rewrite(copy / name, lambda lines, i=i: lines[0].__setitem__(i, lines[0][i] + "s"))  # type: ignore[misc]
        assert verify(copy, layers=["schema"], files=[name]), column


@pytest.mark.parametrize("name", FILES)
def test_dropping_a_row_fails_the_totals(copy: Path, name: str) -> None:
    count = len((copy / name).read_text("utf-8").splitlines()) - 1
    for line in {1, count // 2, count}:
        shutil.copyfile(published_dir() / name, copy / name)
        _rewrite(copy / name, lambda lines, line=line: lines.__delitem__(line))  # type: ignore[misc]
        assert verify(copy, layers=["totals"], files=[name]), line
        assert "checksum" in _caught_by(copy, name)


def _other_digit(text: str, position: int) -> str:
    return text[:position] + str((int(text[position]) + 1) % 10) + text[position + 1 :]


@pytest.mark.parametrize("name", _WITH_NUMBERS)
def test_changing_one_digit_of_a_number_fails_the_totals(copy: Path, name: str) -> None:
    with (copy / name).open(encoding="utf-8", newline="") as stream:
        lines = list(csv.reader(stream))
    numbers = [
        (i, j, position)
        for i, line in enumerate(lines[1:], 1)
        for j, text in enumerate(line)
        if lines[0][j] in (*TOTALED, "delta", "ci_low", "ci_high", "mean6")
        for position, sign in enumerate(text)
        if sign.isdigit()
    ]
    for i, j, position in random.Random(0).sample(numbers, min(8, len(numbers))):
        shutil.copyfile(published_dir() / name, copy / name)
        changed = _other_digit(lines[i][j], position)
        _rewrite(copy / name, lambda rows, i=i, j=j, new=changed: rows[i].__setitem__(j, new))  # type: ignore[misc]
        assert verify(copy, layers=["totals"], files=[name]), (i, j, changed)


@pytest.mark.parametrize("name", FILES)
def test_changing_any_one_byte_fails_the_checksum(copy: Path, name: str) -> None:
    data = bytearray((copy / name).read_bytes())
    # The last digit of the file, wherever it is: also one in a note or a label.
    place = max(i for i, byte in enumerate(data) if chr(byte).isdigit())
    data[place] = ord(str((int(chr(data[place])) + 1) % 10))
    (copy / name).write_bytes(data)
    assert verify(copy, layers=["checksum"], files=[name])


@pytest.mark.parametrize("name", [*FILES, "vocabulary.csv", "TOTALS.csv"])
def test_a_missing_file_is_caught(copy: Path, name: str) -> None:
    if name in FILES:
        (copy / name).unlink()
        assert {"totals", "checksum"} <= {
            each.layer for each in verify(copy, layers=["totals", "checksum"], files=[name])
        }
    else:
        assert name in (copy / "SHA256SUMS").read_text("utf-8")


@pytest.mark.parametrize(
    "field", ["model", "condition", "task", "split", "budget", "regime", "measure", "unit"]
)
def test_a_name_outside_the_vocabulary_is_caught(copy: Path, field: str) -> None:
    j = COLUMNS.index(field)
    _rewrite(copy / "table_06.csv", lambda lines: lines[5].__setitem__(j, "9"))
    (problem,) = verify(copy, layers=["vocabulary"])
    assert problem.file == "table_06.csv"
    assert f"line 6: field {field!r}: 9 is not in vocabulary.csv" in problem.message


def test_every_word_of_the_vocabulary_is_used() -> None:
    rows = [row for path in tables().values() for row in read_file(path).to_dict("records")]
    with (published_dir() / "vocabulary.csv").open(encoding="utf-8", newline="") as stream:
        for entry in csv.DictReader(stream):
            assert any(entry["name"] in row[entry["field"]].split(" - ") for row in rows), entry
            assert entry["meaning"]


def test_a_repeated_key_and_a_row_of_another_table_are_caught(copy: Path) -> None:
    _rewrite(copy / "table_06.csv", lambda lines: lines.append(list(lines[3])))
    _rewrite(copy / "table_09.csv", lambda lines: lines[2].__setitem__(0, "6"))
    problems = {problem.file: problem.message for problem in verify(copy, layers=["key"])}
    assert problems["table_06.csv"].endswith("repeats the key of line 4")
    assert problems["table_09.csv"] == "line 3: field 'table': found '6'"


def test_a_malformed_number_is_a_schema_problem(copy: Path) -> None:
    _rewrite(copy / "text.csv", lambda lines: lines[4].__setitem__(COLUMNS.index("value"), "5 %"))
    (problem,) = verify(copy, layers=["schema"])
    assert "line 5: field 'value': expected a decimal number, found '5 %'" in problem.message
    assert verify(copy, layers=["totals"])[0].message == "a field of numbers holds something else"


def test_an_unknown_layer_lists_the_known_ones() -> None:
    with pytest.raises(KeyError, match=", ".join(LAYERS)):
        verify(layers=["spelling"])


def test_sealing_an_untouched_folder_changes_nothing(copy: Path) -> None:
    before = {path.name: path.read_bytes() for path in copy.iterdir()}
    seal(copy)
    assert {path.name: path.read_bytes() for path in copy.iterdir()} == before


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
