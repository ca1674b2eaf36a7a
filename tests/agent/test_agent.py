"""One episode: what is asked, in which order, and what the harness makes of the answers."""

import asyncio
from collections.abc import Sequence
from typing import Any

import hamlets
import pytest
from canned import CannedModel, SlowModel, act
from judged_useless.agent.calls import Options
from judged_useless.agent.loop import Episode, run_episode
from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.models.base import Decoding, ServiceUnavailableError, TransientModelError
from judged_useless.protocol.conditions import get_condition
from judged_useless.protocol.prompts import get_wording

QUESTIONS = hamlets.load("all")
POOL = FailurePool(QUESTIONS)
WORDING = get_wording("react", "question")
SEARCH, FINISH = act("search", "Ankerby 0"), act("finish", QUESTIONS[0].answer)
BAD, GOOD = "USELESS", "USEFUL"


def run(
    condition: str,
    turns: Sequence[Any],
    judgments: Sequence[Any] = (),
    *,
    regime: str = "persistent",
    budget: int = 8,
    model: str | None = None,
    decisions: Sequence[Any] = (),
    decoding: Decoding | None = None,
    **options: Any,
) -> tuple[Episode, CannedModel]:
    canned = CannedModel(turns, judgments, decisions, decoding or Decoding())
    environment = Environment(QUESTIONS[0], regime, POOL, budget=budget)
    episode = asyncio.run(
        run_episode(canned, environment, get_condition(condition, model=model), Options(**options))
    )
    return episode, canned


def contents(episode: Episode, role: str) -> list[str]:
    return [message["content"] for message in episode.conversation.messages if message["role"] == role]


class TestEndings:
    def test_answered(self) -> None:
        episode, _ = run("unaided", [SEARCH, FINISH])
        assert (episode.actions, episode.termination, episode.success) == (
            ["search", "finish"],
            "answered",
            True,
        )

    def test_the_budget_ends_it(self) -> None:
        episode, canned = run("unaided", [SEARCH] * 3, budget=3)
        assert (episode.actions, episode.termination, episode.success) == (
            ["search"] * 3, "budget_exhausted", False,
        )  # fmt: skip
        assert len(canned.requests) == 3

    def test_an_unreadable_turn_takes_no_step(self) -> None:
        episode, _ = run("unaided", [SEARCH, "The year is 1700."])
        assert (episode.actions, episode.termination) == (["search"], "format_failure")
        assert episode.environment.answer is None

    def test_a_turn_that_is_cut_off_is_not_read(self) -> None:
        episode, _ = run("unaided", [SEARCH, f"{FINISH}<cut>"])
        assert (episode.actions, episode.termination, episode.success) == (
            ["search"], "generation_truncated", False,
        )  # fmt: skip

    def test_an_invalid_action_costs_a_step_and_the_episode_goes_on(self) -> None:
        episode, _ = run("unaided", [act("browse"), FINISH])
        assert episode.actions == ["invalid", "finish"]
        assert "browse" in episode.observations[0].text


class TestSideChannel:
    def test_recording_alone_judges_every_observation_and_changes_nothing(self) -> None:
        plain, _ = run("unaided", [SEARCH] * 3, budget=3)
        judged, canned = run("unaided", [SEARCH] * 3, [BAD, GOOD, "?"], budget=3, judge=True)
        assert judged.judgments == [BAD, GOOD, "UNPARSED"]
        assert judged.conversation.messages == plain.conversation.messages
        # What is asked is what a replay of the recorded messages would ask.
        last = [request for request in canned.requests if request.judges][-1]
        assert last.messages[:-1] == judged.conversation.messages

    def test_a_thinking_model_answers_without_thinking(self) -> None:
        thinking = Decoding(thinking=True)
        canned = CannedModel([SEARCH, FINISH], [BAD], decoding=thinking, provider="openai")
        canned._left["turn"] = [SEARCH, BAD, FINISH]  # the request ends in an assistant's message
        environment = Environment(QUESTIONS[0], "persistent", POOL)
        episode = asyncio.run(run_episode(canned, environment, get_condition("enforced_rule")))
        sent = [request.messages[-1] for request in canned.requests]
        assert {"role": "assistant", "content": "<think>\n\n</think>\n\n"} in sent
        assert all(request.options["stop"] == () for request in canned.requests)
        assert episode.termination == "answered"


