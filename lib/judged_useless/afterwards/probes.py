"""What can be asked of a recorded trajectory: judgments, answers now, beliefs, and real answers."""

from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from judged_useless.afterwards.annotators import label_request, read_label
from judged_useless.afterwards.items import Item, items_of
from judged_useless.afterwards.labels import Rubric, get_stream, load_rubric
from judged_useless.afterwards.replies import (
    CONTINUATION_FORM,
    USEFULNESS_FORM,
    is_placeholder,
    read_continuation,
    read_usefulness,
)
from judged_useless.agent.calls import Call, all_of, judgment_request
from judged_useless.environment.regimes import get_regime
from judged_useless.models.base import Message, Model
from judged_useless.protocol.prompts import ProbeWording, Wording, get_probe_wording, get_wording
from judged_useless.protocol.signals import parse_side_channel
from judged_useless.protocol.turns import Turn, get_style, read_native_calls
from judged_useless.runs.history import Record, follow, history_at
from judged_useless.tasks.question import Question
from judged_useless.tasks.scoring import is_correct

Result = dict[str, Any]
#: Most new tokens of a belief reply. Ours: the paper does not say.
BELIEF_TOKENS = 200


@dataclass
class Asking:
    """One trajectory that is asked something: every question on a copy, nothing written back.

    Attributes
    ----------
    model : Model
        That is asked; it should be the one that acted.
    question : Question
        Of the trajectory.
    record : mapping
        The trajectory.
    spec : mapping
        Of its run, from the manifest.
    calls : list of Call
        Every request so far.
    """

    model: Model
    question: Question
    record: Record
    spec: Record
    calls: list[Call] = field(default_factory=list)

    def __post_init__(self) -> None:
        name, kind = self.spec["options"]["style"], self.question.kind
        self.wording = get_wording(name, kind)
        self.probes = get_probe_wording(name, kind)
        self.style = get_style(name)
        read = self.style.read
        native = self.spec["condition"]["native_calls"]
        self._read = partial(read_native_calls, otherwise=read) if native else read

    @property
    def n_observations(self) -> int:
        """Observations of the trajectory."""
        return len(self.record["failed"])

    @property
    def decisions(self) -> range:
        """Observations after which an action was left."""
        return range(1, min(self.n_observations, self.spec["budget"] - 1) + 1)

    @cached_property
    def thoughts(self) -> dict[int, Item]:
        """The thoughts after each observation, as items of an annotation."""
        return {item.where["t"]: item for item in items_of(self.record, self.spec, self.wording, ["S2"])}

    @cached_property
    def rubric(self) -> Rubric:
        """The project's rubric."""
        return load_rubric()

    @property
    def constrain(self) -> bool:
        """Whether the run held the model to its form."""
        return bool(self.spec["options"]["constrain"])

    def history(self, t: int) -> list[Message]:
        """Return the history up to observation t."""
        return history_at(self.record, t, self.wording)

    async def ask(self, kind: str, t: int, messages: list[Message], **options: Any) -> str:  # noqa: ANN401
        """Make one request, keep it, and return what came back."""
        generation = await self.model.generate(messages, **options)
        self.calls.append(Call(kind, t, generation))
        return generation.text

    async def turn(self, kind: str, t: int, messages: list[Message]) -> tuple[str, Turn]:
        """Ask for one turn; one that was cut off has no action. Return it as written and as read."""
        backup = ("backup_search",) if get_regime(self.record["regime"]).two_source else ()
        actions = ("search", "lookup", *backup, "finish")
        text = await self.ask(
            kind, t, messages,
            stop=() if self.model.decoding.thinking else self.style.stop,
            regex=self.style.form(actions) if self.constrain else None,
        )  # fmt: skip
        cut = self.calls[-1].generation.finish_reason == "length"
        text = text.strip()
        return self.style.written(text), Turn(None) if cut else self._read(text)

    async def real_answer(self, t: int, finished: list[Message]) -> str | None:
        """Ask once for a real answer in place of a placeholder; None if none is given."""
        asked: list[Message] = [*finished, {"role": "user", "content": self.probes.repair}]
        _, turn = await self.turn("repair", t, asked)
        given = turn.action == "finish" and not is_placeholder(turn.text)
        return turn.text if given else None

    def correct(self, answer: str | None) -> bool:
        """Tell whether an answer is right; none is not."""
        return answer is not None and is_correct(self.question, answer)


async def _judgment(asking: Asking, t: int) -> Result:
    messages, options = judgment_request(
        asking.model, asking.history(t), asking.wording.judgment, constrain=asking.constrain
    )
    reply = await asking.ask("judgment", t, messages, **options)
    return {"t": t, "judgment": parse_side_channel(reply)}


