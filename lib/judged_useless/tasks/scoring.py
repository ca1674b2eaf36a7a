"""When an answer is correct (paper §2: token F1 of at least 0.6; for claims, the verdict)."""

import re
import string
from typing import Literal

from judged_useless.tasks.question import Question

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_DROP_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(text: str) -> str:
    """Return the form in which answers are compared.

    Lower-case, without the words a, an and the, without the ASCII punctuation marks, blanks squeezed, in this
    order: an article is looked for before the marks go, so the "a" of "a.m." counts as one.

    Examples
    --------
    >>> normalize_answer("  The  U.N., an  org. ")
    'un org'
    """
    without_articles = _ARTICLES.sub(" ", text.lower())
    return " ".join(without_articles.translate(_DROP_PUNCTUATION).split())


def answer_is_correct(prediction: str, gold: str) -> bool:
    """Return whether an answer to a question equals the gold one once normalized, or has a token F1 of 0.6.

    F1 is over the *sets* of tokens, ``2 |P ∩ G| / (|P| + |G|)``. The threshold is compared in whole numbers,
    so that an F1 of exactly 0.6 passes whatever the rounding.
    """
    predicted, expected = normalize_answer(prediction), normalize_answer(gold)
    words, gold_words = set(predicted.split()), set(expected.split())
    common, total = len(words & gold_words), len(words) + len(gold_words)
    return predicted == expected or (common > 0 and 10 * common >= 3 * total)


def parse_verdict(text: str) -> Literal["SUPPORTS", "REFUTES"] | None:
    """Return the verdict in an answer to a claim; None unless exactly one of SUPPORT and REFUT occurs."""
    supports, refutes = "SUPPORT" in text.upper(), "REFUT" in text.upper()
    return None if supports == refutes else "SUPPORTS" if supports else "REFUTES"


def is_correct(question: Question, prediction: str) -> bool:
    """Return whether an answer is correct, by the rule of the question's kind."""
    if question.kind == "claim":
        return parse_verdict(prediction) == question.answer
    return answer_is_correct(prediction, question.answer)
