"""What is annotated: single results and single thoughts, without regime, expected answer and outcome."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.afterwards.recorded_turns import RecordedTurns
from judged_useless.afterwards.rubric import STREAMS
from judged_useless.runs.recorded import Run

#: What tells the episode of an item.
EPISODE = ("model", "condition", "task", "split", "budget", "seed", "question_id", "regime")
#: Where an item is from: known here, not shown.
ITEM_KEY = (*EPISODE, "t")


@dataclass(frozen=True)
class Item:
    """One record to label."""

    #: Says nothing of where the record is from.
    id: str
    #: S1 or S2.
    stream: str
    question: str
    #: Results before it; empty in S2.
    earlier: tuple[str, ...]
    #: The result that the label is about.
    observation: str
    #: What the agent wrote next; empty in S1.
    thought: str
    #: `ITEM_KEY` and whether the result failed by design: not shown to annotators.
    where: Mapping[str, Any]

    def shown(self) -> str:
        """Return what an annotator sees of it."""
        record: dict[str, object] = {"question": self.question}
        if self.stream == "S1":
            record["earlier_results"] = list(self.earlier)
        record["result"] = self.observation
        if self.stream == "S2":
            record["next_thought"] = self.thought
        return json.dumps(record, ensure_ascii=False, indent=1)


def annotation_items(run: Run, streams: Sequence[str] = ("S1", "S2")) -> list[Item]:
    """Return every result and every thought after a result of a run, ready to be labelled.

    Parameters
    ----------
    run : Run
        A complete run of the agent loop.
    streams : sequence of str, default ("S1", "S2")
        Keys of `judged_useless.afterwards.STREAMS`, each once.

    Returns
    -------
    list of Item
        Sorted by id, so that neighbours come from anywhere.

    Raises
    ------
    RunError
        If the run is not complete or has lost trajectories: a part of the items would pass for all of them.
    ValueError
        If no stream is given, or one is unknown or given twice.
    """
    if not streams or len(set(streams) & set(STREAMS)) < len(streams):
        raise ValueError(f"streams is {streams!r}, expected some of {', '.join(STREAMS)}, each once")
    run.require_complete()
    spec = run.manifest["spec"]
    records = run.trajectories()
    items = [item for record in records for item in items_of(RecordedTurns(record, spec), streams)]
    return sorted(items, key=lambda item: (item.stream, item.id))


def items_of(turns: RecordedTurns, streams: Sequence[str]) -> Iterator[Item]:
    """Yield the items of one trajectory, in order."""
    record, seen, thoughts, question = turns.record, turns.results(), turns.thoughts(), turns.question()
    for t, observation in enumerate(seen, 1):
        where = {name: record[name] for name in EPISODE} | {"t": t, "failed": record["failed"][t - 1]}
        for stream in streams:
            if stream == "S1":
                yield Item(_id(stream, where), stream, question, tuple(seen[: t - 1]), observation, "", where)
            elif t in thoughts:  # where no turn follows, there is no thought to label
                yield Item(_id(stream, where), stream, question, (), observation, thoughts[t], where)


def _id(stream: str, where: Mapping[str, Any]) -> str:
    """Return a hash, so that it tells neither regime nor step.

    A letter stands before it: a spreadsheet program would take ``12e4567890123456`` for a number.
    """
    parts = [stream, *(str(where[name]) for name in ITEM_KEY)]
    return "x" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def key_table(items: Sequence[Item]) -> pd.DataFrame:
    """Return where items are from, for analyses and never for annotators.

    Index ``id``; ``stream``, the fields of `ITEM_KEY`, and ``failed``.
    """
    rows = [{"id": item.id, "stream": item.stream, **item.where} for item in items]
    return pd.DataFrame(rows, columns=["id", "stream", *ITEM_KEY, "failed"]).set_index("id")


def reference_sample(items: Sequence[Item], n: int, *, seed: int = 0) -> list[Item]:
    """Draw a sample in which every regime has its share of failed and real results, and at least one each.

    Parameters
    ----------
    items : sequence of Item
        Of one stream.
    n : int
        How many: at least one a stratum.
    seed : int, default 0
        Of the draws.

    Returns
    -------
    list of Item
        Exactly n, in the order of `items`. Shares are proportional, rounded by largest remainder.

    Raises
    ------
    ValueError
        If n is larger than the number of items or smaller than that of strata, or streams are mixed.
    """
    if len({item.stream for item in items}) != 1:
        raise ValueError("expected items of one stream, and at least one; draw a sample of each stream")
    groups = key_table(items).groupby(["regime", "failed"], sort=True).indices
    if not len(groups) <= n <= len(items):
        raise ValueError(
            f"n is {n}, expected at least {len(groups)}, one a stratum, and at most {len(items)}"
        )
    sizes = np.array([len(rows) for rows in groups.values()])
    exact = (n - len(groups)) * (sizes - 1) / max(1, (sizes - 1).sum())
    counts = np.floor(exact).astype(int)
    counts[np.argsort(counts - exact, kind="stable")[: n - len(groups) - counts.sum()]] += 1
    draws = np.random.default_rng(seed)
    chosen = [
        draws.choice(rows, count + 1, replace=False)
        for rows, count in zip(groups.values(), counts, strict=True)
    ]
    return [items[place] for place in np.sort(np.concatenate(chosen)).tolist()]
