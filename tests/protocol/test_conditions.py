"""Conditions are composed of parts; the table of the protocol, row by row."""

import pytest
from judged_useless.protocol.conditions import ADDED_PARTS, CONDITIONS, PARTS, get_condition

# condition: additions, counter, signal, stopper (PROTOCOL, "Conditions").
TABLE = {
    "unaided": ((), False, None, None),
    "permit": (("permit",), False, None, None),
    "budget": (("permit", "budget"), True, None, None),
    "stated_rule": (("permit", "stated_rule"), False, None, None),
    "call_cost": (("permit", "budget", "call_cost"), True, None, None),
    "decide": ((), False, "side_channel", "weigh"),
    "enforced_rule": ((), False, "side_channel", "finish_only"),
    "combo": (("permit", "budget"), True, "side_channel", "finish_only"),
    "random": ((), False, "random", "finish_only"),
    "lexical": ((), False, "lexical", "finish_only"),
    "stated_judgment_rule": ((), False, "stated", "ask_again"),
    "stated_combo": (("permit", "budget"), True, "stated", "ask_again"),
    "switch_rule": ((), False, "side_channel", "switch"),
    "both_exits": (("both_exits",), False, None, None),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_a_condition_is_what_the_protocol_says(name: str) -> None:
    condition = get_condition(name)
    assert TABLE[name] == (condition.additions, condition.counter, condition.signal, condition.stopper)
    assert condition.two_source == (name in ("switch_rule", "both_exits"))


def test_a_combination_needs_no_code() -> None:
    combined = get_condition("budget+enforced_rule")
    assert combined.name == "budget+enforced_rule"
    assert vars(combined) | {"name": "combo"} == vars(get_condition("combo"))
    both = get_condition("stated_rule+thinking")
    assert both.thinking
    assert both.additions == ("permit", "stated_rule")


def test_claude_haiku_has_its_fixes_in_two_conditions_only() -> None:
    fixed = get_condition("stated_rule", model="claude-haiku-4.5")
    assert fixed.native_calls
    assert fixed.reminder
    assert fixed.name == "stated_rule"
    assert not get_condition("unaided", model="claude-haiku-4.5").reminder
    assert not get_condition("stated_rule", model="qwen3-8b").reminder
    assert {part for parts in ADDED_PARTS.values() for part in parts} <= set(PARTS)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("unaided+nothing", "unknown condition 'nothing'; known are unaided, permit"),
        ("", "unknown condition ''"),
        ("enforced_rule+lexical", "one signal, not both side_channel and lexical"),
        ("enforced_rule+decide", "one stopper, not both finish_only and weigh"),
        ("finish_only", "finish_only needs a signal"),
        ("stated_signal+finish_only", "finish_only cannot act on the signal stated"),
        ("lexical_signal+ask_again", "ask_again cannot act on the signal lexical"),
    ],
)
def test_a_condition_that_makes_no_sense_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        get_condition(name)
