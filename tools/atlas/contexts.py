"""The ten pages of a question: two gold ones and eight that are there to be confused with them."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count

from judged_useless._io.seeds import stable_seed

from atlas.candidates import Candidate
from atlas.choose import identifier
from atlas.pages import Page
from atlas.text import mentions, shuffled

#: Pages of a question; as in HotpotQA.
PAGES = 10
#: Distractors of the same kind, and if possible area, as each of the two gold pages; the rest are of any.
ON_TOPIC = 3


class Library:
    """All pages, and those of each kind."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.pages = pages
        self._shelves: dict[str, list[Page]] = {}
        for page in pages.values():
            self._shelves.setdefault(page.kind, []).append(page)

    def like(self, page: Page, *key: str) -> list[Page]:
        """Pages of the same kind, those of the same area first, in an order that the key decides."""
        shelf = self._shelves[page.kind]
        return sorted(shelf, key=lambda other: (other.area != page.area, stable_seed(*key, other.key)))

    def draw(self, *key: str) -> Iterator[Page]:
        """Pages of any kind without end, drawn with replacement as the key decides."""
        pages = list(self.pages.values())
        return (pages[stable_seed(*key, number) % len(pages)] for number in count())


def distractors(candidate: Candidate, library: Library) -> list[Page]:
    """Choose eight pages that do not state the answer.

    Parameters
    ----------
    candidate : Candidate
        The question.
    library : Library
        All pages.

    Returns
    -------
    list of Page
        Three of the kind of each gold page, from its area if there are so many, and two others. None of
        them has the answer in its title or text, so that a knowledge base without the supporting sentences
        does not answer.
    """
    gold = [library.pages[evidence.page] for evidence in candidate.gold]
    taken: list[Page] = []

    def add(pages: Iterable[Page], most: int) -> None:
        for page in _without(candidate.answer, pages):
            if len(taken) == most:
                return
            if page not in taken and page not in gold:
                taken.append(page)

    for number, page in enumerate(gold, start=1):
        add(library.like(page, "like", candidate.text, page.key), number * ON_TOPIC)
    add(library.draw("any", candidate.text), PAGES - len(gold))
    return taken


def _without(answer: str, pages: Iterable[Page]) -> Iterator[Page]:
    return (page for page in pages if not mentions(page.title, answer) and not mentions(page.text, answer))


def row(candidate: Candidate, library: Library) -> dict[str, object]:
    """Write a question as the hub writes a row of HotpotQA.

    Parameters
    ----------
    candidate : Candidate
        The question.
    library : Library
        All pages.

    Returns
    -------
    dict
        ``id, question, answer, type, level, supporting_facts, context``.
    """
    gold = [library.pages[evidence.page] for evidence in candidate.gold]
    context = shuffled_pages([*gold, *distractors(candidate, library)], candidate.text)
    facts = candidate.supporting(library.pages)
    return {
        "id": identifier(candidate),
        "question": candidate.text,
        "answer": candidate.answer,
        "type": candidate.type,
        "level": candidate.level,
        "supporting_facts": {
            "title": [library.pages[key].title for key, _ in facts],
            "sent_id": [index for _, index in facts],
        },
        "context": {
            "title": [page.title for page in context],
            "sentences": [list(page.sentences) for page in context],
        },
    }


def shuffled_pages(pages: Iterable[Page], *key: str) -> list[Page]:
    """Return the pages in an order that the key decides."""
    by_key = {page.key: page for page in pages}
    return [by_key[name] for name in shuffled(by_key, "context", *key)]
