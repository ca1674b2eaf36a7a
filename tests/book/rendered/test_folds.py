"""Folds of the long pages: a link opens what it leads into, and printing opens everything."""

from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

TABLES = "notebooks/08_full_tables.html"
TESTS = "notebooks/07_preregistration.html"
FOLDS = "details.ju-fold"
WIDE = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
#: Parts of the content that reach over the edge of a narrow screen and are in no scroller of their own.
OUTSIDE = """() => [...document.querySelectorAll("article *")].filter((e) =>
  e.checkVisibility() && e.getBoundingClientRect().right > innerWidth + 1
  && !e.closest(".ju-scroll, pre, .ju-formula, .math, .ju-hidden, .pst-scrollable-table-container")
  && !e.closest("thead")).map((e) => e.outerHTML.slice(0, 80))"""


def visit(page: Any, book: Path, name: str, anchor: str = "") -> None:
    page.goto((book / name).as_uri() + anchor)
    page.wait_for_load_state("load")
    page.wait_for_timeout(100)  # what the page does when it has loaded


def wait_until_open(page: Any, selector: str) -> None:
    """Wait as long as a loaded machine needs; a fold that stays closed is an error then."""
    page.locator(f"{selector}[open]").first.wait_for(state="visible", timeout=10_000)


def is_open(page: Any, selector: str) -> bool:
    return bool(page.locator(selector).evaluate("(fold) => fold.open"))


def test_a_link_to_a_table_opens_its_fold(page: Any, book: Path) -> None:
    fold = f"#table-13 {FOLDS}"
    visit(page, book, TABLES)
    assert not is_open(page, fold)
    page.locator("figure a", has_text="Table 13").first.click()
    wait_until_open(page, fold)
    assert page.url.endswith(f"{TABLES}#table-13")
    assert 0 <= page.locator("#table-13").evaluate("(e) => e.getBoundingClientRect().top") < 300
    assert not is_open(page, f"#table-14 {FOLDS}")


def test_a_row_of_a_table_leads_to_the_test_in_its_fold(page: Any, book: Path) -> None:
    visit(page, book, TABLES, "#table-5")
    page.locator("#table-5 a", has_text="Rp2").first.click()
    row = page.locator("#test-a10-rp2")
    row.wait_for(state="visible", timeout=10_000)
    assert page.url.endswith(f"{TESTS}#test-a10-rp2")
    assert row.locator("xpath=ancestor::details").evaluate("(fold) => fold.open")


@pytest.mark.parametrize("name", [TABLES, TESTS])
def test_a_closed_page_is_short_and_nothing_but_scrollers_is_wide_on_a_phone(
    page: Any, book: Path, name: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, book, name)
    assert page.evaluate("document.documentElement.scrollHeight") < 25_000
    assert page.evaluate(WIDE) == 0
    assert page.evaluate(OUTSIDE) == []
    page.locator("button.ju-all").first.click()
    assert page.locator(FOLDS).evaluate_all("(folds) => folds.every((fold) => fold.open)")
    assert page.evaluate(WIDE) == 0
    assert page.evaluate(OUTSIDE) == []


def test_a_fold_opens_by_keyboard_and_without_a_script(browser: Any, book: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((book / TABLES).as_uri())
    table = page.locator(f"#table-13 {FOLDS} table").first
    assert not table.is_visible()
    page.locator(f"#table-13 {FOLDS} > summary").focus()
    page.keyboard.press("Enter")
    assert table.is_visible()
    context.close()


def test_printing_opens_every_fold_and_closes_it_again(page: Any, book: Path) -> None:
    visit(page, book, TESTS)
    count = "(folds) => folds.filter((fold) => fold.open).length"
    before = page.locator(FOLDS).evaluate_all(count)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator(FOLDS).evaluate_all(count) == page.locator(FOLDS).count() > before
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator(FOLDS).evaluate_all(count) == before


def test_a_search_opens_the_folds_that_hold_its_words(page: Any, book: Path) -> None:
    visit(page, book, "search.html", "?q=deadline")
    page.locator("#search-results li a[href*='07_preregistration']").first.click()
    marked = page.locator(f"{FOLDS} .highlighted")
    marked.first.wait_for(timeout=10_000)  # waits until it is visible, so its fold has been opened
    assert marked.evaluate_all("(hits) => hits.every((hit) => hit.closest('details').open)")


@pytest.mark.parametrize(("name", "theme"), [(TABLES, "dark"), (TESTS, "light")])
def test_what_is_folded_can_be_read(browser: Any, book: Path, name: str, theme: str) -> None:
    from axe_playwright_python.sync_playwright import Axe

    page = browser.new_page(color_scheme=theme)
    visit(page, book, name)
    page.locator("button.ju-all").first.click()
    found = Axe().run(page, options={"runOnly": ["color-contrast"]}).response
    page.close()
    assert found["violations"] == []
    assert found["passes"][0]["nodes"]
