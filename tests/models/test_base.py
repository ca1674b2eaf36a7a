import hashlib
from typing import Any

import pytest
from judged_useless.models.base import Decoding, Message, canonical_prompt, check_messages

TURNS: list[Message] = [{"role": "system", "content": "S"}, {"role": "user", "content": "é"}]


def test_the_canonical_prompt_is_one_string_for_one_conversation() -> None:
    assert canonical_prompt(TURNS) == '[{"content":"S","role":"system"},{"content":"é","role":"user"}]'
    reordered: Any = [{"content": "S", "role": "system"}, {"content": "é", "role": "user", "meta": 1}]
    assert canonical_prompt(reordered) == canonical_prompt(TURNS)


def test_the_seed_of_a_prompt_is_the_protocols() -> None:
    decoding = Decoding(seed_rule="per_prompt", seed=42)
    by_hand = int(hashlib.sha256(b"42|a prompt").hexdigest()[:15], 16) % 2**31
    assert decoding.request_seed("a prompt") == by_hand
    assert decoding.request_seed("another") != by_hand


def test_a_fixed_seed_is_every_requests_and_no_rule_is_none() -> None:
    fixed = Decoding(seed_rule="fixed", seed=42)
    assert (fixed.request_seed("a"), fixed.request_seed("b")) == (42, 42)
    assert Decoding().request_seed("a") is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"temperature": -0.1}, "temperature"),
        ({"top_p": 0.0}, "top_p"),
        ({"top_k": 0}, "top_k"),
        ({"max_new_tokens": 0}, "max_new_tokens"),
        ({"context": 1}, "context"),
        ({"seed_rule": "random", "seed": 1}, "seed_rule"),
        ({"seed": 1}, "seed is 1"),
        ({"seed_rule": "fixed"}, "seed is None"),
    ],
)
def test_a_decoding_out_of_range_is_refused_by_name(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=f"decoding: {field}"):
        Decoding(**fields)


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([], "empty"),
        ([{"role": "tool", "content": ""}], "role 'tool'"),
        ([*TURNS, TURNS[0]], r"messages\[2\]: a system message"),
        (TURNS[:1], "only a system message"),
    ],
)
def test_a_conversation_that_cannot_be_continued_is_refused(messages: Any, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        check_messages(messages)
