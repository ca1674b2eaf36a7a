"""What an estimate says of its episodes: their budget, what is left out, judgments that were not read."""

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from judged_useless import FAIL, load_episodes
from judged_useless.estimators import (
    design_label_contrast,
    hazard_by_failed_run,
    hazard_model,
    integration_index,
    median_answer_action,
    paired_contrast,
    premature_rate,
    share_answered,
    share_at_last_action,
    time_matched_contrast,
    useless_rate,
)
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

RULE = "enforced_rule"


def long_log(episode: Any, n: int = 30) -> list[dict[str, Any]]:
    """Return episodes of up to 30 actions without a budget: they answer after many useless results only."""
    rows = []
    for number in range(n):
        useless = "-" * (10 + number % 20)
        rows.append(episode(f"q{number}", useless, regime="persistent"))
        rows.append(episode(f"q{number}", "++" + useless[2:], regime="recover_after_1", answered=False))
    return rows


def test_a_budget_that_the_data_contradict_is_taken_from_them_and_said(episode: Any) -> None:
    rows = long_log(episode)
    found = time_matched_contrast(rows, n_boot=100)
    told = time_matched_contrast([row | {"budget": 30} for row in rows], n_boot=100)
    assert found.n == told.n > 100  # not the tidy few of steps 3 to 6
    assert (found.value, found.low, found.high) == (told.value, told.low, told.high)
    assert found.note == "no budget is stated, so it is taken to be the 30 actions of the longest episode"
    assert told.note == ""
    assert found.note in str(found)
    assert found.note in found._repr_html_()
    assert time_matched_contrast(rows, t_max=6, n_boot=50).note == ""  # said by the reader
    for measure in (integration_index, design_label_contrast):
        table = [
            row | {"regime": "late_onset_from_3"} if row["judgments"][0] == "USEFUL" else row for row in rows
        ]
        assert "30 actions" in measure(table, n_boot=50).note
    assert set(hazard_by_failed_run(rows, n_boot=50)["note"]) == {found.note}


def test_who_answered_at_the_last_action_of_an_unknown_budget_is_not_known(episode: Any) -> None:
    with pytest.raises(UndefinedEstimateError, match="no budget is stated"):
        share_at_last_action(long_log(episode))
    stated = [row | {"budget": 31} for row in long_log(episode)]
    assert share_at_last_action(stated, n_boot=50).value == 0


@pytest.mark.parametrize("judged", [True, False])
@pytest.mark.parametrize("measure", [time_matched_contrast, integration_index, hazard_model])
def test_what_does_not_fail_is_left_out_whether_it_was_judged_or_not(
    judged: bool, measure: Callable[..., Any]
) -> None:
    """The rule's Δ over the failure regimes; cells that judge as they go have judgments elsewhere too."""
    failing = load_episodes(condition=RULE, regimes=FAIL)
    others = [
        failing[failing["regime"] == "recover_after_1"].assign(regime=name) for name in ("clean", "plausible")
    ]
    if not judged:
        others = [each.assign(judgments=each["judgments"].map(lambda _: [])) for each in others]
    found = measure(pd.concat([*others, failing], ignore_index=True), n_boot=50)
    expected = measure(failing, n_boot=50)
    note = "600 episodes of clean, plausible are left out: the source does not fail there"
    if isinstance(found, Estimate):
        assert (found.value, found.low, found.n) == (expected.value, expected.low, expected.n)
        assert note in found.note
    else:
        assert found["value"].tolist() == expected["value"].tolist()
        assert found["note"].str.contains(note).all()


def test_a_measure_of_those_regimes_alone_is_one_of_them() -> None:
    clean = load_episodes(condition=RULE, regimes="recover_after_1").assign(regime="clean")
    assert time_matched_contrast(clean, n_boot=50).note.count("left out") == 0


def test_unread_judgments_are_counted_beside_the_contrast(episode: Any) -> None:
    rows = [
        episode("a", "---?", regime="persistent"),
        episode("b", "-?--", regime="persistent"),
        episode("c", "----", regime="persistent"),
    ]
    found = time_matched_contrast(rows, n_boot=50)
    assert (found["n_judged"], found["n_unparsed"]) == (12, 2)
    assert "2 of 12 judgments could not be read" in repr(found)
    read = time_matched_contrast([*rows[2:], episode("d", "++--", regime="persistent")], n_boot=50)
    assert read["n_unparsed"] == 0
    assert "could not be read" not in repr(read)


SHARES = [share_answered, share_at_last_action, premature_rate, median_answer_action, useless_rate]


@pytest.mark.parametrize(
    "measure",
    [
        time_matched_contrast,
        design_label_contrast,
        integration_index,
        hazard_by_failed_run,
        hazard_model,
        *SHARES,
    ],
)
@pytest.mark.parametrize("label", ["condition", "task"])
def test_pooling_cells_is_said(measure: Callable[..., Any], label: str) -> None:
    one = load_episodes(condition=RULE)
    other = one.assign(**{label: "another"}, split="fresh300")
    with pytest.warns(UserWarning, match=rf"pools 2 cells .*{label}") as caught:
        measure(pd.concat([one, other], ignore_index=True), n_boot=50)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measure(one, n_boot=50)


@pytest.mark.parametrize("label", ["model", "split", "task"])
def test_pairing_cells_that_differ_in_more_than_their_condition_is_said(label: str) -> None:
    rule, alone = (load_episodes(condition=name).assign(task="hotpotqa") for name in (RULE, "unaided"))
    other = alone.assign(**{label: "another"})
    with pytest.warns(UserWarning, match=f"differ in {label}: .* and another"):
        found = paired_contrast(rule, other, regimes=FAIL, n_boot=50)
    assert found.value == paired_contrast(rule, alone, regimes=FAIL, n_boot=50).value


def test_an_answer_is_premature_only_where_the_source_would_have_recovered() -> None:
    episodes = load_episodes(condition=RULE)
    for regime in ("persistent", "late_onset_from_3"):
        with pytest.raises(UndefinedEstimateError, match="does not fail at first and recover"):
            premature_rate(episodes, regime=regime)
    for regime in ("recover_after_1", "recover_after_3"):
        assert premature_rate(episodes, regime=regime, n_boot=50).n == 300