async def _answer_now(asking: Asking, t: int) -> Result:
    messages = follow(asking.history(t), asking.wording.answer_now)
    text, turn = await asking.turn("answer_now", t, messages)
    answer = turn.text if turn.action == "finish" else None
    repaired = answer
    if is_placeholder(answer):
        repaired = await asking.real_answer(t, [*messages, {"role": "assistant", "content": text}])
    return {
        "t": t,
        "action": turn.action,
        "answer": answer,
        "success": asking.correct(answer),
        "placeholder": is_placeholder(answer),
        "repaired_answer": repaired,
        "repaired_success": asking.correct(repaired),
    }


async def _belief(asking: Asking, t: int) -> Result:
    history = asking.history(t)

    async def fork(kind: str, question: str, form: str) -> str:
        asked: list[Message] = [*history, {"role": "user", "content": question}]
        # What a model thinks before it replies is not to use the reply's tokens up.
        budget = None if asking.model.decoding.thinking else BELIEF_TOKENS
        return await asking.ask(
            kind, t, asked, max_new_tokens=budget, regex=form if asking.constrain else None
        )

    worth, future = await all_of(
        [
            fork("usefulness", asking.probes.usefulness, USEFULNESS_FORM),
            fork("continuation", asking.probes.continuation, CONTINUATION_FORM),
        ]
    )
    said = read_continuation(future)
    fields = {"p_continue": None, "p_answer_now": None, "prefer": None} if said is None else said._asdict()
    return {"t": t, "usefulness": read_usefulness(worth), **fields}


async def _repair(asking: Asking, t: int) -> Result:
    if t:
        asking.history(t)  # refuses a conversation that has lost some of its observations
    answer = await asking.real_answer(t, list(asking.record["messages"]))
    return {"t": t, "repaired_answer": answer, "repaired_success": asking.correct(answer)}


async def _stated(asking: Asking, t: int) -> Result:
    messages, options = label_request(
        asking.model, asking.thoughts[t], asking.rubric, constrain=asking.constrain
    )
    label = read_label(await asking.ask("label", t, messages, **options), "S2")
    return {"t": t, "label": label, "judgment": get_stream("S2").judgments.get(str(label))}


def _has_observation(record: Record) -> bool:
    return bool(record["failed"])


def _is_template(record: Record) -> bool:
    return record["termination"] == "answered" and is_placeholder(record["answer"])


@dataclass(frozen=True)
class Probe:
    """One kind of question.

    Attributes
    ----------
    what : str
        In a few words.
    ask : callable
        Asks it at one observation.
    points : callable
        Observations at which it is asked.
    prompts : callable
        What is written to ask it: name -> text. With other words, a folder of results is not gone on with.
    applies : callable
        Whether a trajectory is asked at all.
    """

    what: str
    ask: Callable[[Asking, int], Coroutine[Any, Any, Result]]
    points: Callable[[Asking], Sequence[int]]
    prompts: Callable[[Wording, ProbeWording], dict[str, str]]
    applies: Callable[[Record], bool] = _has_observation


#: Name -> probe.
PROBES: dict[str, Probe] = {
    "judgments": Probe(
        "side-channel judgment of every observation, the last one included (Amendment 12)",
        _judgment,
        lambda asking: range(1, asking.n_observations + 1),
        lambda wording, _: {"judgment": wording.judgment},
    ),
    "answer-now": Probe(
        "what the agent answers when told to, at every decision (Appendix C.4)",
        _answer_now,
        lambda asking: asking.decisions,
        lambda wording, probes: {"answer_now": wording.answer_now, "repair": probes.repair},
    ),
    "beliefs": Probe(
        "what the last observation, going on and answering now are worth to the agent (Appendix C.4)",
        _belief,
        lambda asking: asking.decisions,
        lambda _, probes: {"usefulness": probes.usefulness, "continuation": probes.continuation},
    ),
    "repair": Probe(
        "a real answer in place of one that copied the template (Appendix C.5)",
        _repair,
        # Of the finish turn: all observations come before it.
        lambda asking: range(asking.n_observations, asking.n_observations + 1),
        lambda _, probes: {"repair": probes.repair},
        applies=_is_template,
    ),
    "stated": Probe(
        "the judgment stated in the thought after each result, labelled by the rubric (Amendment 18)",
        _stated,
        lambda asking: list(asking.thoughts),
        lambda *_: {"stated": load_rubric().instructions("S2")},
    ),
}


def get_probe(name: str) -> Probe:
    """Look a probe up.

    Parameters
    ----------
    name : str
        A key of `PROBES`.

    Returns
    -------
    Probe

    Raises
    ------
    ValueError
        If there is none of that name; the message lists those there are.
    """
    if name not in PROBES:
        raise ValueError(f"unknown probe {name!r}; known are {', '.join(PROBES)}")
    return PROBES[name]
