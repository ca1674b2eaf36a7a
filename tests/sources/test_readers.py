"""Reading and writing episodes: what comes in is what went out, and a corrupt file is refused by place."""

import asyncio
import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from judged_useless import FAIL, load_episodes, load_jsonl
from judged_useless._io.files import sha256
from judged_useless._io.paths import data_dir
from judged_useless.episodes.formats import load_parquet, write_parquet
from judged_useless.episodes.schema import EpisodeError, NoEpisodesError
from judged_useless.runs.cell import run_cell
from judged_useless.runs.run_files import RunError
from made_up_episodes import episode, random_episodes

Rows = list[dict[str, Any]]
GOOD = [episode(question_id=f"q{number}") for number in range(3)]


def lines(rows: Rows) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def write(path: Path, content: bytes) -> Path:
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    return path


def plain(frame: pd.DataFrame) -> Rows:
    """Return a table as rows of plain lists, whatever its lists were stored as."""
    return [
        {str(name): list(value) if hasattr(value, "__len__") and not isinstance(value, str) else value
         for name, value in row.items()}
        for row in frame.to_dict("records")
    ]  # fmt: skip


CORRUPT: dict[str, tuple[bytes, str]] = {
    "missing field": (lines([*GOOD[:2], {"model": "m"}]), "line 3: field 'condition' is missing"),
    "cut-off line": (lines(GOOD)[:-40], "line 3: the line is cut off"),
    "two questions in a regime": (lines([*GOOD, GOOD[1]]), "line 4: field 'question_id': a second episode"),
    "not JSON": (lines(GOOD[:1]) + b"{oops}\n" + lines(GOOD[1:]), "line 2: not valid JSON"),
    "not an object": (lines(GOOD[:1]) + b"[1, 2]\n", "line 2: expected a JSON object, found list"),
    "not UTF-8": (lines(GOOD[:2]) + b'{"model": "caf\xe9"}\n' + lines(GOOD[2:]), "line 3: not UTF-8 text"),
    "too deep": (lines(GOOD[:1]) + b"[" * 200_000 + b"\n", "line 2: JSON that cannot be read"),
    "a number without end": (b'{"seed": ' + b"9" * 5000 + b"}\n", "line 1: JSON that cannot be read"),
    "a key twice": (
        lines(GOOD[:1]) + b'{"success": true, "success": false}\n',
        "line 2: field 'success' is given twice, expected once",
    ),
    "two objects on the last line": (
        lines(GOOD[:1]) + lines(GOOD[1:]).replace(b"\n", b""),
        "line 2: more than one JSON value (Extra data",
    ),
    "half a surrogate pair": (
        lines([GOOD[0], episode(question_id="q\ud800")]),
        "line 2: field 'question_id': half of a surrogate pair",
    ),
    "a byte-order mark in the middle": (
        lines(GOOD[:1]) + b"\xef\xbb\xbf" + lines(GOOD[1:]),
        "line 2: not valid JSON",
    ),
    "blank lines before the fault": (b"\n\n" + lines([GOOD[0]]) + b"\n{}\n", "line 5: field 'model'"),
    "nothing": (b"\n \n", "the file holds no episode"),
}


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.gz"])
@pytest.mark.parametrize("case", CORRUPT)
def test_corrupt_lines_are_refused_with_file_line_and_field(case: str, ending: str, tmp_path: Path) -> None:
    content, message = CORRUPT[case]
    path = write(tmp_path / f"episodes.{ending}", content)
    with pytest.raises(EpisodeError) as caught:
        load_episodes(path)
    assert str(caught.value).startswith(str(path))
    assert message in str(caught.value)
    assert str(caught.value).isascii() or case == "not UTF-8"


def test_damaged_parquet_pages_are_refused_by_file(tmp_path: Path) -> None:
    path = tmp_path / "some.parquet"
    # The compressed pages lie before the footer, which stays whole.
    whole = write_parquet(pd.DataFrame([episode(question_id=f"q{n * 7919:x}") for n in range(500)]), path)
    content = bytearray(whole.read_bytes())
    content[200:1200] = bytes(1000)
    path.write_bytes(content)
    with pytest.raises(EpisodeError, match=r"some\.parquet: not a readable Parquet file"):
        load_episodes(path)


