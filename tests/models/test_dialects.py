"""Whole replies of real servers in their documented form: each is read, or ends and says what to do."""
# ruff: noqa: E501 - one server a line

import json
import time
from typing import Any

import pytest
from faulty_server import FAULTS, TEXT, status
from http_models import MESSAGES, served
from judged_useless.models.base import (
    ContextOverflowError,
    FatalModelError,
    Generation,
    ModelError,
    ServiceUnavailableError,
)

USAGE = {"prompt_tokens": 90, "completion_tokens": 12, "total_tokens": 102}


def chat(message: dict[str, Any], end: str | None = "stop", *, of_choice: Any = None, **body: Any) -> bytes:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": end}
    choice |= of_choice or {}
    whole = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return json.dumps({**whole, "usage": USAGE, **body}).encode()


SAID = {"content": TEXT}
CALLS: dict[str, Any] = {
    "tool_calls": [],
    **dict.fromkeys(("function_call", "refusal", "annotations", "audio")),
}
PARTS = [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": TEXT}]
FILTERS = {kind: {"filtered": False, "severity": "safe"} for kind in ("hate", "violence")}

READ: dict[str, bytes] = {
    "vLLM": chat({**SAID, **CALLS, "reasoning": None}, of_choice={"stop_reason": "Observation:"}, prompt_logprobs=None),
    "vLLM, reasoning parser": chat({**SAID, "reasoning": "hm", "reasoning_content": "hm"}),
    "SGLang": chat({**SAID, "reasoning_content": None}, of_choice={"matched_stop": 151645}, metadata={"weight_version": "default"}),
    "llama.cpp": chat(SAID, system_fingerprint="b6000-x", timings={"prompt_n": 90, "predicted_ms": 12.5}),
    "Ollama": chat({**SAID, "reasoning": "hm"}, system_fingerprint="fp_ollama"),
    "LM Studio": chat({**SAID, "tool_calls": []}, of_choice={"logprobs": None}, stats={}),
    "TGI": chat({"content": f"{TEXT}\nObservation:"}, "stop_sequence", id="", system_fingerprint="3.0.0-sha"),
    "TGI, end of text": chat(SAID, "eos_token", id=""),
    "LiteLLM": chat({**SAID, **CALLS, "provider_specific_fields": {}}, usage={**USAGE, "prompt_tokens_details": None}),
    "OpenRouter": b"\n  \n" + chat({**SAID, "reasoning": None, "refusal": None}, of_choice={"native_finish_reason": "end_turn"}, provider="x"),
    "Together": chat({**SAID, "tool_calls": []}, "eos", of_choice={"seed": 1, "logprobs": None}, prompt=[]),
    "Azure": chat({**SAID, "annotations": [], "refusal": None}, of_choice={"content_filter_results": FILTERS}, prompt_filter_results=[]),
    "Gemini": chat(SAID, usage={**USAGE, "total_tokens": 180}),
    "Mistral": chat({**SAID, "tool_calls": None, "prefix": False}, usage={**USAGE, "prompt_audio_seconds": {}}),
    "Mistral, thinking": chat({"content": PARTS, "tool_calls": None}),
    "usage of the Responses API": chat(SAID, usage={"input_tokens": 90, "output_tokens": 12}),
    "no usage": chat(SAID, usage=None),
}  # fmt: skip


def fault(message: Any, code: Any = 400, **more: Any) -> bytes:
    return json.dumps({"error": {"message": message, "code": code, **more}}).encode()


UNKNOWN = 'Invalid JSON payload received. Unknown name "top_k": Cannot find field.'
FORBIDDEN = [
    {"type": "extra_forbidden", "loc": ["body", field], "msg": "Extra inputs are not permitted", "input": 1}
    for field in ("seed", "top_k")
]
OVER = "the request exceeds the available context size, try increasing it"
TGI_OVER = "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 and 400"
LITE = "litellm.UnsupportedParamsError: openai does not support parameters: ['top_k']; set `drop_params`"

#: Server -> status, body, what it means, and what the sentence has to say.
REFUSED: dict[str, tuple[int, bytes, type[ModelError], str]] = {
    "vLLM, all under reasoning": (200, chat({"content": None, "reasoning": TEXT}), FatalModelError, "--reasoning text"),
    "vLLM, context": (400, fault("This model's maximum context length is 90 tokens"), ContextOverflowError, "90 tokens"),
    "vLLM, wrong model": (404, fault("The model `m` does not exist.", 404), FatalModelError, "`m` does not exist"),
    "SGLang, aborted": (200, chat(SAID, "abort"), ServiceUnavailableError, "broken off"),
    "llama.cpp, context": (400, fault(OVER, type="exceed_context_size_error", n_ctx=90), ContextOverflowError, "size"),
    "Ollama, no such model": (404, fault("model 'm' not found", None), FatalModelError, "model 'm' not found"),
    "LM Studio, wrong path": (200, b'{"error":"Unexpected endpoint or method. (POST /v1/x)"}', FatalModelError, "endpoint"),
    "TGI, context": (422, json.dumps({"error": TGI_OVER, "error_type": "validation"}).encode(), ContextOverflowError, "4096"),
    "LiteLLM, parameter": (400, fault(LITE, "400"), FatalModelError, "--field top_k="),
    "LiteLLM, key": (401, fault("Authentication Error", "401", type="auth_error"), FatalModelError, "Authentication"),
    "OpenRouter, provider down": (200, fault("Provider returned error", 502), ServiceUnavailableError, "502"),
    "OpenRouter, in the choice": (200, chat({"content": ""}, "error", of_choice={"error": {"code": 502, "message": "x"}}), ServiceUnavailableError, "502"),
    "OpenRouter, no credit": (402, fault("Insufficient credits", 402), FatalModelError, "Insufficient credits"),
    "Together, unknown end": (200, chat(SAID, "whatever"), FatalModelError, "--end-word whatever=stop"),
    "Azure, max_tokens": (400, fault("Unsupported parameter: 'max_tokens' is not supported with this model.", "unsupported_parameter", param="max_tokens"), FatalModelError, "--field max_tokens=max_completion_tokens"),
    "Azure, stop": (400, fault("Unsupported parameter: 'stop' is not supported", "unsupported_parameter", param="stop"), FatalModelError, "--field stop="),
    "Azure, filtered": (200, chat({"content": ""}, "content_filter"), FatalModelError, "content_filter"),
    "Gemini, top_k": (400, json.dumps([{"error": {"code": 400, "message": UNKNOWN, "status": "INVALID_ARGUMENT"}}]).encode(), FatalModelError, "--field top_k="),
    "Mistral, fields": (422, json.dumps({"object": "error", "message": {"detail": FORBIDDEN}, "code": None}).encode(), FatalModelError, "--field top_k= --field seed="),
    "another program": (200, b'{"status": "ok"}', FatalModelError, "not the form of the openai API"),
}  # fmt: skip


async def asked(code: int, body: bytes, **options: Any) -> Generation:
    FAULTS["dialect"] = status(code, body)
    async with served("openai", "dialect", name="qwen3-8b", decoding=None, **options) as (_, model):
        return await model.generate(MESSAGES, stop=["Observation:"])


@pytest.mark.parametrize("server", READ)
async def test_a_whole_reply_is_read(server: str) -> None:
    generation = await asked(200, READ[server])
    assert (generation.text.strip(), generation.finish_reason) == (TEXT, "stop")
    sent = json.loads(READ[server])["choices"][0]["finish_reason"]
    assert generation.end_word == (None if sent == "stop" else sent)


@pytest.mark.parametrize("server", REFUSED)
async def test_what_is_none_ends_soon_and_says_what_to_do(server: str) -> None:
    code, body, kind, said = REFUSED[server]
    began = time.perf_counter()
    with pytest.raises(kind) as caught:
        await asked(code, body)
    assert said in str(caught.value)
    assert time.perf_counter() - began < 10


async def test_hidden_thinking_that_takes_all_tokens_is_a_text_that_was_cut() -> None:
    usage = {"prompt_tokens": 90, "completion_tokens": 0, "total_tokens": 98}
    generation = await asked(200, chat({}, "length", usage=usage))
    assert (generation.text, generation.finish_reason) == ("", "length")
