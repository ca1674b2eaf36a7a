import dataclasses
import re

import pytest
from judged_useless.environment.alterations import (
    EMPTY_PAGE,
    cut_before_facts,
    with_old_values,
    without_facts,
)
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.tasks.question import Paragraph, Question, SupportingFact
from made_up import make_question


def _question(answer: str, *sentences: str, facts: tuple[int | None, ...] = (0,)) -> Question:
    pages = (Paragraph("Gold", sentences), Paragraph("Other", ("Opened in 1931.", f" It names {answer}.")))
    return Question("q", "?", answer, pages, tuple(SupportingFact("Gold", fact) for fact in facts))


def _other(answer: str, number: int = 1) -> Question:
    return dataclasses.replace(make_question(number), id=f"other{number}", answer=answer)


def test_without_facts_drops_exactly_the_supporting_sentences() -> None:
    question = _question("x", "One.", " Two.", " Three.", facts=(0, 2))
    pages = without_facts(question)
    assert pages == {"Gold": " Two.", "Other": question.knowledge_base["Other"]}


@pytest.mark.parametrize("facts", [(0, 1), (None,)])
def test_a_page_left_empty_says_so(facts: tuple[int | None, ...]) -> None:
    assert without_facts(_question("x", "One.", " Two.", facts=facts))["Gold"] == EMPTY_PAGE
    assert without_facts(_question("x", "One.", "  ", facts=(0,)))["Gold"] == EMPTY_PAGE


def test_a_fact_repeated_word_for_word_on_another_page_goes_too() -> None:
    pages = (Paragraph("Gold", ("It is so.", " More.")), Paragraph("Other", ("First.", " It is so.")))
    question = Question("q", "?", "x", pages, (SupportingFact("Gold", 0),))
    assert without_facts(question) == {"Gold": " More.", "Other": "First."}


@pytest.mark.parametrize(
    ("sentences", "fact", "expected"),
    [
        (("One is first.", " Two.", " Three."), 2, "One is first.  Two...."),
        (("The lake in question is Tana and no other.", " Two."), 0, "The lake in question..."),
        (("The lake Tana is meant.", " Two."), 0, "The lake ..."),
        (("Tana is meant.", " Two."), 0, "..."),
    ],
)
def test_partial_pages_end_before_the_fact(sentences: tuple[str, ...], fact: int, expected: str) -> None:
    pages = cut_before_facts(_question("Tana", *sentences, facts=(fact,)))
    assert pages["Gold"].replace(" ...", "...") == expected.replace(" ...", "...")
    assert pages["Other"] == "Opened in 1931.  It names Tana."


def test_stale_puts_another_answer_of_the_same_make_into_the_gold_sentence_only() -> None:
    question = _question("Lake Tana", "It is lake tana, seen from Lake Tanary in 1950.", " Lake Tana again.")
    pool = FailurePool([question, *map(_other, ["yes", "two small words", "1931", "Blue Nile"], range(1, 5))])
    pages = with_old_values(question, pool)
    assert pages["Gold"] == "It is Blue Nile, seen from Lake Tanary in 1950.  Lake Tana again."
    assert pages["Other"] == question.knowledge_base["Other"]


def test_stale_lowers_numbers_where_the_answer_is_one_or_absent() -> None:
    question = _question("1950", "Built in 1950 for 44,000 people, 7 of them, and 0 in A4 or 3.5 rooms.")
    text = with_old_values(question, FailurePool([question, _other("Blue Nile")]))["Gold"]
    match = re.fullmatch(r"Built in (19\d\d) for 39,600 people, 6 of them, and 1 in A4 or 3.5 rooms\.", text)
    assert match is not None
    assert 1 <= 1950 - int(match[1]) <= 9


def test_stale_without_a_pool_or_a_fitting_answer_changes_numbers_only() -> None:
    question = _question("Tana", "Tana, found in 1950.")
    for pool in (None, FailurePool([question, _other("no"), _other("12 men", 2)])):
        assert re.fullmatch(r"Tana, found in 194\d\.", with_old_values(question, pool)["Gold"])
