"""One episode: a question, a failing source, and an agent that may stop or be stopped.

The loop is :func:`run_episode`; what is asked around it is in :class:`Episode`, what the harness does with
judgments in `agent.stoppers`. A transport failure is an exception and leaves no episode behind.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from judged_useless.agent.calls import Call, Options, Proposal, all_of, judgment_request
from judged_useless.agent.conversation import Conversation
from judged_useless.agent.stoppers import STOPPERS, Stopper
from judged_useless.environment.environment import Environment, Observation
from judged_useless.models.base import Generation, Message, Model
from judged_useless.protocol.conditions import Condition
from judged_useless.protocol.prompts import get_wording
from judged_useless.protocol.rule import IntegrationRule
from judged_useless.protocol.signals import lexical_judgment, parse_side_channel, random_judgment
from judged_useless.protocol.stated import stated_judgment
from judged_useless.protocol.turns import Turn, get_style, read_native_calls
from judged_useless.tasks.scoring import is_correct


async def run_episode(
    model: Model, environment: Environment, condition: Condition, options: Options | None = None
) -> "Episode":
    """Run one episode to its end (paper §2 and Appendix B.1).

    Parameters
    ----------
    model : Model
        Continues the conversation.
    environment : Environment
        A fresh one, with a budget; holds the question and the regime.
    condition : Condition
        What the agent is told, which signal is read, and who stops.
    options : Options, optional
        k, style of turns, what is recorded besides.

    Raises
    ------
    ModelError
        If a request gave no generation; the episode is then void.
    ValueError
        If condition, style, task and regime do not fit each other.
    """
    episode = Episode(model, environment, condition, options or Options())
    while not episode.termination:
        turn = await episode.next_turn()
        if turn.action is not None:
            episode.take(turn.action, turn.text)
    await episode.judge_last()
    return episode


@dataclass
class Episode:
    """State and record of one episode; `judgments` and `stated` have an entry an observation decided on."""

    model: Model
    environment: Environment
    condition: Condition
    options: Options
    rule: IntegrationRule = field(init=False)
    stopper: Stopper = field(init=False)
    conversation: Conversation = field(init=False)
    actions: list[str] = field(default_factory=list)
    judgments: list[str | None] = field(default_factory=list)
    stated: list[str | None] = field(default_factory=list)
    observations: list[Observation] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    #: What the harness did, and after how many observations.
    events: list[tuple[int, str]] = field(default_factory=list)
    n_discarded: int = 0
    #: How it ended; empty before.
    termination: str = ""

    def __post_init__(self) -> None:
        environment, condition, options = self.environment, self.condition, self.options
        if condition.two_source and not environment.two_source:
            has = f"regime {environment.regime.name!r} has none, ts_{environment.regime.name} has"
            raise ValueError(f"condition {condition.name!r} needs a backup tool; {has}")
        if condition.signal == "random" and options.useless_rate is None:
            what = "useless_rate, the model's own share of USELESS on development questions"
            raise ValueError(f"condition {condition.name!r} needs {what}")
        self.rule = IntegrationRule(options.k)
        self.stopper = STOPPERS[condition.stopper]()
        self._style = get_style(options.style)
        read = self._style.read
        self._read = partial(read_native_calls, otherwise=read) if condition.native_calls else read
        self.conversation = Conversation(
            get_wording(options.style, environment.question.kind),
            environment.question.text,
            condition,
            two_source=environment.two_source,
            budget=environment.budget,
            k=options.k,
        )

    @property
    def t(self) -> int:
        """Observations so far."""
        return len(self.observations)

    async def next_turn(self) -> Turn:
        """Ask for the next turn, and for the judgment of the latest result together with it if possible."""
        if not self.observations:
            proposal = await self.propose()
        elif self.stopper.must_wait(self):
            self._note(await self._judge())
            await self.stopper.before_turn(self)
            proposal = await self.propose()
        else:
            judgment, proposal = await all_of([self._judge(), self.propose()])
            self._note(judgment)
        if self.observations:
            self.stated.append(stated_judgment(proposal.turn.thought))
            proposal = await self.stopper.after_turn(self, proposal)
        return self._accept(proposal)

    async def propose(self) -> Proposal:
        """Ask for a turn, once more with a reminder if the condition has one and the turn is unreadable."""
        proposal = await self._ask_turn()
        if proposal.turn.action is None and not proposal.truncated and self.condition.reminder:
            if proposal.text:
                self.conversation.assistant(proposal.text)
            self.conversation.user(self.conversation.wording.reminder)
            self.note_event("format_reminder")
            proposal = await self._ask_turn()
        return proposal

    async def _ask_turn(self) -> Proposal:
        form = self._style.form(self.environment.actions) if self.options.constrain else None
        # A thinking model may well quote the word that would stop it.
        stop = () if self.model.decoding.thinking else self._style.stop
        generation = await self.call("turn", self.conversation.messages, stop=stop, regex=form)
        text = generation.text.strip()
        return Proposal(self._style.written(text), self._read(text), generation.finish_reason == "length")

    def _accept(self, proposal: Proposal) -> Turn:
        """Write a turn into the history; one that was cut off counts as unreadable, whatever it says."""
        self.conversation.assistant(proposal.text)
        if proposal.truncated:
            self.termination = "generation_truncated"
            return Turn(None)
        if proposal.turn.action is None:
            self.termination = "format_failure"
        return proposal.turn

    def take(self, action: str, text: str) -> None:
        """Take an action in the environment and write what is seen into the history."""
        observation = self.environment.step(action, text)
        if observation is None:
            self.actions.append("finish")
            self.termination = "answered"
            return
        self.actions.append(observation.action)
        self.observations.append(observation)
        self.conversation.observe(observation.text, self.environment.steps_left)
        if self.environment.ended:
            self.termination = "budget_exhausted"

    async def _judge(self) -> str | None:
        """Return the judgment of the latest observation by the condition's signal; None if there is none."""
        signal, options, question = self.condition.signal, self.options, self.environment.question
        if signal == "random":
            regime, rate = self.environment.regime.name, options.useless_rate or 0.0
            return random_judgment(question.id, regime, self.t, rate, seed=options.seed)
        if signal == "lexical":
            return lexical_judgment(question.text, self.observations[-1].text)
        if signal != "side_channel" and not options.judge:
            return None
        messages, request = judgment_request(
            self.model,
            self.conversation.messages,
            self.conversation.wording.judgment,
            constrain=options.constrain,
            max_new_tokens=options.judgment_tokens,
        )
        return parse_side_channel((await self.call("judgment", messages, **request)).text)

    def _note(self, judgment: str | None) -> None:
        self.judgments.append(judgment)
        # A stated judgment is counted when the turn that states it is proposed.
        if self.condition.signal not in (None, "stated") and self.stopper.counts(self):
            self.rule.observe(judgment)

    async def judge_last(self) -> None:
        """Judge the last observation too where judgments are only recorded; the paper's replay does."""
        if self.condition.signal in (None, "stated") and len(self.judgments) < self.t and self.options.judge:
            self.judgments.append(await self._judge())

    async def call(self, kind: str, messages: Sequence[Message], **options: Any) -> Generation:  # noqa: ANN401
        """Make one request for a turn, judgment or decision, and keep what came back."""
        t, generation = self.t, await self.model.generate(list(messages), **options)
        self.calls.append(Call(kind, t, generation))
        return generation

    def note_event(self, what: str) -> None:
        """Keep what the harness did at this step."""
        self.events.append((self.t, what))

    @property
    def success(self) -> bool:
        """Whether it was answered, and rightly."""
        answer = self.environment.answer
        return answer is not None and is_correct(self.environment.question, answer)
