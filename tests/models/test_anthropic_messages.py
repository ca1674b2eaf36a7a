from typing import Any

import pytest
from faulty_server import MESSAGES as PATH
from faulty_server import TEXT, Request
from http_models import MESSAGES, make, served
from judged_useless.models.anthropic_messages import unquote
from judged_useless.models.base import Decoding, Message
from judged_useless.models.costs import Price

MARK = {"cache_control": {"type": "ephemeral"}}
JUDGING: list[Message] = [
    *MESSAGES,
    {"role": "assistant", "content": "Thought: a"},
    {"role": "user", "content": "Observation: b"},
    {"role": "user", "content": "USEFUL or USELESS?"},
]


def text(content: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": content, **fields}


async def sent(
    messages: list[Message] = MESSAGES, *, call: dict[str, Any] | None = None, **options: Any
) -> Request:
    async with served("anthropic", "ok", **options) as (server, model):
        await model.generate(messages, **(call or {}))
    return server.requests[0]


async def test_haiku_is_sent_as_the_paper_decodes() -> None:
    request = await sent(name="claude-haiku-4.5", decoding=None, call={"stop": ["Observation:"]})
    assert request.path == PATH
    assert request.body == {
        "model": "claude-haiku-4-5",
        "max_tokens": 1024,
        "temperature": 0.0,
        "stop_sequences": ["Observation:"],
        "system": [text("You are an agent.", **MARK)],
        "messages": [{"role": "user", "content": [text("Question: who?", **MARK)]}],
    }


async def test_sonnet_takes_no_sampling_parameters() -> None:
    request = await sent(name="claude-sonnet-5", decoding=None)
    assert not {"temperature", "top_p", "top_k", "stop_sequences", "seed"} & set(request.body)
    assert request.body["thinking"] == {"type": "disabled"}
    assert request.body["max_tokens"] == 1024


async def test_neighbours_of_one_role_are_one_turn_and_the_shared_prefix_is_marked() -> None:
    request = await sent(JUDGING, call={"max_new_tokens": 8})
    assert request.body["messages"] == [
        {"role": "user", "content": [text("Question: who?")]},
        {"role": "assistant", "content": [text("Thought: a")]},
        {"role": "user", "content": [text("Observation: b", **MARK), text("USEFUL or USELESS?", **MARK)]},
    ]
    assert request.body["max_tokens"] == 8


async def test_a_thinking_model_decides_how_long_it_thinks() -> None:
    request = await sent(thinking=True)
    assert request.body["thinking"] == {"type": "adaptive"}
    assert request.body["max_tokens"] == 50


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"decoding": Decoding(temperature=0.0, thinking=True)}, "no temperature in thinking mode"),
        ({"structured": "regex"}, "expected json_string or None"),
    ],
)
def test_options_that_contradict_each_other_are_refused(options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        make("anthropic", "http://127.0.0.1:1", **options)


async def test_usage_counts_cached_tokens_once_and_costs_are_theirs() -> None:
    price = Price(
        input=1, output=5, cache_read=0.1, cache_write=1.25, source="made up", as_of="2026-11-30"  # type: ignore[arg-type]
    )  # fmt: skip
    async with served("anthropic", "ok", price=price) as (_, model):
        generation = await model.generate(MESSAGES)
    assert generation.text == TEXT
    assert (generation.prompt_tokens, generation.completion_tokens, generation.cached_tokens) == (100, 12, 64)
    assert generation.cost_usd == pytest.approx((26 * 1 + 12 * 5 + 64 * 0.1 + 10 * 1.25) / 1e6)
    assert model.describe()["price"]["source"] == "made up"


async def test_a_form_is_asked_for_as_a_json_string_and_recorded() -> None:
    request = await sent(structured="json_string", call={"regex": "a|b"})
    schema = {"type": "string", "pattern": "a|b"}
    assert request.body["output_config"] == {"format": {"type": "json_schema", "schema": schema}}


@pytest.mark.parametrize(
    ("generated", "value"),
    [
        ('"USELESS"', "USELESS"),
        ('"a\\nb"', "a\nb"),
        ('"a\nb"', "a\nb"),
        ('"say "no" now"', 'say "no" now'),
        ('"cut off', "cut off"),
        ("7", "7"),
    ],
)
def test_a_json_string_is_read_escaped_or_not(generated: str, value: str) -> None:
    assert unquote(generated) == value
