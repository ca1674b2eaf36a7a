"""Loading and the environment on 50 real HotpotQA rows, which are not part of the project."""

import os
from pathlib import Path

import pytest
from judged_useless.environment.environment import Environment, Observation
from judged_useless.tasks.question import Question
from judged_useless.tasks.question_files import read_questions
from judged_useless.tasks.scoring import is_correct

VARIABLE = "JUDGED_USELESS_HOTPOT_SAMPLE"


def _sample_path() -> Path:
    beside = Path(__file__).parents[3] / "shared" / "data" / "hotpot" / "sample50.jsonl"
    return Path(os.environ.get(VARIABLE, beside))


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    path = _sample_path()
    if not path.is_file():
        pytest.skip(f"no real HotpotQA rows: {VARIABLE} names no file and there is none beside the project")
    return read_questions(path)


def _step(environment: Environment, action: str, text: str) -> Observation:
    observation = environment.step(action, text)
    assert observation is not None
    return observation


def test_loading(questions: list[Question]) -> None:
    assert len(questions) == 50
    for question in questions:
        assert len(question.knowledge_base) == len(question.paragraphs) == 10
        assert len(question.gold_titles) == 2
        assert len(question.distractor_titles) == 8
        assert question.type in ("bridge", "comparison")
        assert is_correct(question, question.answer)
        for title, index in question.supporting_facts:
            assert index is not None
            assert title in question.knowledge_base


def _facts(question: Question) -> set[str]:
    sentences = {paragraph.title: paragraph.sentences for paragraph in question.paragraphs}
    return {
        sentences[title][index].strip() for title, index in question.supporting_facts if index is not None
    }


def test_answerless_never_shows_a_supporting_sentence(questions: list[Question]) -> None:
    for question in questions:
        environment = Environment(question, "answerless", budget=10**6)
        facts = _facts(question)
        shown = []
        for title in question.knowledge_base:
            shown.append(_step(environment, "search", title).text)
            shown += [_step(environment, "lookup", word).text for fact in facts for word in fact.split()]
        shown.append(_step(environment, "search", question.text).text)
        assert not [fact for fact in facts for text in shown if fact in text]
