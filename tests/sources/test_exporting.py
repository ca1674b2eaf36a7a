"""Runs exported as a data set: read back by `datasets` and by ourselves, with the same estimates."""

import shutil
from pathlib import Path

import datasets
import numpy as np
import pandas as pd
import pytest
import yaml
from hub_cache import own_cache
from judged_useless import FAIL, MEAN6, load_episodes, time_matched_contrast
from judged_useless.cli.main import main
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators import mean_success
from judged_useless.sources.exporting import export

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, hamlets_of_module: None) -> list[Path]:
    folder = tmp_path_factory.mktemp("runs")
    for name, more in {
        "unaided": ["--model", "scripted:own-4"],
        "ruled": ["--model", "scripted:own-4", "--condition", "enforced_rule"],
        "again": ["--model", "scripted:own-4", "--replicate", "2"],
    }.items():
        cell = ["--task", "hamlets", "--split", "all", "--n-questions", "8", "--regimes", *MEAN6]
        assert main(["run", *more, *cell, "--quiet", "--out", str(folder / name)]) == 0
    assert main(["replay", str(folder / "unaided"), "--probe", "beliefs", "stated", "--quiet"]) == 0
    return [folder / "unaided", folder / "ruled", folder / "again"]


def plain(frame: pd.DataFrame) -> pd.DataFrame:
    key = ["split", "condition", "question_id", "regime"]
    frame = frame.sort_values(key, ignore_index=True)
    return frame.map(lambda value: value.tolist() if isinstance(value, np.ndarray) else value)


def test_it_is_read_back_with_the_same_estimates(
    runs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    own_cache(monkeypatch, tmp_path)
    out = tmp_path / "exports" / "mine"
    assert main(["export", *map(str, runs), "--out", str(out), "--license", "cc-by-4.0"]) == 0
    assert f"{out}: 3 files and a card" in capsys.readouterr().out
    assert [path.name for path in out.parent.iterdir()] == ["mine"]
    ours = load_episodes(runs).drop(columns="loaded_from")
    back = load_episodes(out)
    loaded = pd.concat([split.to_pandas() for split in datasets.load_dataset(str(out)).values()])
    for read in (back, loaded):
        a, b = plain(ours), plain(read)
        for name in ("actions", "judgments", "success", "termination", "answer", "prefer", "stated_label"):
            assert (
                a[name].where(a[name].notna(), None).tolist() == b[name].where(b[name].notna(), None).tolist()
            )
        for (condition, split), cell in ours.groupby(["condition", "split"]):
            other = read[(read["condition"] == condition) & (read["split"] == split)]
            assert mean_success(cell, n_boot=50) == mean_success(other, n_boot=50)
            both = [
                time_matched_contrast(each[each["regime"].isin(FAIL)], n_boot=50) for each in (cell, other)
            ]
            assert both[0] == both[1]


def test_the_card_says_what_it_is(runs: list[Path], tmp_path: Path) -> None:
    out = export(runs, tmp_path / "mine")
    card = (out / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(card.split("---\n")[1])
    assert "license" not in head
    assert "simulated" in head["tags"]
    assert [each["split"] for each in head["configs"][0]["data_files"]] == ["all_questions", "all_run2"]
    assert card.count("SIMULATED") == 2
    assert "| scripted:own-4 | True | enforced_rule | hamlets | all | clean, " in card
    assert "| 8 | 48 |" in card


def test_what_cannot_be_exported_leaves_nothing(
    runs: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there"
    there.mkdir()
    with pytest.raises(FileExistsError, match="is there already"):
        export(runs, there)
    with pytest.raises(EpisodeError, match="a second episode"):
        export([runs[0], shutil.copytree(runs[0], tmp_path / "copy")], tmp_path / "new")
    partial = shutil.copytree(runs[1], tmp_path / "partial")
    manifest = partial / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"status": "complete"', '"status": "interrupted"'))
    assert main(["export", str(partial), "--out", str(tmp_path / "new")]) == 1
    assert "the run is interrupted" in capsys.readouterr().err
    assert {path.name for path in tmp_path.iterdir()} == {"there", "copy", "partial"}
