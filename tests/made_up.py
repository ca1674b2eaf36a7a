"""Made-up questions, and the protocol's search written down as it reads, for the tests of the environment."""

from collections.abc import Mapping
from difflib import SequenceMatcher

from hypothesis import strategies as st
from judged_useless.tasks.question import Paragraph, Question, SupportingFact


def plain_search(pages: Mapping[str, str], query: str) -> str | None:
    """Return the title of the page that a query finds."""
    for title in pages:
        if title.lower() == query.lower():
            return title
    found, highest = plain_closest(pages, query)
    if highest > 0.3:
        return found
    words = set(query.lower().split())
    shared = {title: len(words & set(text.lower().split())) for title, text in pages.items()}
    best = max(shared, key=shared.__getitem__)
    return best if shared[best] else None


def plain_closest(pages: Mapping[str, str], query: str) -> tuple[str, float]:
    """Return the title with the highest ratio, the first one on ties, and that ratio."""
    ratios = {title: SequenceMatcher(None, query.lower(), title.lower()).ratio() for title in pages}
    best = max(ratios, key=ratios.__getitem__)
    return best, ratios[best]


ANSWERS = ("Ostrava", "in 1931", "yes", "Lake Tana", "44,000 people", "blue", "Maria Berg")
_WORDS = (
    "river",
    "Tana",
    "lake",
    "of",
    "the",
    "Berg",
    "opened",
    "in",
    "1931",
    "blue",
    "44,000",
    "Ostrava",
    "yes",
)


def make_question(number: int, n_paragraphs: int = 10, *, gold: tuple[int, ...] = (0, 3)) -> Question:
    """Build a question whose pages are told from those of any other by their numbers."""
    answer = ANSWERS[number % len(ANSWERS)]
    paragraphs = tuple(
        Paragraph(
            f"{_WORDS[(number + page) % len(_WORDS)]} {number}-{page}",
            (
                f"Page {page} of question {number} opened in {1900 + number % 90 + page}.",
                f" On page {page} it names {answer}!",
                f" A {_WORDS[page]}, a {_WORDS[number * page % len(_WORDS)]} and {10 * page} more.",
            ),
        )
        for page in range(n_paragraphs)
    )
    facts = tuple(
        SupportingFact(paragraphs[page].title, sentence)
        for page in gold
        for sentence in (0, 1)[: 1 + page % 2]
    )
    return Question(f"q{number}", f"What is {number}?", answer, paragraphs, facts, "bridge", "hard")


TEXTS = st.text(st.sampled_from("abcdeé .-'AB1"), max_size=24) | st.text(max_size=24)
#: Searches and lookups, with texts that hit titles, nearly hit them, share words, or do nothing.
CALLS = st.tuples(
    st.sampled_from(["search", "lookup"]),
    st.one_of(
        TEXTS,
        st.builds("{} {}-{}".format, st.sampled_from(_WORDS), st.integers(0, 30), st.integers(0, 9)),
        st.builds("Page {} of question {}".format, st.integers(0, 9), st.integers(0, 30)),
        st.lists(st.sampled_from(_WORDS), min_size=1, max_size=5).map(" ".join),
    ),
)
