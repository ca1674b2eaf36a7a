from pathlib import Path

import pytest
from judged_useless.tasks.question import Paragraph, Question
from judged_useless.tasks.splits import select, split_ids


def _question(question_id: str) -> Question:
    return Question(question_id, "?", "a", (Paragraph("T", ("S.",)),), ())


def test_the_papers_splits_are_whole_and_disjoint() -> None:
    splits = {name: split_ids(name) for name in ("dev100", "test300", "fresh300")}
    assert {name: len(ids) for name, ids in splits.items()} == {
        "dev100": 100,
        "test300": 300,
        "fresh300": 300,
    }
    assert len(set().union(*splits.values())) == 700
    assert splits["test300"][0] == "5adf74255542992d7e9f937d"  # the first question of the released episodes


def test_unknown_splits_list_the_known(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown split 'test'; known are dev100, fresh300, test300"):
        split_ids("test")
    with pytest.raises(ValueError, match=r"unknown split '\.\./manifests/dev100'"):
        split_ids("../manifests/dev100")
    with pytest.raises(ValueError, match="known are none"):
        split_ids("dev100", folder=tmp_path)


def test_a_tasks_own_manifests(tmp_path: Path) -> None:
    (tmp_path / "atlas_dev100.txt").write_text("b\na\n", encoding="utf-8")
    (tmp_path / "other_dev7.txt").write_text("c\n", encoding="utf-8")
    assert split_ids("dev100", folder=tmp_path, prefix="atlas_") == ["b", "a"]
    with pytest.raises(ValueError, match=r"known are dev100$"):
        split_ids("dev7", folder=tmp_path, prefix="atlas_")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "empty; expected one question id a line"),
        ("a\n\nb\n", "line 2: expected a question id, found ''"),
        ("a\n b\n", "line 2: expected a question id, found ' b'"),
        ("a\nb\na\n", "line 3: id 'a' is already in line 1"),
    ],
)
def test_bad_manifests_are_located(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "x.txt").write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"x\.txt.*{message}"):
        split_ids("x", folder=tmp_path)


def test_select_follows_the_manifest_and_names_what_is_missing() -> None:
    questions = [_question(name) for name in "abc"]
    assert [question.id for question in select(questions, ["c", "a"], source="s")] == ["c", "a"]
    with pytest.raises(
        ValueError, match=r"rows\.json: 2 of the split's 3 questions are missing, the first is 'x'"
    ):
        select(questions, ["a", "x", "y"], source="rows.json")
