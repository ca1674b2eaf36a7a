"""Δ and its forms against a recomputation by hand, in plain Python."""

from collections import defaultdict
from collections.abc import Callable, Hashable
from typing import Any

import pytest
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.estimate import UndefinedEstimateError

Key = Callable[[dict[str, Any], int], Hashable]


def by_hand(rows: list[dict[str, Any]], key: Key, last: int = 6) -> float:
    """Δ straight from its definition: a loop over decisions, a dictionary of strata."""
    counts: dict[Hashable, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in rows:
        for t in range(3, min(len(row["actions"]) - 1, last) + 1):
            run = 0
            while run < t and row["judgments"][t - 1 - run] == "USELESS":
                run += 1
            side = 0 if run == t else 2 if 1 <= run <= t - 2 else None
            if side is not None:
                stratum = counts[key(row, t)]
                stratum[side] += 1
                stratum[side + 1] += row["actions"][t] == "finish"
    total = weights = 0.0
    for n_a, x_a, n_b, x_b in counts.values():
        if n_a and n_b:
            weight = n_a * n_b / (n_a + n_b)
            total += weight * (x_a / n_a - x_b / n_b)
            weights += weight
    return total / weights


KEYS: dict[str, Key] = {
    "step": lambda row, t: t,
    "question": lambda row, t: (row["question_id"], t),
    "regime": lambda row, t: (row["regime"], t),
}


@pytest.mark.parametrize("strata", KEYS)
@pytest.mark.parametrize("seed", range(4))
def test_every_form_equals_its_definition(random_cell: Any, strata: Any, seed: int) -> None:
    cell = random_cell(seed)
    expected = by_hand(cell.to_dict("records"), KEYS[strata])
    assert time_matched_contrast(cell, strata=strata, n_boot=50).value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("strata", KEYS)
def test_resamples_equal_the_definition_on_copied_questions(random_cell: Any, strata: Any) -> None:
    """A question drawn twice is two questions: the interval's ends are values of such copied samples."""
    from random import Random

    cell = random_cell(1, 6)
    by_question = [list(part.to_dict("records")) for _, part in cell.groupby("question_id", sort=False)]
    rng, values = Random(0), []
    for _ in range(40):
        drawn = [by_question[rng.randrange(6)] for _ in range(6)]
        rows = [row | {"question_id": i} for i, rows in enumerate(drawn) for row in rows]
        values.append(by_hand(rows, KEYS[strata]))
    found = time_matched_contrast(cell, strata=strata, n_boot=40)
    ordered = sorted(values)
    assert (found.low, found.high) == pytest.approx((ordered[1], ordered[38]), abs=1e-12)


def test_one_stratum_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "---"),  # t = 3, run 3: answers
        episode("q2", "----", last=""),  # t = 3, run 3: goes on
        episode("q3", "-+-"),  # t = 3, run 1: answers
        episode("q4", "+--" + "-", last=""),  # t = 3, run 2 = t - 1: in neither group
        episode("q5", "-?-" + "-", last=""),  # t = 3, run 1 (unparsed ends it): goes on
    ]
    found = time_matched_contrast(rows, n_boot=20, t_max=3)
    assert found.value == 0.5 - 0.5
    assert (found["n_a"], found["answers_a"], found["n_b"], found["answers_b"]) == (2, 1, 2, 1)


def test_missing_judgment_hides_the_run_until_it_is_known_again(episode: Any) -> None:
    rows = [episode("q1", "---"), episode("q2", "-+-"), episode("q3", "0--"), episode("q4", "0+-")]
    found = time_matched_contrast(rows, n_boot=20)
    # q3's run is unknown at t = 3; q4's is known again after the useful result.
    assert (found["n_a"], found["n_b"]) == (1, 2)


def test_stated_judgments_are_read_in_place_of_the_recorded(episode: Any) -> None:
    rows = [
        episode(f"q{i}", "+++") | {"stated": episode("", word)["judgments"]}
        for i, word in enumerate(("---", "-+-"))
    ]
    assert time_matched_contrast(rows, judgments="stated", n_boot=20)["n_a"] == 1
    with pytest.raises(UndefinedEstimateError, match="group"):
        time_matched_contrast(rows, n_boot=20)
    rows[0]["stated"] = ["OFF_TOPIC"]
    with pytest.raises(EpisodeError, match=r"field 'stated'.*OFF_TOPIC"):
        time_matched_contrast(rows, judgments="stated")
    with pytest.raises(ValueError, match="'recorded' or 'stated'"):
        time_matched_contrast(rows, judgments="spoken")  # type: ignore[arg-type]


def test_design_label_contrast_by_hand(episode: Any) -> None:
    rows = [
        episode("q1", "---", regime="persistent"),
        episode("q2", "----", last="", regime="persistent"),
        episode("q1", "++--", last="", regime="late_onset_from_3"),
        episode("q3", "---", regime="recover_after_1"),
    ]
    found = design_label_contrast(rows, n_boot=20)
    assert found.value == 0.5
    assert found.n == 3
    with pytest.raises(UndefinedEstimateError, match="late_onset_from_3"):
        design_label_contrast(rows[:2])


def test_no_stratum_with_both_sides_is_refused_by_name(episode: Any) -> None:
    apart = [episode("q1", "---"), episode("q2", "+-+-", last="")]
    with pytest.raises(UndefinedEstimateError, match="no decision in group"):
        time_matched_contrast(apart)
    with pytest.raises(UndefinedEstimateError, match="no stratum holds decisions of both groups"):
        time_matched_contrast([episode("q1", "---"), episode("q2", "-+-")], strata="question")
