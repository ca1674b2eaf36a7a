"""Each record of a probe is what that probe can have found, or its fault is told by field."""

import copy
from typing import Any

import pytest
from judged_useless.afterwards.probe_findings import findings_check
from judged_useless.afterwards.probes import PROBES
from judged_useless.runs.run_files import RunError

LENGTHS = {"q1": 3, "q2": 0}
REPAIRED = {"repaired_answer": "Rome", "repaired_success": True}
ANSWER = {"action": "finish", "answer": "answer", "success": False, "placeholder": True, **REPAIRED}
BELIEF = {"usefulness": "OFF_TOPIC", "p_continue": 0, "p_answer_now": 1.0, "prefer": "unsure"}
#: Of an episode with three observations and a budget of three: after the last, nothing is left to decide.
GOOD: dict[str, list[dict[str, Any]]] = {
    "judgments": [{"t": t, "judgment": word} for t, word in enumerate(("USELESS", "USEFUL", "UNPARSED"), 1)],
    "answer-now": [{"t": t, **ANSWER} for t in (1, 2)],
    "beliefs": [{"t": 1, **BELIEF}, {"t": 2, **dict.fromkeys(BELIEF)}],
    "repair": [{"t": 3, **REPAIRED}],
    "stated": [{"t": 2, "label": "useful", "judgment": "USEFUL"}, {"t": 3, "label": None, "judgment": None}],
}


def fault(probe: str, budget: int = 3, **fields: Any) -> str:
    spec = {"model": {"name": "m"}, "condition": {"name": "c"}, "budget": budget}
    record: dict[str, Any] = {"question_id": "q1", "regime": "clean", "model": "m", "condition": "c"}
    record |= {"calls": [], "timings": []}
    try:
        findings_check(probe, "clean", LENGTHS, spec)("x", {**record, "results": GOOD[probe], **fields})
    except RunError as error:
        return str(error).removeprefix("x: ")
    return ""


@pytest.mark.parametrize("probe", PROBES)
def test_what_a_probe_writes_has_no_fault(probe: str) -> None:
    assert fault(probe) == ""


def test_an_episode_without_an_observation_can_only_have_its_answer_repaired() -> None:
    assert fault("repair", question_id="q2", results=[{"t": 0, **REPAIRED}]) == ""
    assert fault("judgments", question_id="q2", results=[]) == ""
    assert "results: t is [1, 2, 3], expected each of [] once" in fault("judgments", question_id="q2")


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"results": {"t": 1}}, "results is {'t': 1}, expected a valid list"),
        ({"results": [1]}, "results, entry 1 is 1, expected a valid dictionary"),
        ({"question_id": "../../x"}, "question_id '../../x' is no question of this run"),
        ({"regime": "persistent"}, "regime is 'persistent', expected 'clean'"),
        ({"model": "another"}, "model is 'another', expected 'm'"),
    ],
)
def test_a_record_that_is_none_is_told_by_field(fields: dict[str, Any], message: str) -> None:
    assert fault("judgments", **fields).startswith(message)


@pytest.mark.parametrize("probe", PROBES)
def test_a_step_that_was_not_asked_at_or_twice_or_not_at_all_is_told(probe: str) -> None:
    first, *others = GOOD[probe]
    for t in ("1", 1.0, True):
        told = fault(probe, results=[{**first, "t": t}, *others])
        assert told.startswith(f"results, entry 1: t is {t!r}, expected ")
    for t in (99, -1, 10**30):
        assert fault(probe, results=[{**first, "t": t}, *others]).startswith(f"results: t is [{t}")
    assert "expected each of " in fault(probe, results=[first, *others, first])
    # Not every result is followed by a thought.
    assert fault(probe, results=others).startswith("" if probe == "stated" else "results: t is [")


@pytest.mark.parametrize("probe", ["answer-now", "beliefs"])
def test_the_last_of_the_budget_is_no_decision(probe: str) -> None:
    assert fault(probe, budget=4) == "results: t is [1, 2], expected each of [1, 2, 3] once"
    third = [*GOOD[probe], {**GOOD[probe][0], "t": 3}]
    assert fault(probe, budget=4, results=third) == ""
    assert fault(probe, results=third) == "results: t is [1, 2, 3], expected each of [1, 2] once"


WRONG: dict[tuple[str, str], list[object]] = {
    ("judgments", "judgment"): [None, 1, "<script>", "useless"],
    ("answer-now", "success"): ["false", None, 0],
    ("answer-now", "answer"): [5, "\ud800"],
    ("repair", "repaired_success"): [None, "false"],
    ("beliefs", "usefulness"): ["USEFUL", ["OFF_TOPIC"]],
    ("beliefs", "p_continue"): [7, -0.1, "0.5", True, float("nan")],
    ("beliefs", "prefer"): ["=cmd()", 1],
    ("stated", "label"): ["off_topic", 1],
    ("stated", "judgment"): ["UNPARSED", "yes"],
}


@pytest.mark.parametrize(("probe", "name"), WRONG)
def test_a_value_that_the_field_cannot_have_is_told(probe: str, name: str) -> None:
    results = copy.deepcopy(GOOD[probe])
    for value in WRONG[probe, name]:
        results[0][name] = value
        assert fault(probe, results=results).startswith(f"results, entry 1: {name} is {value!r}, expected ")
    del results[0][name]
    assert fault(probe, results=results) == f"results, entry 1: {name} is missing"
