"""The ten pages of a question: two gold ones and eight that are there to be confused with them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from judged_useless.seeds import stable_seed

from atlas.candidates import Candidate
from atlas.choose import identifier
from atlas.pages import Page
from atlas.text import mentions, shuffled

#: Pages of a question; as in HotpotQA.
PAGES = 10
#: Distractors of the same kind and area as each of the two gold pages; the rest come from anywhere.
ON_TOPIC = 3


class Library:
    """All pages, and those of each kind and area."""

    def __init__(self, pages: Mapping[str, Page]) -> None:
        self.pages = pages
        self._shelves: dict[tuple[str, str], list[Page]] = {}
        for page in pages.values():
            self._shelves.setdefault((page.kind, page.area), []).append(page)

    def like(self, page: Page, *key: str) -> list[Page]:
        """Pages of the same kind and area, in an order that the key decides."""
        return _in_order(self._shelves[page.kind, page.area], *key)

    def any(self, *key: str) -> list[Page]:
        """All pages, in an order that the key decides."""
        return _in_order(self.pages.values(), *key)


def _in_order(pages: Iterable[Page], *key: str) -> list[Page]:
    return sorted(pages, key=lambda page: stable_seed(*key, page.key))


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
        Three of the kind and area of each gold page and two others. None of them has the answer in its
        title or text, so that a knowledge base without the supporting sentences does not answer.
    """
    gold = [library.pages[evidence.page] for evidence in candidate.gold]
    taken: list[Page] = []

    def add(pages: Sequence[Page], count: int) -> None:
        for page in _without(candidate.answer, pages):
            if count and page not in taken and page not in gold:
                taken.append(page)
                count -= 1
            if not count:
                return

    for page in gold:
        add(library.like(page, "like", candidate.text, page.key), ON_TOPIC)
    add(library.any("any", candidate.text), PAGES - len(gold) - len(taken))
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
