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
