"""Whole numbers stay whole, whatever stands beside them and however sources are joined."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from judged_useless import load_episodes, load_jsonl
from judged_useless.episodes.formats import load_parquet, write_parquet
from judged_useless.episodes.frames import as_frame
from made_up_episodes import episode

#: A seed of nanoseconds, beyond what a float holds; the next one is another seed.
SEED = 1764530000123456789


def jsonl(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_a_null_beside_large_seeds_changes_none_and_makes_no_episode_a_second_one(tmp_path: Path) -> None:
    rows = [episode(seed=SEED), episode(seed=SEED + 1), episode(question_id="q2", seed=None)]
    read = load_jsonl(jsonl(tmp_path / "own.jsonl", *rows))
    again = load_parquet(write_parquet(read, tmp_path / "own.parquet"))
    for frame in (read, again, as_frame(rows)):
        assert frame["seed"].dropna().tolist() == [SEED, SEED + 1]


@pytest.mark.parametrize("field", ["budget", "seed", "n_judgment_calls", "n_discarded"])
@pytest.mark.parametrize("backwards", [False, True])
def test_joined_sources_keep_them(field: str, backwards: bool, tmp_path: Path) -> None:
    one = jsonl(tmp_path / "1.jsonl", episode() | {field: SEED}, episode(question_id="q3") | {field: 9})
    two = write_parquet(pd.DataFrame([episode(question_id="q2")]), tmp_path / "2.parquet")
    both = load_episodes([two, one] if backwards else [one, two])
    assert both.set_index("question_id")[field].dropna().to_dict() == {"q1": SEED, "q3": 9}


def test_all_64_bits_are_kept_and_no_more(tmp_path: Path) -> None:
    kept = write_parquet(pd.DataFrame([episode(seed=2**63 - 1)]), tmp_path / "cell.parquet")
    assert load_parquet(kept)["seed"].to_list() == [2**63 - 1]
    with pytest.raises(ValueError, match="field 'seed': expected a whole number of 64 bits"):
        write_parquet(pd.DataFrame([episode(seed=2**63)]), tmp_path / "more.parquet")
    assert [each.name for each in tmp_path.iterdir()] == ["cell.parquet"]
