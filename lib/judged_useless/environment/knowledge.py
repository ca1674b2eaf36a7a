"""A knowledge base as the agent sees it: search by title or words, lookup on the current page."""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal, NamedTuple

#: "released": always the first sentence with the keyword. "paper": the next one at each repetition.
LookupMode = Literal["released", "paper"]

NO_RESULTS = "No results found."
NO_PAGE = "Error: no article is open, so there is nothing to look up. Use search first."  # wording ours

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")


class Result(NamedTuple):
    """What an action returns: the text shown, and the title of the page it is from, if any."""

    text: str
    title: str | None


class KnowledgeBase:
    """The pages of one question (title -> text, in the order that decides ties), ready to be searched."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = dict(pages)

    @cached_property
    def _matchers(self) -> list[tuple[str, SequenceMatcher[str]]]:
        # difflib prepares its second text, here the title, and keeps it for all queries.
        return [(title, SequenceMatcher(None, "", title.lower())) for title in self.pages]

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        return {title: frozenset(text.lower().split()) for title, text in self.pages.items()}

    def search(self, query: str) -> str | None:
        """Return the title of the page that a query finds, None if nothing is found.

        The title equal to the query, ignoring case; else the one most similar to it, if the similarity is
        over 0.3; else the page that shares the most words with it, if it shares any. The first of equals.
        """
        if (title := self._closest(query, above=0.3)) is not None:
            return title
        words = set(query.lower().split())
        shared = {title: len(words & page_words) for title, page_words in self._words.items()}
        best = max(shared, key=shared.__getitem__)
        return best if shared[best] else None

    def closest_title(self, query: str) -> str:
        """Return the title most similar to a query, however little: there always is one."""
        return self._closest(query, above=-1.0) or next(iter(self.pages))

    def _closest(self, query: str, above: float) -> str | None:
        lower = query.lower()
        best = next((title for title in self.pages if title.lower() == lower), None)
        if best is not None:
            return best
        for title, matcher in self._matchers:
            matcher.set_seq1(lower)
            # Two bounds from above, each far cheaper than the ratio itself.
            if matcher.real_quick_ratio() > above and matcher.quick_ratio() > above:
                ratio = matcher.ratio()
                if ratio > above:
                    best, above = title, ratio
        return best

    def show(self, title: str) -> Result:
        """Return a page as an observation shows it."""
        return Result(f"[{title}] {self.pages[title]}", title)


class Reader:
    """An agent's place in a knowledge base: the current page, and how far it has been looked through."""

    def __init__(self, knowledge_base: KnowledgeBase, mode: LookupMode = "released") -> None:
        self.knowledge_base = knowledge_base
        self.mode = mode
        self.page: str | None = None
        self._keyword: str | None = None
        self._n_shown = 0

    def open(self, title: str | None) -> None:
        """Make a page the current one; None closes it."""
        self.page = title
        self._keyword = None

    def search(self, query: str) -> Result:
        """Search, and make what is found the current page; nothing found leaves it as it was."""
        title = self.knowledge_base.search(query)
        if title is None:
            return Result(NO_RESULTS, None)
        self.open(title)
        return self.knowledge_base.show(title)

    def lookup(self, keyword: str) -> Result:
        """Return a sentence of the current page that contains a keyword, ignoring case.

        ``(Result i/n) sentence``, where the sentence is the i-th of the n sentences *of the page*, as in the
        released episodes; or an error text.
        """
        if self.page is None:
            return Result(NO_PAGE, None)
        wanted = keyword.lower()
        sentences = _SENTENCE_END.split(self.knowledge_base.pages[self.page].rstrip())
        places = [place for place, sentence in enumerate(sentences) if wanted in sentence.lower()]
        if not places:  # wording of both errors ours
            return Result(f"Error: no sentence of the current article contains {keyword!r}.", self.page)
        if wanted != self._keyword:
            self._keyword, self._n_shown = wanted, 0
        if self.mode == "paper":
            places = places[self._n_shown :]
            self._n_shown += 1
        if not places:
            return Result(f"Error: no more sentences of the current article contain {keyword!r}.", self.page)
        return Result(f"(Result {places[0] + 1}/{len(sentences)}) {sentences[places[0]]}", self.page)
