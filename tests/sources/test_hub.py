"""Fetching: from a folder in the hub's layout, and what a failure leaves behind."""

import errno
import os
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import datasets
import httpx2
import huggingface_hub
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_cache import contents, own_cache
from judged_useless import load_episodes
from judged_useless._io.hub_access import HubError
from judged_useless.episodes.schema import EpisodeError, NoEpisodesError
from judged_useless.sources.hub import fetch
from made_up_episodes import CARD, MADE_UP, episode, hub_folder, made_up_cell
from paper_book import open_page

SMALL = {"test300": [made_up_cell("test300")], "fresh300": [made_up_cell("fresh300")]}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return own_cache(monkeypatch, tmp_path)


@pytest.fixture
def filled(cache: Path, tmp_path: Path) -> dict[str, bytes]:
    """Contents of a cache that an earlier fetch filled."""
    fetch(str(hub_folder(tmp_path / "earlier", SMALL)))
    return contents(cache.parent)


def test_a_folder_in_the_hubs_layout_becomes_the_cache(cache: Path, tmp_path: Path) -> None:
    folder = hub_folder(tmp_path / "hub")
    fetched = fetch(str(folder))
    assert fetched.n_episodes == {"test300": 3036, "fresh300": 72}
    assert fetched.revision is None
    assert sorted(contents(cache)) == ["released.parquet"]
    embedded = load_episodes().drop(columns="termination")
    released = load_episodes("hub", model="qwen3-8b").drop(columns="termination")
    assert released.map(lambda value: list(value) if hasattr(value, "tolist") else value).equals(
        embedded.map(lambda value: list(value) if hasattr(value, "tolist") else value)
    )
    assert set(load_episodes("hub", split="fresh300")["model"]) == {MADE_UP}


@pytest.fixture
def a_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in the place of the hub, whose commit a file in it says."""
    folder = hub_folder(tmp_path / "hub", SMALL)
    (folder / "commit").write_text("0123abc")
    load = datasets.load_dataset
    monkeypatch.setattr(
        datasets, "load_dataset", lambda _, *, split, revision: load(str(folder), split=split)
    )
    monkeypatch.setattr(
        huggingface_hub.HfApi, "dataset_info",
        lambda *_, **__: types.SimpleNamespace(sha=(folder / "commit").read_text()),
    )  # fmt: skip
    return folder


def test_a_split_is_fetched_beside_the_other_of_the_same_commit(cache: Path, a_hub: Path) -> None:
    fetch("someone/episodes", splits=["test300"])
    fetched = fetch("someone/episodes", splits=["fresh300"])
    assert fetched.n_episodes == {"test300": 36, "fresh300": 36}
    assert set(load_episodes("hub")["split"]) == {"test300", "fresh300"}
    (a_hub / "commit").write_text("4567def")
    assert fetch("someone/episodes", splits=["test300"]).n_episodes == {"test300": 36}
    with pytest.warns(UserWarning, match="fresh300 was not fetched"):
        assert set(load_episodes("hub")["split"]) == {"test300"}


def test_of_a_damaged_cache_nothing_is_kept(cache: Path, a_hub: Path) -> None:
    fetch("someone/episodes", splits=["test300"])
    (cache / "released.parquet").write_bytes(b"cut off")
    assert fetch("someone/episodes", splits=["fresh300"]).n_episodes == {"fresh300": 36}
    assert len(load_episodes("hub", split="fresh300")) == 36


def test_a_split_that_was_not_fetched_is_named_with_the_command(cache: Path, a_hub: Path) -> None:
    fetch("someone/episodes", splits=["test300"])
    hint = (
        "fresh300 was not fetched from the hub; `judged-useless fetch --split fresh300` does it, and "
        "`judged-useless fetch` fetches all"
    )
    for alone in ("fresh300", ["fresh300"]):
        with pytest.raises(NoEpisodesError) as caught:
            load_episodes("hub", split=alone)
        assert str(caught.value) == f"source 'hub': {hint}"
        assert open_page("hub", split=alone).missing == f"source 'hub': {hint}"
    for beside in (None, ["test300", "fresh300"]):
        with pytest.warns(UserWarning, match=f"^source 'hub': {hint}$"):
            assert len(load_episodes("hub", split=beside)) == 36
    assert len(load_episodes("hub", split="test300")) == 36
    with pytest.raises(NoEpisodesError, match="no episode with split 'dev100'; it has test300"):
        load_episodes("hub", split="dev100")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([episode(actions=["jump"])], "split test300, row 1: field 'actions': entry 1: expected"),
        ([episode(split="fresh300")], "split test300: field 'split' also says 'fresh300'"),
        ([episode(), episode()], "split test300, row 2: field 'question_id': a second episode"),
        ([{"model": "m", "actions": ["finish"]}], "split test300: field 'condition' is missing"),
    ],
)
def test_a_corrupt_data_set_leaves_the_old_cache(
    rows: list[dict[str, Any]], message: str, cache: Path, filled: dict[str, bytes], tmp_path: Path
) -> None:
    folder = tmp_path / "corrupt"
    (folder / "data").mkdir(parents=True)
    pq.write_table(pa.Table.from_pylist(rows), folder / "data" / "test300-0.parquet")
    (folder / "README.md").write_text(CARD.partition("  - split: fresh300")[0] + "---\n")
    with pytest.raises(EpisodeError) as caught:
        fetch(str(folder), splits=["test300"])
    assert message in str(caught.value)
    assert str(folder) in str(caught.value)
    assert contents(cache.parent) == filled


def test_a_failure_midway_leaves_the_old_cache(
    cache: Path, filled: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pq, "write_table", fails(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(OSError, match="No space left on device") as caught:
        fetch(str(tmp_path / "earlier"))
    assert not isinstance(caught.value, HubError)
    assert contents(cache.parent) == filled


def test_a_fetch_that_is_killed_leaves_the_old_cache_and_nothing_for_good(
    cache: Path, filled: dict[str, bytes], tmp_path: Path
) -> None:
    newer = hub_folder(tmp_path / "newer", {split: [made_up_cell(split, n_questions=2)] for split in SMALL})
    killed = f"""
