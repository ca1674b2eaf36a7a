"""The built book, made if there is none, and one Chromium a module."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import HTML, absent, build, chromium


@pytest.fixture(scope="session")
def book() -> Path:
    if not (HTML / "index.html").is_file():
        build()
    return HTML


@pytest.fixture(scope="module")
def browser(book: Path) -> Iterator[Any]:
    """Yield Chromium; closed with this module, so that no event loop is left to other tests."""
    path = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        absent("the package playwright is not installed")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    """Yield a page; an error in it, or a request to another host, fails the test."""
    opened = browser.new_page(viewport={"width": 1440, "height": 900})
    wrong: list[str] = []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    opened.on(
        "request", lambda asked: None if asked.url[:5] in ("file:", "data:") else wrong.append(asked.url)
    )
    yield opened
    opened.close()
    assert wrong == []
