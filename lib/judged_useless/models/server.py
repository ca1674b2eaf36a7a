"""A model behind an HTTP server: everything that does not depend on which API it speaks."""

import os
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, ClassVar, Literal

import pydantic

from judged_useless.models.base import (
    ContextOverflowError,
    Decoding,
    Generation,
    Message,
    TransientModelError,
    check_messages,
)
from judged_useless.models.characters import replace_escaped_halves
from judged_useless.models.clients import Pool
from judged_useless.models.costs import CostMeter, Price, Usage
from judged_useless.models.presets import Identified, identify
from judged_useless.models.retry import RetryPolicy, with_retries
from judged_useless.models.transport import (
    Redactor,
    classify_sdk_error,
    package_versions,
    prefix_key,
    prompt_bound,
    read_reply,
    split_credentials,
)


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a reply says, whichever API it came through."""

    text: str | None
    finish_reason: Literal["stop", "length"]
    reasoning: str | None = None


class Reply(pydantic.BaseModel, ABC):
    """A complete response body; what lacks one of its fields is a broken response."""

    @abstractmethod
    def tokens(self) -> Usage | None:
        """Return the usage, or ``None`` if the server does not report it."""

    @abstractmethod
    def cached_tokens(self) -> int | None:
        """Return the prompt tokens that a cache served, or ``None`` if the server does not report them."""

    @abstractmethod
    def said(self) -> Said:
        """Return text and reason of its end; raise what the reason means if it is neither stop nor length."""


class ServerModel(Identified, ABC):
    """A model behind an HTTP server.

    Parameters
    ----------
    name : str
        A released name, or the server's name for the model.
    base_url : str or sequence of str, optional
        One server, or several that serve the same model; by default the variable that the SDK reads, else the
        provider's own service.
    api_key : str, optional
        By default from the variable that the SDK reads; a server of one's own needs none.
    decoding, thinking, context, seed, served_name
        As in :func:`~judged_useless.models.presets.identify`.
    extra_body : mapping, optional
        Further fields of every request; recorded, so no place for a secret.
    timeout : float, default 600
        Seconds in which a request must be answered.
    max_concurrency : int, optional
        By default the class's ``concurrency`` for each server.
    retry : RetryPolicy, optional
        Bounds and waits.
    price : Price, optional
        For costs.
    cost_cap_usd : float, optional
        No request is sent that could pass it.

    Raises
    ------
    ImportError
        If the SDK is missing.
    ValueError
        If an option is not what is described here.
    """

    provider: ClassVar[str]
    simulated = False
    #: Name of the SDK, both to import and to install.
    sdk: ClassVar[str]
    own_service: ClassVar[str]
    url_variable: ClassVar[str]
    key_variable: ClassVar[str]
    concurrency: ClassVar[int] = 64
    reply: ClassVar[type[Reply]]

    def __init__(
        self,
        name: str,
        *,
        base_url: str | Sequence[str] | None = None,
        api_key: str | None = None,
        decoding: Decoding | None = None,
        thinking: bool | None = None,
        context: int | None = None,
        seed: int | None = None,
        served_name: str | None = None,
        extra_body: Mapping[str, Any] | None = None,
        timeout: float = 600.0,
        max_concurrency: int | None = None,
        retry: RetryPolicy | None = None,
        price: Price | None = None,
        cost_cap_usd: float | None = None,
    ) -> None:
        try:
            self._sdk = import_module(self.sdk)
        except ImportError as error:
            install = f"pip install 'judged-useless[{self.sdk}]'"
            raise ImportError(f"the {self.provider} backend needs its package: {install}") from error
        self._identity = identify(
            name,
            self.provider,
            decoding=decoding,
            thinking=thinking,
            context=context,
            seed=seed,
            served_name=served_name,
        )
        given = base_url or os.environ.get(self.url_variable) or self.own_service
        urls = [split_credentials(url) for url in ([given] if isinstance(given, str) else given)]
        self._is_own_service = any(url.startswith(self.own_service) for url, _ in urls)
        key = api_key or os.environ.get(self.key_variable)
        self._extra, self._timeout = dict(extra_body or {}), timeout
        self.max_concurrency = max_concurrency or self.concurrency * len(urls)
        self._retry = retry or RetryPolicy()
        self._meter = CostMeter(price, cost_cap_usd)
        self._pool = Pool({url: self._client(url, key, headers) for url, headers in urls})
        held = [value for _, headers in urls for value in headers.values()]
        # A server that repeats its authorization may leave the scheme out.
        secrets = [key, *held, *(value.removeprefix("Basic ") for value in held)]
        clients = self._pool.members.values()
        self._redact = Redactor([*secrets, *(getattr(client, "auth_token", None) for client in clients)])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, base_url={list(self._pool.members)})"

    def totals(self) -> dict[str, Any]:
        """Return requests, failed requests, tokens by kind and cost so far."""
        return self._meter.totals()

    async def aclose(self) -> None:
        """Close the connections."""
        for client in self._pool.members.values():
            await client.close()

    @abstractmethod
    def _client(self, url: str, key: str | None, headers: dict[str, str]) -> Any:  # noqa: ANN401
        """Make the SDK's client, its own retries off: they would multiply ours."""

    @abstractmethod
    def _request(
        self, messages: Sequence[Message], budget: int, stop: Sequence[str], regex: str | None
    ) -> dict[str, Any]:
        """Return the arguments of the SDK's call."""

    @abstractmethod
    async def _call(self, client: Any, request: dict[str, Any]) -> str:  # noqa: ANN401
        """Call the SDK and return the response's body."""

    @abstractmethod
    def _deviations(self) -> list[str]:
        """Return what of the decoding or the protocol this server is not sent."""

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records; never a secret."""
        price = self._meter.price
        return {
            "provider": self.provider,
            "name": self.name,
            "model": self._identity.served,
            "preset": self._identity.preset,
            # The server knows them and does not say.
            "revision": None,
            "tokenizer_revision": None,
            "chat_template_sha256": None,
            "decoding": asdict(self.decoding),
            "seed_of": "canonical JSON of the messages",
            "base_url": list(self._pool.members),
            "extra_body": self._extra,
            "timeout": self._timeout,
            "price": None if price is None else price.model_dump(mode="json"),
            "cost_cap_usd": self._meter.cap_usd,
            "packages": package_versions(self.sdk, "httpx"),
            "deviations": self._deviations(),
        }

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Continue a conversation; see :meth:`judged_useless.models.base.Model.generate`."""
        check_messages(messages)
        budget = self.decoding.max_new_tokens if max_new_tokens is None else max_new_tokens
        request = self._request(messages, budget, stop, regex)
        worst = Usage(input=prompt_bound(messages), output=self._most_tokens(budget))

        async def send() -> Generation:
            async with self._meter.request(worst) as charge:
                with self._pool.lease(prefix_key(messages)) as client:
                    started = time.perf_counter()
                    # Strict JSON has no half of a surrogate pair, and the same reply might come every time.
                    body, n_replaced = replace_escaped_halves(await self._post(client, request))
                    reply = read_reply(self.reply, body, self._redact)
                    charge.usage = reply.tokens()
                    seconds = time.perf_counter() - started
                    return self._generation(reply, self._most_tokens(budget), seconds, n_replaced)

        return await with_retries(send, self._retry)

    def _most_tokens(self, budget: int) -> int:
        """Return the tokens that a request may generate: more than its turn where thinking is apart."""
        return budget

    async def _post(self, client: Any, request: dict[str, Any]) -> str:  # noqa: ANN401
        try:
            return await self._call(client, request)
        except Exception as error:
            meaning = classify_sdk_error(error, self._sdk, self._redact)
            if meaning is None:
                raise
        # Raised outside the handler: the SDK's exception holds the request, and a key in its headers.
        raise meaning

    def _generation(self, reply: Reply, budget: int, seconds: float, n_replaced: int) -> Generation:
        said, usage = reply.said(), reply.tokens()
        if not said.text and not said.reasoning and (said.text is None or (usage and usage.output == 0)):
            raise TransientModelError("an empty reply: no text and no token")
        if usage is not None:
            self._check_context(usage, budget, said.finish_reason)
        price = self._meter.price
        return Generation(
            # Trajectories are kept and published, and nothing says that a server does not repeat the key.
            text=self._redact.generated(said.text or ""),
            finish_reason=said.finish_reason,
            prompt_tokens=usage.prompt if usage else None,
            completion_tokens=usage.output if usage else None,
            cached_tokens=reply.cached_tokens(),
            cost_usd=usage.cost(price) if usage and price else None,
            seconds=seconds,
            reasoning=None if said.reasoning is None else self._redact.generated(said.reasoning),
            n_replaced=n_replaced,
        )

    def _check_context(self, usage: Usage, budget: int, finish_reason: str) -> None:
        context = self.decoding.context
        if context is not None and usage.prompt + budget > context:
            raise ContextOverflowError(
                f"{usage.prompt} prompt tokens and {budget} to generate, context {context}"
            )
        # Some servers shorten the budget to what is left of their context, and say nothing.
        if finish_reason == "length" and usage.output < budget:
            raise ContextOverflowError(
                f"the server stopped after {usage.output} of {budget} tokens: {usage.prompt} prompt tokens "
                "and the budget do not fit its context"
            )
