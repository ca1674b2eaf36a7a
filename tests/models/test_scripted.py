"""Scripted agents: deterministic, labelled, with the rates given and the policies that their names say."""

import asyncio
from typing import Any

import hamlets
import pytest
from judged_useless.agent.calls import Options
from judged_useless.agent.loop import Episode, run_episode
from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.models.scripted import ScriptedModel
from judged_useless.models.scripted_policies import Situation, get_policy
from judged_useless.protocol.conditions import get_condition

QUESTIONS = hamlets.load("many")
POOL = FailurePool(QUESTIONS)


def episode(
    model: ScriptedModel,
    place: int,
    regime: str = "persistent",
    condition: str = "unaided",
    budget: int = 8,
    **options: Any,
) -> Episode:
    environment = Environment(QUESTIONS[place], regime, POOL, budget=budget)
    settings = Options(judge=condition == "unaided", **options)
    return asyncio.run(run_episode(model, environment, get_condition(condition), settings))


def now(**known: Any) -> Situation:
    return Situation(**({"action": 1, "budget": 8, "own_run": 0, "failed_run": 0, "draw": 0.5} | known))


@pytest.mark.parametrize(
    ("name", "stops", "goes_on"),
    [
        ("deadline", now(action=8), now(action=7, own_run=6)),
        ("clock-4", now(action=4), now(action=3, own_run=3)),
        ("own-3", now(own_run=3), now(own_run=2, failed_run=5)),
        ("design-5", now(failed_run=5), now(own_run=5, failed_run=4)),
        ("rising-time", now(action=6, draw=0.29), now(action=6, draw=0.31)),
        ("rising-own", now(own_run=3, draw=0.35), now(own_run=1, draw=0.13, action=7)),
    ],
)
def test_a_policy_is_what_its_name_says(name: str, stops: Situation, goes_on: Situation) -> None:
    assert get_policy(name)(stops)
    assert not get_policy(name)(goes_on)


def test_equal_conversations_are_continued_equally() -> None:
    model = ScriptedModel("rising-own", questions=QUESTIONS)
    one, two = (episode(model, 3) for _ in range(2))
    assert one.conversation.messages == two.conversation.messages
    assert one.calls == two.calls
    other = ScriptedModel("rising-own", questions=QUESTIONS, seed=1)
    assert any(
        episode(model, place).conversation.messages != episode(other, place).conversation.messages
        for place in range(5)
    )


@pytest.mark.parametrize("condition", ["unaided", "budget"])
def test_a_deadline_is_met_at_any_budget(condition: str) -> None:
    for budget in (5, 16):
        model = ScriptedModel("deadline", questions=QUESTIONS, budget=budget)
        actions = episode(model, 2, condition=condition, budget=budget).actions
        assert actions == ["search"] * (budget - 1) + ["finish"]


def test_a_rule_is_obeyed_unless_it_is_disobedient() -> None:
    obedient, not_so = (ScriptedModel("never", questions=QUESTIONS, disobedient=rate) for rate in (0.0, 1.0))
    assert episode(obedient, 2, condition="enforced_rule", k=3).actions[-1] == "finish"
    assert episode(not_so, 2, condition="enforced_rule", k=3).termination == "budget_exhausted"


def test_it_answers_rightly_what_it_has_found_and_sometimes_what_it_knows() -> None:
    finder = ScriptedModel("clock-5", questions=QUESTIONS, knows=0.0)
    knower = ScriptedModel("clock-5", questions=QUESTIONS, knows=1.0)
    assert episode(finder, 4, "clean").success
    assert not episode(finder, 4, "persistent").success
    assert episode(knower, 4, "persistent").success
