"""LLM annotators: any model, one record a request, blinded, with the machinery of runs behind it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import pandas as pd
from pydantic import TypeAdapter

from judged_useless._io.messages import shown
from judged_useless.afterwards.items import Item
from judged_useless.afterwards.rubric import STREAMS, get_stream, label_request, load_rubric, read_label
from judged_useless.agent.calls import Call
from judged_useless.models.base import Model
from judged_useless.runs.cell_spec import lasting_description, text_sha256
from judged_useless.runs.execution import Job, carry_out, is_finished
from judged_useless.runs.manifests import read_manifest
from judged_useless.runs.run_files import Key, RunError, read_records
from judged_useless.runs.trajectories import AnyRecord, call_record, record_check, timing_record

#: Of a folder of labels; raised when an older reader would misread a newer file.
_FORMAT = 3


def _record_type(stream: str) -> TypeAdapter[Any]:
    class LabelRecord(AnyRecord):
        label: Literal[STREAMS[stream].labels] | None  # type: ignore[valid-type]

    return TypeAdapter(LabelRecord)


_RECORDS = {stream: _record_type(stream) for stream in STREAMS}


async def annotate(
    items: Sequence[Item],
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
    items : sequence of Item
        What is labelled; nothing but :meth:`Item.shown` is sent.
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
        Label by item id, of the streams among `items`; None where the reply was no label.

    Raises
    ------
    IncompleteRunError
        If labels are missing because requests failed; calling again asks just these.
    RunError
        If the folder holds another annotation, or a label in it is none of its stream's.
    ValueError
        If there is no item, or one occurs twice.
    """
    limit = model.max_concurrency if concurrency is None else concurrency
    jobs = _jobs(items, model, Path(out), constrain=constrain)
    for folder, job in jobs.items():
        await carry_out(job, folder, concurrency=limit, progress=progress)
    return read_labels(out, [folder.name for folder in jobs])


def check_folder(items: Sequence[Item], model: Model, out: Path, *, constrain: bool = False) -> None:
    """Refuse what `annotate` would refuse of these items and this folder; nothing is sent or written."""
    for folder, job in _jobs(items, model, out, constrain=constrain).items():
        is_finished(job, folder)


def read_labels(folder: str | Path, streams: Sequence[str] = tuple(STREAMS)) -> "pd.Series[Any]":
    """Return the labels that an annotator has given so far.

    Parameters
    ----------
    folder : path
        As given to :func:`annotate`.
    streams : sequence of str
        Which; both by default.

    Returns
    -------
    pandas.Series
        Label by item id; None where the reply was no label.

    Raises
    ------
    RunError
        If the folder does not hold an annotation, or a record there is not whole or its label none of the
        stream's; the message names file, line and field.
    ValueError
        If a stream is unknown.
    """
    labels = {}
    for stream in streams:
        # A stream names a folder, so only known ones are let through.
        get_stream(stream)
        there = Path(folder) / stream
        manifest = read_manifest(there)
        if manifest is not None and "rubric" not in manifest["spec"]:
            raise RunError(f"{there}: holds no labels of an annotator; its manifest names no rubric")
        check = record_check(_RECORDS[stream], {}, None)
        for record in read_records(there / f"{stream}.jsonl", check) if manifest else ():
            labels[record["question_id"]] = record["label"]
    if not labels and not any((Path(folder) / stream).is_dir() for stream in streams):
        raise RunError(f"{folder}: holds no labels of an annotator")
    return pd.Series(labels, dtype=object, name="label").rename_axis("id")


def _jobs(items: Sequence[Item], model: Model, out: Path, *, constrain: bool) -> dict[Path, Job]:
    """Return the job of each stream that has items, by its folder."""
    if not items:
        raise ValueError("0 items, expected at least one")
    twice = pd.Index([item.id for item in items]).duplicated()
    if twice.any():
        item = items[int(twice.argmax())]
        raise ValueError(
            f"item {item.id!r} occurs twice ({shown(dict(item.where), 300)}); give each once, and one run at "
            "a time if runs differ in nothing of this"
        )
    parts = {name: [item for item in items if item.stream == name] for name in STREAMS}
    return {out / name: _job(name, part, model, constrain=constrain) for name, part in parts.items() if part}


def _job(stream: str, items: Sequence[Item], model: Model, *, constrain: bool) -> Job:
    """Return the job of labelling the items of a stream, which take the place of questions in a regime."""
    by_id, rubric = {item.id: item for item in items}, load_rubric()
    shown_items = "\n".join(f"{item.id} {item.shown()}" for item in items)

    async def produce(model: Model, key: Key) -> dict[str, Any]:
        item = by_id[key[1]]
        messages, options = label_request(model, stream, item.shown(), rubric, constrain=constrain)
        generation = await model.generate(messages, **options)
        call = Call("label", 0, generation)
        return {
            "question_id": item.id,
            "label": read_label(generation.text, stream),
            "calls": [call_record(call)],
            "timings": [timing_record(call)],
        }

    return Job(
        model=model,
        keys=[(stream, name) for name in by_id],
        spec={
            "format": _FORMAT,
            "rubric": rubric.version,
            "rubric_sha256": {stream: text_sha256(rubric.instructions(stream))},
            "items_sha256": {stream: text_sha256(shown_items)},
            "constrain": constrain,
            "model": lasting_description(model),
            "regimes": [stream],
        },
        run_id=f"annotation by {model.name}",
        another="holds another annotation, of which this is different: {different}. Give another out, or "
        "move or remove that folder to have everything labelled anew",
        check=lambda stream: record_check(_RECORDS[stream], {}, by_id),
        produce=produce,
    )
