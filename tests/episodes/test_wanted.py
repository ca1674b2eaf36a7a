"""Episodes for a page: what is missing is said, what is broken raises."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from judged_useless.episodes import (
    EpisodeError,
    episodes_or_nothing,
    judged_by_position,
    load_episodes,
    no_episodes,
    validate,
)


def test_episodes_that_are_there() -> None:
    episodes, missing = episodes_or_nothing(condition="unaided", regimes="persistent")
    assert (len(episodes), missing) == (300, "")


def test_a_source_without_the_wanted_cell_says_what_it_has() -> None:
    episodes, missing = episodes_or_nothing(model="llama3.1-8b", split="test300")
    assert episodes.empty
    assert missing == "source 'embedded' has no episode with model 'llama3.1-8b'; it has qwen3-8b"


def test_an_empty_folder_and_an_empty_file_are_nothing(tmp_path: Path) -> None:
    assert "holds no" in episodes_or_nothing(tmp_path)[1]
    (tmp_path / "none.jsonl").write_text("")
    episodes, missing = episodes_or_nothing(tmp_path / "none.jsonl")
    assert episodes.empty
    assert "holds no episode" in missing


def test_what_is_missing_or_damaged_on_disk_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no-such-run"):
        episodes_or_nothing(tmp_path / "no-such-run")
    (tmp_path / "torn.jsonl").write_text('{"model": "m"')
    with pytest.raises(EpisodeError, match="line 1"):
        episodes_or_nothing(tmp_path / "torn.jsonl")


def test_no_episodes_have_the_columns_and_types_of_the_released_ones() -> None:
    nothing = no_episodes()
    released = load_episodes()
    assert set(nothing) <= set(released)
    assert validate(nothing) is nothing
    for name in nothing:
        assert pd.concat([nothing, released])[name].dtype == released[name].dtype


def test_judgments_by_position_are_counted_by_hand() -> None:
    shared: dict[str, Any] = {"question_id": "q", "regime": "recover_after_1", "actions": ["search"] * 3}
    rows = [
        shared | {"judgments": ["USELESS", "USEFUL", None]},
        shared | {"question_id": "r", "judgments": ["USELESS", "USELESS", "UNPARSED"]},
    ]
    table = judged_by_position(rows)
    assert table.to_numpy().tolist() == [[False, 2, 0.5, 2], [False, 3, 0.0, 1], [True, 1, 1.0, 2]]
