"""The in-process backend around its engine, which is vLLM's in the live tests and a stand-in here."""

import hashlib
import sys
from collections.abc import AsyncIterator
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from judged_useless._io.seeds import stable_seed
from judged_useless.models import get_model
from judged_useless.models.base import ContextOverflowError, Decoding, FatalModelError, Message

MESSAGES: list[Message] = [{"role": "system", "content": "S"}, {"role": "user", "content": "Q"}]
PROMPT = "<system>S<user>Q<assistant>"


class Tokenizer:
    init_kwargs: dict[str, str] = {}  # noqa: RUF012 - as transformers has it

    def apply_chat_template(self, messages: list[Message], **options: Any) -> str:
        self.options = options
        text = "".join(f"<{m['role']}>{m['content']}" for m in messages)
        return text + ("<assistant>" if options["add_generation_prompt"] else "")

    def encode(self, text: str, *, add_special_tokens: bool) -> list[int]:
        assert not add_special_tokens
        return [ord(character) for character in text]

    def get_chat_template(self) -> str:
        return "template"


class Engine:
    def __init__(self, finish_reason: str = "stop", error: Exception | None = None) -> None:
        self.model_config = SimpleNamespace(max_model_len=100)
        self.seen: list[tuple[Any, Any, str]] = []
        self.finish_reason, self.error = finish_reason, error

    async def generate(self, prompt: Any, sampling: Any, request_id: str) -> AsyncIterator[Any]:
        self.seen.append((prompt, sampling, request_id))
        if self.error:
            raise self.error
        out = SimpleNamespace(text=" A ", finish_reason=self.finish_reason, token_ids=[1, 2])
        yield SimpleNamespace(outputs=[out], num_cached_tokens=16)


class DeadError(Exception):
    pass


@pytest.fixture(autouse=True)
def vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put what the backend imports of vLLM in its place."""
    kinds = SimpleNamespace(FINAL_ONLY="final")
    contents: dict[str, dict[str, Any]] = {
        "vllm": {"SamplingParams": SimpleNamespace},
        "vllm.sampling_params": {"RequestOutputKind": kinds, "StructuredOutputsParams": SimpleNamespace},
        "vllm.platforms": {"current_platform": SimpleNamespace(is_cpu=lambda: True)},
        "vllm.v1": {},
        "vllm.v1.engine": {},
        "vllm.v1.engine.exceptions": dict.fromkeys(("EngineDeadError", "EngineGenerateError"), DeadError),
    }
    for name, content in contents.items():
        module = ModuleType(name)
        vars(module).update(content)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr("judged_useless.models.vllm_engine.find_spec", lambda _: True)


def make(started: Engine, name: str = "m", **options: Any) -> Any:
    model: Any = get_model(f"vllm:{name}", **options)
    model._tokenizer = Tokenizer()
    model._engine = started
    return model


async def test_the_rendered_prompt_is_sampled_as_the_paper_decodes() -> None:
    engine = Engine()
    model = make(engine, "qwen3-8b", context=2000)
    engine.model_config.max_model_len = 2000
    generation = await model.generate(MESSAGES, stop=["Observation:"])
    prompt, sampling, _ = engine.seen[0]
    assert prompt == {"prompt_token_ids": [ord(c) for c in PROMPT]}
    assert vars(sampling) == {
        "temperature": 0.7,
        "top_p": 0.8,
        "top_k": 20,
        "max_tokens": 1024,
        "stop": ["Observation:"],
        "seed": stable_seed(42, PROMPT) % 2**31,
        "structured_outputs": None,
        "output_kind": "final",
    }
    assert model._tokenizer.options["enable_thinking"] is False
    assert (generation.text, generation.finish_reason) == (" A ", "stop")
    assert (generation.prompt_tokens, generation.completion_tokens, generation.cached_tokens) == (27, 2, 16)


async def test_prompt_and_budget_must_fit_the_context() -> None:
    engine = Engine()
    model = make(engine, decoding=Decoding(context=60))
    await model.generate(MESSAGES, max_new_tokens=33)
    with pytest.raises(ContextOverflowError, match="27 prompt tokens and 34 to generate, context 60"):
        await model.generate(MESSAGES, max_new_tokens=34)
    assert len(engine.seen) == 1
    with pytest.raises(ContextOverflowError, match="context 100"):
        await make(engine).generate(MESSAGES, max_new_tokens=74)


async def test_a_form_is_asked_for_and_recorded() -> None:
    engine = Engine()
    model = make(engine)
    assert model.describe()["deviations"] == []
    await model.generate(MESSAGES, max_new_tokens=1, regex="a|b")
    assert engine.seen[0][1].structured_outputs.regex == "a|b"
    assert model.describe()["deviations"] == ["structured output: text held to a regular expression"]


async def test_a_dead_engine_is_fatal_and_a_bug_stays_one() -> None:
    with pytest.raises(FatalModelError, match="vLLM: gone"):
        await make(Engine(error=DeadError("gone"))).generate(MESSAGES, max_new_tokens=1)
    with pytest.raises(KeyError):
        await make(Engine(error=KeyError("a bug"))).generate(MESSAGES, max_new_tokens=1)


def test_the_description_has_revision_template_and_engine() -> None:
    described = make(Engine(), "Qwen/Qwen3-8B", revision="abc", engine={"tensor_parallel_size": 4}).describe()
    assert [described[name] for name in ("name", "model")] == ["qwen3-8b", "Qwen/Qwen3-8B"]
    assert described["revision"] == described["tokenizer_revision"] == "abc"
    assert described["chat_template_sha256"] == hashlib.sha256(b"template").hexdigest()
    engine = {"max_model_len": 8192, "enable_prefix_caching": True, "tensor_parallel_size": 4}
    assert described["engine"].items() >= engine.items()
