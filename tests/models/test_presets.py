from typing import Any

import pytest
from judged_useless.models.base import Decoding
from judged_useless.models.presets import identify, load_presets

# PROTOCOL, "Agent": temperature, top_p, top_k, max new tokens, context, seed rule, seed, thinking.
_QWEN3 = (0.7, 0.8, 20, 1024, 8192, "per_prompt", 42, False)
_GREEDY = (0.0, 1.0, None, 400, 8192, "fixed", 42, None)
TABLE: dict[str, tuple[Any, ...]] = {
    "qwen2.5-7b": _GREEDY,
    "llama3.1-8b": _GREEDY,
    "qwen3-8b": _QWEN3,
    "qwen3-32b": _QWEN3,
    "claude-haiku-4.5": (0.0, None, None, 1024, None, None, None, None),
    "claude-sonnet-5": (None, None, None, 1024, None, None, None, False),
    "search-r1": _GREEDY,
}


def values(decoding: Decoding) -> tuple[Any, ...]:
    return tuple(getattr(decoding, field) for field in Decoding.__dataclass_fields__)


def test_the_presets_are_the_papers_seven_agents_with_their_decoding() -> None:
    assert {name: values(preset.decoding) for name, preset in load_presets().items()} == TABLE


@pytest.mark.parametrize(("name", "context"), [("qwen3-8b", 32768), ("qwen3-32b", 12288)])
def test_thinking_mode_has_its_own_decoding(name: str, context: int) -> None:
    chosen = identify(name, "vllm", thinking=True)
    assert values(chosen.decoding) == (0.6, 0.95, 20, 8192, context, "per_prompt", 42, True)


def test_a_hub_id_is_the_released_name_and_another_model_has_the_services_decoding() -> None:
    by_name, by_id = identify("qwen3-8b", "openai"), identify("Qwen/Qwen3-8B", "openai")
    assert by_name == by_id
    assert (by_id.name, by_id.served, by_id.preset) == ("qwen3-8b", "Qwen/Qwen3-8B", "qwen3-8b")
    chosen = identify("some/model", "openai", served_name="folder")
    assert (chosen.name, chosen.served, chosen.preset) == ("some/model", "folder", None)
    assert chosen.decoding == Decoding()


@pytest.mark.parametrize(
    ("name", "provider", "options", "problem"),
    [
        ("llama3.1-8b", "vllm", {"thinking": True}, "no decoding for thinking mode.*qwen3-8b, qwen3-32b"),
        ("claude-haiku-4.5", "vllm", {}, r"no id known for provider 'vllm' \(known: anthropic\)"),
        ("search-r1", "vllm", {}, r"known: none\); give --served-name"),
    ],
)
def test_what_the_paper_does_not_have_is_refused(
    name: str, provider: str, options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        identify(name, provider, **options)
