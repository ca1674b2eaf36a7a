"""`judged-useless fetch`: what it prints, and its exit status."""

from pathlib import Path

import pandas as pd
import pytest
from hub_cache import own_cache
from judged_useless import load_episodes
from judged_useless.cli.main import main
from judged_useless.environment.regimes import MEAN6
from made_up_episodes import MADE_UP, hub_folder, made_up_cell


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_cache(monkeypatch, tmp_path)


def rows_of(printed: str) -> dict[tuple[str, ...], list[str]]:
    """Return the printed table of cells: (split, model, condition) -> the other words of the line."""
    lines = [line.split() for line in printed.splitlines()]
    return {tuple(words[:3]): words[3:] for words in lines if words and words[0] in ("test300", "fresh300")}


def test_real_cells_equal_the_papers_and_made_up_ones_are_not_compared(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", "--repository", str(hub_folder(tmp_path / "hub"))]) == 0
    printed = capsys.readouterr().out
    assert "fetched 3,108 episodes of" in printed
    assert "only" not in printed.splitlines()[1]
    assert printed.splitlines()[-1] == (
        "2 of 2 recomputed cells equal the paper's; "
        "the paper has 43 cells; 2 could be recomputed only in part."
    )
    rows = rows_of(printed)
    assert set(rows) == {
        ("test300", "qwen3-8b", "unaided"),
        ("test300", "qwen3-8b", "enforced_rule"),
        ("test300", MADE_UP, "unaided"),
        ("fresh300", MADE_UP, "unaided"),
        ("fresh300", MADE_UP, "budget"),
    }
    unaided = rows["test300", "qwen3-8b", "unaided"]
    assert unaided[:3] == ["-0.064801", "-0.095161", "-0.038708"]
    assert unaided[-2:] == ["True", "mean6"]  # the clean regime is not among the embedded episodes
    assert "True" not in rows["test300", MADE_UP, "unaided"]
    assert cache.is_dir()


@pytest.mark.parametrize(
    ("repository", "said"),
    [
        ("", "'' names nothing; expected a data set on the hub, or a local folder"),
        ("a.jsonl", "'a.jsonl' is a file; expected a data set on the hub, or a local folder"),
        ("zipped", "split 'test300' cannot be read as a data set (File is not a zip file)"),
        ("packed", "split 'test300' cannot be read as a data set (Not a gzipped file"),
    ],
)
def test_what_is_no_data_set_is_told_in_one_sentence(
    repository: str, said: str, cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").touch()
    for folder, name in (("zipped", "test300-0.zip"), ("packed", "test300-0.jsonl.gz")):
        (tmp_path / folder / "data").mkdir(parents=True)
        (tmp_path / folder / "data" / name).write_bytes(b"broken")
    assert main(["fetch", "--repository", repository, "--split", "test300"]) == 1
    shown = capsys.readouterr().err
    assert said in shown
    assert "Traceback" not in shown


def test_a_cell_that_differs_from_the_papers_fails(
    cache: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    episodes = load_episodes(condition="unaided")
    clean = episodes[episodes["regime"] == "persistent"].assign(regime="clean", success=True)
    # Another cell's episodes under this cell's name, with made-up clean ones, so that there is a mean6 too.
    changed = pd.concat([episodes, clean], ignore_index=True).assign(condition="permit")
    assert set(MEAN6) == set(changed["regime"])
    folder = hub_folder(
        tmp_path / "hub", {"test300": [episodes, changed], "fresh300": [made_up_cell("fresh300")]}
    )
    assert main(["fetch", "--repository", str(folder), "--split", "test300"]) == 1
    printed = capsys.readouterr().out
    assert "1 of 2 recomputed cells equal the paper's" in printed
    assert "in the cache is only test300: fresh300 was not fetched" in printed
    permit = rows_of(printed)["test300", "qwen3-8b", "permit"]
    assert permit[3] == f"{changed.groupby('regime')['success'].mean().mean():.6f}"
    assert permit[5] == "False"
    assert "True" in rows_of(printed)["test300", "qwen3-8b", "unaided"]
    assert cache.is_dir()
