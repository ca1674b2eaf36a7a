"""The small tables of pages, recounted by hand."""

import pandas as pd
import pytest
from judged_useless import FAIL, load_episodes
from judged_useless.episodes.decisions import contrasted_decisions, how_episodes_end
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.contrast import time_matched_contrast
from made_up_episodes import episode


def test_how_episodes_end_by_hand() -> None:
    rows = [
        episode("--", question_id="a"),  # answers at its third action, two tool calls
        episode("----", question_id="b"),  # at its fifth, four
        episode("--------", answered=False, question_id="c"),  # never, eight
        episode("", answered=False, question_id="a", regime="clean"),  # no readable action at all
    ]
    assert how_episodes_end(rows).to_dict("records")[0] == {
        "regime": "persistent", "episodes": 3, "share answered": 0.667, "median answering action": 4.0,
        "tool calls": 4.67,
    }  # fmt: skip
    clean = how_episodes_end(rows).iloc[1]
    assert (clean["regime"], clean["share answered"], clean["tool calls"]) == ("clean", 0.0, 0.0)
    assert pd.isna(clean["median answering action"])


def test_episodes_without_a_regime_are_refused() -> None:
    row = {"question_id": "q", "actions": ["finish"], "judgments": []}
    with pytest.raises(EpisodeError, match="field 'regime' is missing"):
        how_episodes_end([row])


def test_contrasted_decisions_by_hand() -> None:
    rows = [
        episode("----", question_id="a"),  # (a) at t = 3, and at t = 4, where it answers
        episode("+--", question_id="b"),  # run 2 at t = 3: neither, as 2 > t - 2
        episode("++-", question_id="c"),  # (b) at t = 3, answers there
        episode("+---", question_id="d", answered=False),  # no decision after the last result
    ]
    table = contrasted_decisions(rows, t_max=4)
    assert table.to_dict("list") == {
        "t": [3, 4], "decisions (a)": [1, 1], "answers (a)": [0, 1], "decisions (b)": [1, 0],
        "answers (b)": [1, 0],
    }  # fmt: skip


@pytest.mark.parametrize("condition", ["unaided", "enforced_rule"])
def test_contrasted_decisions_are_those_of_the_contrast(condition: str) -> None:
    episodes = load_episodes(condition=condition, regimes=FAIL)
    totals = contrasted_decisions(episodes).sum()
    parts = time_matched_contrast(episodes, n_boot=10).parts
    for side in "ab":
        assert totals[f"decisions ({side})"] == parts[f"n_{side}"]
        assert totals[f"answers ({side})"] == parts[f"answers_{side}"]
