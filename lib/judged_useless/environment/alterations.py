"""Altered copies of a question's own pages: without the facts, cut before them, or with old values."""

import random
import re
from collections.abc import Callable, Iterable

from judged_useless._io.seeds import stable_seed
from judged_useless.environment.failed_paragraphs import SALT, FailurePool
from judged_useless.tasks.question import Question, SupportingFact
from judged_useless.tasks.scoring import normalize_answer

#: Shown for a page of which nothing is left.
EMPTY_PAGE = "(This article has no text.)"  # wording ours

_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+)(?![\w]|[.,]\d)")
_NOT_A_VALUE = frozenset({"yes", "no", "supports", "refutes", ""})


def without_facts(question: Question) -> dict[str, str]:
    """Remove every supporting sentence: the *answerless* pages (paper §D.5).

    Where only the supporting page is known, and not its sentence (FEVER), the whole page goes. A sentence
    that repeats a supporting one word for word goes too, on whatever page it is.

    Parameters
    ----------
    question : Question
        Whose pages are copied.

    Returns
    -------
    dict of str to str
        Title -> text, in the same order; `EMPTY_PAGE` for a page of which nothing is left.
    """
    return _with_facts(question, lambda title, index, sentence: None)


def cut_before_facts(question: Question) -> dict[str, str]:
    """Break each gold page off before its first supporting sentence: the *partial* pages.

    A supporting sentence that opens its page is broken off after four words, or before the answer if that
    comes sooner. Not in the paper.

    Parameters
    ----------
    question : Question
        Whose pages are copied.

    Returns
    -------
    dict of str to str
        Title -> text, in the same order; broken-off texts end in ``...``.
    """
    facts = _fact_indices(question)
    pages = dict(question.knowledge_base)
    for paragraph in question.paragraphs:
        first = min(facts.get(paragraph.title, ()), default=None)
        if first is None:
            continue
        kept = paragraph.sentences[:first] if first else (_opening(paragraph.sentences[0], question.answer),)
        pages[paragraph.title] = f"{' '.join(kept).rstrip()}...".lstrip()
    return pages


def with_old_values(question: Question, pool: FailurePool | None = None, salt: str = SALT) -> dict[str, str]:
    """Put an outdated value into each supporting sentence: the *stale* pages.

    The answer is replaced by the answer of another question of the pool: without digits, with a capital
    letter if it has one, of as many words if there is one such. A sentence without the answer, or whose
    answer holds a digit, gets its numbers lowered instead: years by one to nine, others by a tenth, at least
    by one. A sentence with neither stays as it is. Not in the paper.

    Parameters
    ----------
    question : Question
        Whose pages are copied.
    pool : FailurePool, optional
        Source of other answers; without it only numbers change.
    salt : str, default "shuffled-v2"
        Seeds the choice of values, together with the question's id.

    Returns
    -------
    dict of str to str
        Title -> text, in the same order.
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
    """Copy the pages with each supporting sentence changed, or left out where `change` gives None."""
    facts = _fact_indices(question)
    pages = dict(question.knowledge_base)
    for paragraph in question.paragraphs:
        indices = facts.get(paragraph.title, frozenset())
        if not indices:
            continue
        changed = [
            change(paragraph.title, index, sentence) if index in indices else sentence
            for index, sentence in enumerate(paragraph.sentences)
        ]
        text = " ".join(sentence for sentence in changed if sentence is not None)
        pages[paragraph.title] = text if text.strip() else EMPTY_PAGE
    return pages


def _fact_indices(question: Question) -> dict[str, frozenset[int]]:
    """Return title -> indices of its supporting sentences; all of them where only the page is known.

    A sentence that repeats a supporting one word for word counts as well, on whatever page it is: in
    HotpotQA an article and the article on its filmography can begin alike.
    """
    listed = {(fact.title, index) for fact in question.supporting_facts for index in _indices(question, fact)}
    sentences = {
        (paragraph.title, index): sentence.strip()
        for paragraph in question.paragraphs
        for index, sentence in enumerate(paragraph.sentences)
    }
    texts = {sentences[place] for place in listed if place in sentences} - {""}
    facts: dict[str, set[int]] = {}
    for (title, index), sentence in sentences.items():
        if (title, index) in listed or sentence in texts:
            facts.setdefault(title, set()).add(index)
    return {title: frozenset(indices) for title, indices in facts.items()}


def _indices(question: Question, fact: SupportingFact) -> Iterable[int]:
    if fact.sentence is not None:
        return (fact.sentence,)
    return range(max((len(p.sentences) for p in question.paragraphs if p.title == fact.title), default=0))


def _opening(sentence: str, answer: str) -> str:
    opening = " ".join(sentence.split()[:4])
    before_answer, found, _ = opening.partition(answer) if answer else (opening, "", "")
    return before_answer if found else opening


def _other_answer(question: Question, pool: FailurePool | None, salt: str) -> str | None:
    own = normalize_answer(question.answer)
    if pool is None or own in _NOT_A_VALUE or any(character.isdigit() for character in own):
        return None
    capital = question.answer[0].isupper()
    others = [
        other.answer
        for other in pool.questions
        if other.id != question.id
        and other.answer[:1].isupper() == capital
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
