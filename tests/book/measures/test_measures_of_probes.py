"""Measures on what probes add to the episodes, on cells small enough to count."""

from typing import Any

import pandas as pd
import pytest
from judged_useless.environment.regimes import MEAN4, MEAN6
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.stopping.offline_policies import policy_regret, policy_values
from made_up_episodes import episode, judgments
from measured import estimate, lacking, value
from paper_book.measures.cell_index import CellKey, Need, describe
from paper_book.measures.registry import registry

# --- answering now --------------------------------------------------------------------------------


def _branch(letters: str) -> list[bool | None]:
    return [{"1": True, "0": False, ".": None}[letter] for letter in letters]


@pytest.fixture
def replayed() -> pd.DataFrame:
    """Three questions in the four regimes of Table 17, with an answer-now branch at every decision."""
    courses = {
        "q1": ("--------", False, "0000110.", False),
        "q2": ("+--", True, "001", True),
        "q3": ("-----", True, "01111", False),
    }
    rows = [
        episode(letters, answered=answered, question_id=question, regime=regime, success=success)
        | {"answer_now": _branch(now), "answer_now_repaired": _branch(now.replace("00", "01"))}
        for question, (letters, answered, now, success) in courses.items()
        for regime in MEAN4
    ]
    return pd.DataFrame(rows)


def test_success_of_branches_by_hand(replayed: pd.DataFrame) -> None:
    assert value("answer_now_success", replayed) == pytest.approx(7 / 15)
    # "0000110." becomes "0101110.", "001" becomes "011".
    assert value("answer_now_success_repaired", replayed) == pytest.approx(10 / 15)


def test_continuing_or_answering_by_hand(replayed: pd.DataFrame) -> None:
    # The fifth in a row comes on q1 and q3: the branch is right on both, the run on neither; four regimes.
    assert value("answer_now_success", replayed, regime="mean4") == 1.0
    assert value("continue_success", replayed, regime="mean4") == 0.0
    assert value("n_answering_better", replayed, regime="mean4") == 8
    assert value("n_continuing_better", replayed, regime="mean4") == 0
    found = estimate("answering_minus_continuing", replayed, regime="mean4")
    assert (found.value, found.n) == (1.0, 8)


def test_the_offline_rule_by_hand(replayed: pd.DataFrame) -> None:
    assert value("success_of_own_5", replayed, regime="mean4") == 1.0


def test_regret_is_the_estimators(replayed: pd.DataFrame) -> None:
    price = 0.05
    arm = replayed.assign(condition="permit", success=[True, False] * 6)
    direct = policy_regret(arm, replayed, price=price, n_boot=20)
    assert value("regret", arm, replayed, regime="mean4", price=price) == pytest.approx(direct.value)
    best = value("utility_of_best_policy", replayed, regime="mean4", price=price)
    assert best == pytest.approx(direct.parts["best_utility"])
    values = policy_values(replayed, price=price)
    assert estimate("best_policy", replayed, regime="mean4", price=price) == values.index[0]


# --- repair ---------------------------------------------------------------------------------------


@pytest.fixture
def repaired() -> pd.DataFrame:
    """Four questions in the six regimes: a right answer, two placeholders of which one is repaired, none."""
    kinds: list[tuple[str | None, bool, str | None, bool]] = [
        ("Paris", True, "Paris", True),
        ("answer", False, "Rome", True),
        ("", False, None, False),
        (None, False, None, False),
    ]
    rows = [
        episode("--", answered=answer is not None, question_id=f"q{number}", regime=regime, success=success)
        | {"task": "fever", "answer": answer, "repaired_answer": real, "repaired_success": better}
        for number, (answer, success, real, better) in enumerate(kinds)
        for regime in MEAN6
    ]
    return pd.DataFrame(rows)


def test_repaired_success_by_hand(repaired: pd.DataFrame) -> None:
    assert value("success_repaired", repaired, regime="mean6") == pytest.approx(0.5)
    other = repaired.assign(condition="budget", repaired_success=False)
    assert value("paired_difference_repaired", repaired, other, regime="mean6") == pytest.approx(0.5)
    assert value("paired_difference", repaired, other, regime="mean6") == 0.0


def test_placeholders_by_hand(repaired: pd.DataFrame) -> None:
    assert value("n_placeholders", repaired, regime="") == 12
    became = estimate("n_repaired", repaired, regime="")
    assert (became.parts["count"], became.n) == (6, 12)
    assert value("n_repaired_correct", repaired, regime="") == 6


# --- stated judgments -----------------------------------------------------------------------------


def _thoughts(letters: str, said: str, **fields: Any) -> dict[str, Any]:
    row = episode(letters, **fields)
    return row | {"stated": judgments(said), "stated_by_label": judgments(said)}


