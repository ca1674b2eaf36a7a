"""Reading what probes are answered with: what does not parse is missing, never coerced (Appendix C.4)."""

from typing import NamedTuple

from judged_useless._io.strict_json import reply_object
from judged_useless.protocol.vocabulary import PREFERENCES, USEFULNESS

#: Answers that copy the template. The paper names the first three and "six similar" ones, which are ours.
PLACEHOLDERS = frozenset(
    {
        "answer", "guess", "your best guess",
        "best guess", "your answer", "final answer", "your final answer", "the answer", "your guess",
    }
)  # fmt: skip
_PROBABILITY = r"(0(\.[0-9]{1,2})?|1(\.0)?)"
_REASON = r'"reason": "[^"\\\n]{1,80}"'
#: Forms of the belief replies, for runs that hold a model to form.
USEFULNESS_FORM = rf'\{{"usefulness": "({"|".join(USEFULNESS)})", {_REASON}\}}'
CONTINUATION_FORM = (
    rf'\{{"p_continue": {_PROBABILITY}, "p_answer_now": {_PROBABILITY}, '
    rf'"prefer": "({"|".join(PREFERENCES)})", {_REASON}\}}'
)


class Continuation(NamedTuple):
    """A reply to the continuation turn."""

    p_continue: float
    p_answer_now: float
    prefer: str


def is_placeholder(answer: str | None) -> bool:
    """Tell whether an answer is empty or copies the template (paper, Appendix C.5).

    Parameters
    ----------
    answer : str or None
        What an episode finished with; None if it did not.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_placeholder(" <Your best guess>. "), is_placeholder("Guess (film)")
    (True, False)
    """
    if answer is None:
        return False
    bare = answer.strip().strip("<>[](){}\"'`.").strip().lower()
    return not bare or bare in PLACEHOLDERS


def read_usefulness(reply: str) -> str | None:
    """Return one of `judged_useless.protocol.vocabulary.USEFULNESS`; None if the reply does not parse."""
    said = reply_object(reply).get("usefulness")
    return said if isinstance(said, str) and said in USEFULNESS else None


def _probability(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        return None
    return float(value)


def read_continuation(reply: str) -> Continuation | None:
    """Read a reply to the continuation turn; None unless all three fields are there and in range.

    Examples
    --------
    >>> read_continuation('{"p_continue": 0.7, "p_answer_now": 0.2, "prefer": "continue", "reason": "x"}')
    Continuation(p_continue=0.7, p_answer_now=0.2, prefer='continue')
    """
    said = reply_object(reply)
    going_on, answering = _probability(said.get("p_continue")), _probability(said.get("p_answer_now"))
    prefer = said.get("prefer")
    if going_on is None or answering is None or not isinstance(prefer, str) or prefer not in PREFERENCES:
        return None
    return Continuation(going_on, answering, prefer)
