"""The protocol's search, written down as it reads: the environment must equal it, and is timed against it."""

from collections.abc import Mapping
from difflib import SequenceMatcher


def plain_search(pages: Mapping[str, str], query: str) -> str | None:
    """Return the title of the page that a query finds.

    Parameters
    ----------
    pages : mapping of str to str
        Title -> text, in order.
    query : str
        Any text.

    Returns
    -------
    str or None
        None if nothing is found.
    """
    for title in pages:
        if title.lower() == query.lower():
            return title
    found, highest = plain_closest(pages, query)
    return found if highest > 0.3 else plain_most_words(pages, query)


def plain_closest(pages: Mapping[str, str], query: str) -> tuple[str, float]:
    """Return the title with the highest ratio, the first one on ties, and that ratio.

    Parameters
    ----------
    pages : mapping of str to str
        Title -> text, in order.
    query : str
        Any text.

    Returns
    -------
    tuple of str and float
    """
    ratios = {title: SequenceMatcher(None, query.lower(), title.lower()).ratio() for title in pages}
    best = max(ratios, key=ratios.__getitem__)
    return best, ratios[best]


def plain_most_words(pages: Mapping[str, str], query: str) -> str | None:
    """Return the title of the page that shares the most distinct words with a query, if it shares any.

    Parameters
    ----------
    pages : mapping of str to str
        Title -> text, in order.
    query : str
        Any text.

    Returns
    -------
    str or None
    """
    shared = {
        title: len(set(query.lower().split()) & set(text.lower().split())) for title, text in pages.items()
    }
    best = max(shared, key=shared.__getitem__)
    return best if shared[best] else None


def plain_observation(pages: Mapping[str, str], query: str) -> str:
    """Return what the agent sees after a search that does not fail.

    Parameters
    ----------
    pages : mapping of str to str
        Title -> text, in order.
    query : str
        Any text.

    Returns
    -------
    str
    """
    title = plain_search(pages, query)
    return "No results found." if title is None else f"[{title}] {pages[title]}"
