"""The rule for loops that keep messages: what they show decides whether only answering is left."""

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from judged_useless.harness.evidence import ASKED, FREE, AskAsync, judge_step
from judged_useless.harness.tool_messages import Conversation, read_conversation
from judged_useless.models.base import CHARACTERS_A_TOKEN
from judged_useless.protocol.rule import IntegrationRule

_Result = TypeVar("_Result")
Ask = Callable[[list[Any]], str]
#: Conversations and replies that a rule keeps; beyond that it forgets, and asks again.
_KEPT = 20_000


def awaited(call: Callable[..., Any]) -> Callable[..., Awaitable[Any]]:
    """Return a function as one that is awaited, for :func:`run_now`."""

    async def answered(*values: Any, **named: Any) -> Any:  # noqa: ANN401 - whatever the call takes and returns
        return call(*values, **named)

    return answered


def run_now(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Return what a coroutine returns that waits for nothing, with or without a running event loop."""
    try:
        coroutine.send(None)
    except StopIteration as done:
        return done.value  # type: ignore[no-any-return]
    raise RuntimeError("waits for something: use the async form")


@dataclass(frozen=True)
class Backstop:
    """Where a run ends whatever the evidence says; None for no such limit, each is reported apart.

    Parameters
    ----------
    calls : int, optional
        Turns with tool calls since the question.
    tokens : int, optional
        Of the conversation, estimated at four characters each.
    seconds : float, optional
        Since this rule saw the question's first results.

    Raises
    ------
    ValueError
        For a limit that is none.
    """

    calls: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name, limit in vars(self).items():
            number = isinstance(limit, int | float) and not isinstance(limit, bool)
            if limit is not None and not (number and 0 <= limit < float("inf")):
                raise ValueError(f"{name} is {limit!r}, expected a number of at least 0, or None")


@dataclass(frozen=True)
class Decision:
    """What the rule says after the latest results.

    ``stop`` tells whether only answering is left, ``by`` what says so, ``run`` how many results in a row are
    USELESS, ``judgments`` what was said of each step since the question (None where nothing was), and
    ``conversation`` is a digest up to the first results.
    """

    stop: bool
    by: Literal["evidence", "calls", "tokens", "seconds"] | None
    run: int
    judgments: tuple[str | None, ...]
    conversation: str = ""

    @property
    def reason(self) -> str:
        """Why, in words."""
        if self.by == "evidence":
            return f"the last {self.run} results in a row were judged useless"
        return f"the limit of {self.by} was reached" if self.by else "the rule has not fired"


@dataclass
class Rule:
    """After k useless results in a row only answering is left (paper §5), in a loop of one's own.

    It keeps no state of a conversation: the run is counted anew from the messages since the latest message
    of the user, so one rule serves any number of conversations at once. Tool calls of one turn are one step,
    useless only if each of their results is.

    Parameters
    ----------
    k : int, default 5
        Run length at which to stop. The paper's value; choose yours on development questions.
    signals : sequence of str, default ("side_channel",)
        What judges a step; USELESS if any of them says so. Free: ``empty`` (nothing or an error),
        ``repeated`` (the same result again), ``lexical`` (few of the question's words in it), ``stated``
        (what the next turn says of it). One short call a step: ``side_channel`` (the agent, on a copy of its
        conversation) and ``judge`` (a model that sees question and result only).
    backstop : Backstop, optional
        Limits that hold besides.
    answer_tool : str, optional
        Tool by which the agent answers; it stays when the others are taken away.

    Raises
    ------
    ValueError
        For an unknown signal, none, or a k that is no whole number of at least 1.

    Examples
    --------
    >>> rule = Rule(k=2, signals=["empty"])
    >>> call = {"id": "1", "function": {"name": "search", "arguments": "{}"}}
    >>> result = {"role": "tool", "tool_call_id": "1", "content": ""}
    >>> turn = [{"role": "assistant", "tool_calls": [call]}, result]
    >>> rule.after_results([{"role": "user", "content": "Who wrote it?"}, *turn]).stop
    False
    >>> rule.after_results([{"role": "user", "content": "Who wrote it?"}, *turn, *turn]).reason
    'the last 2 results in a row were judged useless'
    """

    k: int = 5
    signals: Sequence[str] = ("side_channel",)
    backstop: Backstop = field(default_factory=Backstop)
    answer_tool: str | None = None
    _replies: dict[tuple[str, str], str] = field(default_factory=dict, repr=False)
    _begun: dict[str, float] = field(default_factory=dict, repr=False)
    _stopped: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        IntegrationRule(self.k)
        unknown = [name for name in self.signals if name not in (*FREE, *ASKED)]
        if unknown or not self.signals:
            raise ValueError(
                f"signals are {list(self.signals)}, expected some of {', '.join((*FREE, *ASKED))}"
            )

    @property
    def stops(self) -> Counter[str]:
        """How many conversations were stopped, by what: the evidence, or a limit."""
        return Counter(self._stopped.values())

    def after_results(self, messages: Sequence[Any], ask: Ask | None = None) -> Decision:
        """Decide after tool results, or on a proposed turn, which is the last message then.

        Parameters
        ----------
        messages : sequence of dict
            The conversation, in the form of an OpenAI chat, its Responses, or Anthropic messages.
        ask : callable, optional
            Takes messages and returns the reply's text, without tools and in at most some eight tokens;
            needed by the signals that ask. Replies are kept by content: no step is asked about twice.

        Raises
        ------
        ValueError
            If a signal has to ask and ``ask`` is missing, or for what is no message, by index and field.
        """
        return run_now(self._decide(messages, awaited(ask) if ask else None))

    async def after_results_async(self, messages: Sequence[Any], ask: AskAsync | None = None) -> Decision:
        """As :meth:`after_results`, with an ``ask`` that is awaited."""
        return await self._decide(messages, ask)

    async def _decide(self, messages: Sequence[Any], ask: AskAsync | None) -> Decision:
        if ask is None and set(self.signals) & set(ASKED):
            raise ValueError(f"signals {list(self.signals)} ask a model: give after_results an `ask`")
        read = read_conversation(messages, answer_tool=self.answer_tool)
        counting = IntegrationRule(self.k)
        judgments: list[str | None] = []
        for index in range(len(read.steps)):
            replies = bounded(self._replies)
            judgments.append(await judge_step(read, index, self.signals, replies, ask))
            counting.observe(judgments[-1])
        if not read.steps:
            return Decision(False, None, 0, ())
        identity = read.steps[0].digest
        by = self._why(read, counting, messages, identity)
        if by is not None:
            bounded(self._stopped).setdefault(identity, by)
        return Decision(by is not None, by, counting.run, tuple(judgments), identity)

    def _why(
        self, read: Conversation, counting: IntegrationRule, messages: Sequence[Any], identity: str
    ) -> Literal["evidence", "calls", "tokens", "seconds"] | None:
        begun = bounded(self._begun).setdefault(identity, time.monotonic())
        if counting.should_stop:
            return "evidence"
        spent: dict[Literal["calls", "tokens", "seconds"], float] = {
            "calls": len(read.steps),
            "tokens": len(str(messages)) / CHARACTERS_A_TOKEN,
            "seconds": time.monotonic() - begun,
        }
        limits = vars(self.backstop)
        return next((by for by, n in spent.items() if limits[by] is not None and n >= limits[by]), None)


def bounded(kept: dict[Any, Any]) -> dict[Any, Any]:
    """Return a dictionary that has room: the oldest half of a full one is forgotten."""
    if len(kept) >= _KEPT:
        for key in list(kept)[: _KEPT // 2]:
            kept.pop(key, None)
    return kept
