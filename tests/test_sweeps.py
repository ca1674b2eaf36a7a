"""Sweeps: which cells a file names, what they come to, and what is wrong with a file."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest
from sweep import Sweep, plan, status

ROOT = Path(__file__).parents[1]

SMALL = """
out: {out}
endpoints: {{never: {{provider: scripted}}, m: {{provider: openai, urls: ["http://a/v1", "http://b/v1"]}}}}
groups:
  - models: [never]
    conditions: [unaided, enforced_rule]
    task: atlas
    n_questions: 2
    regimes: [persistent]
    probes: {{judgments: [persistent]}}
"""


def sweep_of(folder: Path, text: str) -> Sweep:
    path = folder / "sweep.yaml"
    path.write_text(text.format(out=folder / "runs"), encoding="utf-8")
    return Sweep.read(path)


def test_the_papers_sweep_has_every_released_cell() -> None:
    cells = Sweep.read(ROOT / "sweeps" / "paper.yaml").cells()
    assert len({cell.name for cell in cells}) == len(cells)
    planned = {(cell.split, cell.model, cell.condition) for cell in cells if cell.budget == 8}
    with (ROOT / "data" / "published" / "released_cells.csv").open(encoding="utf-8") as file:
        released = {(row["split"], row["model"], row["condition"]) for row in csv.DictReader(file)}
    assert released <= planned
    text = plan(Sweep.read(ROOT / "sweeps" / "paper.yaml"))
    assert "350" in text
    assert "No price is stated for claude-haiku-4.5" in text


def test_groups_that_name_a_cell_again_add_to_it(tmp_path: Path) -> None:
    again = "  - {{models: [never], conditions: [unaided], task: atlas, n_questions: 2, regimes: [clean]}}\n"
    first = sweep_of(tmp_path, SMALL + again).cells()[0]
    assert first.group.regimes == ("persistent", "clean")
    assert first.jobs() == [f"{first.name}.run", f"{first.name}.judgments"]


def test_cells_are_spread_over_servers(tmp_path: Path) -> None:
    group = "  - {{models: [m], conditions: [unaided, permit, budget], task: atlas}}\n"
    cells = sweep_of(tmp_path, SMALL + group).cells()[2:]
    assert [cell.url for cell in cells] == ["http://a/v1", "http://b/v1", "http://a/v1"]
    assert "--base-url http://b/v1" in cells[1].command()


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("persistent]\n    probes", "persistnet]\n    probes", "persistnet"),
        ("unaided", "unaidde", "unaidde"),
        ("models: [never]", "models: [ever]", "'ever' has no endpoint"),
        ("n_questions: 2", "n_question: 2", "n_question"),
        ("n_questions: 2", "n_questions: 0", "n_questions"),
        ("task: atlas", "task: atlsa", "atlsa"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, before: str, after: str, said: str) -> None:
    with pytest.raises(ValueError, match=rf"sweep\.yaml.*groups.*{said}"):
        sweep_of(tmp_path, SMALL.replace(before, after, 1))


def test_its_jobs_run_and_are_counted(tmp_path: Path) -> None:
    sweep = sweep_of(tmp_path, SMALL)
    assert "0 of 2 cells are done" in status(sweep)
    command = [
        "-m",
        "snakemake",
        "--snakefile",
        "sweeps/Snakefile",
        "--cores",
        "1",
        "--quiet",
        "all",
        "--nolock",
    ]
    configured = ["--directory", str(tmp_path), "--config", f"sweep={tmp_path / 'sweep.yaml'}"]
    done = subprocess.run([sys.executable, *command, *configured], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = status(sweep)
    assert "complete, 2 of 2  judgments done" in said
    assert "2 of 2 cells are done" in said
