import hashlib
from typing import Any

import pytest
from judged_useless.models.base import Decoding, Generation, canonical_prompt


def test_the_canonical_prompt_is_one_string_for_one_conversation() -> None:
    turns: Any = [{"role": "system", "content": "S"}, {"content": "é", "role": "user"}]
    assert canonical_prompt(turns) == '[{"content":"S","role":"system"},{"content":"é","role":"user"}]'


def test_the_seed_of_a_prompt_is_the_protocols() -> None:
    decoding = Decoding(seed_rule="per_prompt", seed=42)
    by_hand = int(hashlib.sha256(b"42|a prompt").hexdigest()[:15], 16) % 2**31
    assert decoding.request_seed("a prompt") == by_hand != decoding.request_seed("another")
    fixed = Decoding(seed_rule="fixed", seed=42)
    assert (fixed.request_seed("a"), fixed.request_seed("b")) == (42, 42)
    assert Decoding().request_seed("a") is None


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"temperature": -0.1}, "temperature"),
        ({"seed_rule": "random", "seed": 1}, "seed_rule"),
        ({"seed": 1}, "seed is 1 and seed_rule None"),
        ({"seed_rule": "fixed"}, "seed is None and seed_rule fixed"),
    ],
)
def test_a_decoding_out_of_range_is_refused_by_name(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(ValueError, match=field):
        Decoding(**fields)


def test_both_texts_of_a_generation_can_be_written_and_what_was_replaced_is_counted() -> None:
    said = Generation(text="a\ud800b\udfff", reasoning="\ude00\ud83d", finish_reason="stop")
    assert (said.text, said.reasoning, said.n_replaced) == ("a�b�", "��", 4)
    for text, reasoning in (("Zoë 😀 �", "x"), ("", None)):
        whole = Generation(text=text, reasoning=reasoning, finish_reason="stop")
        assert (whole.text, whole.reasoning, whole.n_replaced) == (text, reasoning, 0)
