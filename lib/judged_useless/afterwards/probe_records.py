"""Records of probes, checked when they are read, and before their folder is gone on with."""

from collections.abc import Mapping
from typing import Any

from judged_useless._io.strict_json import shown
from judged_useless.episodes.schema import PROBE_FIELDS, fault_of

#: Of what probes write; raised when an older reader would misread a newer file.
FORMAT = 1
#: Probes that ask nothing of the agent but of an annotator, who may be any model.
OF_ANNOTATORS = ("stated",)


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
    for name, kind in PROBE_FIELDS[probe].items():
        if name not in result:
            return f": {name} is missing"
        if fault := fault_of(kind, result[name]):
            return f": {name}: {fault}"
    return ""


def _found(result: Mapping[str, Any], name: str) -> str:
    return shown(result[name]) if name in result else "missing"
