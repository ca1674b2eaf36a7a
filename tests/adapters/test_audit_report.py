"""The report: whole in one file, as a browser shows it, whatever a log holds."""

import json
from pathlib import Path

import pytest
from browsing import chromium
from judged_useless.adapters import Audit, audit_log, read_log

HOSTILE = "<script>document.title='taken'</script>\x1b[2J\u202e"


@pytest.fixture
def audit(tmp_path: Path) -> Audit:
    words = [["USELESS"] * 3, ["USELESS", "USEFUL", "USELESS", "USELESS"]]
    records = [
        {
            "question_id": f"q{row}{HOSTILE}",
            "actions": [f"seek{HOSTILE}"] * (3 + row % 2) + ["submit"] * (row % 3 > 0),
            "judgments": words[row % 2],
            "simulated": True,
        }
        for row in range(60)
    ]
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return audit_log(read_log(path, mapping={f"seek{HOSTILE}": "search"}), budget=8, n_boot=100)


def test_a_browser_shows_the_report_and_runs_nothing_of_the_log(audit: Audit, tmp_path: Path) -> None:
    sync = pytest.importorskip("playwright.sync_api", reason="needs playwright")
    path = tmp_path / "report.html"
    path.write_text(audit.html(), encoding="utf-8")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page()
        asked, faults = list[str](), list[str]()
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(path.as_uri())
        assert page.title().startswith("Audit: ")
        assert page.inner_text("h1") == audit.verdict
        text = page.inner_text("main")
        counts = page.locator("table").nth(0).locator("tbody tr").all_inner_texts()
        drawn = page.locator("svg circle").count(), page.locator("svg rect").count()
        wide = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        browser.close()
    assert asked == [path.as_uri()]
    assert faults == []
    assert not wide
    assert r"seek<script>document.title='taken'</script>\x1b[2J\u202e" in text
    assert "Simulated: an agent of these episodes is no language model." in text
    assert str(audit.delta) in text
    assert [row.split() for row in counts] == [
        list(map(str, row)) for row in audit.steps.drop(columns="compared").to_numpy().tolist()
    ]
    assert drawn == (
        (audit.steps["decisions (a)"] > 0).sum(), 1 + (audit.steps["decisions (b)"] > 0).sum(),
    )  # fmt: skip
