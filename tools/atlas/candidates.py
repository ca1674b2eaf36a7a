"""A question that could be asked, and the test whether it may be."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from judged_useless.tasks.scoring import answer_is_correct

from atlas.pages import Page
from atlas.text import folded, mentions

#: Words that many answers share; a question may use them too.
_GENERIC = frozenset(
    ["city", "dollar", "franc", "north", "south", "west", "east", "new", "land", "united", "state"]
)
#: Two words of which the first so many letters agree are taken for kin ("Algeria", "Algiers").
_KIN = 4


@dataclass(frozen=True)
class Evidence:
    """A gold page and the facts on it that the answer rests on."""

    page: str
    facts: tuple[str, ...]


@dataclass(frozen=True)
class Candidate:
    """A question with its answer and evidence.

    Attributes
    ----------
    family : str
        Key of `atlas.families.FAMILIES`.
    type, level : str
        As in HotpotQA.
    text, answer : str
        The question and its one right answer.
    gold : tuple of Evidence
        Two pages.
    hidden : tuple of str
        Names of what connects the pages; the question must not give them away.
    named : tuple of str
        Keys of the pages whose entities the question names.
    """

    family: str
    type: Literal["bridge", "comparison"]
    level: Literal["easy", "medium", "hard"]
    text: str
    answer: str
    gold: tuple[Evidence, Evidence]
    hidden: tuple[str, ...]
    named: tuple[str, ...]

    def supporting(self, pages: Mapping[str, Page]) -> list[tuple[str, int]]:
        """Return the supporting facts as (page key, index of the sentence), in page and sentence order."""
        return [
            (evidence.page, index)
            for evidence in self.gold
            for index in sorted({pages[evidence.page].facts[fact] for fact in evidence.facts})
        ]


def may_be_asked(candidate: Candidate, pages: Mapping[str, Page]) -> bool:
    """Whether a question keeps every promise of the data set.

    Parameters
    ----------
    candidate : Candidate
        The question.
    pages : mapping of str to Page
        All pages.

    Returns
    -------
    bool
        True if both gold pages exist and state the facts, the answer stands in a supporting sentence and
        in no other sentence of the gold pages, and the question names neither the answer (nor a word
        akin to one of its words) nor what connects the pages.
    """
    if any(
        evidence.page not in pages or not set(evidence.facts) <= set(pages[evidence.page].facts)
        for evidence in candidate.gold
    ):
        return False
    support = set(candidate.supporting(pages))
    stating = {
        (evidence.page, index)
        for evidence in candidate.gold
        for index, sentence in enumerate(pages[evidence.page].sentences)
        if mentions(sentence, candidate.answer)
    }
    titles = [pages[evidence.page].title for evidence in candidate.gold]
    return (
        bool(stating)
        and stating <= support
        and not any(mentions(title, candidate.answer) for title in titles)
        and not leaks(candidate.answer, candidate.text)
        and not any(mentions(candidate.text, name) for name in candidate.hidden)
    )


def leaks(answer: str, question: str) -> bool:
    """Whether a question holds the answer, a word akin to one of its words, or a name that it abbreviates."""
    if mentions(question, answer):
        return True
    asked = folded(question).replace("?", " ").replace(",", " ").split()
    words = [word for word in folded(answer).split() if word not in _GENERIC]
    if len(answer) <= 3 and answer.isalpha():
        # A code that begins a capitalised word of the question, or that the word's first letters spell.
        names = [folded(word) for word in question.split()[1:] if word[0].isupper()]
        return any(name.startswith(folded(answer)) for name in names)
    return any(word[:_KIN] == other[:_KIN] for word in words if len(word) >= _KIN for other in asked)


def is_distinct(answer: str, others: Iterable[str]) -> bool:
    """Whether the scoring rule tells an answer from every other value that it could have been."""
    return not any(other != answer and answer_is_correct(other, answer) for other in others)
