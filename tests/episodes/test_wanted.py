"""Episodes for a page: what is missing is said, what is broken raises."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from judged_useless.episodes.decisions import judged_by_position
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.sources.readers import load_episodes
from made_up_episodes import episode
from paper_book.tables.shown import notice
from paper_book.wanted import episodes_or_nothing, no_episodes


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


def test_of_several_budgets_a_page_on_named_regimes_takes_the_papers_and_says_so(tmp_path: Path) -> None:
    def cell(condition: str, budget: int | None) -> list[dict[str, Any]]:
        return [
            episode("--", answered=answered, condition=condition, regime=regime, question_id=f"q{answered}")
            | ({} if budget is None else {"budget": budget})
            for regime in ("persistent", "clean")
            for answered in (True, False)
        ]

    rows = [*cell("unaided", 16), *cell("unaided", None), *cell("budget", 16)]
    own = tmp_path / "own.jsonl"
    own.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(EpisodeError, match="mixes"):
        time_matched_contrast(load_episodes(own, condition="unaided", regimes="persistent"))
    found, missing = episodes_or_nothing(own, regimes="persistent")
    # The cell with one budget alone keeps it.
    assert found.fillna({"budget": 8}).groupby("condition")["budget"].unique().map(list).to_dict() == {
        "budget": [16],
        "unaided": [8],
    }
    assert missing == ""
    text = notice(found[found["condition"] == "unaided"], "own").text
    assert text.endswith("this page takes the one of 8 actions: 2 episodes with 16 are left out.")
    assert "left out" not in notice(load_episodes(), "embedded").text
    other, _ = episodes_or_nothing(own, condition="unaided", regimes="persistent", budget=16)
    assert other["budget"].tolist() == [16, 16]
    # Measures of published tables tell budgets apart, and some compare them.
    assert len(episodes_or_nothing(own)[0]) == len(rows)
    assert len(episodes_or_nothing(own, regimes="persistent", budget=None)[0]) == len(rows) / 2


def test_judgments_by_position_are_counted_by_hand() -> None:
    shared: dict[str, Any] = {"question_id": "q", "regime": "recover_after_1", "actions": ["search"] * 3}
    rows = [
        shared | {"judgments": ["USELESS", "USEFUL", None]},
        shared | {"question_id": "r", "judgments": ["USELESS", "USELESS", "UNPARSED"]},
    ]
    table = judged_by_position(rows)
    assert table.to_numpy().tolist() == [[False, 2, 0.5, 2], [False, 3, 0.0, 1], [True, 1, 1.0, 2]]
