"""The built book in Chromium, from disk: no errors, no other host, readable on a phone and on a screen."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from browsing import ROOT

pytestmark = pytest.mark.browser

WIDTHS = (390, 1440)
#: Parts of the theme that are no pages.
ASIDE = "_static/"

FACTS = """() => ({
  title: document.title,
  headings: [...document.querySelectorAll("h1")].filter((h) => h.checkVisibility())
    .map((h) => h.innerText.trim()),
  unnamed: [...document.images].filter((i) => !(i.alt || "").trim()).map((i) => i.src.slice(0, 80)),
  broken: [...document.images].filter((i) => !i.complete || !i.naturalWidth).map((i) => i.src.slice(0, 80)),
  wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
  language: document.documentElement.lang,
  figures: document.querySelectorAll("figure.ju-figure").length,
  formulas: document.querySelectorAll("math").length,
  unscrollable: [...document.querySelectorAll(".ju-scroll, .ju-formula")].filter((e) =>
    e.scrollWidth > e.clientWidth && e.tabIndex < 0).length,
  links: [...document.querySelectorAll("a[href]")].map((a) => a.href),
})"""


@dataclass
class Visit:
    """What one page did at one width."""

    page: str
    width: int
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)


def pages(book: Path) -> list[str]:
    names = sorted(path.relative_to(book).as_posix() for path in book.rglob("*.html"))
    return [name for name in names if not name.startswith(ASIDE)]


def visit(browser: Any, book: Path, names: list[str], width: int) -> Iterator[Visit]:
    """Open pages one after the other at one width."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    seen = Visit("", width)
    page.on("console", lambda message: seen.errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("request", lambda request: seen.requests.append(request.url))
    for name in names:
        seen = Visit(name, width)
        page.goto((book / name).as_uri(), wait_until="load")
        if name == "index.html":
            page.wait_for_url(re.compile(r"/book/index\.html$"))
        page.wait_for_timeout(100)  # deferred scripts
        seen.facts = page.evaluate(FACTS)
        yield seen
    page.close()


@pytest.fixture(scope="module")
def visits(browser: Any, book: Path) -> list[Visit]:
    return [seen for width in WIDTHS for seen in visit(browser, book, pages(book), width)]


def test_every_source_page_is_there(book: Path) -> None:
    sources = {f"notebooks/{path.stem}.html" for path in (ROOT / "notebooks").glob("*.ipynb")}
    assert {"index.html", "search.html", "book/index.html", *sources} <= set(pages(book))


def test_no_page_logs_an_error(visits: list[Visit]) -> None:
    assert [(seen.page, seen.width, seen.errors) for seen in visits if seen.errors] == []


def test_no_page_asks_another_host(visits: list[Visit]) -> None:
    elsewhere = [
        (seen.page, url)
        for seen in visits
        for url in seen.requests
        if not url.startswith(("file://", "data:", "blob:"))
    ]
    assert elsewhere == []


def test_no_file_of_the_book_is_missing(visits: list[Visit]) -> None:
    from urllib.parse import unquote, urlsplit

    asked = {
        unquote(urlsplit(url).path) for seen in visits for url in seen.requests if url.startswith("file:")
    }
    assert [path for path in asked if not Path(path).is_file()] == []


def test_links_within_the_book_lead_somewhere(visits: list[Visit]) -> None:
    from urllib.parse import unquote, urlsplit

    linked = {(seen.page, url) for seen in visits for url in seen.facts["links"] if url.startswith("file:")}
    assert [each for each in linked if not Path(unquote(urlsplit(each[1]).path)).is_file()] == []


@pytest.mark.parametrize("width", WIDTHS)
def test_no_page_scrolls_sideways(visits: list[Visit], width: int) -> None:
    wide = [
        (seen.page, seen.facts["wide"]) for seen in visits if seen.width == width and seen.facts["wide"] > 0
    ]
    assert wide == []


def test_every_image_is_there_and_described(visits: list[Visit]) -> None:
    assert [(seen.page, seen.facts["unnamed"]) for seen in visits if seen.facts["unnamed"]] == []
    assert [(seen.page, seen.facts["broken"]) for seen in visits if seen.facts["broken"]] == []
    assert sum(seen.facts["figures"] for seen in visits) > 0


def test_every_page_has_one_heading_a_title_and_a_language(visits: list[Visit]) -> None:
    for seen in visits:
        assert len(seen.facts["headings"]) == 1, (seen.page, seen.facts["headings"])
        assert seen.facts["headings"][0], seen.page
        assert seen.facts["title"], seen.page
        assert seen.facts["language"] == "en", seen.page


def test_what_scrolls_can_be_reached_by_keyboard(visits: list[Visit]) -> None:
    assert [seen.page for seen in visits if seen.facts["unscrollable"]] == []
    assert any(seen.facts["formulas"] for seen in visits)


def number(text: str) -> float:
    """Return the number a cell starts with."""
    return float(re.findall(r"^-?\d*\.?\d+", text.replace("\u2212", "-").replace(",", ""))[0])


@pytest.mark.parametrize(
    ("name", "index"),
    [("book/published", 2), ("notebooks/06_larger_models", 4), ("notebooks/12_sensitivity", 7)],
)
def test_tables_are_sorted_by_click_and_by_keyboard(page: Any, book: Path, name: str, index: int) -> None:
    cells = "(table, i) => [...table.tBodies[0].rows].map((row) => row.cells[i].innerText.trim())"
    page.goto((book / f"{name}.html").as_uri())
    table = page.locator("table.ju-sortable").first
    table.evaluate("(table, i) => { table.tBodies[0].rows[0].cells[i].textContent = ''; }", index)
    before, headings = table.evaluate(cells, index), table.locator("thead th")
    values = sorted(map(number, filter(None, before)))
    assert len(set(values)) > 1
    button = headings.nth(index).locator("button")
    for key, direction in (("click", "ascending"), ("Enter", "descending"), ("Space", "ascending")):
        button.dispatch_event("click") if key == "click" else button.press(key)
        assert headings.nth(index).get_attribute("aria-sort") == direction
        after = table.evaluate(cells, index)
        assert sorted(after) == sorted(before)
        assert after[-1] == ""  # an empty cell is last, both ways
        assert [*map(number, after[:-1])] == (values if direction == "ascending" else values[::-1])
    headings.nth(0).locator("button").dispatch_event("click")
    assert headings.nth(index).get_attribute("aria-sort") == "none"


def test_a_long_table_is_filtered_taken_away_and_linked_to(page: Any, book: Path, tmp_path: Path) -> None:
    page.goto((book / "notebooks/06_larger_models.html").as_uri())
    figure = page.locator("figure.ju-table:has(input[type=search])").first
    rows = figure.locator("tbody tr")
    wanted = [text for text in rows.all_inner_texts() if "unaided" in text]
    figure.locator("input[type=search]").fill("unaided")
    shown = [row.inner_text() for row in rows.all() if row.is_visible()]
    assert shown == wanted
    assert 0 < len(shown) < rows.count()
    with page.expect_download() as taken:
        figure.get_by_text("CSV", exact=True).press("Enter")
    taken.value.save_as(tmp_path / "table.csv")
    frame = pd.read_csv(tmp_path / "table.csv")
    assert len(frame) == rows.count()
    assert page.locator(figure.get_by_text("Link", exact=True).get_attribute("href")).count() == 1


def test_the_search_finds_a_word(page: Any, book: Path) -> None:
    page.goto((book / "search.html").as_uri() + "?q=persistent")
    page.wait_for_selector("#search-results li a", timeout=10_000)
    found = page.locator("#search-results li a").all_inner_texts()
    assert any("setting" in title.lower() for title in found)
    page.goto((book / "search.html").as_uri() + "?q=xyzzyplugh")
    page.wait_for_selector("#search-results p.search-summary")
    page.wait_for_timeout(500)
    assert page.locator("#search-results li").count() == 0
