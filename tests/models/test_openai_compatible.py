import json
from typing import Any

import pytest
from faulty_server import CHAT, FaultyServer, Request
from http_models import MESSAGES, make, served
from judged_useless._io.seeds import stable_seed
from judged_useless.models import get_model
from judged_useless.models.base import EveryRequestFailsError, FatalModelError, Message

CANONICAL = json.dumps(MESSAGES, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
QWEN: dict[str, Any] = {"name": "qwen3-8b", "decoding": None}


async def sent(
    messages: list[Message] = MESSAGES, *, call: dict[str, Any] | None = None, **options: Any
) -> Request:
    async with served("openai", "ok", **options) as (server, model):
        await model.generate(messages, **(call or {}))
    return server.requests[0]


async def test_a_preset_is_sent_as_the_paper_decodes() -> None:
    request = await sent(**QWEN, call={"stop": ["Observation:", "observation:"]})
    assert request.path == CHAT
    assert request.body == {
        "model": "Qwen/Qwen3-8B",
        "messages": MESSAGES,
        "max_tokens": 1024,
        "temperature": 0.7,
        "top_p": 0.8,
        "top_k": 20,
        "seed": stable_seed(42, CANONICAL) % 2**31,
        "stop": ["Observation:", "observation:"],
        "chat_template_kwargs": {"enable_thinking": False},
    }


async def test_fields_can_be_left_out_and_renamed_which_is_recorded() -> None:
    fields = {"max_tokens": "max_completion_tokens"} | dict.fromkeys(
        ("top_k", "chat_template_kwargs", "stop")
    )
    request = await sent(**QWEN, fields=fields, call={"stop": ["x"]})
    assert request.body.keys() == {
        "model", "messages", "max_completion_tokens", "temperature", "top_p", "seed",
    }  # fmt: skip
    described = get_model("openai:qwen3-8b", base_url="http://127.0.0.1:1", fields=fields).describe()
    assert described["options"]["fields"] == fields
    assert {each.split(" ")[0] for each in described["deviations"]} == set(fields) - {"max_tokens"}


async def test_an_address_without_v1_is_told_so() -> None:
    for fault in ("not_found", "error_in_200", "json_list"):
        async with FaultyServer(fault) as server:
            model = make("openai", server.url, base_url=server.url)
            with pytest.raises(EveryRequestFailsError, match=r"is the address http://127.0.0.1:\d+/v1\?"):
                await model.generate(MESSAGES)
            await model.aclose()


async def test_the_assistants_last_message_is_continued() -> None:
    request = await sent([*MESSAGES, {"role": "assistant", "content": "<think>"}])
    assert request.body["continue_final_message"] is True
    assert request.body["add_generation_prompt"] is False


@pytest.mark.parametrize(
    ("server", "field"), [("vllm", {"structured_outputs": {"regex": "a|b"}}), ("sglang", {"regex": "a|b"})]
)
async def test_structured_output_is_asked_for_and_recorded(server: str, field: dict[str, Any]) -> None:
    async with served("openai", "ok", structured=server) as (faulty, model):
        assert model.describe()["deviations"] == []
        await model.generate(MESSAGES, regex="a|b")
    assert faulty.requests[0].body.items() >= field.items()
    assert model.describe()["deviations"] == ["structured output: text held to a regular expression"]


async def test_structured_output_without_the_option_is_refused() -> None:
    model = make("openai", "http://127.0.0.1:1", structured=None)
    with pytest.raises(FatalModelError, match="no such option"):
        await model.generate(MESSAGES, regex="a")
    with pytest.raises(ValueError, match="structured is 'x', expected vllm, sglang or None"):
        make("openai", "http://127.0.0.1:1", structured="x")


async def test_openais_own_service_gets_its_own_fields(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-for-nothing")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    model: Any = get_model("openai:gpt", thinking=False)
    posted: dict[str, Any] = {}

    async def post(client: Any, body: dict[str, Any]) -> str:
        posted.update(body, url=str(client.base_url))
        return '{"choices": [{"finish_reason": "stop", "message": {"content": "a"}}]}'

    monkeypatch.setattr(model, "_post", post)
    await model.generate([*MESSAGES, {"role": "assistant", "content": "x"}], max_new_tokens=8)
    assert posted.keys() == {"model", "messages", "max_completion_tokens", "url"}
    assert posted["url"] == "https://api.openai.com/v1/"
    await model.aclose()
