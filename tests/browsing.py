"""The built book and Chromium, for the tests that look at pages as a reader does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from filelock import FileLock

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"


def absent(what: str) -> NoReturn:
    """Skip, with the reason; where continuous integration runs, that is a failure."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"{what}; continuous integration must not leave the book untested")
    pytest.skip(what)


def chromium() -> str:
    named = os.environ.get("CHROMIUM")
    found = [path for path in (named, "/usr/bin/chromium") if path and Path(path).is_file()]
    found += [
        path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))
    ]
    if named and not Path(named).is_file():
        absent(f"CHROMIUM names {named!r}, which is no file")
    if not found:
        absent("there is no Chromium (install it, or name it in the environment variable CHROMIUM)")
    return found[0]


def build() -> None:
    """Build the book with this environment, as `make book` does with its own."""
    command = [sys.executable, "-m", "paper_book.build", "book"]
    (ROOT / "_build").mkdir(exist_ok=True)
    with FileLock(ROOT / "_build" / ".tests"):  # tests run side by side, and the first of them builds
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