def test_parquet_without_a_row_is_no_source(tmp_path: Path) -> None:
    path = tmp_path / "none.parquet"
    pq.write_table(pa.Table.from_pylist(GOOD).slice(0, 0), path)
    with pytest.raises(NoEpisodesError, match=r"none\.parquet: the file holds no episode"):
        load_episodes(path)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(random_episodes())
def test_all_forms_give_the_same_episodes(tmp_path: Path, rows: Rows) -> None:
    written = write_parquet(pd.DataFrame(rows), tmp_path / "all.parquet")
    given_back = plain(load_parquet(written))
    assert plain(load_jsonl(write(tmp_path / "all.jsonl", lines(rows)))) == plain(
        load_jsonl(write(tmp_path / "all.jsonl.gz", lines(rows)))
    )
    required = [name for name in rows[0] if name != "failed"]
    assert [{name: row[name] for name in required} for row in given_back] == [
        {name: row[name] for name in required} for row in rows
    ]
    assert [row.get("failed") for row in given_back] == [row.get("failed") for row in rows]


def test_minimal_fields_are_enough_when_asked(tmp_path: Path) -> None:
    row = {"question_id": "q", "actions": ["search", "finish"], "judgments": ["USELESS"]}
    path = write(tmp_path / "mine.jsonl", lines([row]))
    assert load_jsonl(path, required=("question_id", "actions", "judgments")).shape == (1, 3)
    with pytest.raises(EpisodeError, match="line 1: field 'model' is missing"):
        load_jsonl(path)


def test_optional_fields_that_say_nothing_are_left_out(tmp_path: Path) -> None:
    rows = [episode(question_id="a", termination=None, budget=8), episode(question_id="b", termination=None)]
    frame = load_jsonl(write(tmp_path / "e.jsonl", lines(rows)))
    assert "termination" not in frame
    assert frame["budget"].isna().to_list() == [False, True]


def test_an_invalid_table_is_not_written_and_the_old_file_stays(tmp_path: Path) -> None:
    path = write_parquet(pd.DataFrame(GOOD), tmp_path / "cell.parquet")
    before = path.read_bytes()
    with pytest.raises(EpisodeError, match="field 'actions'"):
        write_parquet(pd.DataFrame([episode(actions=["jump"])]), path)
    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["cell.parquet"]


def test_embedded_cells_are_what_their_page_says() -> None:
    frame = load_episodes()
    sizes = frame.groupby(["model", "condition", "split", "regime"]).size()
    assert sizes.to_dict() == {
        ("qwen3-8b", condition, "test300", regime): 300
        for condition in ("enforced_rule", "unaided")
        for regime in FAIL
    }
    manifest = (data_dir() / "manifests" / "test300.txt").read_text(encoding="ascii").split()
    assert set(frame["question_id"]) == set(manifest)
    assert int(frame["termination"].isna().sum()) == 3  # as data/episodes/README.md says


def test_embedded_cells_with_a_changed_byte_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "episodes"
    folder.mkdir()
    write_parquet(pd.DataFrame(GOOD), folder / "cell.parquet")
    (folder / "SHA256SUMS").write_text(f"{sha256(folder / 'cell.parquet')}  cell.parquet\n")
    monkeypatch.setattr("judged_useless.sources.readers.data_dir", lambda: tmp_path)
    assert len(load_episodes()) == 3
    write_parquet(pd.DataFrame(GOOD[:2]), folder / "cell.parquet")
    with pytest.raises(EpisodeError, match=r"cell\.parquet: checksum differs from SHA256SUMS"):
        load_episodes()


def test_filters_keep_the_order_of_the_source_and_name_what_is_missing() -> None:
    chosen = load_episodes(condition=["unaided"], regimes=["late_onset_from_3", "persistent"])
    assert set(chosen["regime"]) == {"late_onset_from_3", "persistent"}
    assert chosen["regime"].to_list()[:2] == ["persistent", "late_onset_from_3"]
    assert chosen.index.to_list() == list(range(600))
    both = load_episodes(model=["qwen3-8b", "not run yet"], regimes="persistent")
    assert len(both) == 600
    with pytest.raises(EpisodeError, match=r"no episode with model 'qwen3-9b'; it has qwen3-8b$"):
        load_episodes(model="qwen3-9b")


