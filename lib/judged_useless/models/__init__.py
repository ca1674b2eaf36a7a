"""Models that an agent can run on: ``get_model("provider:name", ...)``."""

from importlib import import_module
from inspect import Parameter, signature
from typing import Any, cast

from judged_useless.models.base import (
    ContextOverflowError,
    CostCapReachedError,
    Decoding,
    FatalModelError,
    Generation,
    Message,
    Model,
    ModelError,
    RateLimitError,
    ServiceUnavailableError,
    TransientModelError,
)

__all__ = [
    "PROVIDERS",
    "ContextOverflowError",
    "CostCapReachedError",
    "Decoding",
    "FatalModelError",
    "Generation",
    "Message",
    "Model",
    "ModelError",
    "RateLimitError",
    "ServiceUnavailableError",
    "TransientModelError",
    "get_model",
]

#: Provider -> ``module:class``, imported when it is asked for, so that no SDK is needed before.
PROVIDERS: dict[str, str] = {
    "vllm": "judged_useless.models.vllm_engine:VLLMModel",
    "openai": "judged_useless.models.openai_compatible:OpenAIModel",
    "anthropic": "judged_useless.models.anthropic_messages:AnthropicModel",
    "scripted": "judged_useless.models.scripted_annotator:make_scripted",
}


def get_model(spec: str, **options: Any) -> Model:  # noqa: ANN401 - options belong to the provider
    """Make a model from ``provider:name``.

    Parameters
    ----------
    spec : str
        Such as ``openai:Qwen/Qwen3-8B``, ``anthropic:claude-haiku-4.5``, ``scripted:deadline``, or
        ``scripted:annotator-10`` for an annotator of `judged_useless.afterwards`. One of the paper's
        names takes that agent's decoding and the provider's own name for it.
    **options
        Those of the provider's class, such as ``base_url``, ``decoding``, ``thinking``.

    Returns
    -------
    Model
        Nothing is sent and no weights are loaded before the first request.

    Raises
    ------
    ValueError
        If the provider is unknown, the specification has no name, or the provider has no such option.
    ImportError
        If the provider's package is missing; the message has the line that installs it.
    """
    provider, colon, name = spec.partition(":")
    if not colon or not name:
        raise ValueError(
            f"model {spec!r}: expected provider:name, with provider one of {', '.join(PROVIDERS)}"
        )
    if provider not in PROVIDERS:
        raise ValueError(
            f"model {spec!r}: unknown provider {provider!r}, expected one of {', '.join(PROVIDERS)}"
        )
    module, _, factory = PROVIDERS[provider].partition(":")
    make = getattr(import_module(module), factory)
    known = signature(make).parameters
    open_ended = any(parameter.kind is Parameter.VAR_KEYWORD for parameter in known.values())
    if unknown := [] if open_ended else [option for option in options if option not in known]:
        raise ValueError(f"model {spec!r}: provider {provider!r} has no option {', '.join(unknown)}")
    return cast("Model", make(name, **options))
