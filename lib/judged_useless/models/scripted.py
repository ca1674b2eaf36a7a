"""Scripted agents: known stopping policies that write turns like a model, for tests and demonstrations.

No language model is behind them. They are handed the questions, so that they can tell a real result from a
failed one, and make mistakes at the rates they are given. Everything they do is a function of seed and
conversation: equal conversations are continued equally, in any order and at any speed.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol, Self, runtime_checkable

from judged_useless._io.seeds import stable_seed
from judged_useless._io.strict_json import reply_object
from judged_useless.models.base import CHARACTERS_A_TOKEN, Decoding, Generation, Message
from judged_useless.models.scripted_policies import Situation, get_policy
from judged_useless.models.transcript import Transcript, read_transcript
from judged_useless.protocol.stated import stated_judgment
from judged_useless.tasks.question import Question

#: Most by which a stated probability differs from the believed one.
BELIEF_NOISE = 0.1
#: How often it looks a word up after a real page, and turns to a backup tool after a useless result.
LOOKUP, BACKUP = 0.1, 0.3
#: What it says of a result: whether it judges it useless -> the ways to say so.
_WORDS = {True: ("USELESS", "Useless.", " useless"), False: ("USEFUL", "Useful.", " useful")}
_THOUGHTS = {
    True: (
        "The last result is not relevant to the question.",
        "The search returned an unrelated article.",
        "That result does not mention what I need.",
    ),
    False: (
        "The article provides a detail that I need.",
        "I found something usable in the last result.",
        "According to the page, this is the right person.",
    ),
}


@runtime_checkable
class KnowsQuestions(Protocol):
    """A model that has to be handed the questions of a run before it starts."""

    def prepared(self, questions: Iterable[Question], budget: int) -> Self:
        """Return the model with the questions and the budget of a run."""


@dataclass(frozen=True)
class Rates:
    """Probabilities of what a scripted agent does; the first three are those of the paper's simulation."""

    #: Of judging a result USELESS that is not, or is, from the question's own pages.
    useless_if_failed: float = 0.99
    useless_if_real: float = 0.45
    #: Of answering after a real result judged USEFUL, whatever the policy.
    stop_if_useful: float = 0.3
    #: Of knowing the answer without having found it, and of saying nothing about the latest result.
    knows: float = 0.2
    silent: float = 0.15
    #: Of a judgment that is neither word, an action that does not exist, a turn without a readable action,
    #: a turn that is cut off, and a search although only finish is left.
    unparsed: float = 0.0
    invalid: float = 0.0
    unreadable: float = 0.0
    truncated: float = 0.0
    disobedient: float = 0.0
    #: Of an answer that copies the template, and of copying it again when told so.
    placeholder: float = 0.0
    stubborn: float = 0.0
    #: What it says it believes: going on succeeds with `hopeful` minus `discouraged` for each result in a row
    #: that it judged USELESS, answering now with `sure`, each off by up to `BELIEF_NOISE`; or it is `mute`.
    hopeful: float = 0.8
    discouraged: float = 0.05
    sure: float = 0.3
    mute: float = 0.0

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not 0 <= value <= 1:
                raise ValueError(f"scripted agent: {name} is {value}, expected a probability between 0 and 1")


