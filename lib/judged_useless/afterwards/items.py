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

from judged_useless.afterwards.labels import STREAMS, get_stream
from judged_useless.protocol.prompts import Wording, get_wording
from judged_useless.protocol.turns import get_style, read_native_calls
from judged_useless.runs.history import history_at
from judged_useless.runs.recorded import Run
from judged_useless.runs.store import RunError
from judged_useless.tasks import get_task

#: Where an item is from: known here, not shown.
KEY = ("model", "condition", "task", "split", "budget", "seed", "question_id", "regime", "t")
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
    _check_streams(streams)
    spec, status = run.manifest["spec"], run.manifest["status"]
    if status != "complete":
        raise RunError(f"{run.path}: the run is {status}; finish it first, with the call that started it")
    wording = get_wording(spec["options"]["style"], get_task(spec["task"]).kind)
    records = run.trajectories(counted=True)
    items = [item for record in records for item in items_of(record, spec, wording, streams)]
    return sorted(items, key=lambda item: (item.stream, item.id))


def _check_streams(streams: Sequence[str]) -> None:
    if isinstance(streams, str) or not len(streams):
        raise ValueError(f"streams is {streams!r}, expected a list of at least one of {', '.join(STREAMS)}")
    for place, name in enumerate(streams):
        get_stream(name)
        if name in streams[:place]:
            raise ValueError(f"streams has {name!r} twice, expected each once")


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
        Keys of `judged_useless.afterwards.STREAMS`.

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
    """Return what stands after the opening's known words: a question may have blank lines in it."""
    content = _COUNTER.sub("", str(record["messages"][1 if wording.has_system else 0]["content"]))
    head = wording.opening.partition("{question}")[0]
    # Without a system message the instructions, and what a condition adds to them, stand before it.
    before, found, question = content.partition(head if wording.has_system else f"\n\n{head}")
    if not found or (wording.has_system and before):
        raise RunError(
            f"{record['regime']}, question {record['question_id']}: field 'messages' does not open with "
            f"{head!r}"
        )
    return question


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
        Columns of :func:`key_table` that make a stratum; at least one.
    seed : int, default 0
        Of the draws.

    Returns
    -------
    list of Item
        Exactly n, in the order of `items`. Shares are proportional, rounded by largest remainder.

    Raises
    ------
    ValueError
        If there is no item, n is not a whole number, larger than that of items or smaller than that of
        strata, `strata` are none or unknown, or streams are mixed.
    """
    if not items:
        raise ValueError("there is no item to draw a sample of")
    if len({item.stream for item in items}) > 1:
        raise ValueError("items of both streams; draw a sample of each")
    table = key_table(items)
    if isinstance(strata, str) or not len(strata) or not set(strata) <= set(table.columns):
        raise ValueError(f"strata is {strata!r}, expected a list of some of {', '.join(map(str, table))}")
    groups = table.groupby(list(strata), sort=True, dropna=False).indices
    whole = isinstance(n, int | np.integer) and not isinstance(n, bool)
    if not (whole and len(groups) <= n <= len(items)):
        raise ValueError(
            f"n is {n}, expected at least {len(groups)}, one a stratum, and at most {len(items)}, in whole "
            "numbers"
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
