"""Success, calls and utility, by hand."""

from typing import Any

import pandas as pd
import pytest
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.success import (
    MEAN3,
    MEAN4,
    extra_calls,
    mean_success,
    success_by_regime,
    success_matrix,
    tool_calls,
    utility,
)


@pytest.fixture
def rows(episode: Any) -> list[dict[str, Any]]:
    return [
        episode("q1", "---", regime="persistent", success=True),
        episode("q2", "--", regime="persistent", success=False),
        episode("q1", "+", regime="clean", success=True),
        episode("q2", "+?", regime="clean", success=True),
    ]


def test_means_by_hand(rows: list[dict[str, Any]]) -> None:
    assert success_by_regime(rows, n_boot=50)["value"].to_dict() == {"persistent": 0.5, "clean": 1.0}
    assert mean_success(rows, regimes=("clean", "persistent"), n_boot=50).value == 0.75
    assert set(MEAN3) < set(MEAN4)
    with pytest.raises(ValueError, match="at least one regime"):
        mean_success(rows, regimes=())


def test_a_missing_episode_is_left_out_of_its_regime_only(rows: list[dict[str, Any]]) -> None:
    assert mean_success(rows[:3], regimes=("clean", "persistent"), n_boot=50).value == (0.5 + 1.0) / 2
    assert success_matrix(rows[:3]).isna().to_numpy().sum() == 1


def test_success_needs_no_actions() -> None:
    bare = pd.DataFrame({"question_id": ["q1", "q2"], "regime": "clean", "success": [True, False]})
    assert mean_success(bare, regimes=("clean",), n_boot=50).value == 0.5
    assert mean_success(bare.to_dict("records"), regimes=("clean",), n_boot=50).value == 0.5  # type: ignore[arg-type]
    with pytest.raises(EpisodeError, match="'success' is missing"):
        mean_success(bare.drop(columns="success"))
    with pytest.raises(EpisodeError, match=r"'success'.*expected true or false"):
        mean_success(bare.assign(success=["yes", "no"]))


def test_calls_by_hand(rows: list[dict[str, Any]]) -> None:
    rows[0]["actions"] = ["search", "invalid", "backup_search", "finish"]
    assert tool_calls(rows, n_boot=50).value == ((2 + 2) / 2 + (1 + 2) / 2) / 2
    asked = [row | {"condition": "enforced_rule"} for row in rows]
    assert extra_calls(asked, n_boot=50).value == ((3 + 2) / 2 + (1 + 2) / 2) / 2
    # One that decides weighs after each judgment.
    decides = [row | {"condition": "decide"} for row in rows]
    assert extra_calls(decides, n_boot=50).value == 2 * ((3 + 2) / 2 + (1 + 2) / 2) / 2
    for unknown in (rows, [row | {"condition": "of our own"} for row in rows]):
        with pytest.raises(EpisodeError, match=r"'n_judgment_calls' is missing; .*asked for .* or replayed"):
            extra_calls(unknown)
        assert extra_calls([row | {"n_judgment_calls": 3} for row in unknown], n_boot=50).value == 3


def test_utility_by_hand(rows: list[dict[str, Any]]) -> None:
    both = ("clean", "persistent")
    assert utility(rows, regimes=both, n_boot=50).value == pytest.approx(0.75 - 0.05 * 2)
    assert utility(rows, price=0.0, regimes=both, n_boot=50).value == 0.75
    ruled = [row | {"condition": "enforced_rule"} for row in rows]
    charged = utility(ruled, price=0.1, charge_judgments=True, regimes=both, n_boot=50)
    assert charged.value == pytest.approx(0.75 - 0.1 * 2 * 2)
    with pytest.raises(ValueError, match="price"):
        utility(rows, price=-1.0, regimes=both)
    with pytest.raises(UndefinedEstimateError, match="recover_after_1"):
        utility(rows)


def test_replayed_judgments_cost_nothing(rows: list[dict[str, Any]]) -> None:
    unaided = [row | {"condition": "unaided"} for row in rows]
    assert extra_calls(unaided, n_boot=50).value == 0
    assert extra_calls([row | {"condition": "combo"} for row in rows], n_boot=50).value == 2


def test_recorded_calls_are_charged_as_recorded(rows: list[dict[str, Any]]) -> None:
    stated = [row | {"condition": "stated_judgment_rule"} for row in rows]
    with pytest.raises(EpisodeError, match="n_discarded"):
        extra_calls(stated)
    assert extra_calls([row | {"n_discarded": 1} for row in stated], n_boot=50).value == 1
    logged = [row | {"condition": "enforced_rule", "n_judgment_calls": 7, "n_discarded": 1} for row in rows]
    assert extra_calls(logged, n_boot=50).value == 8
