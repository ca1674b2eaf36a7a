"""Generated parts of the pages: their content comes from the numbers, and no text becomes markup."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from html_reader import Reader
from paper_book import build, consistency
from paper_book import generated as pages
from paper_book.published.transcribed import PublishedError, count_numbers, published_dir, tables, titles


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("book")
    assert build.main(["generated", str(folder)]) == 0
    return folder


def _blocks(text: str) -> Iterator[Reader]:
    for html in re.findall(r"^`{8}\{raw\} html\n(.*?)\n`{8}$", text, re.M | re.S):
        yield Reader(html)


def test_shows_every_comparison_that_does_not_hold_with_both_numbers() -> None:
    first = next(_blocks(pages.consistency_page()))
    failing = consistency.table().query("~holds")
    assert len(first.rows) == len(failing) + 1
    for shown, each in zip(first.rows[1:], failing.itertuples(), strict=True):
        assert shown[0].startswith(str(each.what))
        assert str(each.note) in shown[0]
        assert shown[1:] == [f"{each.left_place}: {each.left}", f"{each.right_place}: {each.right}"]


def test_a_suspicion_that_no_comparison_is_about_is_loud(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "SUSPECTED", (("ranges", "no such quantity", "why"),))
    with pytest.raises(LookupError, match="no comparison of ranges that holds is about no such quantity"):
        pages.consistency_page()


def test_lists_every_table_with_its_counts_and_a_download_that_is_there(written: Path) -> None:
    blocks = list(_blocks((written / "generated/published.md").read_text("utf-8")))
    counted = count_numbers()
    rows = blocks[1].rows[1:]
    assert [row[2:4] for row in rows] == [
        [str(lines), str(numbers)] for lines, numbers in counted[["rows", "numbers"]].to_numpy()
    ]
    assert [row[0] for row in rows[:2]] == ["Table 1", "Table 2"]
    assert set(titles().index) == set(tables())
    links = [
        link
        for block in blocks
        for _, each in block.elements
        if (link := each.get("href") or each.get("src"))
    ]
    assert len(links) == len(counted) + 4
    for link in links:
        assert link.startswith("../_static/")
        target = written / link.removeprefix("../")
        assert target.exists() or (Path("book") / link.removeprefix("../")).exists(), link


def test_downloads_are_the_files_themselves(written: Path) -> None:
    for path in published_dir().glob("*.csv"):
        assert (written / "_static/published" / path.name).read_bytes() == path.read_bytes()


def test_the_search_has_every_row_as_printed(written: Path) -> None:
    script = (written / "_static/published/numbers.js").read_text("utf-8")
    data = json.loads(script.removeprefix("window.publishedNumbers = ").removesuffix(";\n"))
    assert len(data["rows"]) == count_numbers()["rows"].sum()
    assert {len(row) for row in data["rows"]} == {len(data["columns"])}
    found = [
        entry
        for row in data["rows"]
        if (entry := dict(zip(data["columns"], row, strict=True)))["table"] == "6"
        and (entry["panel"], entry["model"], entry["condition"]) == ("delta", "qwen3-8b", "unaided")
    ]
    assert [(entry["value"], entry["interval"]) for entry in found] == [("-0.06", "[-0.10, -0.04]")]
    assert any("1/292" in row for row in data["rows"])
    assert "<" not in script


def test_no_text_becomes_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = consistency.table().assign(what="<script>x</script>", note='"><img src=x>', left="a & b")
    monkeypatch.setattr(consistency, "table", lambda *_: hostile)
    monkeypatch.setattr(pages, "_suspected", lambda rows: pages._comparisons(rows.head(1)))
    text = pages.consistency_page()
    assert "<script>" not in text
    assert "<img" not in text
    assert next(_blocks(text)).rows[1][0] == '<script>x</script> ("><img src=x>)'


def test_is_deterministic_and_offline() -> None:
    for part in (*pages.PARTS.values(), pages.search_data):
        text = part()
        assert text == part()
        assert "://" not in text


def test_refuses_numbers_that_are_not_what_was_transcribed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse() -> None:
        raise PublishedError("table_06.csv, line 2: field 'value'")

    monkeypatch.setattr(pages, "check_files", refuse)
    with pytest.raises(PublishedError, match=r"table_06\.csv"):
        pages.write(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("page", ["deviations", "explorer", "hands_on", "published"])
def test_the_pages_include_what_is_generated(page: str, written: Path) -> None:
    text = Path("book", f"{page}.md").read_text("utf-8")
    for name in re.findall(r"\{include\} (\S+)", text):
        assert (written / name).is_file()
    assert "generated/" in text
