"""Reading a conversation back, as far as a scripted agent needs it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from judged_useless.models.base import Message
from judged_useless.protocol.prompts import load_wordings
from judged_useless.tasks.question import Question

_SENTENCE = re.compile(r"\(Result \d+/\d+\) (.*)", re.DOTALL)
_REMAINING = re.compile(r"\[Actions remaining: (\d+)\]")

Wanted = Literal["turn", "judgment", "decision", "usefulness", "continuation"]


@cache
def _said(name: str) -> frozenset[str]:
    """Return a sentence of the harness in the wording of every task and style."""
    return frozenset(said for wording in load_wordings().values() if (said := getattr(wording, name)))


@dataclass(frozen=True)
class Seen:
    """One observation: its text, the title if it is a page of the question's own, and whether it is real."""

    text: str
    title: str | None
    real: bool


@dataclass(frozen=True)
class Transcript:
    """A conversation as read: what the last message asks for, and what was seen before it."""

    question: Question
    observations: tuple[Seen, ...]
    wants: Wanted
    only_finish: bool
    reminded: bool
    repaired: bool
    remaining: int | None
    tags: bool
    has_backup: bool
    primary_disabled: bool

    @property
    def t(self) -> int:
        """Number of observations."""
        return len(self.observations)


def see(text: str, question: Question) -> Seen:
    """Tell whether a result is from a question's own pages, and which page it is."""
    if text.startswith("["):
        title = text[1:].partition("] ")[0]
        # A title may itself hold "] "; such a page is then taken for a failed result by every scripted agent.
        if question.knowledge_base.get(title) == text[len(title) + 3 :]:
            return Seen(text, title, real=True)
    sentence = _SENTENCE.match(text)
    real = sentence is not None and any(sentence[1] in page for page in question.knowledge_base.values())
    return Seen(text, None, real=real)


def _observation(message: Message) -> str | None:
    """Return what a tool returned, without the paragraphs that the harness appended; None if it is none."""
    content = message["content"]
    if content.startswith("<information>"):
        return content.removeprefix("<information>").partition("</information>")[0]
    if not content.startswith("Observation: "):
        return None
    text = content.removeprefix("Observation: ")
    harness = _said("answer_now") | _said("switch_notice")
    while "\n\n" in text and ((last := text.rpartition("\n\n")[2]) in harness or _REMAINING.fullmatch(last)):
        text = text.rpartition("\n\n")[0]
    return text


def _asked_for(last: str) -> Wanted:
    """Return what a message asks for, by the whole message; anything else asks for a turn."""
    kinds: tuple[Wanted, ...] = ("judgment", "usefulness", "continuation")
    otherwise: Wanted = "decision" if "write exactly: DECISION:" in last else "turn"
    return next((kind for kind in kinds if last in _said(kind)), otherwise)


def read_transcript(messages: Sequence[Message], questions: Mapping[str, Question]) -> Transcript:
    """Read a conversation that the agent loop has written; ValueError if it is about no known question."""
    tags = messages[0]["role"] != "system"
    opening, last = messages[0 if tags else 1]["content"], messages[-1]["content"]
    paragraphs = [each for each in opening.split("\n\n") if not _REMAINING.fullmatch(each)]
    asked = re.sub(r"^(?:Question|Verify this claim): ", "", paragraphs[-1])
    if asked not in questions:
        raise ValueError(f"a scripted agent was asked {asked!r}, and was not handed that question")
    question = questions[asked]
    texts = [(m["content"], _observation(m)) for m in messages if m["role"] == "user"]
    observations = tuple(see(text, question) for _, text in texts if text is not None)
    latest = next((content for content, text in reversed(texts) if text is not None), "")
    counts = _REMAINING.findall(latest or opening)
    return Transcript(
        question=question,
        observations=observations,
        wants=_asked_for(last),
        only_finish=any(said in latest for said in _said("answer_now")) or last in _said("repair"),
        reminded=last in _said("reminder"),
        repaired=last in _said("repair"),
        remaining=int(counts[-1]) if counts else None,
        tags=tags,
        has_backup=not tags and "backup_search[query]" in messages[0]["content"],
        primary_disabled=any(notice in content for content, _ in texts for notice in _said("switch_notice")),
    )
