import csv
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from judged_useless.tasks.question import Kind, Question
from judged_useless.tasks.scoring import answer_is_correct, is_correct, normalize_answer, parse_verdict

TABLE = Path(__file__).parents[1] / "data" / "scoring.csv"


def _rows() -> list[dict[str, str]]:
    with TABLE.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _question(kind: Kind, answer: str) -> Question:
    return Question("q", "?", answer, (), (), kind=kind)


@pytest.mark.parametrize("row", _rows(), ids=lambda row: f"{row['prediction']}|{row['gold']}")
def test_hand_written_verdicts(row: dict[str, str]) -> None:
    kind: Kind = "claim" if row["kind"] == "claim" else "question"
    verdict = is_correct(_question(kind, row["gold"]), row["prediction"])
    assert verdict == (row["verdict"] == "correct"), row["reason"]


WORDS = st.lists(st.sampled_from(["one", "two", "three", "four", "five", "six", "the", "x."]), max_size=9)


@given(WORDS, WORDS)
@example(["one", "two", "three", "four", "five"], ["one", "two", "three", "six", "x."])
def test_correct_is_equal_or_f1_of_sixty_percent(left: list[str], right: list[str]) -> None:
    prediction, gold = " ".join(left), " ".join(right)
    predicted = {word.strip(".") for word in left} - {"the"}
    expected = {word.strip(".") for word in right} - {"the"}
    common = len(predicted & expected)
    f1 = Fraction(2 * common, len(predicted) + len(expected)) if common else Fraction(0)
    assert answer_is_correct(prediction, gold) == (
        f1 >= Fraction(3, 5) or normalize_answer(prediction) == normalize_answer(gold)
    )


@given(st.text(max_size=30), st.text(max_size=30))
def test_scoring_any_text_is_symmetric_and_reflexive(left: str, right: str) -> None:
    assert answer_is_correct(left, right) == answer_is_correct(right, left)
    assert answer_is_correct(left, left)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [("Support", "SUPPORTS"), ("I refute it", "REFUTES"), ("support, refute", None), ("", None)],
)
def test_verdict_is_read_only_when_it_is_one(text: str, verdict: str | None) -> None:
    assert parse_verdict(text) == verdict
