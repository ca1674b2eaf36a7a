"""Models that an agent can run on: ``get_model("provider:name", ...)``."""

import re
from importlib import import_module
from typing import Any, cast

from judged_useless.models.base import Decoding, Generation, Message, Model

__all__ = ["PROVIDERS", "Decoding", "Generation", "Message", "Model", "get_model"]

#: Provider -> ``module:class``, imported when it is asked for, so that no SDK is needed before.
PROVIDERS: dict[str, str] = {
    "vllm": "judged_useless.models.vllm_engine:VLLMModel",
    "openai": "judged_useless.models.openai_compatible:OpenAIModel",
    "anthropic": "judged_useless.models.anthropic_messages:AnthropicModel",
    "scripted": "judged_useless.models.scripted:make_scripted",
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
    provider, _, name = spec.partition(":")
    if provider not in PROVIDERS or not name:
        known = ", ".join(PROVIDERS)
        raise ValueError(f"model {spec!r}: expected provider:name, with provider one of {known}")
    module, _, factory = PROVIDERS[provider].partition(":")
    make = getattr(import_module(module), factory)
    try:
        return cast("Model", make(name, **options))
    except TypeError as error:
        unknown = re.search(r"unexpected keyword argument '(\w+)'", str(error))
        if unknown is None:
            raise
        raise ValueError(f"model {spec!r}: provider {provider!r} has no option {unknown[1]}") from None
