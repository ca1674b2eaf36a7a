"""Whether and when agents answer, by hand."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.answering import (
    _median,
    answer_rate_after_run,
    median_answer_action,
    premature_rate,
    share_answered,
    share_at_last_action,
)
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.inference import wilson_interval


def test_shares_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "---"),
        episode("q2", "-" * 7),  # finish is the eighth action
        episode("q3", "-" * 8, last=""),
        episode("q4", "-" * 7),
    ]
    assert share_answered(rows, n_boot=50).value == 3 / 4
    assert share_at_last_action(rows, n_boot=50).value == 2 / 3
    assert median_answer_action(rows, n_boot=50).value == 8
    doubled = [row | {"budget": 16} for row in rows]
    assert share_at_last_action(doubled, n_boot=50)["count"] == 0


def test_premature_answers_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "--", regime="recover_after_3"),  # two failed results, then an answer
        episode("q2", "---", regime="recover_after_3"),
        episode("q3", "---+", regime="recover_after_3"),  # saw one real result
        episode("q4", "---", last="", regime="recover_after_3"),  # no answer
        episode("q5", "", regime="recover_after_3"),  # answers at once
        episode("q1", "-", regime="persistent"),
    ]
    found = premature_rate(rows, n_boot=50)
    assert (found["count"], found.n) == (3, 5)
    with pytest.raises(EpisodeError, match="unknown"):
        premature_rate([episode("q", "-", regime="unheard_of")], regime="unheard_of")


@given(st.lists(st.integers(1, 8), min_size=1, max_size=30))
def test_median_of_counts_is_the_median(values: list[int]) -> None:
    counts = np.bincount(values, minlength=9)[1:].astype(float)
    assert _median(counts) == np.median(values)


def test_answers_after_a_run_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "--", regime="persistent"),  # reaches 2 at a decision, answers
        episode("q2", "--", last="", regime="persistent"),  # reaches 2 with nothing to come
        episode("q3", "+--+", last="", regime="persistent"),  # reaches 2, goes on
        episode("q4", "-+-", regime="persistent"),  # never reaches 2
        episode("q1", "--", regime="recover_after_1"),
    ]
    found = answer_rate_after_run(rows, k=2)
    assert (found["answers"], found.n) == (1, 2)
    assert (found.low, found.high) == wilson_interval(1, 2)
    with pytest.raises(UndefinedEstimateError, match="no run of 5 useless results"):
        answer_rate_after_run(rows)
    with pytest.raises(ValueError, match="k is "):
        answer_rate_after_run(rows, k=0)


def test_answers_after_a_run_of_stated_judgments(episode: Any) -> None:
    rows = [episode("q", "++") | {"stated": ["USELESS", "USELESS"]}]
    assert answer_rate_after_run(rows, k=2, judgments="stated").value == 1.0


def test_wilson_by_its_formula() -> None:
    z, n, p = 1.959963984540054, 40, 35 / 40
    centre, half = (p + z**2 / (2 * n)), z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    expected = tuple((centre + sign * half) / (1 + z**2 / n) for sign in (-1, 1))
    assert wilson_interval(35, 40) == pytest.approx(expected)
    with pytest.raises(UndefinedEstimateError, match="no trial"):
        wilson_interval(0, 0)
    for count, level in ((-1, 0.95), (41, 0.95), (1, 0.0)):
        with pytest.raises(ValueError, match="expected a number"):
            wilson_interval(count, 40, level=level)
