"""The question: what is asked, the ten paragraphs that can be searched, and which of them hold the answer."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

from judged_useless.tasks.hub_rows import FeverRow, HubRow, OriginalRow, validated

Kind = Literal["question", "claim"]

# Splitting at one single blank keeps joining with one blank exact, whatever white space the text has.
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")


class Paragraph(NamedTuple):
    """One page of a knowledge base: a title and its sentences, as the data set cuts them."""

    title: str
    sentences: tuple[str, ...]

    @property
    def text(self) -> str:
        """The sentences joined with one blank, unstripped: HotpotQA's own leading blanks are kept."""
        return " ".join(self.sentences)


class SupportingFact(NamedTuple):
    """A sentence that the answer rests on; ``sentence`` is None where only the page is known (FEVER).

    A few of HotpotQA's own indices lie beyond the last sentence of their page: they are kept as they are, and
    name the page but no sentence of it.
    """

    title: str
    sentence: int | None


@dataclass(frozen=True)
class Question:
    """A question or claim with its own knowledge base (paper §2, "Tasks and tools").

    Attributes
    ----------
    id : str
        Identifier in the data set; seeds the order of its failed observations.
    text : str
        The question, or the claim to verify.
    answer : str
        Gold answer; for a claim ``SUPPORTS`` or ``REFUTES``.
    paragraphs : tuple of Paragraph
        The pages, in the order of the data set.
    supporting_facts : tuple of SupportingFact
        What the answer rests on, in the order of the data set.
    type, level : str
        The data set's labels, such as ``bridge`` or ``comparison`` and ``hard``.
    kind : {"question", "claim"}
        Decides wording and scoring.
    """

    id: str
    text: str
    answer: str
    paragraphs: tuple[Paragraph, ...]
    supporting_facts: tuple[SupportingFact, ...]
    type: str = ""
    level: str = ""
    kind: Kind = "question"

    @cached_property
    def knowledge_base(self) -> dict[str, str]:
        """Title -> text, in the order of the data set. Not to be changed: it is shared by all users."""
        return {paragraph.title: paragraph.text for paragraph in self.paragraphs}

    @cached_property
    def gold_titles(self) -> tuple[str, ...]:
        """Titles in the supporting facts, each once, in the order of their first mention."""
        return tuple(dict.fromkeys(fact.title for fact in self.supporting_facts))

    @cached_property
    def distractor_titles(self) -> tuple[str, ...]:
        """Titles of the other pages, in the order of the data set."""
        return tuple(title for title in self.knowledge_base if title not in self.gold_titles)

    @classmethod
    def from_hub_row(cls, row: Mapping[str, Any]) -> "Question":
        """Read a HotpotQA row as the hub has it.

        Parameters
        ----------
        row : mapping
            ``id, question, answer, type, level``, ``context = {title: [...], sentences: [[...]]}`` and
            ``supporting_facts = {title: [...], sent_id: [...]}``. Other keys are ignored.

        Returns
        -------
        Question

        Raises
        ------
        ValueError
            If a field is missing or has another form; the message names it.
        """
        hub = validated(HubRow, row)
        context = zip(hub.context.title, hub.context.sentences, strict=True)
        facts = zip(hub.supporting_facts.title, hub.supporting_facts.sent_id, strict=True)
        return cls._of_hotpotqa(hub, context, facts)

    @classmethod
    def from_original(cls, row: Mapping[str, Any]) -> "Question":
        """Read a HotpotQA record as the original JSON file has it.

        Parameters
        ----------
        row : mapping
            ``_id, question, answer, type, level``, ``context`` as ``[title, [sentence, ...]]`` pairs and
            ``supporting_facts`` as ``[title, index]`` pairs. Other keys are ignored.

        Returns
        -------
        Question

        Raises
        ------
        ValueError
            If a field is missing or has another form; the message names it.
        """
        original = validated(OriginalRow, row)
        return cls._of_hotpotqa(original, original.context, original.supporting_facts)

    @classmethod
    def from_fever(cls, row: Mapping[str, Any]) -> "Question":
        """Read a claim as the released FEVER file has it.

        Parameters
        ----------
        row : mapping
            ``id, question`` (the claim), ``answer`` (``SUPPORTS`` or ``REFUTES``), ``type, level,
            knowledge_base = {title: text}`` and ``supporting_titles``. Other keys are ignored.

        Returns
        -------
        Question
            With every text cut into sentences at a blank after ``.``, ``!`` or ``?``, so that joining
            them gives the text back, and supporting facts that name a page but no sentence.

        Raises
        ------
        ValueError
            If a field is missing or has another form; the message names it.
        """
        claim = validated(FeverRow, row)
        return cls(
            id=claim.id,
            text=claim.question,
            answer=claim.answer,
            paragraphs=tuple(
                Paragraph(title, tuple(_SENTENCE_END.split(text)))
                for title, text in claim.knowledge_base.items()
            ),
            supporting_facts=tuple(SupportingFact(title, None) for title in claim.supporting_titles),
            type=claim.type,
            level=claim.level,
            kind="claim",
        )

    @classmethod
    def _of_hotpotqa(
        cls,
        row: HubRow | OriginalRow,
        context: Iterable[tuple[str, list[str]]],
        facts: Iterable[tuple[str, int]],
    ) -> "Question":
        return cls(
            id=row.id,
            text=row.question,
            answer=row.answer,
            paragraphs=tuple(Paragraph(title, tuple(sentences)) for title, sentences in context),
            supporting_facts=tuple(SupportingFact(title, index) for title, index in facts),
            type=row.type,
            level=row.level,
        )
