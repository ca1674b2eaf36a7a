import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.tasks.question import Paragraph, Question
from made_up import make_question

SPLIT = [make_question(number, n_paragraphs=4) for number in range(12)]


def _titled(question_id: str, *titles: str) -> Question:
    return Question(question_id, "?", "a", tuple(Paragraph(title, ("Text.",)) for title in titles), ())


@pytest.mark.parametrize("salt", ["shuffled-v2", "shuffled-v2-rep1"])
def test_order_is_the_protocols(salt: str) -> None:
    pool = FailurePool(SPLIT)
    for question in SPLIT:
        digest = hashlib.sha256(f"{salt}|{question.id}".encode()).hexdigest()
        indices = [i for i, entry in enumerate(pool.paragraphs) if entry.question_id != question.id]
        random.Random(int(digest[:15], 16)).shuffle(indices)
        assert pool.paragraphs_for(question, salt) == tuple(pool.paragraphs[i] for i in indices)


def test_own_titles_are_left_out_whatever_their_case_and_blanks() -> None:
    pool = FailurePool([_titled("a", "Straße", "Lake"), _titled("b", " lake ", "STRASSE", "Hill")])
    assert [entry.title for entry in pool.paragraphs_for(pool.questions[0])] == ["Hill"]


@given(st.sets(st.sampled_from(range(12)), min_size=1))
def test_a_subset_that_is_run_draws_as_the_whole_split_does(chosen: set[int]) -> None:
    # Fresh pools, asked in another order: nothing depends on who was asked before.
    whole, other = FailurePool(SPLIT), FailurePool(SPLIT)
    expected = {question.id: whole.paragraphs_for(question) for question in SPLIT}
    for number in chosen:
        assert other.paragraphs_for(SPLIT[number]) == expected[f"q{number}"]


def test_a_pool_of_one_question_is_refused() -> None:
    with pytest.raises(ValueError, match="build it over the whole split"):
        FailurePool(SPLIT[:1]).paragraphs_for(SPLIT[0])
