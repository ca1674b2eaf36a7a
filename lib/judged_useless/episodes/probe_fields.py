"""What a probe may have found at one observation, and so what its columns of an episode may hold."""

from collections.abc import Callable, Collection
from functools import cache

import numpy as np

from judged_useless.episodes.kinds import encodable
from judged_useless.protocol.vocabulary import JUDGMENTS, PREFERENCES, STATED_LABELS, USEFULNESS

#: Probe -> column of the episodes -> field of its results. One entry an observation, None where not asked.
LISTS: dict[str, dict[str, str]] = {
    "answer-now": {"answer_now": "success", "answer_now_repaired": "repaired_success"},
    "beliefs": {name: name for name in ("usefulness", "p_continue", "p_answer_now", "prefer")},
    "stated": {"stated_label": "label", "stated_by_label": "judgment"},
}

_Kind = tuple[Callable[[object], bool], str]


def _one_of(words: Collection[str]) -> _Kind:
    return lambda value: isinstance(value, str) and value in words, f"one of {', '.join(words)}"


def _or_null(kind: _Kind) -> _Kind:
    return lambda value: value is None or kind[0](value), f"{kind[1]} or null"


def _is_probability(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


_TEXT: _Kind = (lambda value: isinstance(value, str) and encodable(value), "a text")
_BOOLEAN: _Kind = (lambda value: isinstance(value, bool | np.bool_), "true or false")
_PROBABILITY: _Kind = (_is_probability, "a number from 0 to 1")


@cache
def probe_fields() -> dict[str, dict[str, _Kind]]:
    """Return what each probe says at one observation: probe -> field -> its check and what it expects."""
    repaired = {"repaired_answer": _or_null(_TEXT), "repaired_success": _BOOLEAN}
    return {
        "judgments": {"judgment": _one_of(JUDGMENTS)},
        "answer-now": {
            # Any word: an action that is none is what the agent wrote all the same.
            "action": _or_null(_TEXT), "answer": _or_null(_TEXT), "success": _BOOLEAN,
            "placeholder": _BOOLEAN, **repaired,
        },
        "beliefs": {
            "usefulness": _or_null(_one_of(USEFULNESS)), "p_continue": _or_null(_PROBABILITY),
            "p_answer_now": _or_null(_PROBABILITY), "prefer": _or_null(_one_of(PREFERENCES)),
        },
        "repair": repaired,
        "stated": {
            "label": _or_null(_one_of(STATED_LABELS)),
            "judgment": _or_null(_one_of(("USELESS", "USEFUL"))),
        },
    }  # fmt: skip


def column_kinds() -> dict[str, _Kind]:
    """Return what an entry of each column of :data:`LISTS` holds: column -> its check and what it expects.

    Returns
    -------
    dict
        The check holds for null too.
    """
    return {
        column: _or_null((check, expected.removesuffix(" or null").replace("true or", "true,")))
        for probe, fields in LISTS.items()
        for column, (check, expected) in (
            (name, probe_fields()[probe][field]) for name, field in fields.items()
        )
    }
