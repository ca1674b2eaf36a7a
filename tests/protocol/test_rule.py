"""The integration step and the side channel's reply."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from judged_useless.protocol.rule import IntegrationRule
from judged_useless.protocol.signals import parse_side_channel


def run_after(judgments: list[str | None]) -> int:
    """Count by going backwards, the other way round from the rule."""
    run = 0
    for judgment in reversed([judgment for judgment in judgments if judgment is not None]):
        if judgment != "USELESS":
            break
        run += 1
    return run


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.sampled_from(["USELESS", "USEFUL", "UNPARSED", None]), max_size=20), st.integers(1, 6))
def test_it_says_stop_while_the_current_run_is_long_enough(judgments: list[str | None], k: int) -> None:
    rule = IntegrationRule(k=k)
    for n, judgment in enumerate(judgments, 1):
        assert rule.observe(judgment) == (run_after(judgments[:n]) >= k) == rule.should_stop
        assert rule.run == run_after(judgments[:n])


@pytest.mark.parametrize(
    ("reply", "judgment"),
    [
        ("USELESS", "USELESS"),
        (" useful.", "USEFUL"),
        ("It was Useless, not useful", "USELESS"),
        ("USEFUL or USELESS", "USELESS"),
        ("not USEFUL", "USEFUL"),
        ("", "UNPARSED"),
        ("use less", "UNPARSED"),
        ("<think>It was USELESS, or", "UNPARSED"),
        ("<think>USELESS?</think> useful", "USEFUL"),
        ("irrelevant", "UNPARSED"),
    ],
)
def test_a_reply_is_read_by_its_words(reply: str, judgment: str) -> None:
    assert parse_side_channel(reply) == judgment
