from typing import Any

import pytest
from judged_useless.tasks.question import Paragraph, SupportingFact
from judged_useless.tasks.question_files import question_from

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
