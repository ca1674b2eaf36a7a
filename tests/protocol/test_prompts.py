"""The quoted prompts, word for word against the paper's Appendices B.1 and D.5."""

import json
from pathlib import Path

import pytest
from judged_useless.protocol.prompts import get_wording

# Cut out of the paper's text, not typed.
STIMULI = json.loads((Path(__file__).parents[1] / "data" / "stimuli.json").read_text(encoding="utf-8"))
QUESTION, CLAIM = get_wording("react", "question"), get_wording("react", "claim")


def instructions(*additions: str, two_source: bool = False, budget: int = 8, k: int = 5) -> str:
    return QUESTION.instructions(additions, two_source=two_source, budget=budget, k=k)


def test_the_base_prompt_is_the_papers() -> None:
    assert instructions() == STIMULI["system"]


@pytest.mark.parametrize("name", ["permit", "budget", "stated_rule", "call_cost"])
def test_added_sentences_are_the_papers_and_follow_a_blank_line(name: str) -> None:
    assert instructions(name) == f"{STIMULI['system']}\n\n{STIMULI[name]}"


def test_numbers_are_filled_in() -> None:
    assert "at most 16 actions" in instructions("budget", budget=16)
    assert "if three consecutive search" in instructions("stated_rule", k=3)
    assert "if 20 consecutive search" in instructions("stated_rule", k=20)


@pytest.mark.parametrize("name", ["judgment", "finish_only", "answer_now"])
def test_the_rules_sentences_are_the_papers(name: str) -> None:
    assert getattr(QUESTION, name) == STIMULI[name]


def test_the_question_before_deciding_is_the_papers() -> None:
    wanted = STIMULI["weigh"].replace("{j}", "{judgment}").replace("{k}", "{run}")
    assert wanted == QUESTION.weigh == CLAIM.weigh


def test_the_backup_tool_and_the_notice_are_the_papers() -> None:
    lines = instructions(two_source=True).splitlines()
    assert lines[4] == f"- backup_search[query]: {STIMULI['backup']}"
    assert lines[5].startswith("- finish[answer]")
    assert QUESTION.switch_notice == STIMULI["switch"]


def test_claims_are_worded_as_the_paper_says() -> None:
    system = CLAIM.instructions((), two_source=False, budget=8, k=5)
    assert f"- finish[answer]: {STIMULI['claim_answer']}\n" in system
    assert CLAIM.opening.startswith(STIMULI["claim_opening"])
    assert "verifying the original claim" in CLAIM.judgment
    assert "question" not in system.lower()
    for name in ("permit", "budget", "call_cost"):
        assert CLAIM.additions[name] == QUESTION.additions[name]


def test_search_r1_has_no_system_message_and_no_backup_tool() -> None:
    wording = get_wording("search-r1", "question")
    assert not wording.has_system
    with pytest.raises(ValueError, match="no backup tool"):
        wording.instructions((), two_source=True, budget=8, k=5)
