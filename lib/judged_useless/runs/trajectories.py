"""What a run keeps of one episode: the fields of an episode first, then everything it came from."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from judged_useless._io.messages import first_fault
from judged_useless.models.base import Message
from judged_useless.runs.run_files import RecordCheck, RunError

if TYPE_CHECKING:
    from judged_useless.agent.calls import Call
    from judged_useless.agent.loop import Episode


class _Call(TypedDict):
    kind: str
    t: int
    text: str
    finish_reason: str
    prompt_tokens: int | None
    completion_tokens: int | None


class _Event(TypedDict):
    t: int
    event: str


class _Seen(TypedDict):
    action: str
    failed: bool
    real_title: str | None


class AnyRecord(TypedDict):
    """What is read of every record of a folder, of a run or of what was asked of one afterwards."""

    question_id: Annotated[str, Field(min_length=1)]
    calls: list[_Call]
    timings: list[dict[str, Any]]


class Trajectory(AnyRecord):
    """What is read of an episode of a run. What its lists hold is checked with the episodes of a table."""

    model: str
    condition: str
    split: str
    regime: str
    task: str
    budget: int
    simulated: bool
    success: Any
    seed: Any
    n_judgment_calls: Any
    n_discarded: Any
    answer: str | None
    termination: str | None
    actions: list[Any]
    judgments: list[Any]
    stated: list[Any]
    failed: list[bool]
    messages: list[Message]
    observation_meta: list[_Seen]
    events: list[_Event]


_TRAJECTORY = TypeAdapter(Trajectory)


def record_of(episode: "Episode", *, task: str, split: str) -> dict[str, Any]:
    """Return an ended episode as a trajectory; all that differs between equal runs is in ``timings``."""
    environment = episode.environment
    judged = episode.condition.signal == "side_channel"
    # In an order that does not depend on which of two answered first.
    calls = sorted(episode.calls, key=lambda call: (call.t, call.kind != "judgment"))
    return {
        "model": episode.model.name,
        "condition": episode.condition.name,
        "split": split,
        "question_id": environment.question.id,
        "regime": environment.regime.name,
        "actions": episode.actions,
        "judgments": [*episode.judgments, *[None] * (episode.t - len(episode.judgments))],
        "success": episode.success,
        "termination": episode.termination,
        "task": task,
        "budget": environment.budget,
        "answer": environment.answer,
        "failed": [observation.failed for observation in episode.observations],
        "stated": [*episode.stated, *[None] * (episode.t - len(episode.stated))],
        "n_judgment_calls": sum(call.kind == "judgment" for call in calls) if judged else 0,
        "n_discarded": episode.n_discarded,
        "seed": episode.options.seed,
        "simulated": episode.model.simulated,
        "messages": list(episode.conversation.messages),
        "calls": [call_record(call) for call in calls],
        "observation_meta": [observation.meta() for observation in episode.observations],
        "gold_titles": list(environment.question.gold_titles),
        "events": [{"t": t, "event": event} for t, event in episode.events],
        "timings": [timing_record(call) for call in calls],
    }


def call_record(call: "Call") -> dict[str, Any]:
    """Return what is kept of a request; equal for equal ones."""
    always = ("text", "reasoning", "finish_reason", "prompt_tokens", "completion_tokens")
    record = {"kind": call.kind, "t": call.t, **{name: getattr(call.generation, name) for name in always}}
    # Kept where they are something only: almost no call has any.
    rare = {name: getattr(call.generation, name) for name in ("end_word", "n_replaced")}
    return record | {name: value for name, value in rare.items() if value}


def timing_record(call: "Call") -> dict[str, Any]:
    """Return what can differ between two equal requests."""
    said = call.generation
    # What a cache held, and so the price, depends on what else was running.
    seconds = round(said.seconds, 4)
    return {"seconds": seconds, "cached_tokens": said.cached_tokens, "cost_usd": said.cost_usd}


def trajectory_check(manifest: Mapping[str, Any], regime: str, questions: Collection[str]) -> RecordCheck:
    """Return a check of the trajectories of a regime: that they are whole, and of this run's questions."""
    spec = manifest["spec"]
    fixed = {
        "model": spec["model"]["name"],
        "condition": spec["condition"]["name"],
        "split": episode_split(spec["split"], spec.get("replicate")),
        "regime": regime,
        "task": spec["task"],
        "budget": spec["budget"],
        "simulated": manifest["simulated"],
    }
    return record_check(_TRAJECTORY, fixed, questions)


def record_check(
    kind: TypeAdapter[Any], fixed: Mapping[str, Any], questions: Collection[str] | None
) -> RecordCheck:
    """Return a check of records: that each has the fields of its kind, what is fixed, a known question."""

    def check(place: str, record: Mapping[str, Any]) -> None:
        try:
            kind.validate_python(record, strict=True)
        except ValidationError as error:
            raise RunError(f"{place}: {first_fault(error)}") from error
        for name, expected in fixed.items():
            if (found := record[name]) != expected:
                raise RunError(f"{place}: {name} is {found!r}, expected {expected!r} as in the manifest")
        if questions is not None and (asked := record["question_id"]) not in questions:
            raise RunError(f"{place}: question_id {asked!r} is no question of this run")

    return check


def episode_split(split: str, replicate: str | None) -> str:
    """Return what the episodes of a run have as their split, such as ``test300-run2`` of replicate 2."""
    return split if replicate is None else f"{split}-run{replicate}"
