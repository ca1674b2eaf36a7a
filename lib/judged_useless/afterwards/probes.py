"""What can be asked of a recorded trajectory: judgments, answers now, beliefs, and real answers."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from judged_useless.afterwards.items import as_shown, items_of
from judged_useless.afterwards.probe_findings import asked_at
from judged_useless.afterwards.recorded_turns import RecordedTurns
from judged_useless.afterwards.replies import (
    CONTINUATION_FORM,
    USEFULNESS_FORM,
    is_placeholder,
    read_beliefs,
)
from judged_useless.afterwards.rubric import STREAMS, label_request, load_rubric, read_label
from judged_useless.agent.calls import Call, all_of, judgment_request
from judged_useless.environment.regimes import get_regime
from judged_useless.models.base import Message, Model
from judged_useless.protocol.prompts import Wording
from judged_useless.protocol.signals import JUDGMENT_TOKENS, parse_side_channel
from judged_useless.protocol.turns import Turn
from judged_useless.tasks.question import Question
from judged_useless.tasks.scoring import is_correct

Finding = dict[str, Any]
#: Most new tokens of a belief reply. Ours: the paper does not say.
BELIEF_TOKENS = 200


class Asking(RecordedTurns):
    """One trajectory of a run that a model is asked about: every question on a copy, nothing written back."""

    def __init__(
        self, model: Model, asked: Question, record: Mapping[str, Any], spec: Mapping[str, Any]
    ) -> None:
        super().__init__(record, spec)
        self.model, self.asked = model, asked
        self.constrain = spec["options"]["constrain"]
        self.judgment_tokens = spec["options"].get("judgment_tokens", JUDGMENT_TOKENS)
        self.budget = spec["budget"]
        #: Every request so far.
        self.calls: list[Call] = []

    @cached_property
    def shown_thoughts(self) -> dict[int, str]:
        """The thoughts after each observation, as an annotator of them is shown them."""
        return {item["t"]: as_shown(item) for item in items_of(self, ["S2"])}

    async def ask(self, kind: str, t: int, messages: list[Message], **options: Any) -> str:  # noqa: ANN401
        """Make one request, keep it, and return what came back."""
        generation = await self.model.generate(messages, **options)
        self.calls.append(Call(kind, t, generation))
        return generation.text

    async def turn(self, kind: str, t: int, messages: list[Message]) -> tuple[str, Turn]:
        """Ask for one turn; one that was cut off has no action. Return it as written and as read."""
        backup = ("backup_search",) if get_regime(self.record["regime"]).two_source else ()
        text = await self.ask(
            kind, t, messages,
            stop=() if self.model.decoding.thinking else self.style.stop,
            regex=self.style.form(("search", "lookup", *backup, "finish")) if self.constrain else None,
        )  # fmt: skip
        cut = self.calls[-1].generation.finish_reason == "length"
        text = text.strip()
        return self.style.written(text), Turn(None) if cut else self.read(text)

    async def real_answer(self, t: int, finished: Sequence[Message]) -> str | None:
        """Ask once for a real answer in place of a placeholder; None if none is given."""
        _, turn = await self.turn("repair", t, [*finished, _user(self.wording.repair)])
        given = turn.action == "finish" and not is_placeholder(turn.text)
        return turn.text if given else None

    def is_right(self, answer: str | None) -> bool:
        """Tell whether an answer is right; none is not."""
        return answer is not None and is_correct(self.asked, answer)


def _user(content: str) -> Message:
    return {"role": "user", "content": content}


async def _judgment(asking: Asking, t: int) -> Finding:
    messages, options = judgment_request(
        asking.model,
        asking.history(t),
        asking.wording.judgment,
        constrain=asking.constrain,
        max_new_tokens=asking.judgment_tokens,
    )
    reply = await asking.ask("judgment", t, messages, **options)
    return {"t": t, "judgment": parse_side_channel(reply)}


async def _answer_now(asking: Asking, t: int) -> Finding:
    *before, last = asking.history(t)
    told = f"{last['content']}\n\n{asking.wording.answer_now}"
    messages: list[Message] = [*before, {"role": last["role"], "content": told}]
    text, turn = await asking.turn("answer_now", t, messages)
    answer = turn.text if turn.action == "finish" else None
    repaired = answer
    if is_placeholder(answer):
        repaired = await asking.real_answer(t, [*messages, {"role": "assistant", "content": text}])
    return {
        "t": t,
        "action": turn.action,
        "answer": answer,
        "success": asking.is_right(answer),
        "placeholder": is_placeholder(answer),
        "repaired_answer": repaired,
        "repaired_success": asking.is_right(repaired),
    }


async def _belief(asking: Asking, t: int) -> Finding:
    history = asking.history(t)
    # What a model thinks before it replies is not to use the reply's tokens up.
    budget = None if asking.model.decoding.thinking else BELIEF_TOKENS

    async def fork(kind: str, question: str, form: str) -> str:
        regex = form if asking.constrain else None
        return await asking.ask(kind, t, [*history, _user(question)], max_new_tokens=budget, regex=regex)

    worth, future = await all_of(
        [
            fork("usefulness", asking.wording.usefulness, USEFULNESS_FORM),
            fork("continuation", asking.wording.continuation, CONTINUATION_FORM),
        ]
    )
    return {
        "t": t,
        **read_beliefs(worth, "usefulness"),
        **read_beliefs(future, "p_continue", "p_answer_now", "prefer"),
    }


async def _repair(asking: Asking, t: int) -> Finding:
    if t:
        asking.history(t)  # refuses a conversation that has lost some of its observations
    answer = await asking.real_answer(t, asking.record["messages"])
    return {"t": t, "repaired_answer": answer, "repaired_success": asking.is_right(answer)}


async def _stated(asking: Asking, t: int) -> Finding:
    messages, options = label_request(
        asking.model, "S2", asking.shown_thoughts[t], load_rubric(), constrain=asking.constrain
    )
    label = read_label(await asking.ask("label", t, messages, **options), "S2")
    return {"t": t, "label": label, "judgment": STREAMS["S2"].judgments.get(str(label))}


@dataclass(frozen=True)
class Probe:
    """One kind of question."""

    #: Asks it at one observation.
    ask: Callable[[Asking, int], Coroutine[Any, Any, Finding]]
    #: What is written to ask it, by name. With other words, a folder of results is not gone on with.
    prompts: Callable[[Wording], dict[str, str]]


#: Name -> probe.
PROBES: dict[str, Probe] = {
    "judgments": Probe(_judgment, lambda said: {"judgment": said.judgment}),
    "answer-now": Probe(_answer_now, lambda said: {"answer_now": said.answer_now, "repair": said.repair}),
    "beliefs": Probe(
        _belief, lambda said: {"usefulness": said.usefulness, "continuation": said.continuation}
    ),
    "repair": Probe(_repair, lambda said: {"repair": said.repair}),
    "stated": Probe(_stated, lambda _: {"stated": load_rubric().instructions("S2")}),
}


def applies(probe: str, record: Mapping[str, Any]) -> bool:
    """Tell whether a trajectory is asked at all: an answer that copies the template, or any observation."""
    if probe == "repair":
        return bool(record["termination"] == "answered" and is_placeholder(record["answer"]))
    return bool(record["failed"])


async def ask_all(probe: str, asking: Asking) -> list[Finding]:
    """Ask one thing of a trajectory, at every observation where it is to be asked."""
    points: Sequence[int] = asked_at(probe, len(asking.record["failed"]), asking.budget)
    if probe == "stated":
        points = list(asking.shown_thoughts)
    return await all_of([PROBES[probe].ask(asking, t) for t in points])


def get_probe(name: str) -> Probe:
    """Return a probe by its name; ValueError if there is none."""
    if name not in PROBES:
        raise ValueError(f"unknown probe {name!r}; known are {', '.join(PROBES)}")
    return PROBES[name]
