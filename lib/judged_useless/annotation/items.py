"""What is annotated: single results and single thoughts, without regime, expected answer and outcome."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.annotation.labels import get_stream
from judged_useless.prompts import get_wording
from judged_useless.react import get_style, read_native_calls
from judged_useless.runs.history import history_at
from judged_useless.runs.reading import Run
from judged_useless.tasks import get_task
from judged_useless.wording import Wording

#: Where an item is from: known here, not shown.
KEY = ("model", "condition", "split", "question_id", "regime", "t")
_COUNTER = re.compile(r"\n\n\[Actions remaining: \d+\]$")


@dataclass(frozen=True)
class Item:
    """One record to label.

    Attributes
    ----------
    id : str
        Says nothing of where the record is from.
    stream : str
        S1 or S2.
    question, observation : str
        What was asked, and the result that the label is about.
    earlier : tuple of str
        Results before it.
    thought : str
        What the agent wrote next; empty in S1.
    where : mapping
        `KEY` and whether the result failed by design: not shown to annotators.
    """

    id: str
    stream: str
    question: str
    earlier: tuple[str, ...]
    observation: str
    thought: str
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


def item_id(stream: str, where: Mapping[str, Any]) -> str:
    """Return the id of an item: a hash, so that it tells neither regime nor step.

    A letter stands before it: a spreadsheet program would take ``12e4567890123456`` for a number.
    """
    parts = [stream, *(str(where[name]) for name in KEY)]
    return "x" + hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def annotation_items(run: Run, streams: Sequence[str] = ("S1", "S2")) -> list[Item]:
    """Return every result and every thought after a result of a run, ready to be labelled.

    Parameters
    ----------
    run : Run
        A run of the agent loop.
    streams : sequence of str, default ("S1", "S2")
        Keys of `judged_useless.annotation.STREAMS`.

    Returns
    -------
    list of Item
        Sorted by id, so that neighbours come from anywhere.

    Raises
    ------
    ValueError
        If a stream is unknown.
    """
    for name in streams:
        get_stream(name)
    spec = run.manifest["spec"]
    wording = get_wording(spec["options"]["style"], get_task(spec["task"]).kind)
    items = [item for record in run.trajectories() for item in items_of(record, spec, wording, streams)]
    return sorted(items, key=lambda item: (item.stream, item.id))


def items_of(
    record: Mapping[str, Any], spec: Mapping[str, Any], wording: Wording, streams: Sequence[str]
) -> Iterator[Item]:
    """Yield the items of one trajectory, in order.

    Parameters
    ----------
    record, spec : mapping
        A trajectory, and the specification of its run.
    wording : Wording
        Of the run.
    streams : sequence of str
        Keys of `judged_useless.annotation.STREAMS`.

    Yields
    ------
    Item
    """
    seen = [_result(record, t, wording) for t in range(1, len(record["failed"]) + 1)]
    thoughts = _thoughts(record, spec)
    question = _question(record, wording)
    for t, observation in enumerate(seen, 1):
        where = {name: record[name] for name in KEY if name != "t"} | {
            "t": t, "failed": bool(record["failed"][t - 1]),
        }  # fmt: skip
        for stream in streams:
            # Where no turn follows, there is no thought to label.
            if stream == "S1" or t in thoughts:
                earlier = tuple(seen[: t - 1]) if stream == "S1" else ()
                thought = thoughts[t] if stream == "S2" else ""
                yield Item(item_id(stream, where), stream, question, earlier, observation, thought, where)


def _question(record: Mapping[str, Any], wording: Wording) -> str:
    content = str(record["messages"][1 if wording.has_system else 0]["content"])
    opening = _COUNTER.sub("", content).rpartition("\n\n")[2]
    return opening.removeprefix(wording.opening.partition("{question}")[0])


def _result(record: Mapping[str, Any], t: int, wording: Wording) -> str:
    head, _, tail = wording.observation.partition("{text}")
    content = _COUNTER.sub("", history_at(record, t, wording)[-1]["content"])
    return content.removeprefix(head).removesuffix(tail)


def _thoughts(record: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[int, str]:
    """Return the thought of the first turn proposed after each result."""
    read = get_style(spec["options"]["style"]).read
    if spec["condition"]["native_calls"]:
        read = partial(read_native_calls, otherwise=read)
    thoughts: dict[int, str] = {}
    for call in record["calls"]:
        if call["kind"] == "turn" and call["t"] > 0:
            thoughts.setdefault(call["t"], read(call["text"].strip()).thought)
    return thoughts


def key_table(items: Sequence[Item]) -> pd.DataFrame:
    """Return where items are from, for analyses and never for annotators.

    Parameters
    ----------
    items : sequence of Item
        Items.

    Returns
    -------
    pandas.DataFrame
        Index ``id``; ``stream``, the fields of `KEY`, and ``failed``.
    """
    rows = [{"id": item.id, "stream": item.stream, **item.where} for item in items]
    return pd.DataFrame(rows, columns=["id", "stream", *KEY, "failed"]).set_index("id")


def reference_sample(
    items: Sequence[Item], n: int, *, strata: Sequence[str] = ("regime", "failed"), seed: int = 0
) -> list[Item]:
    """Draw a sample in which every stratum has its share, and at least one.

    Parameters
    ----------
    items : sequence of Item
        Of one stream.
    n : int
        How many.
    strata : sequence of str, default ("regime", "failed")
        Columns of :func:`key_table` that make a stratum.
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
    if len({item.stream for item in items}) > 1:
        raise ValueError("items of both streams; draw a sample of each")
    table = key_table(items)
    groups = table.groupby(list(strata), sort=True).indices
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
