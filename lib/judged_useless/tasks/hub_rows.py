"""The three forms in which a data set writes a question, checked field by field."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    ValidationInfo,
    field_validator,
    model_validator,
)

from judged_useless._io.strict_json import shown

#: A page is asked for by its title.
Title = Annotated[str, StringConstraints(pattern=r"\S")]
#: HotpotQA itself has indices beyond a page's last sentence: such a fact names the page, but no sentence.
Index = Annotated[int, Field(ge=0)]


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("expected a text that is not blank")
    return text


#: By an id episodes are told apart: none with a blank one could be read back.
Text = Annotated[str, AfterValidator(_not_blank)]


def _check_titles(titles: Iterable[str]) -> None:
    seen: set[str] = set()
    for title in titles:
        if title in seen:
            raise ValueError(f"two pages have the title {shown(title)}, expected one")
        seen.add(title)


def _check_facts(titles: Iterable[str], pages: Mapping[str, list[str]]) -> None:
    for title in titles:
        if title not in pages:
            raise ValueError(f"a fact is on the page {shown(title)}, which context does not have")
        if not pages[title]:
            raise ValueError(f"a fact is on the page {shown(title)}, which has no sentence")


class _Row(BaseModel):
    # Data sets carry more columns than an episode needs: those are ignored, wrong types are not.
    model_config = ConfigDict(extra="ignore", frozen=True)

    question: Text
    answer: str
    type: str
    level: str


class HubContext(BaseModel):
    """Column-wise pages of a hub row."""

    title: list[Title] = Field(min_length=1)
    sentences: list[list[str]]

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.title) != len(self.sentences):
            raise ValueError(f"{len(self.title)} titles but {len(self.sentences)} lists of sentences")
        _check_titles(self.title)
        return self


class HubFacts(BaseModel):
    """Column-wise supporting facts of a hub row."""

    title: list[str]
    sent_id: list[Index]

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.title) != len(self.sent_id):
            raise ValueError(f"{len(self.title)} titles but {len(self.sent_id)} sentence indices")
        return self


class HubRow(_Row):
    """HotpotQA as the hub has it."""

    id: Text
    context: HubContext
    supporting_facts: HubFacts

    @field_validator("supporting_facts")
    @classmethod
    def _facts_on_pages(cls, facts: HubFacts, info: ValidationInfo) -> HubFacts:
        if "context" in info.data:
            context = info.data["context"]
            _check_facts(facts.title, dict(zip(context.title, context.sentences, strict=True)))
        return facts


class OriginalRow(_Row):
    """HotpotQA as its original JSON file has it."""

    id: Text = Field(alias="_id")
    context: list[tuple[Title, list[str]]] = Field(min_length=1)
    supporting_facts: list[tuple[str, Index]]

    @field_validator("context")
    @classmethod
    def _titles_differ(cls, context: list[tuple[str, list[str]]]) -> list[tuple[str, list[str]]]:
        _check_titles(title for title, _ in context)
        return context

    @field_validator("supporting_facts")
    @classmethod
    def _facts_on_pages(cls, facts: list[tuple[str, int]], info: ValidationInfo) -> list[tuple[str, int]]:
        if "context" in info.data:
            _check_facts((title for title, _ in facts), dict(info.data["context"]))
        return facts


class FeverRow(_Row):
    """A claim as the released FEVER file has it."""

    id: Text
    answer: Literal["SUPPORTS", "REFUTES"]
    knowledge_base: dict[Title, str] = Field(min_length=1)
    supporting_titles: list[str] = Field(min_length=1)

    @field_validator("id", mode="before")
    @classmethod
    def _text_or_number(cls, value: object) -> object:
        if isinstance(value, str):
            return value
        if not isinstance(value, int) or isinstance(value, bool):
            raise ValueError("expected a text or a whole number")
        return str(value)

    @model_validator(mode="after")
    def _titles_exist(self) -> Self:
        missing = [title for title in self.supporting_titles if title not in self.knowledge_base]
        if missing:
            raise ValueError(f"supporting_titles names {missing[0]!r}, which knowledge_base does not have")
        return self


RowT = TypeVar("RowT", HubRow, OriginalRow, FeverRow)


def validated(model: type[RowT], row: Mapping[str, Any]) -> RowT:
    """Check one record against its form.

    Parameters
    ----------
    model : type
        `HubRow`, `OriginalRow` or `FeverRow`.
    row : mapping
        The record as read.

    Returns
    -------
    HubRow, OriginalRow or FeverRow

    Raises
    ------
    ValueError
        Naming the question, each wrong field, what was expected and what was found.
    """
    try:
        return model.model_validate(dict(row))
    except ValidationError as error:
        name = row.get("id", row.get("_id", "without id"))
        problems = "; ".join(_problem(problem) for problem in error.errors())
        raise ValueError(f"question {shown(name)}: {problems}") from None


def _problem(problem: Mapping[str, Any]) -> str:
    field = ".".join(str(part) for part in problem["loc"]) or "record"
    found = "" if problem["type"] == "missing" else f" (found {shown(problem['input'], 60)})"
    return f"field {field}: {problem['msg']}{found}"
