"""The page "Ask a run afterwards" does what it says: commands and Python, in order, in an empty folder."""

import csv
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from judged_useless.afterwards.probes import PROBES
from judged_useless.cli.main import build_parser, main
from judged_useless.episodes.schema import LISTS

BOOK = Path(__file__).parents[3] / "book"
PAGE = (BOOK / "afterwards.md").read_text(encoding="utf-8")
_BLOCK = re.compile(
    r"^    (judged-useless (?:[^\n]*\\\n)*[^\n]*)$|^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


def blocks() -> list[tuple[str, str]]:
    """Return commands and Python of the page, in its order."""
    return [
        ("command", found[1].replace("\\\n", " ")) if found[1] else ("python", found[2])
        for found in _BLOCK.finditer(PAGE)
    ]


def rule_on(folder: Path) -> None:
    """Fill in the sheets in the place of a person, where the page has them."""
    for sheet in folder.glob("disagreements-S?.csv"):
        with sheet.open(encoding="utf-8-sig", newline="") as stream:
            rows = list(csv.DictReader(stream))
        with sheet.open("w", encoding="utf-8-sig", newline="") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            writer.writerows({**row, "adjudicated": row["labels"].partition(", ")[0]} for row in rows)


def test_the_page_does_what_it_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for kind, text in blocks():
        if kind == "python":
            exec(text.replace("n_questions=20", "n_questions=8"), names)
            continue
        arguments = shlex.split(text)[1:]
        build_parser(arguments[0]).parse_args(arguments)
        if "scripted:" not in text and "runs/my-run" not in text:
            continue  # needs a server
        if "--adjudicated" in arguments:
            rule_on(tmp_path / "runs/my-run.probes/annotation")
        small = ["8" if each == "20" else each for each in arguments]
        assert main([*small, "--quiet"]) == 0, capsys.readouterr().err
    printed = capsys.readouterr().out
    assert "primary label correct = " in printed
    assert "final labels" in printed
    assert (tmp_path / "runs/my-run.probes/annotation/labels-S1.csv").is_file()
    episodes = names["episodes"]
    for column in ("answer_now", "p_continue", "stated_by_label", "repaired_success", "pages"):
        assert column in episodes
    assert names["repaired"]["repaired_success"].mean() > names["repaired"]["success"].mean()


def test_every_probe_and_every_column_it_adds_is_explained() -> None:
    data = (BOOK / "data.md").read_text(encoding="utf-8")
    for probe in PROBES:
        assert f"\n`{probe}`\n: *" in PAGE
    for column in (name for columns in LISTS.values() for name in columns):
        assert f"`{column}`" in PAGE
        assert f"`{column}`" in data
    for column in ("repaired_answer", "repaired_success", "pages", "gold_titles"):
        assert f"`{column}`" in data
