"""The authors' repository in the place of the hub, served from a folder in its layout; then embedding."""

import functools
import gzip
import http.server
import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import embed_episodes as embed
import huggingface_hub
import pandas as pd
import pytest
from hub_cache import own_cache
from judged_useless import load_episodes
from judged_useless._io.hub_access import HubError
from judged_useless._io.paths import cache_dir, data_dir
from judged_useless.cli.main import main
from judged_useless.episodes.formats import load_jsonl
from judged_useless.episodes.schema import REQUIRED, plain
from judged_useless.sources import hub, released
from judged_useless.sources.hub import AUTHORS_COMMIT, fetch
from judged_useless.tasks import downloads, fever
from make_released_set import released_set


@pytest.fixture(scope="module")
def episodes() -> pd.DataFrame:
    """SIMULATED episodes in the place of the released ones: all cells, a few questions."""
    whole = pd.concat(released_set(25).values(), ignore_index=True)
    return whole.sort_values(["split", "model", "condition"], kind="stable", ignore_index=True)


@pytest.fixture
def server(episodes: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Serve the layout of the authors' repository, with no hub beside it."""
    own_cache(monkeypatch, tmp_path)
    root = tmp_path / "served"
    for (split, model, condition), cell in episodes.groupby(["split", "model", "condition"]):
        file = root / AUTHORS_COMMIT / "data" / "episodes" / str(split) / f"{model}__{condition}.jsonl.gz"
        file.parent.mkdir(parents=True, exist_ok=True)
        rows = cell[list(REQUIRED)].map(plain).to_dict("records")
        file.write_bytes(gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode()))
    handler = functools.partial(_Quiet, directory=str(root))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        address = f"http://127.0.0.1:{running.server_address[1]}"
        monkeypatch.setattr(hub, "AUTHORS_FILES", address)
        monkeypatch.setattr(
            fever, "RELEASED_URL", fever.RELEASED_URL.replace(downloads.AUTHORS_FILES, address)
        )
        monkeypatch.setattr(downloads, "FIRST_WAIT", 0)
        monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", _unreached)
        yield root
        running.shutdown()
        thread.join()


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Keep quiet."""


def _unreached(*_: object, **__: object) -> None:
    raise HubError("the hub could not be reached; repeat it with a network")


def test_without_the_hub_the_episodes_come_from_the_authors_repository(
    server: Path, episodes: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = fetch()
    assert (fetched.revision, fetched.n_episodes) == (AUTHORS_COMMIT, dict(episodes["split"].value_counts()))
    read = load_episodes("hub")
    assert read.groupby(["split", "model", "condition"]).ngroups == 43
    key = ["split", "model", "condition", "question_id", "regime"]
    both = read.merge(episodes, on=key, suffixes=("", "_served"), validate="one_to_one")
    assert len(both) == len(episodes)
    assert both["actions"].map(list).equals(both["actions_served"].map(list))
    assert (both["success"] == both["success_served"]).all()
    ended = both["termination_served"].isin(["answered", "budget_exhausted"])
    assert both.loc[ended, "termination"].tolist() == both.loc[ended, "termination_served"].tolist()
    assert both.loc[~ended, "termination"].isna().all()
    # A cell that changes at the same address later is refused.
    file = next(server.rglob("qwen3-8b__unaided.jsonl.gz"))
    file.write_bytes(gzip.compress(b"{}\n"))
    for kept in (cache_dir() / "questions").glob("*.gz"):
        kept.unlink()
    with pytest.raises(ValueError, match="as when it first came"):
        fetch()
    # Who names a data set means that one.
    with pytest.raises(HubError, match="the hub could not be reached"):
        fetch("someone/episodes")


def test_fetched_cells_are_embedded_if_all_equal_the_papers(
    server: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fetch()
    folder = tmp_path / "data" / "episodes"
    shutil.copytree(data_dir() / "episodes", folder)
    before = sorted(folder.iterdir())
    assert embed.main([], folder) == 1  # these are simulated
    assert "nothing is embedded" in capsys.readouterr().err
    assert sorted(folder.iterdir()) == before
    own = released.compare_cells(load_episodes("hub"))
    monkeypatch.setattr(released, "released_cells", lambda: own)
    assert embed.main([], folder) == 0
    assert "43 of 43 recomputed cells equal" in capsys.readouterr().out
    sums = (folder / "SHA256SUMS").read_text().splitlines()
    assert len(sums) == len(list(folder.glob("*.parquet"))) == 43
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert readme.count(".parquet` |") == 43
    assert "**Licence.**" in readme


def test_claims_are_fetched_once_from_where_the_authors_have_them(
    server: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("JUDGED_USELESS_FEVER", raising=False)
    claims = [
        {"id": f"c{n}", "question": f"Claim {n}.", "answer": "SUPPORTS" if n % 2 else "REFUTES", "type": "v",
         "level": "hard", "knowledge_base": {f"P{n}": "It is so.", "Q": "No."},
         "supporting_titles": [f"P{n}"]}
        for n in range(292)
    ]  # fmt: skip
    file = server / "dfb2814a39907f80dd103f5c125ecb4d13d90da8" / "experiments" / "fever_data.json"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(claims), encoding="utf-8")
    cell = ["--model", "scripted:own-5", "--task", "fever", "--n-questions", "2", "--quiet"]
    assert main(["run", *cell, "--out", str(tmp_path / "run")]) == 0
    file.unlink()
    assert main(["run", *cell, "--out", str(tmp_path / "again")]) == 0
    assert set(load_jsonl(tmp_path / "again" / "clean.jsonl")["question_id"]) == {"c0", "c1"}
