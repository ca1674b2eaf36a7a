"""What the built pages load, run and say to a screen reader, and how they print."""

import base64
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import light_pages
import pytest
from browsing import ROOT
from pypdf import PdfReader

pytestmark = pytest.mark.browser


def test_the_first_page_is_light(browser: Any, book: Path) -> None:
    page = browser.new_page()
    loaded: set[str] = set()
    page.on("request", lambda request: loaded.add(unquote(urlsplit(request.url).path)))
    page.goto((book / "book/index.html").as_uri(), wait_until="load")
    page.wait_for_timeout(200)
    page.close()
    assert sum(Path(each).stat().st_size for each in loaded) < 700_000, sorted(loaded)


def test_the_icons_of_a_page_are_drawn(browser: Any, book: Path) -> None:
    page = browser.new_page()
    page.goto((book / "book/index.html").as_uri(), wait_until="load")
    font = page.evaluate(
        "document.fonts.load('900 1em \"Font Awesome 6 Free\"', '\\uf002').then((f) => f.length)"
    )
    widths = page.evaluate(
        """[...document.querySelectorAll("i.fa-solid")].filter((i) => i.checkVisibility())
        .map((i) => [getComputedStyle(i, "::before").content.length, i.getBoundingClientRect().width])"""
    )
    page.close()
    assert font == 1
    assert widths
    assert all(content == 3 and width > 5 for content, width in widths)  # a letter in quotes


def test_a_drawing_is_shorter_and_its_letters_keep_their_size() -> None:
    drawing = '<g transform="translate(10.123456 -3.987654) scale(0.015625 -0.015625)"> </g>'
    short = light_pages._shorter(base64.b64encode(drawing.encode()).decode())
    assert base64.b64decode(short) == b'<g transform="translate(10.12 -3.99) scale(0.015625 -0.015625)"> </g>'


@pytest.mark.parametrize(
    "put",
    [
        "<script>window.ran = true</script>",
        '<img src="missing.png" alt="a" onerror="window.ran = true">',
        '<iframe srcdoc="<script>parent.ran = true</script>"></iframe>',
        '<a id="to" href="javascript:window.ran = true">x</a>',
    ],
)
def test_a_script_in_a_page_is_not_run(browser: Any, book: Path, put: str, tmp_path: Path) -> None:
    """The last line of defence: were a text of a model not escaped, the browser would refuse to run it."""
    text = (book / "notebooks/01_setting.html").read_text("utf-8")
    start = text.index(">", text.index("<article")) + 1
    spoilt = tmp_path / "notebooks" / "spoilt.html"
    spoilt.parent.mkdir()
    spoilt.write_text(text[:start] + put + text[start:], encoding="utf-8")
    (tmp_path / "_static").symlink_to(book / "_static")
    page = browser.new_page()
    page.goto(spoilt.as_uri(), wait_until="load")
    if "id=" in put:
        page.evaluate("document.getElementById('to').click()")
    page.wait_for_timeout(200)
    assert page.evaluate("window.ran") is None
    assert page.evaluate("document.documentElement.dataset.theme") == "light"  # the theme's own still runs
    page.close()


def test_nothing_serious_stands_in_a_reader_s_way(browser: Any, book: Path) -> None:
    from axe_playwright_python.sync_playwright import Axe

    names = [
        *sorted(each.relative_to(book).as_posix() for each in book.glob("notebooks/*.html")),
        *sorted(each.relative_to(book).as_posix() for each in book.glob("book/*.html")),
    ]
    assert len(names) > 20
    found = []
    for number, name in enumerate(names):
        # Each page once, half of them dark on a phone, half light on a screen.
        width, theme = ((390, "dark"), (1440, "light"))[number % 2]
        context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
        page = context.new_page()
        page.goto((book / name).as_uri(), wait_until="load")
        for each in Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]:
            if each["impact"] in ("critical", "serious"):
                found.append((name, width, theme, each["id"], each["nodes"][0]["html"][:200]))
        context.close()
    assert found == []


def test_print_opens_folds_and_leaves_folded_code_out(browser: Any, book: Path) -> None:
    page = browser.new_page()
    page.goto((book / "notebooks/04_enforced_rule.html").as_uri(), wait_until="load")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    code = page.locator(".cell > details.hide")
    assert code.count() > 0
    assert not any(code.nth(each).is_visible() for each in range(code.count()))
    empty = page.evaluate(
        """[...document.querySelectorAll("div.cell_input")].filter((each) => each.checkVisibility())
        .filter((each) => !each.innerText.trim()).length"""
    )
    page.close()
    assert empty == 0


def test_the_book_is_printed_page_by_page(book: Path, tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    shutil.copy(ROOT / "tools/print_book.py", tmp_path / "tools")
    (tmp_path / "_build").mkdir()
    (tmp_path / "_build/html").symlink_to(book)
    chapters = (
        "{parts: [{chapters: [{file: notebooks/04_enforced_rule}, {file: book/limits}]}], root: book/index}"
    )
    (tmp_path / "_toc.yml").write_text(chapters, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, tmp_path / "tools/print_book.py"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    printed = PdfReader(tmp_path / "_build/judged-useless.pdf")
    titles = [str(each["/Title"]) for each in printed.outline if isinstance(each, dict)]
    assert [title[:6] for title in titles] == ["Judged", "4. Enf", "Limits"]
    assert len(printed.pages) > 3


@pytest.mark.parametrize("room", ["", ".adapters", ".estimators", ".harness", ".stopping"])
def test_every_public_function_and_class_is_documented(book: Path, room: str) -> None:
    from importlib import import_module

    names = import_module(f"judged_useless{room}").__all__
    text = "".join(re.findall(r'id="judged_useless[\w.]*"', (book / "book/library.html").read_text("utf-8")))
    there = {name for name in names if f'.{name}"' in text}
    assert [name for name in names if name not in there and not name.isupper()] == []


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        (".on{a:b}.off{a:b}", ".on{a:b}"),
        (".off .on,.on>p{a:b}", ".off .on,.on>p{a:b}"),
        ("p:not(.off){a:b}", "p:not(.off){a:b}"),
        ("@media print{.off{a:b}}@media print{.on{a:b}.off{c:d}}", "@media print{.on{a:b}}"),
        ("/*! whose */ .off{a:b}/* why */p{c:d}", "/*! whose */p{c:d}"),
    ],
)
def test_style_rules_for_what_no_page_has_are_left_out(css: str, kept: str) -> None:
    assert light_pages.pruned(css, {"on"}) == kept
