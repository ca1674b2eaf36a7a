"""``judged-useless annotate``: from a run to sheets and labels, and back from a filled sheet."""

import csv
import shutil
from pathlib import Path

import pandas as pd
import pytest
from judged_useless.afterwards.rubric import STREAMS
from judged_useless.cli.main import main
from judged_useless.models.base import Generation
from judged_useless.models.scripted_annotator import ScriptedAnnotator
from judged_useless.runs.recorded import Run

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")
BOTH = ("--annotator", "scripted:annotator-5", "--annotator", "scripted:annotator-20")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, hamlets_of_module: None) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "run"
    cell = ["--task", "hamlets", "--split", "all", "--n-questions", "6", "--quiet", "--out", str(path)]
    assert main(["run", "--model", "scripted:own-5", *cell]) == 0
    return path


@pytest.fixture
def run(tmp_path: Path, recorded: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "my-run"))


def annotate(run: Path, *options: str) -> int:
    return main(
        ["annotate", str(run), "--quiet", *(options if "--annotator" in options else (*BOTH, *options))]
    )


def final(folder: Path) -> pd.DataFrame:
    return pd.concat([pd.read_csv(folder / f"labels-{stream}.csv", index_col="id") for stream in STREAMS])


def filled(path: Path, label: str = "") -> Path:
    """Fill a sheet in, with the stream's first label unless another one is given."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        row["adjudicated"] = label or row["labels"].partition(",")[0]
    with path.with_stem(f"{path.stem}-filled").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return Path(stream.name)


def test_the_whole_chain(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {file.name: file.read_bytes() for file in run.iterdir()}
    assert annotate(run, "--check", "5") == 0
    printed = capsys.readouterr().out
    folder = run.with_name("my-run.probes") / "annotation"
    assert printed.count(", simulated") == 2
    for stream in STREAMS:
        assert f"\n{stream}: " in printed
        assert (folder / f"disagreements-{stream}.csv").is_file()
    assert printed.count("(SIMULATED annotators)") == 2
    assert printed.count("five-class κ") == printed.count("binary κ") == 2
    assert "useless called useless" in printed
    assert "final labels" in printed
    table = final(folder)
    n = {stream: int((table["stream"] == stream).sum()) for stream in STREAMS}
    assert n["S1"] == sum(len(failed) for failed in Run(run).episodes()["failed"])
    assert set(table["by"]) == {"both", "primary"}
    assert (table["label"] == table["first"]).all()
    assert {file.name: file.read_bytes() for file in run.iterdir()} == before

    sheets = [filled(folder / f"disagreements-{stream}.csv") for stream in STREAMS]
    assert annotate(run, "--check", "5", "--adjudicated", *map(str, sheets)) == 0
    again = capsys.readouterr().out
    assert "0 calls" not in again
    assert "primary label correct = " in again
    ruled = final(folder).query("by == 'adjudicated'")
    assert set(ruled["label"]) == {stream.labels[0] for stream in STREAMS.values()}
    # What was in the way of nobody was not written again.
    assert not (folder / "disagreements-S1.csv").read_text("utf-8-sig").count("says_useless")


def test_what_is_complete_is_not_asked_again_and_sheets_stay(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert annotate(run, "--stream", "S2") == 0
    first = capsys.readouterr().out
    assert "S1: " not in first
    sheet = run.with_name("my-run.probes") / "annotation" / "disagreements-S2.csv"
    sheet.write_text("half filled in")

    async def refuse(self: object, *_: object, **__: object) -> None:
        raise AssertionError("asked again")

    monkeypatch.setattr(ScriptedAnnotator, "generate", refuse)
    assert annotate(run, "--stream", "S2") == 0
    assert f"{sheet}: is there already and left as it is" in capsys.readouterr().out
    assert sheet.read_text() == "half filled in"


def test_two_runs_are_annotated_together(
    run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "other"
    cell = ["--task", "hamlets", "--split", "all", "--n-questions", "6", "--quiet", "--out", str(other)]
    assert main(["run", "--model", "scripted:never", *cell]) == 0
    assert main(["annotate", str(run), str(other), "--quiet", *BOTH]) == 1
    assert "2 runs are annotated together; give the folder for it with --out" in capsys.readouterr().err
    assert main(["annotate", str(run), str(run), "--quiet", *BOTH, "--out", str(tmp_path / "x")]) == 1
    assert "of the same cell as another run given" in capsys.readouterr().err
    both = ["annotate", str(run), str(other), "--quiet", *BOTH, "--out", str(tmp_path / "x")]
    assert main([*both, "--stream", "S2"]) == 0
    printed = capsys.readouterr().out
    for model in ("scripted:own-5", "scripted:never"):
        assert f"{model}: final labels" in printed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (BOTH[:2], "--annotator is given 1 times, expected twice"),
        ((*BOTH[:2], *BOTH[:2]), "annotator-5 and scripted:annotator-5 are one model; agreement needs two"),
        (("--check", "-1"), "--check is -1, expected 0 or more"),
        (("--n", "2"), "n is 2, expected at least"),
        (("--annotator", "openai:a", "--annotator", "openai:b", "--base-url", "c=http://x"),
         "--base-url c: expected a model given with --annotator"),
        (("--annotator", "scripted:annotator-x", *BOTH[:2]), "expected annotator-<percent>"),
    ],
)  # fmt: skip
def test_what_is_not_to_be_done_is_one_sentence(
    options: tuple[str, ...], message: str, run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert annotate(run, *options) == 1
    assert message in capsys.readouterr().err


def test_a_sheet_of_another_selection_says_what_to_give(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert annotate(run, "--stream", "S2", "--check", "20") == 0
    sheet = filled(run.with_name("my-run.probes") / "annotation" / "disagreements-S2.csv")
    assert annotate(run, "--stream", "S2", "--check", "0", "--adjudicated", str(sheet)) == 1
    assert (
        "read with the runs, the annotators, --n and --check it was written with" in capsys.readouterr().err
    )
    assert annotate(run, "--stream", "S1", "--out", str(run.with_name("x")), "--adjudicated", str(sheet)) == 1
    assert "rows of S2; expected one sheet of each stream annotated here, S1" in capsys.readouterr().err
    assert annotate(run, "--stream", "S2", "--adjudicated", str(sheet), str(sheet)) == 1
    assert "rows of S2; expected one sheet of each stream" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["I cannot tell.", '{"label": "unclear"}'])
def test_annotators_without_a_label_or_a_disagreement_leave_nothing_to_rule_on(
    text: str, run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    async def same(self: object, *_: object, **__: object) -> Generation:
        return Generation(text=text, finish_reason="stop")

    monkeypatch.setattr(ScriptedAnnotator, "generate", same)
    assert annotate(run, "--stream", "S2") == 0
    printed = capsys.readouterr().out
    assert "disagreements: 0 of " in printed
    assert not list(run.with_name("my-run.probes").rglob("disagreements*"))
    assert ("agreement is undefined: no item has a label of both" in printed) == (text[0] == "I")
    assert "final labels: no judgment" in printed or "final labels: Δ is undefined" in printed


def test_no_name_of_a_foreign_run_is_a_formula(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for file in run.glob("*.json*"):
        file.write_text(file.read_text().replace('"scripted:own-5"', '"=HYPERLINK(1)"'))
    assert annotate(run, "--stream", "S2") == 0
    table = pd.read_csv(run.with_name("my-run.probes") / "annotation" / "labels-S2.csv")
    assert set(table["model"]) == {"'=HYPERLINK(1)"}
