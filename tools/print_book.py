"""Print the built book as one PDF, with the browser that a reader would print it with: make pdf."""

import os
import shutil
import sys
from io import BytesIO
from pathlib import Path

import yaml
from playwright.sync_api import PdfMargins, sync_playwright
from pypdf import PdfWriter

ROOT = Path(__file__).parents[1]
HTML, PDF = ROOT / "_build" / "html", ROOT / "_build" / "judged-useless.pdf"
_MARGIN: PdfMargins = {"top": "16mm", "bottom": "18mm", "left": "16mm", "right": "16mm"}
_FOOT = (
    '<div style="font-size:8px;width:100%;text-align:center"><span class="title"></span> · '
    '<span class="pageNumber"></span></div>'
)


def main() -> None:
    """Print the pages in the order of the contents, each with its bookmark."""
    contents = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    names = [contents["root"], *(each["file"] for part in contents["parts"] for each in part["chapters"])]
    if missing := [name for name in names if not (HTML / f"{name}.html").is_file()]:
        raise SystemExit(f"{missing[0]}.html is not built; build the book first: make book")
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if found is None:
        raise SystemExit("there is no Chromium; install it, or name it in the environment variable CHROMIUM")
    book = PdfWriter()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        page = browser.new_page(color_scheme="light")
        for name in names:
            page.goto((HTML / f"{name}.html").as_uri(), wait_until="load")
            printed = page.pdf(
                format="A4", margin=_MARGIN, print_background=True, display_header_footer=True,
                header_template="<span></span>", footer_template=_FOOT,
            )  # fmt: skip
            book.append(BytesIO(printed), outline_item=page.title().split(" — ")[0])
        browser.close()
    partial = PDF.with_suffix(".part")
    book.write(partial)
    partial.replace(PDF)
    sys.stdout.write(f"{len(book.pages)} pages: {PDF}\n")


if __name__ == "__main__":
    main()
