"""A recorded conversation as it was after one of its observations."""

from collections.abc import Mapping
from typing import Any

from judged_useless.models.base import Message
from judged_useless.protocol.prompts import Wording
from judged_useless.runs.store import RunError

Record = Mapping[str, Any]
#: Events at which the harness wrote into the conversation, after asking for the judgment of that step.
_ONLY_FINISH = ("rule_fired", "turn_discarded")
_DISABLED = "primary_disabled"


def history_at(record: Record, t: int, wording: Wording) -> list[Message]:
    """Return the history up to observation t, before the harness acted on it.

    What a rule had written at earlier steps stays: the agent had read it.

    Parameters
    ----------
    record : mapping
        A trajectory of a run.
    t : int
        1-based index of the observation.
    wording : Wording
        Of the run.

    Returns
    -------
    list of Message

    Raises
    ------
    RunError
        If the trajectory has no such observation.
    """
    head = wording.observation.partition("{text}")[0]
    messages: list[Message] = record["messages"]
    places = [
        place
        for place, message in enumerate(messages)
        if message["role"] == "user" and message["content"].startswith(head)
    ]
    if len(places) != len(record["failed"]) or not 1 <= t <= len(places):
        raise RunError(
            f"{record['regime']}, question {record['question_id']}: field 'messages' has {len(places)} "
            f"observations and 'failed' {len(record['failed'])}; the one asked for is {t}"
        )
    history: list[Message] = [{**message} for message in messages[: places[t - 1] + 1]]
    fired = [event["t"] for event in record["events"] if event["event"] in _ONLY_FINISH]
    if t in fired:
        _drop(history[-1], wording.answer_now)
    if fired and min(fired) >= t and wording.finish_only:
        _drop(history[0], wording.finish_only)
    if any(event == {"t": t, "event": _DISABLED} for event in record["events"]):
        _drop(history[-1], wording.switch_notice)
    return history


def _drop(message: Message, paragraph: str) -> None:
    message["content"] = message["content"].removesuffix(f"\n\n{paragraph}")


def follow(history: list[Message], paragraph: str) -> list[Message]:
    """Return a history whose last message goes on with a paragraph."""
    last = history[-1]
    return [*history[:-1], {"role": last["role"], "content": f"{last['content']}\n\n{paragraph}"}]
