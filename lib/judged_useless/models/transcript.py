"""Reading a conversation back, as far as a scripted agent needs it."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from judged_useless.models.base import Message
from judged_useless.protocol.prompts import PROBES, WORDINGS
from judged_useless.tasks.question import Question

_SENTENCE = re.compile(r"\(Result \d+/\d+\) (.*)", re.DOTALL)
_REMAINING = re.compile(r"\[Actions remaining: (\d+)\]")
_ANSWER_NOW = tuple({wording.answer_now for wording in WORDINGS.values()})
_NOTICES = tuple({wording.switch_notice for wording in WORDINGS.values()} - {""})
_REMINDERS = tuple({wording.reminder for wording in WORDINGS.values()})
_DECISION = "write exactly: DECISION:"
_REPAIRS = tuple({wording.repair for wording in PROBES.values()})

Wanted = Literal["turn", "judgment", "decision", "usefulness", "continuation"]
#: What a message asks for, by the whole message; anything else asks for a turn.
_ASKED: dict[str, Wanted] = {
    **{wording.judgment: "judgment" for wording in WORDINGS.values()},
    **{wording.usefulness: "usefulness" for wording in PROBES.values()},
    **{wording.continuation: "continuation" for wording in PROBES.values()},
}


@dataclass(frozen=True)
class Seen:
    """One observation: its text, the title if it is a page of the question's own, and whether it is real."""

    text: str
    title: str | None
    real: bool


@dataclass(frozen=True)
class Transcript:
    """A conversation as read.

    Attributes
    ----------
    question : Question
        What it is about.
    observations : tuple of Seen
        In order.
    wants : {"turn", "judgment", "decision", "usefulness", "continuation"}
        What the last message asks for.
    only_finish : bool
        Whether the latest message says that only an answer is left.
    reminded, repaired : bool
        Whether the last message asks for the required format, and for a real answer.
    remaining : int or None
        Actions left, where the conversation counts down.
    tags : bool
        Whether turns are written in Search-R1's tags.
    has_backup, primary_disabled : bool
        Whether there is a backup tool, and whether the primary one was switched off.
    """

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

    @property
    def latest(self) -> Seen | None:
        """The latest observation, if there is one."""
        return self.observations[-1] if self.observations else None


def see(text: str, question: Question) -> Seen:
    """Tell whether a result is from a question's own pages, and which page it is.

    Parameters
    ----------
    text : str
        As the environment returned it.
    question : Question
        The question.

    Returns
    -------
    Seen
    """
    if text.startswith("["):
        title = text[1:].partition("] ")[0]
        # A title may itself hold "] "; such a page is then taken for a failed result by every scripted agent.
        if question.knowledge_base.get(title) == text[len(title) + 3 :]:
            return Seen(text, title, real=True)
    sentence = _SENTENCE.match(text)
    real = sentence is not None and any(sentence[1] in page for page in question.knowledge_base.values())
    return Seen(text, None, real=real)


def _opening(content: str) -> str:
    paragraph = content.split("\n\n")[-2 if _REMAINING.fullmatch(content.rpartition("\n\n")[2]) else -1]
    return re.sub(r"^(?:Question|Verify this claim): ", "", paragraph)


def _observations(messages: Sequence[Message], question: Question) -> tuple[Seen, ...]:
    seen = []
    for message in messages:
        if message["role"] == "user":
            content = message["content"]
            if content.startswith("Observation: "):
                text = content[len("Observation: ") :]
            elif content.startswith("<information>"):
                text = content[len("<information>") :].partition("</information>")[0]
            else:
                continue
            seen.append(see(_without_additions(text), question))
    return tuple(seen)


def _without_additions(text: str) -> str:
    """Drop the paragraphs that the harness appended to an observation."""
    while "\n\n" in text:
        head, _, last = text.rpartition("\n\n")
        if not (_REMAINING.fullmatch(last) or last in _ANSWER_NOW or last in _NOTICES):
            break
        text = head
    return text


def thought_to_label(messages: Sequence[Message]) -> str | None:
    """Return the thought that an annotator is asked to label; None if that is not what is asked."""
    if '"next_thought"' not in messages[-1]["content"]:
        return None
    try:
        record = json.loads(messages[-1]["content"])
    except ValueError:
        return None
    return str(record["next_thought"]) if isinstance(record, dict) and "next_thought" in record else None


def read_transcript(messages: Sequence[Message], questions: Mapping[str, Question]) -> Transcript:
    """Read a conversation that the agent loop has written.

    Parameters
    ----------
    messages : sequence of Message
        As sent to a model.
    questions : mapping of str to Question
        Text of a question -> question.

    Returns
    -------
    Transcript

    Raises
    ------
    ValueError
        If the conversation is about none of the questions.
    """
    tags = messages[0]["role"] != "system"
    asked = _opening(messages[0 if tags else 1]["content"])
    if asked not in questions:
        raise ValueError(f"a scripted agent was asked {asked!r}, and was not handed that question")
    question, last = questions[asked], messages[-1]["content"]
    observations = _observations(messages, question)
    latest = next((m["content"] for m in reversed(messages) if m["content"].startswith(("Obs", "<inf"))), "")
    counts = _REMAINING.findall(latest or messages[0 if tags else 1]["content"])
    return Transcript(
        question=question,
        observations=observations,
        wants="decision" if _DECISION in last else _ASKED.get(last, "turn"),
        only_finish=any(sentence in latest for sentence in _ANSWER_NOW) or last in _REPAIRS,
        reminded=last in _REMINDERS,
        repaired=last in _REPAIRS,
        remaining=int(counts[-1]) if counts else None,
        tags=tags,
        has_backup=not tags and "backup_search[query]" in messages[0]["content"],
        primary_disabled=any(
            notice in m["content"] for m in messages for notice in _NOTICES if m["role"] == "user"
        ),
    )
