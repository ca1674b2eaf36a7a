"""LLM annotators: any model, one record a request, blinded, with the machinery of runs behind it."""

from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import TypeAdapter

from judged_useless.afterwards.items import as_shown
from judged_useless.afterwards.rubric import STREAMS, label_request, load_rubric, read_label
from judged_useless.agent.calls import Call
from judged_useless.models.base import Model
from judged_useless.runs.cell_spec import lasting_description, text_sha256
from judged_useless.runs.execution import Job, carry_out, is_finished
from judged_useless.runs.manifests import read_manifest
from judged_useless.runs.run_files import Key, RunError, read_records
from judged_useless.runs.trajectories import AnyRecord, call_record, record_check, timing_record

#: Of a folder of labels; raised when an older reader would misread a newer file.
_FORMAT = 3


def _record_type(labels: tuple[str, ...]) -> TypeAdapter[Any]:
    class LabelRecord(AnyRecord):
        label: Literal[labels] | None  # type: ignore[valid-type]

    return TypeAdapter(LabelRecord)


_RECORDS = {name: _record_type(stream.labels) for name, stream in STREAMS.items()}


async def annotate(
    items: pd.DataFrame,
    model: Model,
    out: str | Path,
    *,
    constrain: bool = False,
    concurrency: int | None = None,
    progress: bool = True,
) -> "pd.Series[Any]":
    """Have a model label items, or those that it has not labelled yet.

    Parameters
    ----------
    items : pandas.DataFrame
        As `annotation_items` returns them; nothing is sent of where they are from.
    model : Model
        The annotator; left open. Two of different families make two opinions.
    out : path
        A folder of its own, with one folder a stream in the form of a run: a manifest and a file of records.
    constrain : bool, default False
        Hold replies to their form while they are generated, for models too small to keep it.
    concurrency : int, optional
        Requests in flight; by default what the model says is worth having.
    progress : bool, default True
        Show a progress bar.

    Returns
    -------
    pandas.Series
        Label by item id; None where the reply was no label.

    Raises
    ------
    IncompleteRunError
        If labels are missing because requests failed; calling again asks just these.
    RunError
        If the folder holds another annotation, or a label in it is none of its stream's.
    ValueError
        If an item occurs twice.
    """
    limit = model.max_concurrency if concurrency is None else concurrency
    jobs = _jobs(items, model, Path(out), constrain=constrain)
    for folder, job in jobs.items():
        await carry_out(job, folder, concurrency=limit, progress=progress)
    return read_labels(out).reindex(items.index)


def check_folder(items: pd.DataFrame, model: Model, out: Path, *, constrain: bool = False) -> None:
    """Refuse what `annotate` would refuse of these items and this folder; nothing is sent or written."""
    for folder, job in _jobs(items, model, out, constrain=constrain).items():
        is_finished(job, folder)


def read_labels(folder: str | Path) -> "pd.Series[Any]":
    """Return the labels that an annotator has given so far, of both streams.

    Parameters
    ----------
    folder : path
        As given to :func:`annotate`.

    Returns
    -------
    pandas.Series
        Label by item id; None where the reply was no label.

    Raises
    ------
    RunError
        If the folder does not hold an annotation, or a record there is not whole or its label none of the
        stream's; the message names file, line and field.
    """
    there = {stream: Path(folder) / stream for stream in STREAMS}
    asked = [stream for stream, path in there.items() if read_manifest(path) is not None]
    if not asked:
        raise RunError(f"{folder}: holds no labels of an annotator")
    labels = {
        record["question_id"]: record["label"]
        for stream in asked
        for record in read_records(
            there[stream] / f"{stream}.jsonl", record_check(_RECORDS[stream], {}, None)
        )
    }
    return pd.Series(labels, dtype=object, name="label").rename_axis("id")


def _jobs(items: pd.DataFrame, model: Model, out: Path, *, constrain: bool) -> dict[Path, Job]:
    """Return the job of each stream that has items, by its folder."""
    if not items.index.is_unique:
        raise ValueError(f"item {items.index[items.index.duplicated()][0]!r} occurs twice; give each once")
    return {
        out / str(stream): _job(str(stream), part, model, constrain=constrain)
        for stream, part in items.groupby("stream")
    }


def _job(stream: str, items: pd.DataFrame, model: Model, *, constrain: bool) -> Job:
    """Return the job of labelling the items of a stream, which take the place of questions in a regime."""
    rubric = load_rubric()
    records = {str(item): as_shown(row) for item, row in items.to_dict("index").items()}
    all_records = "\n".join(f"{item} {record}" for item, record in records.items())

    async def produce(model: Model, key: Key) -> dict[str, Any]:
        messages, options = label_request(model, stream, records[key[1]], rubric, constrain=constrain)
        generation = await model.generate(messages, **options)
        call = Call("label", 0, generation)
        return {
            "question_id": key[1],
            "label": read_label(generation.text, stream),
            "calls": [call_record(call)],
            "timings": [timing_record(call)],
        }

    return Job(
        model=model,
        keys=[(stream, name) for name in records],
        spec={
            "format": _FORMAT,
            "rubric": rubric.version,
            "rubric_sha256": {stream: text_sha256(rubric.instructions(stream))},
            "items_sha256": {stream: text_sha256(all_records)},
            "constrain": constrain,
            "model": lasting_description(model),
            "regimes": [stream],
        },
        run_id=f"annotation by {model.name}",
        another="holds another annotation, of which this is different: {different}. Give another out, or "
        "move or remove that folder to have everything labelled anew",
        check=lambda stream: record_check(_RECORDS[stream], {}, records),
        produce=produce,
    )
