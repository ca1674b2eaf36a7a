import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from judged_useless.tasks.question_files import read_questions


def _hub(question_id: str) -> dict[str, Any]:
    return {
        "id": question_id,
        "question": "?",
        "answer": "é",
        "type": "bridge",
        "level": "easy",
        "context": {"title": ["T"], "sentences": [["S\u2028s."]]},
        "supporting_facts": {"title": ["T"], "sent_id": [0]},
    }


def _original(question_id: str) -> dict[str, Any]:
    row = _hub(question_id)
    return row | {"_id": row.pop("id"), "context": [["T", ["S\u2028s."]]], "supporting_facts": [["T", 0]]}


def _claim(question_id: object, text: str = "Paris is in France.") -> dict[str, Any]:
    return {
        "id": question_id,
        "question": text,
        "answer": "SUPPORTS",
        "type": "t",
        "level": "l",
        "knowledge_base": {"Paris": "Paris is in France."},
        "supporting_titles": ["Paris"],
    }


def _lines(*rows: object) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def test_lists_lines_and_gzip_give_the_same_questions(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text(_lines(_hub("a"), _hub("b")) + "\n", encoding="utf-8")
    (tmp_path / "rows.json").write_text(
        "\ufeff" + json.dumps([_original("a"), _original("b")]), encoding="utf-8"
    )
    (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress(_lines(_original("a"), _hub("b")).encode()))
    expected = read_questions(tmp_path / "rows.jsonl")
    for ending, pack in (("jsonl", bytes), ("jsonl.gz", gzip.compress)):
        marked = ("\ufeff" + _lines(_hub("a"), _hub("b"))).encode()
        (tmp_path / f"marked.{ending}").write_bytes(pack(marked))
        assert read_questions(tmp_path / f"marked.{ending}") == expected
    assert [question.id for question in expected] == ["a", "b"]
    assert expected[0].knowledge_base == {"T": "S\u2028s."}  # no line ends at U+2028
    assert read_questions(tmp_path / "rows.json") == read_questions(tmp_path / "rows.jsonl.gz") == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (_lines(_hub("a"), {"id": "b"}), r"line 2: question 'b': field question: Field required"),
        (_lines(_hub("a")) + "{not json\n", r"line 2: not JSON"),
        ("[\n{},\n]", r"line 3: not JSON"),
        (_lines(_hub("a"), _hub("b"), _hub("a")), r"line 3: question 'a' is already in line 1"),
        (_lines([1]), r"record 1: expected a JSON object, found int"),
        ('"text"\n', r"line 1: expected a JSON object, found str"),
        ("", r"no questions in it"),
        ("[]", r"no questions in it"),
        (_lines(_hub("a")) + "[" * 200_000, r"line 2: JSON that cannot be read"),
        (_lines(_hub("a")) + '{"id": ' + "9" * 5000 + "}", r"line 2: JSON that cannot be read"),
        (_lines(_hub("a")) + '{"id": "b", "id": "c"}', r"line 2: .*key 'id' is given twice"),
        (
            _lines(_hub("a"), _hub(" ")),
            r"line 2: question ' ': field id: .*a text that is not blank",
        ),
        (_lines(_original("\t")), r"line 1: .*field _id: .*expected a text that is not blank"),
        (_lines(_hub("a") | {"question": " \x1c"}), r"line 1: .*field question: .*a text that is not blank"),
        (_lines(_claim(1), _claim("  ")), r"line 2: question '  ': field id: .*a text that is not blank"),
        (_lines(_claim(True)), r"line 1: question True: field id: .*string"),
        (_lines(_claim(1.0)), r"line 1: .*field id: .*string \(found 1.0\)"),
        (_lines(_claim(1, "   ")), r"line 1: question 1: field question: .*a text that is not blank"),
        (_lines(_claim(1), _claim("1")), r"line 2: question '1' is already in line 1"),
        ("[" * 200_000, r": JSON that cannot be read"),
    ],
)
def test_bad_files_are_located(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"bad\.jsonl.*{message}"):
        read_questions(path)


def test_damaged_bytes_are_named(tmp_path: Path) -> None:
    whole = gzip.compress(_lines(_hub("a")).encode())
    for name, content, message in [
        ("torn.json.gz", whole[:-9], "not a whole gzip file"),
        ("plain.json.gz", b"[]", "not a whole gzip file"),
        ("latin.json", "é".encode("latin-1"), "not UTF-8"),
    ]:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"{name}: {message}"):
            read_questions(tmp_path / name)
    damaged = bytearray(whole)
    damaged[12:20] = b"\xff" * 8
    (tmp_path / "damaged.json.gz").write_bytes(damaged)
    with pytest.raises(ValueError, match=r"damaged\.json\.gz: not a whole gzip file"):
        read_questions(tmp_path / "damaged.json.gz")
    with pytest.raises(FileNotFoundError):
        read_questions(tmp_path / "none.json")
