"""What says that a result is useless: read off the messages for nothing, or asked of a model."""

import re
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from judged_useless.harness.tool_messages import Conversation, Step, ToolResult, blocks
from judged_useless.protocol.signals import JUDGE_QUESTION, lexical_judgment, parse_side_channel
from judged_useless.protocol.stated import stated_judgment
from judged_useless.protocol.vocabulary import JUDGMENTS

_NOTHING = re.compile(
    r"\s*(?:\[\s*\]|\{\s*\}|null|none|n/?a|no (?:results?|matches|documents?|data)\b.{0,80}|"
    r"(?:error|exception|traceback|not found|timed? ?out)\b.*)?\s*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True)
class Evidence:
    """One step, with what came before it and what the agent said after it."""

    conversation: Conversation
    index: int

    @property
    def step(self) -> Step:
        """The step itself."""
        return self.conversation.steps[self.index]

    @property
    def next_thought(self) -> str | None:
        """What the agent said of it, None as long as it has said nothing."""
        steps = self.conversation.steps
        following = steps[self.index + 1] if self.index + 1 < len(steps) else self.conversation.proposed
        return None if following is None else following.thought


def _by_results(evidence: Evidence, useless: Callable[[ToolResult], object]) -> str:
    """Judge a step by its results: useless only if every one of them is."""
    return "USELESS" if all(map(useless, evidence.step.results)) else "USEFUL"


def _empty(evidence: Evidence) -> str:
    return _by_results(evidence, lambda result: result.failed or _NOTHING.fullmatch(result.text))


def _repeated(evidence: Evidence) -> str:
    before = evidence.conversation.steps[: evidence.index]
    seen = {result.text.strip() for step in before for result in step.results}
    return _by_results(evidence, lambda result: result.text.strip() in seen)


def _lexical(evidence: Evidence) -> str:
    question = evidence.conversation.question
    return _by_results(evidence, lambda result: lexical_judgment(question, result.text) == "USELESS")


def _stated(evidence: Evidence) -> str | None:
    return stated_judgment(evidence.next_thought or "")


#: Signals that cost nothing: an empty or failed result; the same result again; few of the question's words
#: in it; what the agent's next turn says of it. ``USEFUL`` from the first two only means "not that".
FREE: dict[str, Callable[[Evidence], str | None]] = {
    "empty": _empty,
    "repeated": _repeated,
    "lexical": _lexical,
    "stated": _stated,
}
#: Signals that cost a short call a step: the agent asked on a copy of its conversation, or another model
#: that sees the question and the result only.
ASKED = ("side_channel", "judge")


def _questioned(messages: Sequence[Any]) -> list[Any]:
    """Return a copy of a conversation that ends with the question about its last result."""
    last = messages[-1]
    if isinstance(last, dict) and last.get("role") == "user" and blocks(last):
        content = [*last["content"], {"type": "text", "text": JUDGE_QUESTION}]
        return [*messages[:-1], {**last, "content": content}]
    return [*messages, {"role": "user", "content": JUDGE_QUESTION}]


def _shown_to_a_judge(evidence: Evidence) -> list[Any]:
    found = "\n\n".join(result.text for result in evidence.step.results)
    text = f"Question: {evidence.conversation.question}\n\nTool result: {found}\n\n{JUDGE_QUESTION}"
    return [{"role": "user", "content": text}]


def judge_step(
    evidence: Evidence, signals: Sequence[str], messages: Sequence[Any], replies: dict[tuple[str, str], str]
) -> Generator[list[Any], str, str | None]:
    """Judge one step: yields what to ask unless the reply is known, is sent it, and returns the judgment.

    USELESS if any of the signals says so, else USEFUL if any does, else UNPARSED if a reply could not be
    read, else None: nothing is known of this step. What is free is tried first.
    """
    said: set[str | None] = set()
    for name in sorted(signals, key=ASKED.__contains__):
        if name in FREE:
            said.add(FREE[name](evidence))
        else:
            key = name, evidence.step.digest
            if key not in replies:
                own = name == "side_channel"
                replies[key] = yield (
                    _questioned(messages[: evidence.step.end]) if own else _shown_to_a_judge(evidence)
                )
            said.add(parse_side_channel(replies[key] or ""))
        if "USELESS" in said:
            break
    return next((word for word in JUDGMENTS if word in said), None)
