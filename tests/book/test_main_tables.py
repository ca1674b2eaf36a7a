"""The paper's main tables with runs beside them: printed, and as a file."""

from importlib import metadata
from pathlib import Path

import pytest
from judged_useless import FAIL, MEAN6, load_episodes, time_matched_contrast
from judged_useless.cli.main import main
from judged_useless.estimators import mean_success

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, hamlets_of_module: None) -> list[str]:
    folder = tmp_path_factory.mktemp("runs")
    cell = ["--task", "hamlets", "--split", "all", "--n-questions", "8", "--regimes", *MEAN6, "--quiet"]
    for condition in ("unaided", "enforced_rule"):
        out = ["--condition", condition, "--out", str(folder / condition)]
        assert main(["run", "--model", "scripted:own-5", *cell, *out]) == 0
    return [str(folder / "unaided"), str(folder / "enforced_rule")]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the command of the book's package known, as once it is installed."""
    group = "judged_useless.commands"
    report = metadata.EntryPoint("report", "paper_book.main_tables", group)
    monkeypatch.setattr(metadata, "entry_points", lambda group: metadata.EntryPoints([report]))


def test_runs_stand_beside_the_papers_agents(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *runs, "--n-boot", "50"]) == 0
    printed = capsys.readouterr().out
    blocks = {block.partition("\n")[0]: block.splitlines() for block in printed.split("\n\n")}
    success = blocks["Table 2, Success of every condition: Share of questions answered correctly"]
    assert success[1].split() == ["unaided", "enforced_rule"]
    assert next(line for line in success if "qwen3-8b" in line).split()[-2:] == ["0.448", "0.474"]
    own = next(line for line in success if line.startswith("scripted:own-5, SIMULATED (hamlets all)"))
    unaided = load_episodes(runs[0])
    assert f"{mean_success(unaided, n_boot=50).value:.4f}" in own
    delta = time_matched_contrast(unaided[unaided["regime"].isin(FAIL)], n_boot=50)
    lines = blocks["Table 6, Contrasts under four stratifications, and cost: Δ on the agent's own judgments"]
    assert delta.text(3) in lines[-1].replace("−", "-")
    assert "−0.06 [−0.10, −0.04]" in next(line for line in lines if "qwen3-8b" in line)
    after = next(lines for title, lines in blocks.items() if "once five results in a row" in title)
    assert "0/289" in "".join(after)
    assert "/8" in after[-1]


def test_the_whole_tables_are_a_file(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "report.html"
    assert main(["report", *runs, "--n-boot", "20", "--out", str(out)]) == 0
    assert capsys.readouterr().out == f"{out}: Tables 2, 4, 6, 10, 22\n"
    html = out.read_text(encoding="utf-8")
    assert all(f"Table {table}. " in html for table in (2, 4, 6, 10, 22))
    assert "SIMULATED agents" in html
    assert "scripted:own-5 (hamlets all)" in html
    assert 'href="07' not in html


def test_a_run_that_is_not_complete_is_refused(
    runs: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = Path(runs[0]) / "manifest.json"
    (tmp_path / "manifest.json").write_text(manifest.read_text().replace('"complete"', '"stopped"'))
    assert main(["report", runs[1], str(tmp_path)]) == 1
    assert "the run is stopped, with 48 of 48 episodes; finish it first" in capsys.readouterr().err


def test_an_unknown_command_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["reprot"])
    assert "invalid choice: 'reprot'" in capsys.readouterr().err
