"""The paper's seven agents, which ``data/agents.yaml`` lists, and what a name of a model means."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import pydantic
import yaml

from judged_useless._io.paths import data_dir
from judged_useless.models.base import Decoding


class Preset(pydantic.BaseModel):
    """One agent of the paper; `served` is provider -> its name for the model, where a public id is stated."""

    model_config = pydantic.ConfigDict(frozen=True, extra="forbid")

    served: Mapping[str, str]
    decoding: Decoding
    thinking: Decoding | None = None
    contexts: Mapping[str, int] = {}


@cache
def load_presets() -> dict[str, Preset]:
    """Return released name -> preset, of every agent of the paper."""
    content = yaml.safe_load((data_dir() / "agents.yaml").read_text(encoding="utf-8"))
    return pydantic.TypeAdapter(dict[str, Preset]).validate_python(content)


@dataclass(frozen=True, kw_only=True)
class Identity:
    """Which model is meant, what its provider calls it, how it decodes, and whose decoding that is."""

    name: str
    served: str
    decoding: Decoding
    preset: str | None


class Identified:
    """A model that :func:`identify` has settled."""

    provider: str
    simulated = False

    def __init__(self, name: str, identity: Mapping[str, Any]) -> None:
        self._identity = identify(name, self.provider, **identity)
        self.name, self.decoding = self._identity.name, self._identity.decoding
        self._deviations: dict[str, None] = {}

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    def _deviate(self, what: str) -> None:
        """Keep what of the decoding or the protocol is done otherwise."""
        self._deviations[what] = None

    def _described(self, **more: object) -> dict[str, Any]:
        """Return what the manifest records, with more of it."""
        return {
            "provider": self.provider,
            "name": self.name,
            "model": self._identity.served,
            "preset": self._identity.preset,
            "decoding": asdict(self.decoding),
            "deviations": list(self._deviations),
            **more,
        }


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
    name, provider : str
        A released name, the provider's, or any other model's; and a key of the registry of providers.
    decoding : Decoding, optional
        By default the preset's, or for another model the service's own.
    thinking : bool, optional
        Thinking mode on or off; by default as in the preset's main runs, off.
    context, seed : int, optional
        In place of the decoding's: context in tokens, and base seed, for a replicate.
    served_name : str, optional
        What the provider calls the model, such as a ``--served-model-name`` or a folder of weights.

    Raises
    ------
    ValueError
        If the paper has no such decoding, or the provider does not offer the model.
    """
    presets = load_presets()
    released = next((each for each in presets if name in (each, *presets[each].served.values())), None)
    preset, chosen = presets.get(released or ""), decoding
    if chosen is None and preset is not None:
        chosen = preset.thinking if thinking else preset.decoding
        if chosen is None:
            have = ", ".join(each for each in presets if presets[each].thinking)
            raise ValueError(
                f"model {released!r}: no decoding for thinking mode (known of {have}); give decoding="
            )
    elif thinking is not None:
        chosen = replace(chosen or Decoding(), thinking=thinking)
    chosen = chosen or Decoding()
    if context is not None:
        chosen = replace(chosen, context=context)
    if seed is not None:
        chosen = replace(chosen, seed=seed, seed_rule=chosen.seed_rule or "per_prompt")
    if preset is None or released is None:
        return Identity(name=name, served=served_name or name, decoding=chosen, preset=None)
    served = served_name or preset.served.get(provider)
    if served is None:
        known = ", ".join(preset.served) or "none"
        raise ValueError(
            f"model {released!r}: no id known for provider {provider!r} (known: {known}); "
            "give --served-name, served_name= in Python"
        )
    return Identity(
        name=released, served=served, decoding=chosen, preset=released if decoding is None else None
    )
