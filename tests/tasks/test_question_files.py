import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from judged_useless.tasks.question import Paragraph, SupportingFact
from judged_useless.tasks.question_files import question_from, read_questions

HUB: dict[str, Any] = {
    "id": "h1",
    "question": "Which lake feeds it?",
    "answer": "Lake Tana",
    "type": "bridge",
    "level": "hard",
    "context": {
        "title": ["Nile", "Tana", "Simien"],
        "sentences": [["A.", " B."], ["C."], ["D.", " E.", " F."]],
    },
    "supporting_facts": {"title": ["Tana", "Nile", "Nile"], "sent_id": [0, 1, 0]},
}
ORIGINAL: dict[str, Any] = {
    **{name: HUB[name] for name in ("question", "answer", "type", "level")},
    "_id": "h1",
    "context": [["Nile", ["A.", " B."]], ["Tana", ["C."]], ["Simien", ["D.", " E.", " F."]]],
    "supporting_facts": [["Tana", 0], ["Nile", 1], ["Nile", 0]],
}
FEVER: dict[str, Any] = {
    "id": 7,
    "question": "The lake is deep.",
    "answer": "REFUTES",
    "type": "claim",
    "level": "n/a",
    "knowledge_base": {"Tana": "Lake.  It is 15 m deep! Or so?\nYes.", "Nile": "River."},
    "supporting_titles": ["Tana"],
}


def test_both_hotpotqa_forms_give_one_question() -> None:
    question = question_from(HUB)
    assert question == question_from(ORIGINAL)
    assert question.paragraphs[0] == Paragraph("Nile", ("A.", " B."))
    assert question.supporting_facts == tuple(SupportingFact(*fact) for fact in ORIGINAL["supporting_facts"])
    assert (question.id, question.text, question.answer) == ("h1", "Which lake feeds it?", "Lake Tana")
    assert (question.type, question.level, question.kind) == ("bridge", "hard", "question")
    # Sentences are joined with one blank, pages stay in the order of the context.
    assert list(question.knowledge_base.items()) == [
        ("Nile", "A.  B."), ("Tana", "C."), ("Simien", "D.  E.  F."),
    ]  # fmt: skip
    assert (question.gold_titles, question.distractor_titles) == (("Tana", "Nile"), ("Simien",))


def test_a_claim_keeps_its_texts_and_knows_pages_only() -> None:
    claim = question_from(FEVER)
    assert (claim.id, claim.kind, claim.answer) == ("7", "claim", "REFUTES")
    assert claim.knowledge_base == FEVER["knowledge_base"]
    assert claim.paragraphs[0].sentences == ("Lake.", " It is 15 m deep!", "Or so?\nYes.")
    assert claim.supporting_facts == (SupportingFact("Tana", None),)
    assert claim.distractor_titles == ("Nile",)


@pytest.mark.parametrize(
    ("row", "change", "message"),
    [
        (ORIGINAL, {"answer": None}, r"question 'h1': field answer: .*valid string \(found None\)"),
        (ORIGINAL, {"question": ""}, r"field question: .*a text that is not blank"),
        (ORIGINAL, {"context": [["Nile", "A."]]}, r"field context\.0\.1: .*valid list \(found 'A\.'\)"),
        (ORIGINAL, {"context": []}, r"field context: .*at least 1"),
        (ORIGINAL, {"supporting_facts": [["Tana"]]}, r"field supporting_facts\.0\.1: Field required"),
        (ORIGINAL, {"supporting_facts": [["Tana", "first"]]}, r"supporting_facts\.0\.1: .*integer.*'first'"),
        (HUB, {"context": {"title": ["Nile"], "sentences": []}}, r"field context: .*of one length"),
        (HUB, {"context": {"title": ["Nile"]}}, r"field context: .*expected lists 'title' and 'sentences'"),
        (HUB, {"supporting_facts": {"title": [], "sent_id": [1]}}, r"supporting_facts: .*of one length"),
        (HUB, {"id": 3}, r"question 3: field id: .*valid string \(found 3\)"),
        (FEVER, {"answer": "true"}, r"question 7: field answer: .*'SUPPORTS' or 'REFUTES' \(found 'true'\)"),
        (FEVER, {"supporting_titles": ["Niger"]}, r"question 7: .*page 'Niger', which is not among its"),
        (FEVER, {"supporting_titles": []}, r"field supporting_titles: .*at least 1"),
        (FEVER, {"knowledge_base": {"Tana": 3}}, r"field knowledge_base\.Tana: .*valid string"),
    ],
)
def test_malformed_records_name_the_field(row: dict[str, Any], change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        question_from(row | change)


NILE = ("Nile", ["A."])
#: Pages, supporting facts, and what is wrong with them.
WRONG: list[tuple[list[tuple[str, list[str]]], tuple[str, int], str]] = [
    ([NILE, ("Nile", ["B."])], ("Nile", 0), "two pages have the title"),
    ([(" ", ["A."])], ("Nile", 0), r"field context[.\w]*: .*not blank"),
    ([NILE], ("Tana", 0), "page 'Tana', which is not among its pages"),
    ([("Nile", [])], ("Nile", 0), "page 'Nile', which has no sentence"),
    ([NILE], ("Nile", -1), r"field supporting_facts[.\w]*: .*greater than or"),
]


def _both(pages: list[tuple[str, list[str]]], facts: list[tuple[str, int]]) -> list[dict[str, Any]]:
    context = {"title": [title for title, _ in pages], "sentences": [each for _, each in pages]}
    columns = {"title": [title for title, _ in facts], "sent_id": [index for _, index in facts]}
    original = ORIGINAL | {"context": pages, "supporting_facts": facts}
    return [HUB | {"context": context, "supporting_facts": columns}, original]


@pytest.mark.parametrize(("pages", "fact", "message"), WRONG)
def test_pages_and_facts_that_do_not_fit_are_refused_in_both_forms(
    pages: list[tuple[str, list[str]]], fact: tuple[str, int], message: str
) -> None:
    for record in _both(pages, [fact]):
        with pytest.raises(ValueError, match=rf"question 'h1': .*{message}"):
            question_from(record)


def test_an_index_beyond_a_page_is_kept_and_names_the_page() -> None:
    question, original = map(question_from, _both([NILE, ("Tana", [])], [("Nile", 7)]))
    assert question == original
    assert question.supporting_facts == (SupportingFact("Nile", 7),)
    assert (question.gold_titles, question.distractor_titles) == (("Nile",), ("Tana",))


def _hub(question_id: str) -> dict[str, Any]:
    context = {"title": ["T"], "sentences": [["S\u2028s."]]}
    return HUB | {"id": question_id, "context": context, "supporting_facts": {"title": ["T"], "sent_id": [0]}}


def _original(question_id: str) -> dict[str, Any]:
    own = {"_id": question_id, "context": [["T", ["S\u2028s."]]], "supporting_facts": [["T", 0]]}
    return {name: value for name, value in HUB.items() if name != "id"} | own


def _claim(question_id: object, text: str = "The lake is deep.") -> dict[str, Any]:
    return FEVER | {"id": question_id, "question": text}


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
        (_lines(_hub("a"), _hub(" ")), r"line 2: question ' ': field id: .*a text that is not blank"),
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