class Scripted:
    """What every scripted model has in common."""

    provider = "scripted"
    simulated = True
    max_concurrency = 64
    decoding = Decoding()

    def __init__(self, policy: str, questions: Iterable[Question], seed: int) -> None:
        # So that nothing it says passes for a language model's.
        self.name, self.policy, self.seed = f"scripted:{policy}", policy, seed
        self._questions = {question.text: question for question in questions}

    def _described(self, **rates: float) -> dict[str, Any]:
        """Return what a manifest keeps of it."""
        named = {"provider": self.provider, "name": self.name, "simulated": True}
        return {**named, "policy": self.policy, "seed": self.seed, "rates": rates}

    async def aclose(self) -> None:
        """Do nothing: there is nothing to close."""

    def _said(self, messages: Sequence[Message], text: str, *, cut: bool = False) -> Generation:
        """Return a text, or the first half of it; token counts are a quarter of the characters."""
        return Generation(
            text=text[: len(text) // 2] if cut else text,
            finish_reason="length" if cut else "stop",
            prompt_tokens=sum(len(message["content"]) for message in messages) // CHARACTERS_A_TOKEN,
            completion_tokens=max(1, len(text) // CHARACTERS_A_TOKEN),
        )


class ScriptedModel(Scripted):
    """An agent with a known stopping policy (see `get_policy`), which can be asked some questions.

    Its deadline is at the `budget`, if the conversation does not count down; another `seed` draws other
    mistakes; `rates` are fields of `Rates`.
    """

    def __init__(
        self,
        policy: str,
        *,
        questions: Iterable[Question] = (),
        budget: int = 8,
        seed: int = 0,
        **rates: float,
    ) -> None:
        super().__init__(policy, questions, seed)
        self.budget = budget
        self.rates = Rates(**rates)
        self._stops = get_policy(policy)

    def prepared(self, questions: Iterable[Question], budget: int) -> Self:
        """Return a copy that knows the questions and the budget of a run."""
        rates = asdict(self.rates)
        return type(self)(self.policy, questions=questions, budget=budget, seed=self.seed, **rates)

    def describe(self) -> dict[str, Any]:
        """Return what a manifest keeps of it."""
        return self._described(**asdict(self.rates))

    async def generate(self, messages: Sequence[Message], **how: object) -> Generation:
        """Continue a conversation; ValueError if it is about a question that it was not handed."""
        thought = reply_object(messages[-1]["content"]).get("next_thought")
        if isinstance(thought, str):
            return self._said(messages, json.dumps({"label": stated_label(thought)}))
        now = read_transcript(messages, self._questions)
        cut = now.wants == "turn" and self._happens("truncated", now)
        return self._said(messages, self._reply(now), cut=cut)

    def _draw(self, purpose: str, now: Transcript, t: int | None = None) -> float:
        """Return a uniform number, fixed for this purpose, question and observation."""
        t = now.t if t is None else t
        seen = now.observations[t - 1].text if t else ""
        return stable_seed(self.seed, purpose, now.question.id, t, seen) / 2**60

    def _happens(self, rate: str, now: Transcript) -> bool:
        """Draw whether what a rate is of happens now."""
        return self._draw(rate, now) < float(getattr(self.rates, rate))

    def _one_of(self, purpose: str, ways: dict[bool, tuple[str, str, str]], now: Transcript) -> str:
        return ways[self._useless(now, now.t)][int(3 * self._draw(purpose, now))]

    def _useless(self, now: Transcript, t: int) -> bool:
        """Tell whether it judges an observation USELESS."""
        rate = self.rates.useless_if_real if now.observations[t - 1].real else self.rates.useless_if_failed
        return self._draw("judgment", now, t) < rate

    def _situation(self, now: Transcript) -> Situation:
        own_run = failed_run = 0
        for t, observation in enumerate(now.observations, 1):
            own_run = own_run + 1 if self._useless(now, t) else 0
            failed_run = 0 if observation.real else failed_run + 1
        budget = self.budget if now.remaining is None else now.t + now.remaining
        return Situation(now.t + 1, budget, own_run, failed_run, self._draw("policy", now))

    def _stops_now(self, now: Transcript) -> bool:
        useful = now.t > 0 and now.observations[-1].real and not self._useless(now, now.t)
        satisfied = useful and self._draw("useful", now) < self.rates.stop_if_useful
        return satisfied or self._stops(self._situation(now))

    def _reply(self, now: Transcript) -> str:
        if now.wants == "judgment":
            if self._happens("unparsed", now):
                return "Partly."
            return self._one_of("word", _WORDS, now)
        if now.wants == "decision":
            return f"I have weighed both.\nDECISION: {'ANSWER_NOW' if self._stops_now(now) else 'CONTINUE'}"
        if now.wants in ("usefulness", "continuation"):
            return self._belief(now)
        if not now.reminded and self._happens("unreadable", now):
            return "I am not sure how to go on."
        return self._turn(now)

    def _belief(self, now: Transcript) -> str:
        if self._draw(f"mute {now.wants}", now) < self.rates.mute:
            return "I would rather not say."
        if now.wants == "usefulness":
            word = "OFF_TOPIC" if self._useless(now, now.t) else "USEFUL_NEW"
            return json.dumps({"usefulness": word, "reason": "So I think."})
        hope = self.rates.hopeful - self.rates.discouraged * self._situation(now).own_run
        going_on = stated_probability(hope, self._draw("continuing", now))
        answering = stated_probability(self.rates.sure, self._draw("answering", now))
        prefer = "continue" if going_on > answering else "answer_now"
        reply = {"p_continue": going_on, "p_answer_now": answering, "prefer": prefer}
        return json.dumps(reply | {"reason": "So I think."})

    def _turn(self, now: Transcript) -> str:
        if not self._happens("disobedient", now) if now.only_finish else self._stops_now(now):
            action, text, plan = "finish", self._answer(now), "I will answer now."
        else:
            action, text = self._query(now)
            plan = f"I will try {text}."
        if now.t and not self._happens("silent", now):
            plan = f"{self._one_of('thought', _THOUGHTS, now)} {plan}"
        if now.tags:
            tag = "answer" if action == "finish" else "search"
            return f"<think>{plan}</think>\n<{tag}>{text}"
        return f"Thought: {plan}\nAction: {action}\nAction Input: {text}"

    def _query(self, now: Transcript) -> tuple[str, str]:
        question = now.question
        if self._happens("invalid", now):
            return "browse", question.gold_titles[0]
        titles = (*question.gold_titles, *question.distractor_titles)
        title = titles[now.t % len(titles)]
        gives_up = now.t and self._useless(now, now.t) and self._draw("b", now) < BACKUP
        if now.has_backup and (now.primary_disabled or gives_up):
            return "backup_search", title
        latest = now.observations[-1].title if now.t else None
        if latest and not now.tags:
            page = question.knowledge_base[latest].split()
            if page and self._draw("lookup", now) < LOOKUP:
                return "lookup", max(page, key=len).strip(".,;:()")
        return "search", title

    def _answer(self, now: Transcript) -> str:
        question = now.question
        if self._happens("placeholder", now) and (not now.repaired or self._happens("stubborn", now)):
            return "your best guess"
        found = set(question.gold_titles) <= {seen.title for seen in now.observations}
        # What is known does not depend on what was seen.
        knows = stable_seed(self.seed, "knows", question.id) / 2**60 < self.rates.knows
        if found or knows:
            return question.answer
        if question.kind == "claim":
            return "REFUTES" if stable_seed(self.seed, "guess", question.id) % 2 else "SUPPORTS"
        return "unknown"


def stated_probability(believed: float, draw: float) -> float:
    """Return the probability that is said where one is believed, off by up to `BELIEF_NOISE`."""
    return round(min(1.0, max(0.0, believed + BELIEF_NOISE * (2 * draw - 1))), 4)


def stated_label(thought: str) -> str:
    """Label a thought, as an annotator, by the project's keyword reader."""
    return {"USELESS": "says_useless", "USEFUL": "useful"}.get(stated_judgment(thought) or "", "no_judgment")


def make_scripted(name: str, **options: Any) -> Scripted:  # noqa: ANN401 - those of the agent or the annotator
    """Make a scripted agent, or an annotator if the name says ``annotator-<percent>``."""
    if name.startswith("annotator-"):
        from judged_useless.models.scripted_annotator import ScriptedAnnotator

        return ScriptedAnnotator(name, **options)
    return ScriptedModel(name, **options)
