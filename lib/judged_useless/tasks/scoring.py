"""When an answer is correct (paper §2: token F1 of at least 0.6; for claims, the verdict)."""

import re
import string
from typing import Literal

from judged_useless.tasks.question import Question

Verdict = Literal["SUPPORTS", "REFUTES"]

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_DROP_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_answer(text: str) -> str:
    """Bring an answer to the form in which answers are compared.

    Lower-case, without the words a, an and the, without the ASCII punctuation marks
    (``string.punctuation``), blanks squeezed, in this order: an article is looked for before the marks
    go, so the "a" of "a.m." counts as one.

    Parameters
    ----------
    text : str
        An answer as given.

    Returns
    -------
    str
        Possibly empty.
    """
    without_articles = _ARTICLES.sub(" ", text.lower())
    return " ".join(without_articles.translate(_DROP_PUNCTUATION).split())


def token_f1(prediction: str, gold: str) -> float:
    """F1 over the sets of tokens of two normalized answers.

    ``F1 = 2 |P ∩ G| / (|P| + |G|)``, with each token counted once however often it occurs.

    Parameters
    ----------
    prediction, gold : str
        Answers as given; they are normalized here.

    Returns
    -------
    float
        In 0..1; 0 if either has no token.
    """
    common, total = _overlap(normalize_answer(prediction), normalize_answer(gold))
    return 2 * common / total if common else 0.0


def _overlap(prediction: str, gold: str) -> tuple[int, int]:
    predicted, expected = set(prediction.split()), set(gold.split())
    return len(predicted & expected), len(predicted) + len(expected)


def answer_is_correct(prediction: str, gold: str) -> bool:
    """Score an answer to a question: equal once normalized, or token F1 of at least 0.6.

    Parameters
    ----------
    prediction, gold : str
        Answers as given.

    Returns
    -------
    bool

    Notes
    -----
    The threshold is compared in whole numbers (``10 |P ∩ G| >= 3 (|P| + |G|)``), so that an F1 of
    exactly 0.6 passes whatever the rounding.
    """
    predicted, expected = normalize_answer(prediction), normalize_answer(gold)
    if predicted == expected:
        return True
    common, total = _overlap(predicted, expected)
    return common > 0 and 10 * common >= 3 * total


def parse_verdict(text: str) -> Verdict | None:
    """Read the verdict out of an answer to a claim.

    Parameters
    ----------
    text : str
        An answer as given.

    Returns
    -------
    "SUPPORTS", "REFUTES" or None
        None unless exactly one of SUPPORT and REFUT occurs, whatever the case.
    """
    upper = text.upper()
    supports, refutes = "SUPPORT" in upper, "REFUT" in upper
    if supports == refutes:
        return None
    return "SUPPORTS" if supports else "REFUTES"


def verdict_is_correct(prediction: str, gold: str) -> bool:
    """Score an answer to a claim: it holds exactly one verdict, and that is the gold one.

    Parameters
    ----------
    prediction : str
        An answer as given.
    gold : str
        ``SUPPORTS`` or ``REFUTES``.

    Returns
    -------
    bool
    """
    return parse_verdict(prediction) == gold


def is_correct(question: Question, prediction: str) -> bool:
    """Score an answer by the rule of the question's kind.

    Parameters
    ----------
    question : Question
        Whose ``answer`` is the gold one.
    prediction : str
        What the agent finished with. An episode without an answer has nothing to score.

    Returns
    -------
    bool
    """
    score = verdict_is_correct if question.kind == "claim" else answer_is_correct
    return score(prediction, question.answer)