def test_folders_and_lists_are_read_in_order_and_checked_together(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl.gz", lines([episode(question_id="from b")]))
    write(tmp_path / "a.jsonl", lines([episode(question_id="from a")]))
    write_parquet(pd.DataFrame([episode(question_id="from c")]), tmp_path / "c.parquet")
    (tmp_path / "notes.txt").write_text("not episodes")
    assert set(load_episodes(tmp_path)["question_id"]) == {"from a", "from b", "from c"}
    listed = load_episodes([tmp_path / "b.jsonl.gz", str(tmp_path / "a.jsonl")])
    assert listed["question_id"].to_list() == ["from b", "from a"]
    with pytest.raises(EpisodeError, match="a second episode with"):
        load_episodes([tmp_path / "a.jsonl", tmp_path / "a.jsonl"])


def test_an_episode_in_two_files_names_both(tmp_path: Path) -> None:
    def file(name: str, *seeds: int | None) -> str:
        rows = [episode() | ({} if seed is None else {"seed": seed}) for seed in seeds]
        return str(write(tmp_path / name, lines(rows)))

    one, two, three = file("1.jsonl", 1), file("2.jsonl", 2), file("3.jsonl", 2)
    for source in ([one, two, three], tmp_path):
        with pytest.raises(EpisodeError) as refused:
            load_episodes(source)
        message = str(refused.value)
        assert message.startswith(f"{three}: field 'question_id': a second episode with model=")
        assert f"seed=2, beside the one in {two}; expected one for each" in message
    # One without a seed could be any of them.
    with pytest.raises(EpisodeError, match=r"unknown.jsonl: .* beside the one in .*1.jsonl"):
        load_episodes([one, two, file("unknown.jsonl", None)])
    with pytest.raises(EpisodeError, match=rf"{one}: .* the one in {one}"):
        load_episodes([one, one])


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        ([], ValueError, "source is empty"),
        ("", ValueError, "source is empty"),
        (5, TypeError, "source is 5; expected 'embedded', 'hub', a file"),
        (b"x", TypeError, "source is b'x'; expected"),
        ("episodes.csv", EpisodeError, "expected a .parquet, .jsonl or .jsonl.gz file"),
        ("empty", EpisodeError, "the folder holds no .parquet, .jsonl or .jsonl.gz file"),
        ("none.jsonl", FileNotFoundError, r"none\.jsonl"),
    ],
)
def test_sources_that_are_none_are_named(
    source: Any, error: type[Exception], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("episodes.csv").write_text("model\n")
    Path("empty").mkdir()
    with pytest.raises(error, match=message):
        load_episodes(source)


def test_hub_before_fetching_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JUDGED_USELESS_CACHE", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="run `judged-useless fetch`"):
        load_episodes("hub")


@pytest.mark.parametrize("damage", [lambda content: b"", lambda content: content.replace(b"q0", b"q9", 1)])
def test_a_damaged_cache_is_refused_with_the_command_to_fetch_again(
    damage: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JUDGED_USELESS_CACHE", str(tmp_path))
    file = write_parquet(pd.DataFrame(GOOD), tmp_path / "episodes" / "released.parquet")
    assert len(load_episodes("hub", split="test300")) == 3
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(EpisodeError, match=r"released\.parquet: .*run `judged-useless fetch` .*again"):
        load_episodes("hub")


def test_runs_without_an_episode_are_passed_over_in_a_folder_and_refused_alone(tmp_path: Path) -> None:
    run, failed, locked = (tmp_path / "runs" / name for name in ("run", "failed", "locked"))
    cell: dict[str, Any] = {
        "model": "scripted:never",
        "task": "atlas",
        "n_questions": 2,
        "regimes": ["clean"],
    }
    asyncio.run(run_cell(**cell, out=run, progress=False))
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    for each in (failed, locked):
        each.mkdir()
        (each / "manifest.json").write_text(json.dumps(manifest | {"status": "incomplete"}), encoding="utf-8")
        (each / "run.lock").touch()
    (locked / "clean.jsonl").touch()
    with pytest.warns(UserWarning, match="no episode has ended yet: failed, locked"):
        assert len(load_episodes(tmp_path / "runs")) == 2
    with pytest.raises(RunError, match="the run is incomplete, with 2 of 2 episodes"):
        load_episodes(failed)
    (run / "clean.jsonl").unlink()
    with (
        pytest.warns(UserWarning, match="failed, locked"),
        pytest.raises(RunError, match="complete by its manifest"),
    ):
        load_episodes(tmp_path / "runs")
    shutil.rmtree(run)
    with pytest.raises(NoEpisodesError, match="in any of its runs: failed, locked"):
        load_episodes(tmp_path / "runs")
