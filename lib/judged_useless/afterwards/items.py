"""What is annotated: single results and single thoughts, without regime, expected answer and outcome."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.afterwards.recorded_turns import RecordedTurns
from judged_useless.episodes.schema import missing
from judged_useless.runs.recorded import Run

#: What tells the episode of an item.
EPISODE = ("model", "condition", "task", "split", "budget", "seed", "question_id", "regime")
#: Where an item is from: never shown to annotators.
ITEM_KEY = (*EPISODE, "t")
#: What it is: results before it only in S1, the thought after it only in S2.
RECORD = ("question", "earlier", "result", "thought")


def as_shown(item: Mapping[Any, Any]) -> str:
    """Return what an annotator sees of an item."""
    record: dict[str, object] = {"question": item["question"]}
    if item["stream"] == "S1":
        record["earlier_results"] = list(item["earlier"])
    record["result"] = item["result"]
    if item["stream"] == "S2":
        record["next_thought"] = item["thought"]
    return json.dumps(record, ensure_ascii=False, indent=1)


def annotation_items(run: Run, streams: Sequence[str] = ("S1", "S2")) -> pd.DataFrame:
    """Return every result and every thought after a result of a run, ready to be labelled.

    Parameters
    ----------
    run : Run
        A complete run of the agent loop.
    streams : sequence of str, default ("S1", "S2")
        Keys of `judged_useless.afterwards.rubric.STREAMS`.

    Returns
    -------
    pandas.DataFrame
        Index ``id``, which says nothing of where an item is from; ``stream``, where it is from and whether
        the result failed by design, and what an annotator is shown. Sorted by stream and id, so that
        neighbours come from anywhere.

    Raises
    ------
    RunError
        If the run is not complete or has lost trajectories: a part of the items would pass for all of them.
    """
    run.require_complete()
    spec = run.manifest["spec"]
    rows = [item for each in run.trajectories() for item in items_of(RecordedTurns(each, spec), streams)]
    columns = ["id", "stream", *ITEM_KEY, "failed", *RECORD]
    return pd.DataFrame(rows, columns=columns).set_index("id").sort_values(["stream", "id"])


def items_of(turns: RecordedTurns, streams: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the items of one trajectory, in order."""
    record, seen, thoughts, question = turns.record, turns.results(), turns.thoughts(), turns.question()
    episode = {name: record[name] for name in EPISODE}
    for t, result in enumerate(seen, 1):
        for stream in streams:
            first = stream == "S1"
            # Where no turn follows, there is no thought to label.
            if first or t in thoughts:
                yield {
                    "id": item_id(stream, episode, t), "stream": stream, **episode, "t": t,
                    "failed": record["failed"][t - 1], "question": question, "result": result,
                    "earlier": tuple(seen[: t - 1]) if first else (), "thought": "" if first else thoughts[t],
                }  # fmt: skip


def item_id(stream: str, episode: Mapping[Any, Any], t: int) -> str:
    """Return a hash, so that it tells neither regime nor step; 42 and a table's 42.0 are one seed.

    A letter stands before it: a spreadsheet program would take ``12e4567890123456`` for a number.
    """
    values = (None if missing(episode[name]) else episode[name] for name in EPISODE)
    whole = (int(value) if isinstance(value, float) else value for value in values)
    return "x" + hashlib.sha256("\x1f".join(map(str, (stream, *whole, t))).encode()).hexdigest()[:16]


def reference_sample(items: pd.DataFrame, n: int, *, seed: int = 0) -> pd.DataFrame:
    """Draw a sample in which every regime has its share of failed and real results, and at least one each.

    Parameters
    ----------
    items : pandas.DataFrame
        As `annotation_items` returns them, of one stream.
    n : int
        How many: at least one a stratum.
    seed : int, default 0
        Of the draws.

    Returns
    -------
    pandas.DataFrame
        Exactly n, in the order of `items`. Shares are proportional, rounded by largest remainder.

    Raises
    ------
    ValueError
        If n is larger than the number of items or smaller than that of strata.
    """
    groups = items.groupby(["regime", "failed"], sort=True).indices
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
    return items.iloc[np.sort(np.concatenate(chosen))]
