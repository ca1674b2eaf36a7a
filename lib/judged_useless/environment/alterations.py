"""Altered copies of a question's own pages: without the facts, cut before them, or with old values.

A fact is a supporting sentence, or every sentence of a supporting page where only the page is known (FEVER).
A sentence that repeats one word for word counts as well, on whatever page it is: in HotpotQA an article and
the article on its filmography can begin alike.
"""

import random
import re
from collections.abc import Callable

from judged_useless._io.seeds import stable_seed
from judged_useless.environment.failed_paragraphs import SALT, FailurePool
from judged_useless.tasks.question import Question
from judged_useless.tasks.scoring import normalize_answer

#: Shown for a page of which nothing is left.
EMPTY_PAGE = "(This article has no text.)"  # wording ours

_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w]|[.,]\d)")
_NOT_A_VALUE = frozenset({"yes", "no", "supports", "refutes", ""})


def without_facts(question: Question) -> dict[str, str]:
    """Return the *answerless* pages (paper §D.5): without facts, or `EMPTY_PAGE` where nothing is left."""
    return _with_facts(question, lambda title, index, sentence: None)


def cut_before_facts(question: Question) -> dict[str, str]:
    """Return the *partial* pages: each broken off (``...``) before its first fact. Not in the paper.

    A fact that opens its page is broken off after four words, or before the answer if that comes sooner.
    """
    pages = dict(question.knowledge_base)
    facts = _fact_places(question)
    for page in question.paragraphs:
        first = min((index for title, index in facts if title == page.title), default=None)
        if first is not None:
            kept = " ".join(page.sentences[:first])
            if first == 0:
                opening = " ".join(page.sentences[0].split()[:4])
                kept = opening.partition(question.answer)[0] if question.answer else opening
            pages[page.title] = f"{kept.rstrip()}...".lstrip()
    return pages


def with_old_values(question: Question, pool: FailurePool | None = None, salt: str = SALT) -> dict[str, str]:
    """Return the *stale* pages, with an outdated value in each fact. Not in the paper.

    The answer is replaced by the answer of another question of the pool: without digits, with a capital
    letter if it has one, of as many words if there is one such. A fact without the answer, or whose answer
    holds a digit, gets its numbers lowered instead: years by one to nine, others by a tenth, at least by one.
    A fact with neither stays as it is.
    """
    substitute = _other_answer(question, pool, salt)
    answer = re.compile(rf"(?<!\w){re.escape(question.answer)}(?!\w)", re.IGNORECASE)

    def age(title: str, index: int, sentence: str) -> str:
        if substitute is not None and answer.search(sentence):
            return answer.sub(lambda _: substitute, sentence)
        years = 1 + stable_seed("stale", salt, question.id, title, index) % 9
        return _NUMBER.sub(lambda match: _lowered(match[0], years), sentence)

    return _with_facts(question, age)


def _with_facts(question: Question, change: Callable[[str, int, str], str | None]) -> dict[str, str]:
    """Copy the pages with each fact changed, or left out where `change` gives None."""
    facts = _fact_places(question)
    pages = dict(question.knowledge_base)
    for page in question.paragraphs:
        if any(title == page.title for title, _ in facts):
            changed = [
                change(page.title, index, sentence) if (page.title, index) in facts else sentence
                for index, sentence in enumerate(page.sentences)
            ]
            text = " ".join(sentence for sentence in changed if sentence is not None)
            pages[page.title] = text if text.strip() else EMPTY_PAGE
    return pages


def _fact_places(question: Question) -> set[tuple[str, int]]:
    """Return title and index of every fact."""
    sentences = {
        (page.title, index): sentence.strip()
        for page in question.paragraphs
        for index, sentence in enumerate(page.sentences)
    }
    listed = {
        place
        for place in sentences
        for fact in question.supporting_facts
        if fact.title == place[0] and fact.sentence in (None, place[1])
    }
    texts = {sentences[place] for place in listed} - {""}
    return listed | {place for place, sentence in sentences.items() if sentence in texts}


def _other_answer(question: Question, pool: FailurePool | None, salt: str) -> str | None:
    own = normalize_answer(question.answer)
    if pool is None or own in _NOT_A_VALUE or any(character.isdigit() for character in own):
        return None
    others = [
        other.answer
        for other in pool.questions
        if other.id != question.id
        and other.answer[:1].isupper() == question.answer[0].isupper()
        and normalize_answer(other.answer) not in _NOT_A_VALUE | {own}
        and not any(character.isdigit() for character in other.answer)
    ]
    if not others:
        return None
    distances = [abs(len(other.split()) - len(question.answer.split())) for other in others]
    nearest = [other for other, distance in zip(others, distances, strict=True) if distance == min(distances)]
    return random.Random(stable_seed("stale", salt, question.id)).choice(nearest)


def _lowered(number: str, years: int) -> str:
    value = int(number.replace(",", ""))
    if len(number) == 4 and 1000 <= value < 2100:
        return str(value - years)
    lowered = value - max(1, value // 10) if value else 1
    return f"{lowered:,}" if "," in number else str(lowered)
