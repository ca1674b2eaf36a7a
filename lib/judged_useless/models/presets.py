"""The paper's seven agents, which ``data/agents.yaml`` lists, and what a name of a model means."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

import pydantic
import yaml

from judged_useless._io.paths import data_dir
from judged_useless.models.base import Decoding


class Preset(pydantic.BaseModel):
    """One agent of the paper.

    Attributes
    ----------
    served : mapping of str to str
        Provider -> the provider's name for the model; empty where no public id is stated.
    decoding : Decoding
        Of the main runs (test300).
    thinking : Decoding or None
        Of the runs in thinking mode, for a model that has been run in it.
    contexts : mapping of str to int
        What a run was about -> the larger context it was given.
    """

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
            f"model {released!r}: no id known for provider {provider!r} (known: {known}); give served_name="
        )
    return Identity(
        name=released, served=served, decoding=chosen, preset=released if decoding is None else None
    )
