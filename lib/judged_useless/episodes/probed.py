"""What a probe may have found: checked when it is read, and before its folder is gone on with."""

from collections.abc import Callable, Collection, Mapping
from functools import cache
from typing import Any

import numpy as np

from judged_useless.episodes.codes import JUDGMENTS
from judged_useless.episodes.kinds import encodable
from judged_useless.prompts import USEFULNESS
from judged_useless.strict_json import shown

#: Of what probes write; raised when an older reader would misread a newer file.
FORMAT = 1
#: Probes that ask nothing of the agent but of an annotator, who may be any model.
OF_ANNOTATORS = ("stated",)
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
def _fields() -> dict[str, dict[str, _Kind]]:
    """Return what each probe says at one observation: probe -> field -> its check and what it expects."""
    # Here, because these read runs, which are read into episodes and so import this package.
    from judged_useless.annotation.labels import get_stream
    from judged_useless.probes.replies import PREFERENCES

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
            "label": _or_null(_one_of(get_stream("S2").labels)),
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
        for column, (check, expected) in ((name, _fields()[probe][field]) for name, field in fields.items())
    }


def _asked_at(probe: str, n: int, budget: int) -> range:
    """Return the observations at which a probe can have asked, of an episode with n."""
    if probe == "repair":
        return range(n, n + 1)
    # After the last action of the budget there is nothing to decide.
    return range(1, min(n, budget - 1 if probe in ("answer-now", "beliefs") else n) + 1)


def record_fault(
    record: Mapping[str, Any], probe: str, regime: str, lengths: Mapping[str, int], budget: int
) -> str:
    """Return what is wrong with a record of a probe.

    Parameters
    ----------
    record : mapping
        One line of its files.
    probe : str
        Name of the probe.
    regime : str
        Whose file it is in.
    lengths : mapping of str to int
        Id of each question that the run has in this regime -> observations of its episode.
    budget : int
        Actions of an episode of the run.

    Returns
    -------
    str
        The field, what it is, and what was expected; empty if nothing is wrong.
    """
    if record.get("regime") != regime:
        return f"regime is {shown(record.get('regime'))}, expected {regime!r}, whose file it is in"
    question, results = record.get("question_id"), record.get("results")
    if not isinstance(question, str) or question not in lengths:
        return f"question_id {shown(question)} is no question of this run"
    if not isinstance(results, list):
        return f"results is {shown(results)}, expected a list"
    asked = _asked_at(probe, lengths[question], budget)
    for number, result in enumerate(results, 1):
        if fault := _result_fault(result, probe, asked):
            return f"results, entry {number}{fault}"
    found = [result["t"] for result in results]
    if len(set(found)) < len(found):
        return f"results: t is {shown(found)}, expected each observation once"
    # There is not a thought after every result.
    if probe != "stated" and len(found) < len(asked):
        lacking = next(t for t in asked if t not in found)
        return f"results: nothing at t {lacking}, expected one at each of {_span(asked)}"
    return ""


def _span(asked: range) -> str:
    if not asked:
        return "no observation, for the episode has none"
    return str(asked[0]) if len(asked) == 1 else f"{asked[0]} to {asked[-1]}"


def _result_fault(result: object, probe: str, asked: range) -> str:
    if not isinstance(result, dict):
        return f" is {shown(result)}, expected an object"
    t = result.get("t")
    if not isinstance(t, int) or isinstance(t, bool) or t not in asked:
        return f": t is {_found(result, 't')}, expected {_span(asked)}"
    for name, (holds, expected) in _fields()[probe].items():
        if name not in result or not holds(result[name]):
            return f": {name} is {_found(result, name)}, expected {expected}"
    return ""


def _found(result: Mapping[str, Any], name: str) -> str:
    return shown(result[name]) if name in result else "missing"
