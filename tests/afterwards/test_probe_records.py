"""Each record of a probe is what that probe can have found, or its fault is told by field."""

import copy
import re
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
    record = {"question_id": "q1", "regime": "clean", "results": GOOD[probe], **fields}
    try:
        findings_check(probe, "clean", LENGTHS, budget)("x", record)
    except RunError as error:
        return str(error).removeprefix("x: ")
    return ""


@pytest.mark.parametrize("probe", PROBES)
def test_what_a_probe_writes_has_no_fault(probe: str) -> None:
    assert fault(probe) == ""


def test_an_episode_without_an_observation_can_only_have_its_answer_repaired() -> None:
    assert fault("repair", question_id="q2", results=[{"t": 0, **REPAIRED}]) == ""
    assert fault("judgments", question_id="q2", results=[]) == ""
    assert "t is 1, expected each of [] once" in fault("judgments", question_id="q2")


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"results": None}, "results is None, expected a list"),
        ({"results": "abc"}, "results is 'abc', expected a list"),
        ({"results": {"t": 1}}, "results is {'t': 1}, expected a list"),
        ({"results": [1]}, "results, entry 1 is 1, expected an object"),
        ({"question_id": "../../x"}, "question_id '../../x' is no question of this run"),
        ({"question_id": ["q1"]}, "question_id ['q1'] is no question of this run"),
        ({"question_id": None}, "question_id None is no question of this run"),
        ({"regime": "persistent"}, "regime is 'persistent', expected 'clean'"),
        ({"regime": ["clean"]}, "regime is ['clean'], expected 'clean'"),
    ],
)
def test_a_record_that_is_none_is_told_by_field(probe: str, fields: dict[str, Any], message: str) -> None:
    assert fault(probe, **fields).startswith(message)


@pytest.mark.parametrize("probe", PROBES)
@pytest.mark.parametrize("t", [None, "1", 1.0, True, 99, -1, 10**30])
def test_a_step_that_was_not_asked_at_is_told(probe: str, t: object) -> None:
    results = copy.deepcopy(GOOD[probe])
    results[0]["t"] = t
    assert fault(probe, results=results).startswith(f"results, entry 1: t is {t!r}, expected ")
    del results[0]["t"]
    assert fault(probe, results=results).startswith("results, entry 1: t is None, expected ")


@pytest.mark.parametrize("probe", PROBES)
def test_a_step_twice_or_not_at_all_is_told(probe: str) -> None:
    twice = [*GOOD[probe], GOOD[probe][0]]
    assert "expected each of " in fault(probe, results=twice)
    for fewer in ([], GOOD[probe][1:]):
        if probe == "stated" or fewer == GOOD[probe]:
            # Not every result is followed by a thought.
            assert fault(probe, results=fewer) == ""
        else:
            assert fault(probe, results=fewer).startswith("results: nothing at t ")


@pytest.mark.parametrize("probe", ["answer-now", "beliefs"])
def test_the_last_of_the_budget_is_no_decision(probe: str) -> None:
    assert fault(probe, budget=4) == "results: nothing at t 3, expected one at each of [1, 2, 3]"
    third = [*GOOD[probe], {**GOOD[probe][0], "t": 3}]
    assert fault(probe, budget=4, results=third) == ""
    assert fault(probe, results=third) == "results, entry 3: t is 3, expected each of [1, 2] once"


WRONG: list[tuple[str, str, list[object]]] = [
    ("judgments", "judgment", [None, 1, "<script>", "useless"]),
    ("answer-now", "success", ["false", None, 0]),
    ("answer-now", "repaired_success", ["true", 1]),
    ("answer-now", "placeholder", [None, "no"]),
    ("answer-now", "action", [1, ["finish"], "\ud800"]),
    ("answer-now", "answer", [5, False]),
    ("repair", "repaired_success", [None, "false"]),
    ("repair", "repaired_answer", [5]),
    ("beliefs", "usefulness", ["USEFUL", 1, ["OFF_TOPIC"]]),
    ("beliefs", "p_continue", [7, -0.1, "0.5", True, float("nan"), float("inf")]),
    ("beliefs", "p_answer_now", [1.01, [0.5]]),
    ("beliefs", "prefer", ["=cmd()", 1]),
    ("stated", "label", ["off_topic", 1]),
    ("stated", "judgment", ["UNPARSED", "yes"]),
]


@pytest.mark.parametrize(("probe", "name", "values"), WRONG)
def test_a_value_that_the_field_cannot_have_is_told(probe: str, name: str, values: list[object]) -> None:
    results = copy.deepcopy(GOOD[probe])
    for value in values:
        results[0][name] = value
        told = fault(probe, results=results)
        assert re.match(f"results, entry 1: {name}: .*expected ", told)
        assert told.endswith(f", found {value!r}")
    del results[0][name]
    assert fault(probe, results=results) == f"results, entry 1: {name} is missing"
