import pytest
from judged_useless.tasks import load_questions
from judged_useless.tasks.question import Paragraph, Question


def _question(number: int) -> Question:
    return Question(f"q{number}", "?", "a", (Paragraph("T", ("S.",)),), ())


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, object]]:
    calls: list[tuple[str, object]] = []

    def load(split: str, *, source: object = None) -> list[Question]:
        calls.append((split, source))
        return [_question(number) for number in range(5)]

    monkeypatch.setattr("judged_useless.tasks.hotpotqa.load", load)
    return calls


def test_unknown_tasks_list_the_known() -> None:
    with pytest.raises(
        ValueError, match="unknown task 'squad'; known are hotpotqa, fever, atlas, atlas-claims"
    ):
        load_questions("squad", "dev")


def test_questions_come_from_the_named_loader(loaded: list[tuple[str, object]]) -> None:
    assert [question.id for question in load_questions("hotpotqa", "dev100", 2, source="file")] == [
        "q0",
        "q1",
    ]
    assert len(load_questions("hotpotqa", "test300")) == 5
    assert loaded == [("dev100", "file"), ("test300", None)]


@pytest.mark.parametrize("n_questions", [0, -1, 6])
def test_more_or_fewer_questions_than_there_are_raise(
    loaded: list[tuple[str, object]], n_questions: int
) -> None:
    with pytest.raises(ValueError, match=f"{n_questions}, expected 1 to 5: .* hotpotqa dev100"):
        load_questions("hotpotqa", "dev100", n_questions)
