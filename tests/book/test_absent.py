"""What stands for a result that episodes do not give."""

import math

import pytest
from judged_useless import load_episodes, time_matched_contrast
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.judgments import useless_rate
from judged_useless.estimators.success import success_by_regime
from paper_book.absent import attempt, attempt_by_regime
from paper_book.claims import above_zero, at_least, at_most, below_zero, every
from paper_book.wanted import no_episodes


def test_an_estimate_comes_through_unchanged() -> None:
    episodes = load_episodes(condition="unaided")
    assert attempt(time_matched_contrast, episodes, n_boot=50) == time_matched_contrast(episodes, n_boot=50)


def test_no_episodes_and_an_undefined_measure_both_become_absent() -> None:
    assert attempt(time_matched_contrast, no_episodes()) == Estimate.undefined("there are no episodes")
    silent = load_episodes(condition="unaided", regimes="persistent")
    silent = silent.assign(judgments=silent["judgments"].map(lambda words: [None] * len(words)))
    absent = attempt(time_matched_contrast, silent)
    assert not absent.defined
    assert "undefined" in absent.reason


def test_malformed_episodes_are_no_absence() -> None:
    broken = load_episodes(condition="unaided")
    broken["actions"] = broken["actions"].map(lambda _: ["fly"])
    with pytest.raises(EpisodeError):
        attempt(time_matched_contrast, broken)


def test_absent_reads_as_missing() -> None:
    absent = Estimate.undefined("<no cell>")
    assert math.isnan(absent.value)
    assert absent["answers"] is absent.value
    assert absent.text(3) == "not available"
    assert absent.excludes_zero() is None
    assert "&lt;no cell&gt;" in absent._repr_html_()
    assert (at_least(absent.value, 0), at_most(absent.value, 0)) == (None, None)
    assert (above_zero(absent), below_zero(absent)) == (None, None)


def test_regimes_that_are_not_there_have_rows_without_a_value() -> None:
    episodes = load_episodes(condition="unaided", regimes=["persistent", "recover_after_1"])
    table = attempt_by_regime(success_by_regime, episodes, n_boot=20)
    assert table.index.to_list() == list(FAIL)
    assert table["value"].notna().to_list() == [True, True, False, False, False]
    assert table.loc["persistent", "value"] == pytest.approx(2 / 300)
    nothing = attempt_by_regime(useless_rate, no_episodes(), failed=True)
    assert nothing.index.to_list() == list(FAIL)
    assert nothing["value"].isna().all()
    assert set(nothing["reason"]) == {"there are no episodes"}


@pytest.mark.parametrize(
    ("verdicts", "together"),
    [([True, True], True), ([True, False, None], False), ([True, None], None), ([], None)],
)
def test_parts_of_a_claim(verdicts: list[bool | None], together: bool | None) -> None:
    assert every(verdicts) is together


def test_bounds_of_a_claim() -> None:
    estimate = time_matched_contrast(load_episodes(condition="enforced_rule"), n_boot=50)
    assert above_zero(estimate) is True
    assert below_zero(estimate) is False
    assert at_least(0.97, 0.97) is True
    assert at_most(None, 1.0) is None
