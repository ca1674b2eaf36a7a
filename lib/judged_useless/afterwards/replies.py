"""Reading what probes are answered with: what does not parse is missing, never coerced (Appendix C.4)."""

from typing import Any

from judged_useless._io.strict_json import reply_object
from judged_useless.episodes.schema import PROBE_FIELDS, fault_of
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


def is_placeholder(answer: str | None) -> bool:
    """Tell whether an answer is empty or copies the template (paper, Appendix C.5); None is no answer.

    Examples
    --------
    >>> is_placeholder(" <Your best guess>. "), is_placeholder("Guess (film)")
    (True, False)
    """
    if answer is None:
        return False
    bare = answer.strip().strip("<>[](){}\"'`.").strip().lower()
    return not bare or bare in PLACEHOLDERS


def read_beliefs(reply: str, *names: str) -> dict[str, Any]:
    """Return fields of a reply to a belief question; None in all of them unless each is there and valid.

    Examples
    --------
    >>> read_beliefs('{"p_continue": 1, "prefer": "continue", "reason": "x"}', "p_continue", "prefer")
    {'p_continue': 1.0, 'prefer': 'continue'}
    """
    said = reply_object(reply)
    kinds = PROBE_FIELDS["beliefs"]
    if any(said.get(name) is None or fault_of(kinds[name], said[name]) for name in names):
        return dict.fromkeys(names)
    return {name: float(said[name]) if isinstance(said[name], int) else said[name] for name in names}
