"""Two sources, shares of judgments and the kinds of pages they judge, by hand."""

from typing import Any

import numpy as np
import pytest
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.contrast import leave_contrast, switch_summary
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.judgments import specificity, useless_rate


def test_leave_contrast_by_hand(episode: Any) -> None:
    switched = episode("q3", "-+--", last="")
    switched["actions"][3] = "backup_search"  # leaves at t = 3, run 1; t = 4 is no longer at the primary
    gone = episode("q4", "----", last="")
    gone["actions"][1] = "backup_search"  # left at t = 1: its later decisions do not count
    rows = [
        episode("q1", "---", last="backup_search"),
        episode("q2", "---", last="search"),
        switched,
        gone,
        episode("q5", "-+-"),
        episode("q6", "-+-", last="lookup"),
    ]
    found = leave_contrast(rows, n_boot=50)
    assert (found["n_a"], found["answers_a"], found["n_b"], found["answers_b"]) == (2, 1, 3, 2)
    assert found.value == pytest.approx(1 / 2 - 2 / 3)


def test_without_a_backup_there_is_nothing_to_leave_for(episode: Any) -> None:
    with pytest.raises(UndefinedEstimateError, match="no episode uses backup_search"):
        leave_contrast([episode("q1", "---"), episode("q2", "-+-")])


def test_switch_summary_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "---", last="backup_search"),  # action 4
        episode("q2", "----", last="backup_search"),  # action 5
        episode("q3", "---"),
        episode("q4", "--------", last=""),
    ]
    found = switch_summary(rows)
    assert found.to_numpy().tolist() == [0.25, 0.5, 4.5, 0.25, 4]
    assert np.isnan(switch_summary(rows[2:])["median_first"])
    with pytest.raises(ValueError, match="by is "):
        switch_summary(rows, by=0)


def test_useless_rate_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "--+?", regime="recover_after_2"),
        episode("q2", "-0+", regime="recover_after_2"),
        episode("q1", "++", regime="persistent"),
    ]
    assert useless_rate(rows, n_boot=20)["value"].to_dict() == {"recover_after_2": 3 / 6, "persistent": 0.0}
    assert useless_rate(rows, failed=True, n_boot=20)["value"].tolist() == [1.0, 0.0]
    real = useless_rate(rows, failed=False, n_boot=20)
    assert real["value"].to_dict() == {"recover_after_2": 0.0}
    assert real["n"].tolist() == [3]
    with pytest.raises(UndefinedEstimateError, match="no real result has a judgment"):
        useless_rate(rows[2:], failed=False)


def test_specificity_by_hand(episode: Any) -> None:
    shown = {"regime": "clean", "gold_titles": ["Gold", "Other gold"]}
    rows = [
        episode("q1", "+-+-", **shown, pages=["Gold", "Gold", "Aside", None]),
        episode("q2", "?+", **shown, pages=["Gold", "Gold"]),
        episode("q3", "+", **shown, pages=["Aside", "Aside"], last="search"),
    ]
    found = specificity(rows, n_boot=20)
    assert found.index.to_list()[:2] == [("gold", "first"), ("gold", "repeat")]
    assert found["value"].tolist() == pytest.approx([0.5, 0.5, 1.0, np.nan], nan_ok=True)
    assert found["reason"].iloc[3] == "no repeat distractor page has a judgment"
    with pytest.raises(EpisodeError, match="row 1: field 'pages': expected one entry"):
        specificity([rows[0] | {"pages": ["Gold"]}])
    with pytest.raises(EpisodeError, match="'pages' is missing"):
        specificity([episode("q", "+", regime="clean")])
    with pytest.raises(UndefinedEstimateError, match="no real page has a judgment"):
        specificity([episode("q", "+", **shown, pages=[None])])