class TestEnforcedRule:
    def test_it_fires_after_k_and_says_so_in_two_places(self) -> None:
        episode, canned = run("enforced_rule", [SEARCH] * 3 + [FINISH], [BAD] * 3, k=3)
        assert episode.events == [(3, "rule_fired")]
        system, observations = contents(episode, "system")[0], contents(episode, "user")[1:]
        assert system.endswith(f"\n\n{WORDING.finish_only}")
        assert [text.endswith(f"\n\n{WORDING.answer_now}") for text in observations] == [False, False, True]
        # Earlier requests have not seen it: messages are replaced, not changed.
        assert WORDING.finish_only not in canned.requests[0].messages[0]["content"]

    def test_it_is_checked_again_when_the_agent_does_not_follow_it(self) -> None:
        episode, _ = run("enforced_rule", [SEARCH] * 4 + [FINISH], [BAD, BAD, BAD, GOOD], k=2)
        assert episode.events == [(2, "rule_fired"), (3, "rule_fired")]
        assert contents(episode, "system")[0].count(WORDING.finish_only) == 1
        told = [WORDING.answer_now in text for text in contents(episode, "user")]
        assert told == [False, False, True, True, False]

    def test_random_and_lexical_signals_ask_the_model_nothing(self) -> None:
        for condition in ("random", "lexical"):
            episode, canned = run(condition, [SEARCH] * 2 + [FINISH], k=2, useless_rate=1.0)
            assert episode.events == [(2, "rule_fired")]
            assert len(canned.requests) == 3


class TestStatedJudgments:
    NO = act("search", "Ankerby 0", "The result is irrelevant.")
    YES = act("search", "Ankerby 0", "The page gives the founder.")

    def test_a_search_after_k_of_them_is_discarded_and_asked_again(self) -> None:
        episode, canned = run("stated_judgment_rule", [SEARCH, self.NO, self.NO, FINISH], k=2)
        assert (episode.actions, episode.n_discarded) == (["search", "search", "finish"], 1)
        assert episode.stated == [BAD, BAD]
        assert episode.events == [(2, "turn_discarded")]
        assert self.NO not in contents(episode, "assistant")[2:]
        assert canned.requests[-1].messages[-1]["content"].endswith(WORDING.answer_now)
        assert len(canned.requests) == 4

    def test_silence_leaves_the_run_and_something_useful_ends_it(self) -> None:
        episode, _ = run("stated_judgment_rule", [SEARCH, self.NO, SEARCH, self.NO, self.YES, FINISH], k=3)
        assert episode.stated == [BAD, None, BAD, GOOD, None]
        assert episode.n_discarded == 0

    def test_the_rule_holds_from_then_on(self) -> None:
        turns = [SEARCH, self.NO, self.NO, self.YES, SEARCH, FINISH]
        episode, _ = run("stated_judgment_rule", turns, k=1)
        # The second search after the rule was reached is discarded too, although it states something useful.
        assert episode.events == [(1, "turn_discarded"), (2, "turn_discarded")]


class TestSwitchRule:
    BACKUP = act("backup_search", "Ankerby 0")

    def test_only_results_of_the_primary_source_count(self) -> None:
        turns = [SEARCH, self.BACKUP, SEARCH, SEARCH, FINISH]
        episode, _ = run("switch_rule", turns, [BAD] * 4, regime="ts_persistent", k=2)
        assert episode.events == [(3, "primary_disabled")]
        assert contents(episode, "user")[3].endswith(f"\n\n{WORDING.switch_notice}")
        assert episode.observations[3].text == WORDING.switch_notice
        assert episode.actions == ["search", "backup_search", "search", "search", "finish"]

    def test_it_needs_a_second_source(self) -> None:
        with pytest.raises(ValueError, match="'persistent' has none, ts_persistent has"):
            run("switch_rule", [])


class TestTime:
    """When the rule cannot fire at this step, judging costs no time."""

    def in_flight(self, judgments: list[str], k: int) -> list[int]:
        canned = CannedModel([SEARCH] * len(judgments) + [FINISH], judgments)
        model = SlowModel(canned, lambda messages: 0.002)
        environment = Environment(QUESTIONS[0], "persistent", POOL)
        asyncio.run(run_episode(model, environment, get_condition("enforced_rule"), Options(k=k)))
        return model.starts

    def test_judgment_and_turn_are_asked_together_until_the_rule_could_fire(self) -> None:
        # The first turn; two pairs; then, at a run of two with k = 3, the judgment before the turn.
        assert self.in_flight([BAD, BAD, BAD], 3) == [1, 1, 2, 1, 2, 1, 1]


class TestFailures:
    GONE = ServiceUnavailableError(3, TransientModelError("refused"))

    @pytest.mark.parametrize(
        ("turns", "judgments"), [([GONE], []), ([SEARCH, GONE], [BAD]), ([SEARCH, FINISH], [GONE])]
    )
    def test_a_transport_failure_is_raised_as_itself(self, turns: list[Any], judgments: list[Any]) -> None:
        with pytest.raises(ServiceUnavailableError, match="refused"):
            run("enforced_rule", turns, judgments)

    def test_what_does_not_fit_is_refused_before_anything_is_asked(self) -> None:
        with pytest.raises(ValueError, match="needs useless_rate"):
            run("random", [])
        with pytest.raises(ValueError, match="unknown style"):
            run("unaided", [], style="json")


def test_a_run_can_be_held_to_its_form() -> None:
    _, canned = run("enforced_rule", [SEARCH, FINISH], [BAD], constrain=True)
    forms = [request.options["regex"] for request in canned.requests]
    assert forms[1] == "(USEFUL|USELESS)"
    assert "Action: (search|lookup|finish)" in forms[0]
