"""Questions from a file or the hub, in the three forms that data sets write, checked field by field."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AliasChoices, BaseModel, BeforeValidator, Field, ValidationError

from judged_useless._io.files import read_text
from judged_useless._io.messages import shown
from judged_useless._io.strict_json import strict_loads
from judged_useless.tasks.question import Paragraph, Question, SupportingFact

# Splitting at one single blank keeps joining with one blank exact, whatever white space the text has.
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("expected a text that is not blank")
    return text


def _pairs(value: object) -> object:
    """Turn the hub's columns into the pairs of the original file."""
    if not isinstance(value, Mapping):
        return value
    titles, others = value.get("title"), value.get("sentences", value.get("sent_id"))
    if not (isinstance(titles, list) and isinstance(others, list) and len(titles) == len(others)):
        raise ValueError("expected lists 'title' and 'sentences' or 'sent_id' of one length")
    return list(zip(titles, others, strict=True))


#: By an id episodes are told apart, and a page is asked for by its title.
Text = Annotated[str, AfterValidator(_not_blank)]
#: HotpotQA itself has indices beyond a page's last sentence: such a fact names the page, but no sentence.
Index = Annotated[int, Field(ge=0)]


class _Row(BaseModel):
    # Data sets carry more columns than an episode needs: those are ignored, wrong types are not.
    question: Text
    answer: str
    type: str
    level: str


class HotpotRow(_Row):
    """HotpotQA as its original JSON file has it, or as the hub does, column by column."""

    id: Text = Field(validation_alias=AliasChoices("_id", "id"))
    context: Annotated[list[tuple[Text, list[str]]], Field(min_length=1), BeforeValidator(_pairs)]
    supporting_facts: Annotated[list[tuple[str, Index]], BeforeValidator(_pairs)]

    def as_question(self) -> Question:
        """Return the question."""
        paragraphs = tuple(Paragraph(title, tuple(sentences)) for title, sentences in self.context)
        facts = tuple(SupportingFact(title, index) for title, index in self.supporting_facts)
        return Question(self.id, self.question, self.answer, paragraphs, facts, self.type, self.level)


class FeverRow(_Row):
    """A claim as the released FEVER file has it."""

    id: Annotated[Text, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
    answer: Literal["SUPPORTS", "REFUTES"]
    knowledge_base: dict[Text, str] = Field(min_length=1)
    supporting_titles: list[str] = Field(min_length=1)

    def as_question(self) -> Question:
        """Return the claim; its texts are cut so that joining the sentences gives them back."""
        paragraphs = tuple(
            Paragraph(title, tuple(_SENTENCE_END.split(text))) for title, text in self.knowledge_base.items()
        )
        facts = tuple(SupportingFact(title, None) for title in self.supporting_titles)
        named = self.id, self.question, self.answer
        return Question(*named, paragraphs, facts, self.type, self.level, kind="claim")


def _fitting(question: Question) -> Question:
    """Return a question whose pages and facts fit together; ValueError for another."""
    titles = [page.title for page in question.paragraphs]
    full = {page.title for page in question.paragraphs if page.sentences}
    for title in titles:
        if titles.count(title) > 1:
            raise ValueError(f"two pages have the title {shown(title)}, expected one")
    for title, _ in question.supporting_facts:
        if title not in full:
            what = "has no sentence" if title in titles else "is not among its pages"
            raise ValueError(f"a fact is on the page {shown(title)}, which {what}")
    return question


def question_from(record: Mapping[str, Any]) -> Question:
    """Read one record, telling its form by its keys; a ValueError names the question and each wrong field.

    ``id, question, answer, type, level`` (others are ignored) and, for HotpotQA, ``context = {title: [...],
    sentences: [[...]]}`` and ``supporting_facts = {title: [...], sent_id: [...]}`` as on the hub, or lists of
    pairs (and ``_id``) as in the original file; for a FEVER claim, ``knowledge_base = {title: text}`` and
    ``supporting_titles``, with SUPPORTS or REFUTES as ``answer``.
    """
    form = FeverRow if "knowledge_base" in record and "_id" not in record else HotpotRow
    try:
        row: FeverRow | HotpotRow = form.model_validate(dict(record))
        return _fitting(row.as_question())
    except ValidationError as error:
        problem = "; ".join(map(_problem, error.errors()))
    except ValueError as error:
        problem = str(error)
    raise ValueError(f"question {shown(record.get('id', record.get('_id', 'without id')))}: {problem}")


def _problem(problem: Mapping[str, Any]) -> str:
    field = ".".join(str(part) for part in problem["loc"]) or "record"
    found = "" if problem["type"] == "missing" else f" (found {shown(problem['input'], 60)})"
    return f"field {field}: {problem['msg']}{found}"


def read_questions(path: str | Path) -> list[Question]:
    """Read every question of a file, in its order.

    Parameters
    ----------
    path : str or Path
        A JSON list or JSON lines, gzipped if the name ends in ``.gz``; records as for `question_from`.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If the file or a record is not what it should be, or an id comes twice; the message names the file,
        the line or record, and the field.
    """
    path = Path(path)
    seen: dict[str, str] = {}
    questions = []
    for where, record in _records(path):
        try:
            question = question_from(record)
        except ValueError as error:
            raise ValueError(f"{path}, {where}: {error}") from None
        if question.id in seen:
            raise ValueError(f"{path}, {where}: question {question.id!r} is already in {seen[question.id]}")
        seen[question.id] = where
        questions.append(question)
    if not questions:
        raise ValueError(f"{path}: no questions in it")
    return questions


def _records(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each record with the words that locate it."""
    text = read_text(path)
    located: Iterator[tuple[str, Any]]
    if text.lstrip()[:1] == "[":
        located = ((f"record {number}", each) for number, each in enumerate(_parsed(text, path), start=1))
    else:
        lines = enumerate(text.split("\n"), start=1)
        located = ((f"line {n}", _parsed(line, path, n)) for n, line in lines if line.strip())
    for where, record in located:
        if not isinstance(record, Mapping):
            raise ValueError(f"{path}, {where}: expected a JSON object, found {type(record).__name__}")
        yield where, record


def _parsed(text: str, path: Path, line: int | None = None) -> Any:  # noqa: ANN401 - whatever JSON holds
    try:
        return strict_loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}, line {(line or 1) + error.lineno - 1}: not JSON ({error.msg})") from None
    except (ValueError, RecursionError) as error:  # a key twice, a number too long, or brackets too deep
        where = f"{path}, line {line}" if line else str(path)
        raise ValueError(f"{where}: JSON that cannot be read ({error})") from None
