"""What is read of the replies of many servers; whole bodies are in `test_dialects`."""

import json
from typing import Any

import pytest
from faulty_server import CHAT, MESSAGES, reply
from judged_useless.models.costs import Usage
from judged_useless.models.reply_bodies import read_chat, read_message

TEXT_PART = {"type": "text", "text": "Thought: a\n"}


def test_thinking_of_a_message_is_kept_apart_from_the_text() -> None:
    blocks = [{"type": "thinking", "thinking": "hm"}, {"type": "redacted_thinking", "data": "x"}, TEXT_PART]
    said = read_message(json.loads(reply(MESSAGES)) | {"content": blocks})
    assert (said.text, said.reasoning) == ("Thought: a\n", "hm")


@pytest.mark.parametrize(
    ("usage", "read", "cached"),
    [
        ({"prompt_tokens": 100, "completion_tokens": 12}, Usage(input=100, output=12), None),
        (
            {"prompt_tokens": 100, "completion_tokens": 12, "prompt_tokens_details": {"cached_tokens": 64}},
            Usage(input=36, output=12, cache_read=64),
            64,
        ),
        ({"prompt_tokens": 100, "prompt_tokens_details": None}, Usage(input=100, output=0), None),
        (None, None, None),
        ({"input_tokens": 50, "output_tokens": 7}, None, None),
        ({"prompt_tokens": None, "completion_tokens": None}, None, None),
        ({"prompt_tokens": -100, "completion_tokens": 12}, None, None),
        ({"prompt_tokens": 10, "completion_tokens": -12}, None, None),
        ("none", None, None),
    ],
)
def test_usage_is_known_or_unknown_and_the_text_is_kept(usage: Any, read: Any, cached: int | None) -> None:
    said = read_chat(json.loads(reply(CHAT)) | {"usage": usage})
    assert (said.usage, said.cached_tokens) == (read, cached)
    assert said.text
