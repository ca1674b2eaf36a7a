"""The independent check: silent on what the loop writes, loud on anything else."""

import copy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import hamlets
import pytest
from hamlet_cell import run
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.models.scripted import ScriptedModel
from judged_useless.protocol.conditions import CONDITIONS
from validate_run import validate_run, validate_trajectory

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")
CLUMSY = ScriptedModel("own-5", invalid=0.08, unreadable=0.08, truncated=0.04, disobedient=0.5, unparsed=0.15)
CASES = [
    *((name, "hamlets", "react") for name in CONDITIONS),
    *((name, "hamlet-claims", "react") for name in ("decide", "combo", "stated_combo")),
    ("enforced_rule", "hamlets", "search-r1"),
    ("unaided+format_reminder+native_calls", "hamlets", "search-r1"),
    ("stated_judgment_rule+format_reminder", "hamlets", "react"),
]


@pytest.mark.parametrize(("condition", "task", "style"), CASES)
async def test_every_condition_obeys_the_protocol(
    tmp_path: Path, condition: str, task: str, style: str
) -> None:
    two_source = condition in ("switch_rule", "both_exits")
    made = await run(
        tmp_path,
        model=CLUMSY,
        condition=condition,
        task=task,
        style=style,
        regimes=("ts_persistent", "ts_clean") if two_source else ("persistent", "clean", "plausible"),
        n_questions=12,
        k=2,
        useless_rate=0.8,
    )
    assert validate_run(made.path) == []
    endings = set(made.episodes()["termination"])
    assert {"answered", "generation_truncated"} <= endings


@pytest.fixture
async def trajectory(tmp_path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """An episode in which the rule fired and was not followed, and the specification of its run."""
    made = await run(tmp_path, model=ScriptedModel("never", disobedient=0.6), condition="combo", k=2)
    fired = (each for each in made.trajectories() if len(each["events"]) > 1 and True in each["failed"])
    return next(fired), made.manifest["spec"]


def change_message(index: int, old: str, new: str) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        before = record["messages"][index]["content"]
        assert old in before
        record["messages"][index]["content"] = before.replace(old, new)

    return change


def put(name: str, value: Callable[[Any], Any]) -> Callable[[dict[str, Any]], None]:
    def change(record: dict[str, Any]) -> None:
        record[name] = value(record[name])

    return change


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], None], str]] = {
    "a word of the prompt": (change_message(0, "knowledge base", "data base"), "messages, entry 1"),
    "an instruction left out": (
        change_message(5, "Do not make any further tool calls.", ""), "messages, entry 6",
    ),
    "a judgment": (put("judgments", lambda js: ["USEFUL", *js[1:]]), "judgments, entry 1"),
    "success": (put("success", lambda value: not value), "success"),
    "an ending": (put("termination", lambda _: "format_failure"), "termination"),
    "a failed observation": (put("failed", lambda fs: [not fs[0], *fs[1:]]), "failed, entry 1"),
    "an event": (put("events", lambda events: events[:-1]), "events: 2 entries, expected 3"),
    "a call left out": (put("calls", lambda calls: calls[:-1]), "a turn is missing"),
    "calls that were not charged": (put("n_judgment_calls", lambda _: 0), "n_judgment_calls"),
}  # fmt: skip


@pytest.mark.parametrize("case", TAMPERED)
def test_a_tampered_trajectory_is_found_out(
    case: str, trajectory: tuple[dict[str, Any], dict[str, Any]]
) -> None:
    record, spec = trajectory
    questions = hamlets.load("all")
    question = next(question for question in questions if question.id == record["question_id"])
    pool = FailurePool(questions)
    assert validate_trajectory(record, spec, question, pool) == []
    tampered = copy.deepcopy(record)
    tamper, found = TAMPERED[case]
    tamper(tampered)
    problems = validate_trajectory(tampered, spec, question, pool)
    assert any(problem.startswith(found) or found in problem for problem in problems), problems