@pytest.fixture
def stating() -> pd.DataFrame:
    """Two questions in each failing regime: one says all it thinks, one leaves its second result out."""
    from judged_useless.environment.regimes import FAIL

    rows = [
        _thoughts(letters, said, question_id=question, regime=regime, failed=[True] * 5 + [False] * 3)
        for regime in FAIL
        for question, letters, said in (("q1", "-" * 8, "-" * 8), ("q2", "-+------", "-.------"))
    ]
    # Without an answer: eight results, seven decisions.
    return pd.DataFrame([row | {"actions": ["search"] * 8} for row in rows])


def test_the_share_of_stated_judgments_by_hand(stating: pd.DataFrame) -> None:
    # Decisions up to 6, in persistent up to 7; one of each second episode is silent.
    assert value("share_explicit", stating, regime="fail") == pytest.approx(1 - 5 / (2 * (4 * 6 + 7)))


def test_silent_readings_are_counted_over_all_decisions(stating: pd.DataFrame) -> None:
    clean = stating[stating["regime"] == "persistent"].assign(regime="clean")
    six = pd.concat([stating, clean], ignore_index=True)
    assert value("share_no_judgment", six, regime="") == pytest.approx(6 / (12 * 7))
    assert lacking("share_no_judgment", six.drop(columns="stated"), regime="") == ["stated"]


def test_both_sides_of_the_contrast_by_hand() -> None:
    """(a) every result so far useless, (b) an earlier one useful: decisions 3 to 6."""
    rows = [
        _thoughts("-------", "-------", question_id="q1"),
        _thoughts("-+------", "-+------", question_id="q2", answered=False),
    ]
    from judged_useless.environment.regimes import FAIL

    cell = pd.DataFrame([row | {"regime": regime} for row in rows for regime in FAIL])
    # q1: t = 3..6; q2: the run is at most t - 2 at t = 3..6, and at least 1.
    assert value("n_all_useless", cell, regime="fail") == 4 * 5
    assert value("n_reference", cell, regime="fail") == 4 * 5
    assert value("delta_stated", cell, regime="fail") == 0.0
    assert value("answered_after_5_stated", cell) == 0.5


def test_agreement_is_drawn_as_in_the_paper(stating: pd.DataFrame) -> None:
    parts = [stating.assign(question_id=stating["question_id"] + f"-{n}") for n in range(8)]
    many = pd.concat(parts, ignore_index=True)
    explicit = estimate("share_explicit_of_sample", many, regime="")
    assert explicit.n == 160
    # Of 80 decisions after a failed result, of which one in ten is silent, and 80 after a real one.
    assert 160 - 20 < explicit.parts["count"] < 160
    # Every label agrees, and all say useless, so that nothing is left for chance.
    assert value("agreement", many, regime="") == 1.0
    with pytest.raises(UndefinedEstimateError, match="kappa"):
        value("kappa", many, regime="")


# --- beliefs, and what is missing -----------------------------------------------------------------


def test_answers_where_the_report_favours_them_by_hand() -> None:
    beliefs = {name: [0.5] * 3 for name in ("p_continue", "p_answer_now")} | {"usefulness": ["OFF_TOPIC"] * 3}
    rows = [
        episode("---", regime=regime) | beliefs | {"prefer": ["answer_now", "continue", "answer_now"]}
        for regime in ("persistent", "plausible", "clean")
    ]
    found = estimate("answered_where_report_favors", pd.DataFrame(rows), regime="")
    assert (found.parts["answers"], found.n) == (2, 4)


@pytest.mark.parametrize(
    ("name", "regime", "column"),
    [
        ("answer_now_success", "persistent", "answer_now"),
        ("utility_of_best_policy", "mean4", "answer_now"),
        ("success_repaired", "mean6", "repaired_success"),
        ("delta_stated", "mean6", "stated_by_label"),
        ("answered_where_report_favors", "", "prefer"),
        ("n_placeholders", "", "answer"),
    ],
)
def test_a_missing_column_is_named_with_what_fills_it(name: str, regime: str, column: str) -> None:
    cell = pd.DataFrame([episode(regime=each) for each in (*MEAN6, "plausible")])
    assert lacking(name, cell, regime) == [column]
    half = cell.assign(answer_now=pd.Series([[True] * 3, *[None] * 6], dtype=object))
    assert lacking(name, half, regime) == [column]
    said = describe([Need(column, CellKey("m", "unaided"), ("clean",))])
    probe = registry().columns[column].probe
    assert said.endswith(" of unaided on test300, clean (m)")
    assert f"(replay --probe {probe})" in said if probe else "a run's log" in said
