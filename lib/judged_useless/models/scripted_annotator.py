"""Scripted annotators: labels that are right by construction, and wrong at a known rate."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

from judged_useless._io.seeds import stable_seed
from judged_useless.models.base import Decoding, Generation, Message
from judged_useless.models.scripted import STATED_LABELS, ScriptedModel
from judged_useless.models.transcript import see
from judged_useless.protocol.stated import stated_judgment
from judged_useless.tasks.question import Question

_NAME = re.compile(r"annotator-(100|[1-9]?\d)")
#: What it says where it is wrong: any other label of the stream.
LABELS = {
    "S1": ("useful_new", "related", "redundant", "off_topic", "unclear"),
    "S2": ("says_useless", "partly_useful", "useful", "no_judgment", "unclear"),
}


class ScriptedAnnotator:
    """An annotator with a known error rate, behind the interface of a model; no language model is behind it.

    A thought (S2) it labels by the project's keyword reader. A result (S1) it labels by the question's own
    pages, which it is handed: a supporting page is useful_new, another one of the question's is related, what
    an earlier result showed is redundant, anything else off_topic. In so many percent of the records it says
    another label in place of that one, drawn evenly.

    Parameters
    ----------
    policy : str
        ``annotator-<percent>``, 0 to 100: how often it is wrong.
    questions : iterable of Question
        Those that records can be about.
    seed : int, default 0
        Another one draws other mistakes; so does another percent.
    mute : float, default 0
        Share of replies that are no label.

    Raises
    ------
    ValueError
        If the name is none of an annotator's, or `mute` is not a probability.
    """

    provider = "scripted"
    simulated = True
    max_concurrency = 64

    def __init__(
        self, policy: str, *, questions: Iterable[Question] = (), seed: int = 0, mute: float = 0.0
    ) -> None:
        named = _NAME.fullmatch(policy)
        if named is None:
            raise ValueError(
                f"scripted:{policy}: expected annotator-<percent>, the percent of wrong labels from 0 to 100"
            )
        if not 0 <= mute <= 1:
            raise ValueError(f"scripted:{policy}: mute is {mute}, expected a probability between 0 and 1")
        self.policy, self.seed, self.mute = policy, seed, mute
        self.wrong = int(named[1]) / 100
        self.decoding = Decoding()
        self._questions = {question.text: question for question in questions}

    @property
    def name(self) -> str:
        """``scripted:`` and the name, so that no label passes for a language model's."""
        return f"scripted:{self.policy}"

    def prepared(self, questions: Iterable[Question], budget: int) -> Self:
        """Return a copy that knows the questions; the budget is an agent's and not needed."""
        return type(self)(self.policy, questions=questions, seed=self.seed, mute=self.mute)

    def describe(self) -> dict[str, Any]:
        """Return what a manifest keeps of it."""
        return {
            "provider": self.provider,
            "name": self.name,
            "simulated": True,
            "policy": self.policy,
            "seed": self.seed,
            "rates": {"wrong": self.wrong, "mute": self.mute},
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
        """Label the record in the last message.

        Parameters
        ----------
        messages : sequence of Message
            As an annotation sends them.
        max_new_tokens, stop, regex
            Not needed.

        Returns
        -------
        Generation
            Token counts are a quarter of the characters.

        Raises
        ------
        ValueError
            If it is asked for anything but a label, or about a question that it was not handed.
        """
        shown = messages[-1]["content"]
        record = _record(shown)
        if record is None:
            raise ValueError(f"{self.name} labels records of an annotation; it is no agent")
        stream = "S2" if "next_thought" in record else "S1"
        text = "I cannot tell."
        if self._draw("mute", shown) >= self.mute:
            right = self._thought(record) if stream == "S2" else self._result(record)
            text = json.dumps({"label": self._said(right, stream, shown)})
        size = sum(len(message["content"]) for message in messages)
        return Generation(
            text=text, finish_reason="stop", prompt_tokens=size // 4, completion_tokens=max(1, len(text) // 4)
        )

    def _draw(self, purpose: str, shown: str) -> float:
        return stable_seed(self.seed, self.policy, purpose, shown) / 2**60

    def _said(self, right: str, stream: str, shown: str) -> str:
        if self._draw("wrong", shown) >= self.wrong:
            return right
        others = [label for label in LABELS[stream] if label != right]
        return others[int(len(others) * self._draw("other", shown))]

    def _thought(self, record: dict[str, Any]) -> str:
        return STATED_LABELS[stated_judgment(str(record["next_thought"]))]

    def _result(self, record: dict[str, Any]) -> str:
        if record["question"] not in self._questions:
            raise ValueError(f"{self.name} was asked about {record['question']!r}, which it was not handed")
        question, text = self._questions[record["question"]], str(record["result"])
        seen = see(text, question)
        if not seen.real:
            return "off_topic"
        # What a lookup returns is a sentence of a page, with its number before it.
        stated = text.partition(") ")[2] if seen.title is None else text
        if any(stated in earlier for earlier in record["earlier_results"]):
            return "redundant"
        gold = [question.knowledge_base[title] for title in question.gold_titles]
        useful = seen.title in question.gold_titles or any(stated in page for page in gold)
        return "useful_new" if useful else "related"


def _record(shown: str) -> dict[str, Any] | None:
    try:
        record = json.loads(shown)
    except ValueError:
        return None
    known = isinstance(record, dict) and {"question", "result"} <= set(record)
    return record if known and {"next_thought", "earlier_results"} & set(record) else None


def make_scripted(name: str, **options: Any) -> ScriptedModel | ScriptedAnnotator:  # noqa: ANN401
    """Make a scripted agent, or an annotator if the name says so.

    Parameters
    ----------
    name : str
        A stopping policy, or ``annotator-<percent>``.
    **options
        Those of `ScriptedModel` or `ScriptedAnnotator`.

    Returns
    -------
    ScriptedModel or ScriptedAnnotator

    Raises
    ------
    ValueError
        If there is no such policy, annotator or option.
    """
    if not name.startswith("annotator-"):
        return ScriptedModel(name, **options)
    if unknown := sorted(set(options) - {"questions", "seed", "mute"}):
        raise ValueError(f"scripted:{name}: a scripted annotator has no option {', '.join(unknown)}")
    return ScriptedAnnotator(name, **options)
