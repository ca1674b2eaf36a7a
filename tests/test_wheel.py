"""The wheel: the library with its data and nothing of the book, at work without a checkout."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OFFLINE = """
import judged_useless, asyncio
from judged_useless import FAIL, load_episodes, run_cell, time_matched_contrast
assert {folder!r} in judged_useless.__file__
print(time_matched_contrast(load_episodes(condition="unaided", regimes=FAIL)))
run = asyncio.run(run_cell(model="scripted:never", task="atlas", n_questions=2, out="run", progress=False))
print(len(run.episodes()))
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    subprocess.run(build, check=True)
    return next(folder.glob("*.whl"))


def test_the_wheel_holds_the_library_and_nothing_of_the_book(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "judged_useless/_data/questions/atlas.jsonl.gz" in names
    assert "judged_useless/py.typed" in names
    assert "judged_useless/adapters/audit_report.html" in names
    assert not [
        name for name in names if "paper_book" in name or "table_" in name or "preregistration" in name
    ]


def test_it_works_without_a_checkout(wheel: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE.format(folder=str(tmp_path / "site"))],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    delta, n = done.stdout.split("\n")[:2]
    assert "-0.065 [-0.095, -0.039]" in delta
    assert int(n) == 2 * 6
