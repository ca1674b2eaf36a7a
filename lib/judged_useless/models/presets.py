"""The paper's seven agents and how they decode (PROTOCOL: "Agent"; paper §2, §7 and Appendix A)."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from judged_useless.models.base import Decoding


@dataclass(frozen=True, kw_only=True)
class Preset:
    """One agent of the paper.

    Attributes
    ----------
    name : str
        As in the released episodes.
    served : mapping of str to str
        Provider -> the provider's name for the model; empty where no public id is stated.
    decoding : Decoding
        Of the main runs (test300).
    thinking : Decoding or None
        Of the runs in thinking mode, for a model that has been run in it.
    contexts : mapping of str to int
        What a run was about -> the larger context it was given (deviations 1, 3 and 5, Appendix A).
    """

    name: str
    served: Mapping[str, str]
    decoding: Decoding
    thinking: Decoding | None = None
    contexts: Mapping[str, int] = field(default_factory=dict)


def _open(hub_id: str) -> Mapping[str, str]:
    return {"vllm": hub_id, "openai": hub_id}


_GREEDY = Decoding(temperature=0.0, top_p=1.0, max_new_tokens=400, context=8192, seed_rule="fixed", seed=42)
_QWEN3 = Decoding(
    temperature=0.7, top_p=0.8, top_k=20, max_new_tokens=1024, context=8192, seed_rule="per_prompt", seed=42,
    thinking=False,
)  # fmt: skip
_QWEN3_THINKING = replace(
    _QWEN3, temperature=0.6, top_p=0.95, max_new_tokens=8192, context=32768, thinking=True
)
_FRESH = {"fresh300": 16384}
_QWEN2_CONTEXTS = {"unaided": 16384, "budget 16": 16384, "budget 16, recover_after_2": 32768}

PRESETS: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(
            name="qwen2.5-7b",
            served=_open("Qwen/Qwen2.5-7B-Instruct"),
            decoding=_GREEDY,
            contexts=_FRESH | _QWEN2_CONTEXTS,
        ),
        Preset(
            name="llama3.1-8b",
            served=_open("meta-llama/Llama-3.1-8B-Instruct"),
            decoding=_GREEDY,
            # Its unaided and budget runs on fresh300 kept 8,192 (deviation 5).
            contexts=_FRESH,
        ),
        Preset(
            name="qwen3-8b",
            served=_open("Qwen/Qwen3-8B"),
            decoding=_QWEN3,
            thinking=_QWEN3_THINKING,
            contexts=_FRESH,
        ),
        Preset(
            name="qwen3-32b",
            served=_open("Qwen/Qwen3-32B"),
            decoding=_QWEN3,
            thinking=replace(_QWEN3_THINKING, context=12288),
            contexts=_FRESH,
        ),
        Preset(
            name="claude-haiku-4.5",
            served={"anthropic": "claude-haiku-4-5"},
            decoding=Decoding(temperature=0.0, max_new_tokens=1024),
        ),
        # Takes no sampling parameters: the service's default decoding, without thinking.
        Preset(
            name="claude-sonnet-5",
            served={"anthropic": "claude-sonnet-5"},
            decoding=Decoding(max_new_tokens=1024, thinking=False),
        ),
        # Qwen2.5-7B-Instruct trained with PPO. The paper states neither the checkpoint's id nor token budget
        # and context, which are Qwen2.5-7B's here.
        Preset(name="search-r1", served={}, decoding=_GREEDY),
    )
}


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Which model is meant, what its provider calls it, and how it decodes.

    Attributes
    ----------
    name : str
        As in the released episodes where it is one of theirs, else as it was given.
    served : str
        The provider's name for it.
    decoding : Decoding
        In force for every request.
    preset : str or None
        Name of the preset that the decoding is from; ``None`` if it is not one's.
    """

    name: str
    served: str
    decoding: Decoding
    preset: str | None


class Identified:
    """A model that :func:`identify` has settled."""

    _identity: Identity

    @property
    def name(self) -> str:
        """Released name, or what was given."""
        return self._identity.name

    @property
    def decoding(self) -> Decoding:
        """Decoding in force for every request."""
        return self._identity.decoding


def find_preset(name: str) -> Preset | None:
    """Return the preset of a released name or of a provider's name, such as ``Qwen/Qwen3-8B``."""
    if name in PRESETS:
        return PRESETS[name]
    return next((preset for preset in PRESETS.values() if name in preset.served.values()), None)


def identify(
    name: str,
    provider: str,
    *,
    decoding: Decoding | None = None,
    thinking: bool | None = None,
    context: int | None = None,
    seed: int | None = None,
    served_name: str | None = None,
) -> Identity:
    """Settle what a backend runs.

    Parameters
    ----------
    name : str
        A released name, a provider's name, or any other model's.
    provider : str
        Key of the registry of providers.
    decoding : Decoding, optional
        By default the preset's, or for another model the service's own.
    thinking : bool, optional
        Thinking mode on or off; by default the preset's main runs, which is off.
    context : int, optional
        Context in tokens in place of the decoding's; a preset's ``contexts`` say where it was larger.
    seed : int, optional
        Base seed in place of the decoding's, for a replicate.
    served_name : str, optional
        What the provider calls the model, such as a ``--served-model-name`` or a folder of weights.

    Raises
    ------
    ValueError
        If the paper has no such decoding, or the provider does not offer the model.
    """
    preset = find_preset(name)
    chosen = decoding
    if chosen is None and preset is not None:
        chosen = preset.thinking if thinking else preset.decoding
        if chosen is None:
            have = ", ".join(each.name for each in PRESETS.values() if each.thinking)
            raise ValueError(
                f"model {preset.name!r}: no decoding for thinking mode (known of {have}); give decoding="
            )
    elif thinking is not None:
        chosen = replace(chosen or Decoding(), thinking=thinking)
    chosen = chosen or Decoding()
    if context is not None:
        chosen = replace(chosen, context=context)
    if seed is not None:
        chosen = replace(chosen, seed=seed, seed_rule=chosen.seed_rule or "per_prompt")
    if preset is None:
        return Identity(name=name, served=served_name or name, decoding=chosen, preset=None)
    served = served_name or preset.served.get(provider)
    if served is None:
        known = ", ".join(preset.served) or "none"
        raise ValueError(
            f"model {preset.name!r}: no id known for provider {provider!r} (known: {known}); "
            "give served_name="
        )
    used = preset.name if decoding is None else None
    return Identity(name=preset.name, served=served, decoding=chosen, preset=used)
