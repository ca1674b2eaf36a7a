"""LLM annotators: any model, one record a request, blinded, with the machinery of runs behind it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from pydantic import TypeAdapter

from judged_useless._io.messages import shown
from judged_useless.afterwards.items import Item
from judged_useless.afterwards.rubric import (
    STREAMS,
    Rubric,
    get_stream,
    label_request,
    load_rubric,
    read_label,
)
from judged_useless.agent.calls import Call
from judged_useless.models.base import Model
from judged_useless.runs.cell_spec import lasting_description, text_sha256
from judged_useless.runs.execution import carry_out, is_finished
from judged_useless.runs.manifests import read_manifest, require_manifest
from judged_useless.runs.run_files import Key, RecordCheck, RunError, read_records
from judged_useless.runs.trajectories import AnyRecord, call_record, record_check, timing_record

#: Of a folder of labels; raised when an older reader would misread a newer file.
_FORMAT = 2
#: Entries of a specification that have a hash a stream.
_BY_STREAM = ("rubric_sha256", "items_sha256")


class _LabelRecord(AnyRecord):
    label: str | None


_LABEL = TypeAdapter(_LabelRecord)


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
        A folder of its own, in the form of a run: a manifest and one file a stream. What it has of a stream
        that is not among `items` stays, so that streams can be asked one after the other.
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
    job = _Annotation(items, model, load_rubric(), Path(out), constrain=constrain)
    limit = model.max_concurrency if concurrency is None else concurrency
    await carry_out(job, Path(out), concurrency=limit, progress=progress)
    return read_labels(out, [name for name in STREAMS if any(item.stream == name for item in items)])


def check_folder(items: Sequence[Item], model: Model, out: Path, *, constrain: bool = False) -> None:
    """Refuse what `annotate` would refuse of these items and this folder; nothing is sent or written."""
    is_finished(_Annotation(items, model, load_rubric(), out, constrain=constrain), out)


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
    folder = Path(folder)
    for stream in streams:
        # A stream names a file, so only known ones are let through.
        get_stream(stream)
    if "rubric" not in require_manifest(folder)["spec"]:
        raise RunError(f"{folder}: holds no labels of an annotator; its manifest names no rubric")
    records = (record for stream in streams for record in _label_records(folder, stream))
    labels = {record["question_id"]: record["label"] for record in records}
    return pd.Series(labels, dtype=object, name="label").rename_axis("id")


def _label_records(folder: Path, stream: str) -> Iterator[dict[str, Any]]:
    return read_records(folder / f"{stream}.jsonl", _label_check(stream))


def _label_check(stream: str, ids: Collection[str] | None = None) -> RecordCheck:
    """Return a check of one record: that it is whole, and its label one of the stream's."""
    whole, labels = record_check(_LABEL, {}, ids), get_stream(stream).labels

    def check(place: str, record: Mapping[str, Any]) -> None:
        whole(place, record)
        if record["label"] not in (*labels, None):
            raise RunError(
                f"{place}: label is {shown(record['label'])}, expected one of {', '.join(labels)} or null"
            )

    return check


class _Annotation:
    """The job of labelling items; a stream takes the place of a regime, an item that of a question."""

    def __init__(
        self, items: Sequence[Item], model: Model, rubric: Rubric, folder: Path, *, constrain: bool
    ) -> None:
        _check_items(items)
        self._items = {(item.stream, item.id): item for item in items}
        self._rubric, self.model, self._constrain = rubric, model, constrain
        parts = {name: [item for item in items if item.stream == name] for name in STREAMS}
        self._ids = {name: [item.id for item in part] for name, part in parts.items() if part}
        held = _hashes_in(folder)
        # What the folder has of the other stream stays as it is, and is no reason to ask for it again.
        self._kept = {
            name: [str(each["question_id"]) for each in _label_records(folder, name)]
            for name in held
            if name not in self._ids
        }
        self.regimes = tuple(name for name in STREAMS if name in {**self._ids, **self._kept})
        self._hashes = dict(held) | {
            name: (
                text_sha256(rubric.instructions(name)),
                text_sha256("\n".join(f"{item.id} {item.shown()}" for item in parts[name])),
            )
            for name in self._ids
        }

    def record_keys(self) -> list[Key]:
        """Return stream and id of every item, and of what the folder has of the other stream."""
        return [*self._items, *((name, each) for name, ids in self._kept.items() for each in ids)]

    def _hashes_by_entry(self) -> dict[str, dict[str, str]]:
        return {
            entry: {name: self._hashes[name][place] for name in self.regimes}
            for place, entry in enumerate(_BY_STREAM)
        }

    def spec(self) -> dict[str, Any]:
        """Return what decides every label."""
        return {
            "format": _FORMAT,
            "rubric": self._rubric.version,
            **self._hashes_by_entry(),
            "constrain": self._constrain,
            "model": lasting_description(self.model),
            "regimes": list(self.regimes),
        }

    def run_id(self) -> str:
        """Return a name for the folder."""
        return f"annotation by {self.model.name}"

    def another(self, different: str) -> str:
        """Return what to say of a folder that holds something else."""
        return (
            f"holds another annotation, of which this is different: {different}. Give another out, or move "
            "or remove that folder to have everything labelled anew"
        )

    def manifest(self, path: Path) -> dict[str, Any] | None:
        """Return the manifest of a folder, as one of this job where only a stream is added to it."""
        manifest = read_manifest(path)
        if manifest is None or set(self.regimes) <= set(manifest["spec"]["regimes"]) or not _hashes_in(path):
            return manifest
        # Of a stream that is there, its own hash is compared.
        spec = manifest["spec"]
        hashes = {entry: {**by, **spec[entry]} for entry, by in self._hashes_by_entry().items()}
        return {**manifest, "status": "incomplete", "spec": {**spec, **hashes, "regimes": list(self.regimes)}}

    def check(self, regime: str) -> RecordCheck:
        """Return a check of a record of a stream."""
        return _label_check(regime, set(self._ids[regime]) if regime in self._ids else None)

    async def produce(self, model: Model, key: Key) -> dict[str, Any]:
        """Label one item."""
        item = self._items[key]
        messages, options = label_request(
            model, item.stream, item.shown(), self._rubric, constrain=self._constrain
        )
        generation = await model.generate(messages, **options)
        call = Call("label", 0, generation)
        return {
            "question_id": item.id,
            "label": read_label(generation.text, item.stream),
            "calls": [call_record(call)],
            "timings": [timing_record(call)],
        }


def _check_items(items: Sequence[Item]) -> None:
    if not items:
        raise ValueError("0 items, expected at least one")
    seen: dict[str, Item] = {}
    for item in items:
        if item.id in seen:
            what = "other" if seen[item.id].shown() != item.shown() else "the same"
            raise ValueError(
                f"item {item.id!r} occurs twice, with {what} words ({shown(dict(item.where), 300)}); give "
                "each once, and one run at a time if runs differ in nothing of this"
            )
        seen[item.id] = item


def _hashes_in(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the hashes of the streams that a folder has labels of; none if it holds anything else."""
    spec = (read_manifest(folder) or {"spec": {}})["spec"]
    entries = [spec.get(entry) for entry in _BY_STREAM]
    if not all(isinstance(entry, dict) for entry in entries):
        return {}
    return {
        name: tuple(str(entry[name]) for entry in entries)
        for name in STREAMS
        if all(name in entry for entry in entries)
    }
