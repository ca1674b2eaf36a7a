"""What a run keeps of one episode: the fields of an episode first, then everything it came from."""

from typing import Any

from judged_useless.agent.calls import Call
from judged_useless.agent.loop import Episode


def record_of(episode: Episode, *, task: str, split: str) -> dict[str, Any]:
    """Return an ended episode as one trajectory.

    Parameters
    ----------
    episode : Episode
        Ended.
    task, split : str
        Where its question is from.

    Returns
    -------
    dict
        JSON values. All that can differ between two equal runs is in the last field, ``timings``.
    """
    environment = episode.environment
    padding = [None] * (episode.t - len(episode.judgments))
    judged = episode.condition.signal == "side_channel"
    return {
        "model": episode.model.name,
        "condition": episode.condition.name,
        "split": split,
        "question_id": environment.question.id,
        "regime": environment.regime.name,
        "actions": episode.actions,
        "judgments": [*episode.judgments, *padding],
        "success": episode.success,
        "termination": episode.termination,
        "task": task,
        "budget": environment.budget,
        "answer": environment.answer,
        "failed": [observation.failed for observation in episode.observations],
        "stated": [*episode.stated, *[None] * (episode.t - len(episode.stated))],
        "n_judgment_calls": sum(call.kind == "judgment" for call in episode.calls) if judged else 0,
        "n_discarded": episode.n_discarded,
        "seed": episode.options.seed,
        "simulated": episode.model.simulated,
        "messages": list(episode.conversation.messages),
        "calls": [call_record(call) for call in _in_order(episode.calls)],
        "observation_meta": [observation.meta() for observation in episode.observations],
        "gold_titles": list(environment.question.gold_titles),
        "events": [{"t": t, "event": event} for t, event in episode.events],
        "timings": [timing_record(call) for call in _in_order(episode.calls)],
    }


def _in_order(calls: list[Call]) -> list[Call]:
    """Return calls in an order that does not depend on which of two answered first."""
    return sorted(calls, key=lambda call: (call.t, call.kind != "judgment"))


def call_record(call: Call) -> dict[str, Any]:
    """Return what is kept of a request; equal for equal ones."""
    generation = call.generation
    record = {
        "kind": call.kind,
        "t": call.t,
        "text": generation.text,
        "reasoning": generation.reasoning,
        "finish_reason": generation.finish_reason,
        "prompt_tokens": generation.prompt_tokens,
        "completion_tokens": generation.completion_tokens,
    }
    # Kept where it happened only: almost no call has any.
    return record | ({"n_replaced": generation.n_replaced} if generation.n_replaced else {})


def timing_record(call: Call) -> dict[str, Any]:
    """Return what can differ between two equal requests."""
    generation = call.generation
    # What a cache held, and so the price, depends on what else was running.
    return {
        "seconds": round(generation.seconds, 4),
        "cached_tokens": generation.cached_tokens,
        "cost_usd": generation.cost_usd,
    }
