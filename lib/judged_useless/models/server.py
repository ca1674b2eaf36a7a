"""A model behind an HTTP server: everything that does not depend on which API it speaks."""

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import Any, ClassVar, Literal

from judged_useless.models.base import (
    ContextOverflowError,
    EveryRequestFailsError,
    FatalModelError,
    Generation,
    Message,
    ModelError,
    TransientModelError,
)
from judged_useless.models.costs import CostMeter, Price, Usage
from judged_useless.models.pool import Server, choose
from judged_useless.models.presets import Identified
from judged_useless.models.reply_bodies import END_WORDS, End, Reply
from judged_useless.models.retry import Retries
from judged_useless.models.transport import (
    CONNECT_SECONDS,
    Address,
    Redactor,
    meaning_of_error_body,
    meaning_of_sdk_error,
    read_address,
    trusted,
)


class ServerModel(Identified, ABC):
    """A model behind an HTTP server.

    Parameters
    ----------
    name : str
        A released name, or the server's name for the model.
    base_url : str or sequence of str, optional
        One server, or several of the same model; by default the SDK's variable, else the provider's own.
    api_key : str, optional
        By default from the SDK's variable; a server of one's own needs none.
    extra_body : mapping, optional
        Further fields of every request; recorded, so no place for a secret.
    fields : mapping of str to str or None, optional
        Field of a request -> what this server calls it, or None to leave it out; recorded.
    end_words : mapping of str to {"stop", "length"}, optional
        What further words of this server for the end of a text mean; see `END_WORDS`.
    reasoning : {"apart", "text"}, default "apart"
        Whether what a server files under reasoning is read as the text where there is no other.
    structured : str or None
        How the server is asked for text of a given form; ``None`` if it cannot be.
    timeout : float, default 600
        Seconds in which a request must be answered.
    max_concurrency : int, optional
        By default the class's ``concurrency`` for each server.
    retries : Retries, optional
        How long and how often to try.
    price : Price, optional
        For costs.
    cost_cap_usd : float, optional
        No request is sent that could pass it.
    **identity
        Decoding and served name, as in :func:`~judged_useless.models.presets.identify`.
    """

    #: Name of the SDK, both to import and to install, of its client, and of its variables.
    sdk: ClassVar[str]
    client: ClassVar[str]
    own_service: ClassVar[str]
    own_base_url: ClassVar[str]
    #: Where a request is posted to, below the base URL.
    path: ClassVar[str]
    concurrency: ClassVar[int] = 64
    #: Reads the body of a reply; KeyError, TypeError or AttributeError if it is none of this API.
    read: "ClassVar[staticmethod[[Mapping[str, Any]], Reply]]"

    def __init__(
        self,
        name: str,
        *,
        base_url: str | Sequence[str] | None = None,
        api_key: str | None = None,
        extra_body: Mapping[str, Any] | None = None,
        fields: Mapping[str, str | None] | None = None,
        end_words: Mapping[str, Literal["stop", "length"]] | None = None,
        reasoning: Literal["apart", "text"] = "apart",
        structured: str | None = None,
        timeout: float = 600.0,
        max_concurrency: int | None = None,
        retries: Retries | None = None,
        price: Price | None = None,
        cost_cap_usd: float | None = None,
        **identity: Any,  # noqa: ANN401 - as `identify` takes them
    ) -> None:
        try:
            self._sdk = import_module(self.sdk)
        except ImportError as error:
            install = f"pip install 'judged-useless[{self.sdk}]'"
            raise ImportError(f"the {self.provider} backend needs its package: {install}") from error
        if reasoning not in ("apart", "text"):
            raise ValueError(f"reasoning is {reasoning!r}, expected apart or text")
        if not set((end_words or {}).values()) <= {"stop", "length"}:
            raise ValueError(f"end_words are {end_words}, expected each to mean stop or length")
        super().__init__(name, identity)
        variables = self.sdk.upper()
        given = base_url or os.environ.get(f"{variables}_BASE_URL") or self.own_service
        addresses = [read_address(url) for url in ([given] if isinstance(given, str) else given)]
        key = api_key or os.environ.get(f"{variables}_API_KEY")
        #: What else decides the requests, under the names of these arguments.
        self._options: dict[str, Any] = {
            "extra_body": dict(extra_body or {}),
            "fields": dict(fields or {}),
            "end_words": dict(end_words or {}),
            "reasoning": reasoning,
            "structured": structured,
        }
        self._timeout = timeout
        self.max_concurrency = max_concurrency or self.concurrency * len(addresses)
        self._retries = replace(retries or Retries())  # each model remembers whether its service was heard
        self._meter = CostMeter(price, cost_cap_usd)
        self._servers = {each.url: Server(partial(self._client, each, key)) for each in addresses}
        tokens = [getattr(server.clients[0], "auth_token", None) for server in self._servers.values()]
        self._redact = Redactor([key, *tokens, *(secret for each in addresses for secret in each.secrets)])
        self._any_text = False

    async def aclose(self) -> None:
        """Close the connections."""
        for server in self._servers.values():
            for client in server.clients:
                await client.close()

    def _client(self, address: Address, key: str | None) -> Any:  # noqa: ANN401 - the SDK's
        """Make the SDK's client, its own retries off: they would multiply ours."""
        import httpx2

        own = address.url.startswith(self.own_service)
        return getattr(self._sdk, self.client)(
            base_url=self.own_base_url if own else address.url,
            # Without a key the SDK looks for its other credentials, for the provider's own service alone.
            api_key=key if own else key or "none",
            max_retries=0,
            default_headers=address.headers,
            # A redirect to another place would carry the key along.
            http_client=self._sdk.DefaultAsyncHttpxClient(
                verify=trusted(*map(os.environ.get, ("SSL_CERT_FILE", "SSL_CERT_DIR"))),
                follow_redirects=False,
                timeout=httpx2.Timeout(self._timeout, connect=min(self._timeout, CONNECT_SECONDS)),
            ),
        )

    @abstractmethod
    def _body(
        self, messages: Sequence[Message], budget: int, stop: Sequence[str], regex: str | None
    ) -> dict[str, Any]:
        """Return the body of a request; values that are None are not sent."""

    def describe(self) -> dict[str, Any]:
        """Return what the manifest records; never a secret."""
        price = self._meter.price
        return self._described(
            # The server knows them and does not say.
            **dict.fromkeys(("revision", "tokenizer_revision", "chat_template_sha256")),
            seed_of="canonical JSON of the messages",
            base_url=list(self._servers),
            options={name: value for name, value in self._options.items() if value},
            timeout=self._timeout,
            price=None if price is None else price.model_dump(mode="json"),
            cost_cap_usd=self._meter.cap_usd,
        )

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Continue a conversation; see :meth:`judged_useless.models.base.Model.generate`."""
        budget = max_new_tokens or self.decoding.max_new_tokens
        if regex is not None:
            if self._options["structured"] is None:
                raise FatalModelError("a form of the text was asked for, and this server has no such option")
            self._deviate("structured output: text held to a regular expression")
        named = {
            self._options["fields"].get(field, field): value
            for field, value in self._body(messages, budget, stop, regex).items()
            if value is not None
        }
        body = self._options["extra_body"] | {name: value for name, value in named.items() if name}
        # A token stands for at least one byte; a turn's frame is allowed 32 tokens.
        bound = sum(len(message["content"].encode()) + 32 for message in messages) + 64
        worst = Usage(input=bound, output=budget)
        # What an episode's requests share: a rule may extend the system message in mid-episode.
        key = next((message["content"] for message in messages if message["role"] == "user"), "")

        async def send() -> Generation:
            async with self._meter.request(worst) as charge:
                with choose(self._servers, key).lease() as client:
                    started = time.perf_counter()
                    reply = self._reply(await self._post(client, body), body)
                    charge.usage = reply.usage
                    return self._generation(reply, budget, stop, time.perf_counter() - started)

        generation = await self._retries.call(send)
        return generation if regex is None else replace(generation, text=self._unquoted(generation.text))

    async def _post(self, client: Any, body: dict[str, Any]) -> str:  # noqa: ANN401 - the SDK's
        import httpx2

        try:
            response = await client.post(self.path, body=body, cast_to=httpx2.Response)
            return str(response.text)
        except Exception as error:
            meaning = meaning_of_sdk_error(error, self._sdk, self._redact)
            if meaning is None:
                raise
        # Raised outside the handler: the SDK's exception holds the request, and a key in its headers.
        raise self._advised(meaning, body)

    def _unquoted(self, text: str) -> str:
        """Return a text that was asked for in a form without what that put around it."""
        return text

    def _advised(self, meaning: ModelError, body: Mapping[str, Any]) -> ModelError:
        """Add to a failure what to do about it, if that is known."""
        return meaning

    def _reply(self, text: str, sent: Mapping[str, Any]) -> Reply:
        """Read a reply strictly: cut off it is transient, whole and of another shape it will stay so."""
        try:
            body = json.loads(text)
        except (ValueError, RecursionError):
            problem = "unreadable response: no JSON, or cut off"
            raise TransientModelError(f"{problem}; it begins {self._redact(text[:120])!r}") from None
        try:
            choices = body.get("choices")
            said = body.get("error") or (choices and choices[0].get("error"))
            if not said:
                return self.read(body)
            fault: ModelError = meaning_of_error_body(said, self._redact)
        except (KeyError, TypeError, AttributeError):
            begins = self._redact(text[:120])
            fault = self._fatal(f"the reply has not the form of the {self.sdk} API; it begins {begins!r}")
        raise self._advised(fault, sent)

    def _generation(self, reply: Reply, budget: int, stop: Sequence[str], seconds: float) -> Generation:
        usage, text, reasoning, price = reply.usage, reply.text, reply.reasoning, self._meter.price
        if reply.refusal:
            raise FatalModelError(f"the service refused: {self._redact(reply.refusal)}")
        end = self._end(reply.end_word)
        if end == "stop" and not text and not reasoning and (text is None or (usage and not usage.output)):
            raise TransientModelError("an empty reply: no text and no token")
        if usage is not None:
            self._check_context(usage, budget, end)
        if not text and reasoning:
            if self._options["reasoning"] == "text":
                text, reasoning = reasoning, None
            elif end == "stop" and not self.decoding.thinking:
                raise self._fatal(
                    "the server files the whole turn under reasoning, although thinking is off: start it "
                    "without its reasoning parser, or read that with reasoning='text' (--reasoning text)"
                )
        text = text or ""
        self._any_text |= bool(text)
        cut = min((at for each in stop if (at := text.find(each)) >= 0), default=None)
        if cut is not None:
            text, end = text[:cut], "stop"
            self._deviate("stop strings came back in the text, which is cut there")
        word = reply.end_word if reply.end_word in ("stop", "length", None) else self._redact(reply.end_word)
        return Generation(
            # Trajectories are kept and published, and nothing says that a server does not repeat the key.
            text=self._redact.generated(text),
            finish_reason=end,
            end_word=None if word == end else word,
            prompt_tokens=usage.prompt if usage else None,
            completion_tokens=usage.output if usage else None,
            cached_tokens=reply.cached_tokens,
            cost_usd=usage.cost(price) if usage and price else None,
            seconds=seconds,
            reasoning=None if reasoning is None else self._redact.generated(reasoning),
        )

    def _end(self, word: str | None) -> Literal["stop", "length"]:
        """Return what a word for the end of a text means; raise unless the text is whole or cut."""
        said = word or ""
        meaning: End | None = self._options["end_words"].get(said) or END_WORDS.get(said.lower())
        if meaning == "stop" or meaning == "length":
            return meaning
        if meaning == "context":
            raise ContextOverflowError("the model's context ended the generation")
        if meaning == "broken" or word is None:
            raise TransientModelError(f"the generation was broken off ({word})")
        said = self._redact(word)
        raise FatalModelError(
            f"the text ended for the reason {said!r}, which is no end of a turn; if this server means one, "
            f"say which: end_words={{{said!r}: 'stop'}} (--end-word {said}=stop)"
        )

    def _fatal(self, problem: str) -> ModelError:
        """Return a fault of every request, or of this one alone where others had a text."""
        return (FatalModelError if self._any_text else EveryRequestFailsError)(problem)

    def _check_context(self, usage: Usage, budget: int, end: str) -> None:
        context, sent = self.decoding.context, f"{usage.prompt} prompt tokens"
        if context is not None and usage.prompt + budget > context:
            raise ContextOverflowError(f"{sent} and {budget} to generate, context {context}")
        # Some servers shorten the budget to what is left of their context, and say nothing.
        if end == "length" and 0 < usage.output < budget:
            stopped = f"the server stopped after {usage.output} of {budget} tokens"
            raise ContextOverflowError(f"{stopped}: {sent} and the budget do not fit its context")
