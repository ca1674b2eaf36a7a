"""All released cells at full precision, and ours held against them."""

import numpy as np
import pandas as pd
import pytest
from judged_useless import load_episodes
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.sources.released import TOLERANCE, compare_cells, released_cells, summary
from made_up_episodes import made_up_cell


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return compare_cells(pd.concat([load_episodes(), made_up_cell("test300")], ignore_index=True))


def test_there_are_the_papers_43_cells() -> None:
    """Source: the data card: eight conditions on test300 (decide for three models), three on fresh300."""
    cells = released_cells()
    assert cells.groupby("split").size().to_dict() == {"fresh300": 12, "test300": 31}
    assert not cells.duplicated(["split", "model", "condition"]).any()
    assert (cells["ci_low"] <= cells["delta"]).all()
    assert (cells["delta"] <= cells["ci_high"]).all()


def test_embedded_cells_equal_the_released_ones(cells: pd.DataFrame) -> None:
    real = cells[cells["model"] == "qwen3-8b"]
    assert real["condition"].to_list() == ["enforced_rule", "unaided"]
    assert (real["difference"] <= TOLERANCE).all()
    assert real["equal"].to_list() == [True, True]
    assert real["missing"].to_list() == ["mean6", "mean6"]


def test_a_cell_of_our_own_is_measured_and_not_compared(cells: pd.DataFrame) -> None:
    own = cells[cells["model"] != "qwen3-8b"].iloc[0]
    episodes = made_up_cell("test300")
    fail = episodes[episodes["regime"] != "clean"]
    assert own["delta"] == time_matched_contrast(fail).value
    assert own["mean6"] == pytest.approx(episodes.groupby("regime")["success"].mean().mean(), abs=1e-15)
    assert pd.isna(own["equal"])
    assert np.isnan(own["difference"])
    assert own["missing"] == ""


def test_an_undefined_contrast_stays_missing() -> None:
    quiet = made_up_cell("test300").assign(judgments=None)
    row = compare_cells(quiet).iloc[0]
    assert np.isnan(row["delta"])
    assert row["missing"] == "delta, ci_low, ci_high"


def test_a_difference_in_the_last_digits_is_called_different(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = released_cells()
    changed["delta"] += 1e-9
    monkeypatch.setattr("judged_useless.sources.released.released_cells", lambda: changed)
    assert compare_cells(load_episodes(condition="unaided"))["equal"].to_list() == [False]


def test_summary_counts(cells: pd.DataFrame) -> None:
    assert summary(cells) == (
        "2 of 2 recomputed cells equal the paper's; the paper has 43 cells; "
        "2 could be recomputed only in part."
    )
    assert summary(cells[cells["missing"] == ""]) == (
        "0 of 0 recomputed cells equal the paper's; the paper has 43 cells."
    )