import os, pathlib
from judged_useless.sources.hub import fetch
pathlib.Path.replace = lambda *_: os.kill(os.getpid(), 9)
fetch({str(newer)!r})
"""
    done = subprocess.run([sys.executable, "-c", killed], env=os.environ, capture_output=True, check=False)
    assert done.returncode == -9, done.stderr
    assert len(load_episodes("hub")) == 72
    fetch(str(newer))
    assert len(load_episodes("hub")) == 24
    assert [path.name for path in cache.iterdir()] == ["released.parquet"]


def fails(error: Exception) -> Callable[..., Any]:
    def fail(*_: object, **__: object) -> None:
        raise error

    return fail


@pytest.mark.parametrize("when", ["asked for its commit", "downloading"])
def test_without_network_the_cache_stays(
    when: str, cache: Path, filled: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    down = httpx2.ConnectError("All connection attempts failed")
    if when == "downloading":
        commit = types.SimpleNamespace(sha="0123abc")
        monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", lambda *_, **__: commit)
        monkeypatch.setattr(datasets, "load_dataset", fails(down))
    else:
        monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", fails(down))
        monkeypatch.setattr(datasets, "load_dataset", fails(AssertionError("asked for data")))
    with pytest.raises(HubError, match="the hub could not be reached"):
        fetch("someone/episodes")
    assert contents(cache.parent) == filled


def test_all_splits_come_from_one_commit(a_hub: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str, str, str | None]] = []
    load: Any = datasets.load_dataset

    def noted(path: str, *, split: str, revision: str | None) -> Any:
        asked.append((path, split, revision))
        return load(path, split=split, revision=revision)

    monkeypatch.setattr(datasets, "load_dataset", noted)
    assert fetch("someone/episodes", revision="main").revision == "0123abc"
    assert asked == [("someone/episodes", split, "0123abc") for split in ("test300", "fresh300")]
