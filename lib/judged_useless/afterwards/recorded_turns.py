"""What was said in a recorded episode: the conversation as it was at each step, results and thoughts."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from judged_useless.models.base import Message
from judged_useless.protocol.prompts import Wording, get_wording
from judged_useless.protocol.turns import Turn, get_style, read_native_calls
from judged_useless.runs.run_files import RunError
from judged_useless.tasks import get_task

#: Events at which the harness wrote into the conversation, after asking for the judgment of that step.
_ONLY_FINISH = ("rule_fired", "turn_discarded")
_COUNTER = re.compile(r"\n\n\[Actions remaining: \d+\]$")


class RecordedTurns:
    """A trajectory as it was said."""

    def __init__(self, record: Mapping[str, Any], spec: Mapping[str, Any]) -> None:
        self.record = record
        self.wording: Wording = get_wording(spec["options"]["style"], get_task(spec["task"]).kind)
        self.style = get_style(spec["options"]["style"])
        self.read: Callable[[str], Turn] = self.style.read
        if spec["condition"]["native_calls"]:
            self.read = partial(read_native_calls, otherwise=self.style.read)

    def _fault(self, what: str) -> RunError:
        record = self.record
        return RunError(f"{record['regime']}, question {record['question_id']}: field 'messages' {what}")

    def history(self, t: int) -> list[Message]:
        """Return the conversation up to observation t (from 1), before the harness acted on it.

        What a rule had written at earlier steps stays: the agent had read it. Raises `RunError` if there is
        no such observation.
        """
        record, wording = self.record, self.wording
        head = wording.observation.partition("{text}")[0]
        messages: list[Message] = record["messages"]
        places = [
            place
            for place, message in enumerate(messages)
            if message["role"] == "user" and message["content"].startswith(head)
        ]
        if len(places) != len(record["failed"]) or not 1 <= t <= len(places):
            raise self._fault(
                f"has {len(places)} observations and 'failed' {len(record['failed'])}; the one asked for is "
                f"{t}"
            )
        history: list[Message] = [{**message} for message in messages[: places[t - 1] + 1]]
        fired = [event["t"] for event in record["events"] if event["event"] in _ONLY_FINISH]
        if t in fired:
            _drop(history[-1], wording.answer_now)
        if fired and min(fired) >= t and wording.finish_only:
            _drop(history[0], wording.finish_only)
        if any(event == {"t": t, "event": "primary_disabled"} for event in record["events"]):
            _drop(history[-1], wording.switch_notice)
        return history

    def question(self) -> str:
        """Return what stands after the opening's known words: a question may have blank lines in it."""
        wording = self.wording
        content = _COUNTER.sub("", self.record["messages"][1 if wording.has_system else 0]["content"])
        head = wording.opening.partition("{question}")[0]
        # Without a system message the instructions, and what a condition adds to them, stand before it.
        before, found, question = content.partition(head if wording.has_system else f"\n\n{head}")
        if not found or (wording.has_system and before):
            raise self._fault(f"does not open with {head!r}")
        return str(question)

    def results(self) -> list[str]:
        """Return what each observation showed."""
        head, _, tail = self.wording.observation.partition("{text}")
        seen = (self.history(t)[-1]["content"] for t in range(1, len(self.record["failed"]) + 1))
        return [_COUNTER.sub("", content).removeprefix(head).removesuffix(tail) for content in seen]

    def thoughts(self) -> dict[int, str]:
        """Return the thought of the first turn proposed after each observation."""
        thoughts: dict[int, str] = {}
        for call in self.record["calls"]:
            if call["kind"] == "turn" and call["t"] > 0:
                thoughts.setdefault(call["t"], self.read(call["text"].strip()).thought)
        return thoughts


def _drop(message: Message, paragraph: str) -> None:
    message["content"] = message["content"].removesuffix(f"\n\n{paragraph}")
