"""``judged-useless audit``: what it prints, its exit status and its files."""

import json
from pathlib import Path
from typing import Any

import pytest
from judged_useless.cli.main import main
from judged_useless.stopping.simulate import simulate


@pytest.fixture
def logs(tmp_path: Path) -> dict[str, Path]:
    """Return logs of agents that stop on evidence, never stop, and answered four questions."""
    made = {
        "evidence": ("own-judgment count k=3", 30),
        "never": ("never stops", 30),
        "few": ("never stops", 4),
    }
    paths = {}
    for name, (policy, n_questions) in made.items():
        table = simulate(policy, n_questions=n_questions)[["question_id", "regime", "actions", "judgments"]]
        paths[name] = tmp_path / f"{name}.jsonl"
        table.to_json(paths[name], orient="records", lines=True)
    return paths


def test_it_says_what_it_read_and_the_verdict(
    logs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "out" / "report.html"
    assert main(["audit", str(logs["evidence"]), "--n-boot", "100", "--out", str(report)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("Read: 150 episodes of 30 questions (150 from a .jsonl of episodes)")
    assert any(line.startswith("Stops on its evidence: ") for line in said)
    assert any(line.startswith("(a) are decisions after nothing but useless results, (b) ") for line in said)
    assert said[-1].endswith(f"{report}: the report, with the figure")
    assert "Stops on its evidence" in report.read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "status"), [("evidence", 0), ("never", 3), ("few", 4)])
def test_json_and_exit_status_for_continuous_integration(
    name: str, status: int, logs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--json", "--n-boot", "100"]
    assert main(["audit", str(logs[name]), *options, "--strict"]) == status
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert found["kind"] == {"few": "too few"}.get(name, name)
    assert [row["k"] for row in found["rule"]] == list(range(2, 9))
    assert {"value", "low", "n_a"} <= set(found["delta"])
    assert main(["audit", str(logs[name]), *options]) == 0


def test_errors_are_one_sentence_with_status_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "log.jsonl"
    server = ["--base-url", "http://127.0.0.1:9/v1"]
    path.write_text('{"question_id": "q", "actions": ["fetch"]}\n', encoding="utf-8")
    assert main(["audit", str(path)]) == 1
    assert "line 1: field 'actions': 'fetch' is none of" in capsys.readouterr().err
    assert main(["audit", str(path), "--map", "fetch=search,todo="]) == 0
    said = capsys.readouterr().out
    assert "As search: fetch (1)." in said
    assert "no result has a judgment. Have a model judge with --judge" in said
    assert main(["audit", str(path), "--map", "fetch=search", "--judge", "openai:m", *server]) == 1
    assert "no conversations" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["audit", str(path), "--map", "fetch"])


def test_a_run_of_this_project_is_a_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", "--model", "scripted:own-3", "--task", "atlas", "--n-questions", "2", "--quiet"]
    assert main([*run, "--out", str(tmp_path / "run")]) == 0
    capsys.readouterr()
    assert main(["audit", str(tmp_path / "run"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["simulated"]
    assert "Budget: 8 actions, as the log states." in found["understood"]


def test_a_report_overwrites_a_former_one_and_nothing_else(
    logs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, report, other = logs["never"], tmp_path / "report.html", tmp_path / "other.html"
    other.write_text("<!doctype html>", encoding="utf-8")
    before = log.read_bytes()
    for _ in range(2):
        assert main(["audit", str(log), "--n-boot", "50", "--out", str(report)]) == 0
    shown = report.read_text(encoding="utf-8")
    assert f": {log}</p>" in shown
    capsys.readouterr()
    for out, why in ((log, "it is read, and would be overwritten"), (other, "no report of an audit")):
        assert main(["audit", str(log), "--out", str(out)]) == 1
        assert why in capsys.readouterr().err
    assert (log.read_bytes(), other.read_text(encoding="utf-8")) == (before, "<!doctype html>")


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--judge-cache", "x"], "--judge-cache is an option of --judge, which is not given"),
        (["--prices", "x"], "--prices is an option of --judge, which is not given"),
        (["--judge", "openai:m", "--judgments", "stated"], "exclude each other"),
        (["--budget", "2000000000"], "--budget: 2000000000 actions, expected at most 10,000"),
        (["no\x1b[31mne.jsonl"], "no\u241b[31mne.jsonl: there is no such file or folder"),
    ],
)
def test_options_that_cannot_be_meant_are_refused(
    options: list[str], why: str, logs: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["audit", str(logs["never"]), *options]) == 1
    assert why in capsys.readouterr().err


def test_a_run_is_audited_alone_and_as_it_is(
    logs: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "runs" / "one").mkdir(parents=True)
    (tmp_path / "runs" / "one" / "manifest.json").write_text("{}", encoding="utf-8")
    for run in ("runs", "runs/one"):
        assert main(["audit", str(tmp_path / run), str(logs["never"])]) == 1
        assert "beside which other logs are not read" in capsys.readouterr().err
        assert main(["audit", str(tmp_path / run), "--map", "a=search"]) == 1
        assert "beside which --map is not read" in capsys.readouterr().err
