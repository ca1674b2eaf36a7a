"""An episode written down anew by the protocol, from nothing but its generations.

Nothing here uses the agent loop: this is the second opinion that `validate_run` compares
with.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from judged_useless.environment.environment import Environment, Observation
from judged_useless.protocol.prompts import Wording, number_word
from judged_useless.protocol.signals import lexical_judgment, random_judgment
from judged_useless.protocol.stated import stated_judgment
from judged_useless.protocol.turns import STYLES, Turn, read_native_calls
from judged_useless.tasks.scoring import is_correct

Record = Mapping[str, Any]
#: In clean and plausible, judgments are recorded only where the condition uses them.
_UNJUDGED = ("clean", "plausible")


class DeviationError(Exception):
    """A trajectory that cannot be followed further."""


@dataclass
class Replay:
    """One trajectory followed by the protocol; its calls are used up one after the other."""

    spec: Record
    record: Record
    environment: Environment
    wording: Wording
    used: int = 0
    actions: list[str] = field(default_factory=list)
    judgments: list[str | None] = field(default_factory=list)
    stated: list[str | None] = field(default_factory=list)
    seen: list[Observation] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    messages: list[dict[str, str]] = field(default_factory=list)
    n_discarded: int = 0
    run: int = 0
    fired: bool = False
    told: bool = False
    termination: str = ""

    def condition(self, name: str) -> Any:
        """Return a field of the condition."""
        return self.spec["condition"][name]

    def option(self, name: str) -> Any:
        """Return an option of the run."""
        return self.spec["options"][name]

    def take(self, kind: str) -> str:
        """Return the text of the next call, which must be of this kind and at this step."""
        calls = self.record["calls"]
        if self.used == len(calls):
            raise DeviationError(f"a {kind} is missing after observation {len(self.seen)}")
        call = calls[self.used]
        if (call["kind"], call["t"]) != (kind, len(self.seen)):
            raise DeviationError(
                f"call {self.used + 1} is a {call['kind']} after observation {call['t']}, expected a {kind} "
                f"after observation {len(self.seen)}"
            )
        self.used += 1
        return str(call["text"])

    def cut(self) -> bool:
        """Tell whether the latest call was cut off."""
        return bool(self.record["calls"][self.used - 1]["finish_reason"] == "length")

    def say(self, role: str, text: str) -> None:
        """Append a message."""
        self.messages.append({"role": role, "content": text})

    def count_down(self, text: str, left: int) -> str:
        """Return a text with the number of actions left, where the condition counts down."""
        return f"{text}\n\n[Actions remaining: {left}]" if self.condition("counter") else text


def _open(replay: Replay) -> None:
    wording, spec = replay.wording, replay.spec
    system = wording.system
    if "{backup}" in system:
        line = f"{wording.backup_tool}\n" if replay.environment.two_source else ""
        system = system.replace("{backup}", line)
    numbers = {"{budget}": str(spec["budget"]), "{k}": number_word(replay.option("k"))}
    added = []
    for name in replay.condition("additions"):
        sentence = wording.additions[name]
        for mark, number in numbers.items():
            sentence = sentence.replace(mark, number)
        added.append(sentence)
    if added:
        system = system + "\n\n" + "\n".join(added)
    asked = wording.opening.replace("{question}", replay.environment.question.text)
    asked = replay.count_down(asked, spec["budget"])
    if wording.has_system:
        replay.say("system", system)
        replay.say("user", asked)
    else:
        replay.say("user", system + "\n\n" + asked)


def _side_channel(reply: str) -> str:
    words = reply.upper()
    return "USELESS" if "USELESS" in words else "USEFUL" if "USEFUL" in words else "UNPARSED"


def _judge(replay: Replay) -> str | None:
    signal, regime = replay.condition("signal"), replay.environment.regime.name
    question = replay.environment.question
    if signal == "random":
        rate, seed = replay.option("useless_rate"), replay.option("seed")
        return random_judgment(question.id, regime, len(replay.seen), rate, seed=seed)
    if signal == "lexical":
        return lexical_judgment(question.text, replay.seen[-1].text)
    if signal == "side_channel" or (replay.option("judge") and regime not in _UNJUDGED):
        return _side_channel(replay.take("judgment"))
    return None


def _count(replay: Replay, judgment: str | None) -> None:
    if judgment == "USELESS":
        replay.run += 1
    elif judgment is not None:
        replay.run = 0


def _append(message: dict[str, str], text: str) -> None:
    message["content"] += "\n\n" + text


def _latest(replay: Replay) -> dict[str, str]:
    head = replay.wording.observation.partition("{text}")[0]
    return next(m for m in reversed(replay.messages) if m["role"] == "user" and m["content"].startswith(head))


def _only_finish(replay: Replay, event: str) -> None:
    if replay.wording.finish_only and not replay.told:
        _append(replay.messages[0], replay.wording.finish_only)
    replay.told = True
    _append(_latest(replay), replay.wording.answer_now)
    replay.events.append({"t": len(replay.seen), "event": event})


def _enforce(replay: Replay) -> None:
    if replay.run >= replay.option("k"):
        _only_finish(replay, "rule_fired")


def _disable(replay: Replay) -> None:
    if replay.run >= replay.option("k") and not replay.fired:
        replay.fired = True
        replay.environment.disable_primary(replay.wording.switch_notice)
        _append(_latest(replay), replay.wording.switch_notice)
        replay.events.append({"t": len(replay.seen), "event": "primary_disabled"})


def _weigh(replay: Replay) -> None:
    judgment = replay.judgments[-1]
    replay.say("user", replay.wording.judgment)
    replay.say("assistant", str(judgment))
    filled = replay.wording.weigh.replace("{judgment}", str(judgment)).replace("{run}", str(replay.run))
    replay.say("user", filled)
    replay.say("assistant", replay.take("decision").strip())
    replay.say("user", replay.wording.act)


_BEFORE: dict[str | None, Callable[[Replay], None]] = {
    "finish_only": _enforce,
    "switch": _disable,
    "weigh": _weigh,
}


def _after_observation(replay: Replay) -> None:
    judgment = _judge(replay)
    replay.judgments.append(judgment)
    stopper, signal = replay.condition("stopper"), replay.condition("signal")
    primary = replay.seen[-1].action in ("search", "lookup") and not replay.fired
    if signal not in (None, "stated") and (stopper != "switch" or primary):
        _count(replay, judgment)
    if stopper in _BEFORE:
        _BEFORE[stopper](replay)


def _turn(replay: Replay) -> tuple[str, Turn]:
    """Read the next turn, after a reminder if the first one was unreadable."""
    style = STYLES[replay.option("style")]
    read = style.read
    if replay.condition("native_calls"):
        read = partial(read_native_calls, otherwise=style.read)
    text = replay.take("turn").strip()
    turn = read(text)
    if turn.action is None and not replay.cut() and replay.condition("reminder"):
        if text:
            replay.say("assistant", style.written(text))
        replay.say("user", replay.wording.reminder)
        replay.events.append({"t": len(replay.seen), "event": "format_reminder"})
        text = replay.take("turn").strip()
        turn = read(text)
    return style.written(text), turn


def _next_turn(replay: Replay) -> Turn:
    if replay.seen:
        _after_observation(replay)
    text, turn = _turn(replay)
    if replay.seen:
        replay.stated.append(stated_judgment(turn.thought))
        if replay.condition("stopper") == "ask_again":
            _count(replay, replay.stated[-1])
            replay.fired = replay.fired or replay.run >= replay.option("k")
            if replay.fired and turn.action in ("search", "lookup"):
                _only_finish(replay, "turn_discarded")
                replay.n_discarded += 1
                text, turn = _turn(replay)
    replay.say("assistant", text)
    if replay.cut():
        replay.termination = "generation_truncated"
        return Turn(None)
    if turn.action is None:
        replay.termination = "format_failure"
    return turn


def follow(replay: Replay) -> None:
    """Take the trajectory through its environment to the end."""
    _open(replay)
    budget = replay.spec["budget"]
    while len(replay.actions) < budget:
        turn = _next_turn(replay)
        if turn.action is None:
            break
        observation = replay.environment.step(turn.action, turn.text)
        if observation is None:
            replay.actions.append("finish")
            replay.termination = "answered"
            break
        replay.actions.append(observation.action)
        replay.seen.append(observation)
        shown = replay.wording.observation.replace("{text}", observation.text)
        replay.say("user", replay.count_down(shown, budget - len(replay.actions)))
    else:
        replay.termination = "budget_exhausted"
        if replay.condition("signal") in (None, "stated"):
            replay.judgments.append(_judge(replay))
    if replay.used < len(replay.record["calls"]):
        raise DeviationError(
            f"{len(replay.record['calls']) - replay.used} calls after the end of the episode"
        )


def expected(replay: Replay) -> dict[str, Any]:
    """Return the fields that a trajectory must have, once it has been followed."""
    answer, n = replay.environment.answer, len(replay.seen)
    uses = replay.condition("signal") == "side_channel"
    return {
        "actions": replay.actions,
        "judgments": [*replay.judgments, *[None] * (n - len(replay.judgments))],
        "stated": [*replay.stated, *[None] * (n - len(replay.stated))],
        "termination": replay.termination,
        "answer": answer,
        "success": answer is not None and is_correct(replay.environment.question, answer),
        "failed": [observation.failed for observation in replay.seen],
        "observation_meta": [observation.meta() for observation in replay.seen],
        "n_discarded": replay.n_discarded,
        "n_judgment_calls": sum(call["kind"] == "judgment" for call in replay.record["calls"]) if uses else 0,
        "events": replay.events,
        "messages": replay.messages,
        "condition": replay.condition("name"),
        "budget": replay.spec["budget"],
    }
