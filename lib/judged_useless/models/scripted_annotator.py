"""Scripted annotators: labels that are right by construction, and wrong at a known rate."""

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Self

from judged_useless._io.seeds import stable_seed
from judged_useless.models.base import Generation, Message
from judged_useless.models.scripted import Scripted, stated_label
from judged_useless.models.transcript import see
from judged_useless.protocol.vocabulary import STATED_LABELS
from judged_useless.tasks.question import Question

#: What it says where it is wrong: any other label of the stream.
LABELS = {"S1": ("useful_new", "related", "redundant", "off_topic", "unclear"), "S2": STATED_LABELS}


class ScriptedAnnotator(Scripted):
    """An annotator with a known error rate, behind the interface of a model; no language model is behind it.

    A thought (S2) it labels by the project's keyword reader. A result (S1) it labels by the question's own
    pages, which it is handed: a supporting page is useful_new, another one of the question's is related, what
    an earlier result showed is redundant, anything else off_topic. In so many percent of the records it says
    another label in place of that one, drawn evenly.

    The policy is ``annotator-<percent>``, how often it is wrong. Another seed draws other mistakes, and so
    does another percent.
    """

    def __init__(self, policy: str, *, questions: Iterable[Question] = (), seed: int = 0) -> None:
        super().__init__(policy, questions, seed)
        percent = re.fullmatch(r"annotator-(100|[1-9]?\d)", policy)
        if percent is None:
            expected = "annotator-<percent>, the percent of wrong labels from 0 to 100"
            raise ValueError(f"scripted:{policy}: expected {expected}")
        self.wrong = int(percent[1]) / 100

    def prepared(self, questions: Iterable[Question], budget: int) -> Self:
        """Return a copy that knows the questions; the budget is an agent's and not needed."""
        return type(self)(self.policy, questions=questions, seed=self.seed)

    def describe(self) -> dict[str, Any]:
        """Return what a manifest keeps of it."""
        return self._described(wrong=self.wrong)

    async def generate(self, messages: Sequence[Message], **how: object) -> Generation:
        """Label the record in the last message, as an annotation sends it; ValueError if there is none."""
        shown = messages[-1]["content"]
        try:
            record = json.loads(shown)
            stream = "S2" if "next_thought" in record else "S1"
            right = stated_label(str(record["next_thought"])) if stream == "S2" else self._result(record)
        except (json.JSONDecodeError, TypeError, KeyError):
            raise ValueError(f"{self.name} labels records of an annotation; it is no agent") from None
        if self._draw("wrong", shown) < self.wrong:
            others = [label for label in LABELS[stream] if label != right]
            right = others[int(len(others) * self._draw("other", shown))]
        return self._said(messages, json.dumps({"label": right}))

    def _draw(self, purpose: str, shown: str) -> float:
        return stable_seed(self.seed, self.policy, purpose, shown) / 2**60

    def _result(self, record: dict[str, Any]) -> str:
        earlier, asked, text = record["earlier_results"], record["question"], str(record["result"])
        if asked not in self._questions:
            raise ValueError(f"{self.name} was asked about {asked!r}, which it was not handed")
        question = self._questions[asked]
        seen = see(text, question)
        if not seen.real:
            return "off_topic"
        # What a lookup returns is a sentence of a page, with its number before it.
        stated = text.partition(") ")[2] if seen.title is None else text
        if any(stated in each for each in earlier):
            return "redundant"
        gold = {title: question.knowledge_base[title] for title in question.gold_titles}
        useful = seen.title in gold or any(stated in page for page in gold.values())
        return "useful_new" if useful else "related"
