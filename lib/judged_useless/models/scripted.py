"""Scripted agents: known stopping policies that write turns like a model, for tests and demonstrations.

No language model is behind them. They are handed the questions, so that they can tell a real result from a
failed one, and make mistakes at the rates they are given. Everything they do is a function of seed and
conversation: equal conversations are continued equally, in any order and at any speed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from typing import Any, Protocol, Self, runtime_checkable

from judged_useless._io.seeds import stable_seed
from judged_useless.models.base import Decoding, Generation, Message
from judged_useless.models.rate_limits import Rates
from judged_useless.models.scripted_policies import Situation, get_policy
from judged_useless.models.transcript import Transcript, read_transcript, thought_to_label
from judged_useless.protocol.stated import stated_judgment
from judged_useless.tasks.question import Question


@runtime_checkable
class KnowsQuestions(Protocol):
    """A model that has to be handed the questions of a run before it starts."""

    def prepared(self, questions: Iterable[Question], budget: int) -> Self:
        """Return the model with the questions and the budget of a run."""
        ...


#: As an annotator it labels a thought by its own keyword reader.
STATED_LABELS = {"USELESS": "says_useless", "USEFUL": "useful", None: "no_judgment"}
_USELESS_WORDS = ("USELESS", "Useless.", " useless")
_USEFUL_WORDS = ("USEFUL", "Useful.", " useful")
_USELESS_THOUGHTS = (
    "The last result is not relevant to the question.",
    "The search returned an unrelated article.",
    "That result does not mention what I need.",
)
_USEFUL_THOUGHTS = (
    "The article provides a detail that I need.",
    "I found something usable in the last result.",
    "According to the page, this is the right person.",
)


class ScriptedModel:
    """An agent with a known stopping policy, behind the interface of a model.

    Parameters
    ----------
    policy : str
        As for `judged_useless.models.scripted_policies.get_policy`.
    questions : iterable of Question
        Those it can be asked.
    budget : int, default 8
        Where its deadline is, if the conversation does not count down.
    seed : int, default 0
        Another one draws other mistakes.
    **rates : float
        Fields of `Rates`.

    Raises
    ------
    ValueError
        If the policy is unknown, a rate is not a probability, or an option is none of a scripted agent's.
    """

    provider = "scripted"
    simulated = True
    max_concurrency = 64

    def __init__(
        self,
        policy: str,
        *,
        questions: Iterable[Question] = (),
        budget: int = 8,
        seed: int = 0,
        **rates: float,
    ) -> None:
        if unknown := sorted(set(rates) - {field.name for field in fields(Rates)}):
            raise ValueError(f"scripted:{policy}: a scripted agent has no option {', '.join(unknown)}")
        self.policy = policy
        self.budget = budget
        self.seed = seed
        self.rates = Rates(**rates)
        self.decoding = Decoding()
        self._stops = get_policy(policy)
        self._questions = {question.text: question for question in questions}

    @property
    def name(self) -> str:
        """``scripted:`` and the policy, so that no episode passes for a language model's."""
        return f"scripted:{self.policy}"

    def prepared(self, questions: Iterable[Question], budget: int) -> Self:
        """Return a copy that knows the questions and the budget of a run.

        Parameters
        ----------
        questions : iterable of Question
            Those it will be asked.
        budget : int
            Actions of an episode.

        Returns
        -------
        ScriptedModel
        """
        return type(self)(
            self.policy, questions=questions, budget=budget, seed=self.seed, **asdict(self.rates)
        )

    def describe(self) -> dict[str, Any]:
        """Return what a manifest keeps of it."""
        return {
            "provider": self.provider,
            "name": self.name,
            "simulated": True,
            "policy": self.policy,
            "seed": self.seed,
            "rates": asdict(self.rates),
        }

    async def aclose(self) -> None:
        """Do nothing: there is nothing to close."""

    async def generate(
        self,
        messages: Sequence[Message],
        *,
        max_new_tokens: int | None = None,
        stop: Sequence[str] = (),
        regex: str | None = None,
    ) -> Generation:
        """Continue a conversation; budget, stop strings and form are kept by the way it writes.

        Parameters
        ----------
        messages : sequence of Message
            The conversation.
        max_new_tokens, stop, regex
            Not needed.

        Returns
        -------
        Generation
            Token counts are a quarter of the characters.

        Raises
        ------
        ValueError
            If the conversation is about a question it was not handed.
        """
        thought = thought_to_label(messages)
        if thought is not None:
            label = STATED_LABELS[stated_judgment(thought)]
            return Generation(text=f'{{"label": "{label}"}}', finish_reason="stop")
        transcript = read_transcript(messages, self._questions)
        text = self._reply(transcript)
        cut = transcript.wants == "turn" and self._draw(transcript, "truncated") < self.rates.truncated
        return Generation(
            text=text[: len(text) // 2] if cut else text,
            finish_reason="length" if cut else "stop",
            prompt_tokens=sum(len(message["content"]) for message in messages) // 4,
            completion_tokens=max(1, len(text) // 4),
        )

    def _draw(self, transcript: Transcript, purpose: str, t: int | None = None) -> float:
        """Return a uniform number, fixed for this purpose, question and observation."""
        t = transcript.t if t is None else t
        seen = transcript.observations[t - 1].text if t else ""
        return stable_seed(self.seed, purpose, transcript.question.id, t, seen) / 2**60

    def _useless(self, transcript: Transcript, t: int) -> bool:
        real = transcript.observations[t - 1].real
        rate = self.rates.useless_if_real if real else self.rates.useless_if_failed
        return self._draw(transcript, "judgment", t) < rate

    def _situation(self, transcript: Transcript) -> Situation:
        own_run = failed_run = 0
        for t, observation in enumerate(transcript.observations, 1):
            own_run = own_run + 1 if self._useless(transcript, t) else 0
            failed_run = 0 if observation.real else failed_run + 1
        remaining = transcript.remaining
        return Situation(
            action=transcript.t + 1,
            budget=self.budget if remaining is None else transcript.t + remaining,
            own_run=own_run,
            failed_run=failed_run,
            draw=self._draw(transcript, "policy"),
        )

    def _stops_now(self, transcript: Transcript) -> bool:
        useful = (
            transcript.t > 0
            and transcript.observations[-1].real
            and not self._useless(transcript, transcript.t)
        )
        if useful and self._draw(transcript, "useful") < self.rates.stop_if_useful:
            return True
        return self._stops(self._situation(transcript))

    def _reply(self, transcript: Transcript) -> str:
        if transcript.wants == "judgment":
            return self._judgment(transcript)
        if transcript.wants == "decision":
            stops = self._stops_now(transcript)
            return f"I have weighed both.\nDECISION: {'ANSWER_NOW' if stops else 'CONTINUE'}"
        if transcript.wants in ("usefulness", "continuation"):
            return self._belief(transcript)
        if not transcript.reminded and self._draw(transcript, "unreadable") < self.rates.unreadable:
            return "I am not sure how to go on."
        return self._turn(transcript)

    def _judgment(self, transcript: Transcript) -> str:
        if self._draw(transcript, "unparsed") < self.rates.unparsed:
            return "Partly."
        words = _USELESS_WORDS if self._useless(transcript, transcript.t) else _USEFUL_WORDS
        return words[int(len(words) * self._draw(transcript, "word"))]

    def _belief(self, transcript: Transcript) -> str:
        if self._draw(transcript, f"mute {transcript.wants}") < self.rates.mute:
            return "I would rather not say."
        if transcript.wants == "continuation":
            draws = self._draw(transcript, "continuing"), self._draw(transcript, "answering")
            return self.rates.continuation(self._situation(transcript).own_run, *draws)
        word = "OFF_TOPIC" if self._useless(transcript, transcript.t) else "USEFUL_NEW"
        return f'{{"usefulness": "{word}", "reason": "So I think."}}'

    def _turn(self, transcript: Transcript) -> str:
        forced = transcript.only_finish and self._draw(transcript, "disobedient") >= self.rates.disobedient
        if forced or (not transcript.only_finish and self._stops_now(transcript)):
            action, text, plan = "finish", self._answer(transcript), "I will answer now."
        else:
            action, text = self._query(transcript)
            plan = f"I will try {text}."
        thought = " ".join(filter(None, (self._statement(transcript), plan)))
        if transcript.tags:
            tag = "answer" if action == "finish" else "search"
            return f"<think>{thought}</think>\n<{tag}>{text}"
        return f"Thought: {thought}\nAction: {action}\nAction Input: {text}"

    def _statement(self, transcript: Transcript) -> str:
        if not transcript.t or self._draw(transcript, "silent") < self.rates.silent:
            return ""
        thoughts = _USELESS_THOUGHTS if self._useless(transcript, transcript.t) else _USEFUL_THOUGHTS
        return thoughts[int(len(thoughts) * self._draw(transcript, "thought"))]

    def _query(self, transcript: Transcript) -> tuple[str, str]:
        question, latest = transcript.question, transcript.latest
        if self._draw(transcript, "invalid") < self.rates.invalid:
            return "browse", question.gold_titles[0]
        titles = (*question.gold_titles, *question.distractor_titles)
        title = titles[transcript.t % len(titles)]
        if transcript.has_backup and (
            transcript.primary_disabled
            or (
                transcript.t
                and self._useless(transcript, transcript.t)
                and self._draw(transcript, "b") < self.rates.backup
            )
        ):
            return "backup_search", title
        if latest is not None and latest.title and not transcript.tags:
            page = question.knowledge_base[latest.title].split()
            if page and self._draw(transcript, "lookup") < self.rates.lookup:
                return "lookup", max(page, key=len).strip(".,;:()")
        return "search", title

    def _answer(self, transcript: Transcript) -> str:
        question = transcript.question
        if self._draw(transcript, "placeholder") < self.rates.placeholder and (
            not transcript.repaired or self._draw(transcript, "stubborn") < self.rates.stubborn
        ):
            return "your best guess"
        found = set(question.gold_titles) <= {seen.title for seen in transcript.observations}
        # What is known does not depend on what was seen.
        knows = stable_seed(self.seed, "knows", question.id) / 2**60 < self.rates.knows
        if found or knows:
            return question.answer
        if question.kind == "claim":
            return "REFUTES" if stable_seed(self.seed, "guess", question.id) % 2 else "SUPPORTS"
        return "unknown"
