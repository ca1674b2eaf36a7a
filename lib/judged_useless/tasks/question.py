"""The question: what is asked, the pages that can be searched, and which of them hold the answer."""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

Kind = Literal["question", "claim"]


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
