"""What a failing source shows: one class a kind of failure, and their registry `FAULTS`.

The paper's kinds: *shuffled* (a paragraph of another question), *distractor* (one of the question's own)
and *answerless* (the own pages without their supporting sentences). Not in the paper, but seen in real
sources: *stale*, *partial*, *erroneous* and *empty*.
"""

import itertools
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from judged_useless._io.seeds import stable_seed
from judged_useless.environment.alterations import cut_before_facts, with_old_values, without_facts
from judged_useless.environment.failed_paragraphs import SALT, FailurePool
from judged_useless.environment.knowledge import NO_RESULTS, KnowledgeBase, LookupMode, Reader
from judged_useless.tasks.question import Question


class Setting(NamedTuple):
    """What a fault may draw on: one question's episode, before its first step."""

    question: Question
    pool: FailurePool | None = None
    salt: str = SALT
    lookup: LookupMode = "released"


class Shown(NamedTuple):
    """What a failed observation shows, and the page and question that is from, if any."""

    text: str
    title: str | None = None
    question_id: str | None = None


class Fault(ABC):
    """How a source fails, over one episode."""

    @abstractmethod
    def show(self, action: str, text: str) -> Shown | None:
        """Return the failed observation of ``search`` or ``lookup``; None if that action cannot fail."""

    def follow(self, page: str | None) -> None:  # noqa: B027 - most do not care
        """Take note of the current page after an observation that did not fail."""


class Replies(Fault):
    """Shows one thing after the other, whatever is asked."""

    def __init__(self, replies: Iterable[Shown]) -> None:
        self._replies = itertools.cycle(replies)

    def show(self, action: str, text: str) -> Shown | None:
        """Return the next reply."""
        return next(self._replies, None)


class Distractor(Fault):
    """Searches the question's distractor titles only, and always finds one; lookups are real."""

    def __init__(self, question: Question) -> None:
        if not question.distractor_titles:
            raise ValueError(f"question {question.id!r} has no distractor page to show")
        self._question_id = question.id
        pages = question.knowledge_base
        self._distractors = KnowledgeBase({title: pages[title] for title in question.distractor_titles})

    def show(self, action: str, text: str) -> Shown | None:
        """Return the distractor whose title is closest to the query."""
        if action != "search":
            return None
        shown = self._distractors.show(self._distractors.closest_title(text))
        return Shown(shown.text, shown.title, self._question_id)


class Altered(Fault):
    """Answers every action from an altered copy of the question's pages."""

    def __init__(self, setting: Setting, pages: Mapping[str, str]) -> None:
        self._question_id = setting.question.id
        self._reader = Reader(KnowledgeBase(pages), setting.lookup)

    def show(self, action: str, text: str) -> Shown:
        """Return what the altered pages answer."""
        result = self._reader.search(text) if action == "search" else self._reader.lookup(text)
        return Shown(result.text, result.title, None if result.title is None else self._question_id)

    def follow(self, page: str | None) -> None:
        """Open the same page of the copy."""
        self._reader.open(page)


#: Errors in the manner of common services; each question meets them in an order of its own. Wording ours.
ERRORS = (
    "Error 503: the knowledge base is temporarily unavailable.",
    "Error 500: the server could not complete the request.",
    "Error 429: too many requests. Try again later.",
    "Error: the request timed out after 30 seconds.",
)


def _shuffled(setting: Setting) -> Fault:
    if setting.pool is None:
        raise ValueError("this regime shows other questions' paragraphs: give a FailurePool over the split")
    order = setting.pool.paragraphs_for(setting.question, setting.salt)
    return Replies(Shown(f"[{each.title}] {each.text}", each.title, each.question_id) for each in order)


def _erroneous(setting: Setting) -> Fault:
    errors = list(ERRORS)
    random.Random(stable_seed("erroneous", setting.salt, setting.question.id)).shuffle(errors)
    return Replies(map(Shown, errors))


#: Kind of failure -> how it is set up for one episode. `Regime.how` names one of them.
FAULTS: dict[str, Callable[[Setting], Fault]] = {
    "none": lambda setting: Replies(()),
    "shuffled": _shuffled,
    "distractor": lambda setting: Distractor(setting.question),
    "answerless": lambda setting: Altered(setting, without_facts(setting.question)),
    "stale": lambda setting: Altered(setting, with_old_values(setting.question, setting.pool, setting.salt)),
    "partial": lambda setting: Altered(setting, cut_before_facts(setting.question)),
    "erroneous": _erroneous,
    "empty": lambda setting: Replies([Shown(NO_RESULTS)]),
}


def get_fault(how: str, setting: Setting) -> Fault:
    """Set a kind of failure, a key of `FAULTS`, up for one episode; a ValueError names what it lacks."""
    if how not in FAULTS:
        raise ValueError(f"unknown kind of failure {how!r}; known are {', '.join(FAULTS)}")
    return FAULTS[how](setting)
