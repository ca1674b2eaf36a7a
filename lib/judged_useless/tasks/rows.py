"""The three forms in which a data set writes a question, checked field by field."""

from collections.abc import Mapping
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator


class _Row(BaseModel):
    # Data sets carry more columns than an episode needs: those are ignored, wrong types are not.
    model_config = ConfigDict(extra="ignore", frozen=True)

    question: str = Field(min_length=1)
    answer: str
    type: str
    level: str


class HubContext(BaseModel):
    """Column-wise pages of a hub row."""

    title: list[str] = Field(min_length=1)
    sentences: list[list[str]]

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.title) != len(self.sentences):
            raise ValueError(f"{len(self.title)} titles but {len(self.sentences)} lists of sentences")
        return self


class HubFacts(BaseModel):
    """Column-wise supporting facts of a hub row."""

    title: list[str]
    sent_id: list[int]

    @model_validator(mode="after")
    def _same_length(self) -> Self:
        if len(self.title) != len(self.sent_id):
            raise ValueError(f"{len(self.title)} titles but {len(self.sent_id)} sentence indices")
        return self


class HubRow(_Row):
    """HotpotQA as the hub has it."""

    id: str = Field(min_length=1)
    context: HubContext
    supporting_facts: HubFacts


class OriginalRow(_Row):
    """HotpotQA as its original JSON file has it."""

    id: str = Field(min_length=1, alias="_id")
    context: list[tuple[str, list[str]]] = Field(min_length=1)
    supporting_facts: list[tuple[str, int]]


class FeverRow(_Row):
    """A claim as the released FEVER file has it."""

    id: str | int
    answer: Literal["SUPPORTS", "REFUTES"]
    knowledge_base: dict[str, str] = Field(min_length=1)
    supporting_titles: list[str] = Field(min_length=1)

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
        raise ValueError(f"question {name!r}: {problems}") from None


def _problem(problem: Mapping[str, Any]) -> str:
    field = ".".join(str(part) for part in problem["loc"]) or "record"
    found = "" if problem["type"] == "missing" else f" (found {_short(problem['input'])})"
    return f"field {field}: {problem['msg']}{found}"


def _short(value: object, length: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= length else f"{text[:length]}…"
