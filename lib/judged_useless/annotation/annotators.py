"""LLM annotators: any model, one record a request, blinded, with the machinery of runs behind it."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless.annotation.items import KEY, Item
from judged_useless.annotation.labels import STREAMS, Rubric, get_stream, load_rubric
from judged_useless.calls import Call
from judged_useless.models import Message, Model
from judged_useless.runs.carrying_out import carry_out
from judged_useless.runs.checking import job_record_check, load_job_manifest, require_manifest
from judged_useless.runs.records import call_record, timing_record
from judged_useless.runs.spec import VOLATILE, text_sha256
from judged_useless.runs.store import Check, Key, RunError, read_records
from judged_useless.strict_json import reply_object, shown

#: Most new tokens of a label. Ours.
LABEL_TOKENS = 60
FORMAT = 2
_FIELDS = ("question_id", "label", "calls", "timings")
#: Entries of a specification that have a hash a stream.
_BY_STREAM = ("rubric_sha256", "items_sha256")
#: Entry of `_BY_STREAM` -> stream -> hash.
_Hashes = dict[str, dict[str, str]]


def read_label(reply: str, stream: str) -> str | None:
    """Read an annotator's reply.

    Parameters
    ----------
    reply : str
        As generated.
    stream : str
        S1 or S2.

    Returns
    -------
    str or None
        One of the stream's labels; None if the reply is anything else, which is no label.

    Examples
    --------
    >>> read_label('{"label": "off_topic"}', "S1"), read_label("It is off_topic.", "S1")
    ('off_topic', None)
    """
    label = reply_object(reply).get("label")
    return label if isinstance(label, str) and label in get_stream(stream).labels else None


def label_request(
    model: Model, item: Item, rubric: Rubric, *, constrain: bool
) -> tuple[list[Message], dict[str, Any]]:
    """Return what is sent to have an item labelled: messages, and options of the request.

    Parameters
    ----------
    model : Model
        That is asked.
    item : Item
        What is labelled.
    rubric : Rubric
        By which.
    constrain : bool
        Whether the reply is held to its form.

    Returns
    -------
    tuple of (list of Message, dict)
    """
    messages: list[Message] = [
        {"role": "system", "content": rubric.instructions(item.stream)},
        {"role": "user", "content": item.shown()},
    ]
    form = rf'\{{"label": "({"|".join(get_stream(item.stream).labels)})"\}}'
    budget = None if model.decoding.thinking else LABEL_TOKENS
    return messages, {"max_new_tokens": budget, "regex": form if constrain else None}


class _Annotation:
    """The job of labelling items; a stream takes the place of a regime, an item that of a question."""

    def __init__(
        self, items: Sequence[Item], model: Model, rubric: Rubric, folder: Path, *, constrain: bool
    ) -> None:
        self._items = {(item.stream, item.id): item for item in items}
        self._rubric, self.model, self._constrain = rubric, model, constrain
        self._parts = {
            name: part for name in STREAMS if (part := [item for item in items if item.stream == name])
        }
        held = _hashes_in(folder)
        # What the folder has of the other stream stays as it is, and is no reason to ask for it again.
        self._kept = {
            name: [str(each["question_id"]) for each in _records(folder, name)]
            for name in held["items_sha256"]
            if name not in self._parts
        }
        self.regimes = tuple(name for name in STREAMS if name in {**self._parts, **self._kept})
        self._hashes = {
            field: {name: given[name] if name in given else held[field][name] for name in self.regimes}
            for field, given in self._given().items()
        }

    def _given(self) -> _Hashes:
        shown = {
            name: "\n".join(f"{item.id} {item.shown()}" for item in part)
            for name, part in self._parts.items()
        }
        return {
            "rubric_sha256": {name: text_sha256(self._rubric.instructions(name)) for name in shown},
            "items_sha256": {name: text_sha256(text) for name, text in shown.items()},
        }

    def keys(self) -> list[Key]:
        return [*self._items, *((name, each) for name, ids in self._kept.items() for each in ids)]

    def spec(self) -> dict[str, Any]:
        described = self.model.describe()
        return {
            "format": FORMAT,
            "rubric": self._rubric.version,
            **self._hashes,
            "constrain": self._constrain,
            "model": {name: value for name, value in described.items() if name not in VOLATILE},
            "regimes": list(self.regimes),
        }

    def run_id(self) -> str:
        return f"annotation by {self.model.name}"

    def another(self, different: str) -> str:
        return (
            f"holds another annotation, of which this is different: {different}. Give another out, or move "
            "or remove that folder to have everything labelled anew"
        )

    def manifest(self, path: Path) -> dict[str, Any] | None:
        manifest = load_job_manifest(path)
        return manifest if manifest is None else self._extended(manifest)

    def _extended(self, manifest: dict[str, Any]) -> dict[str, Any]:
        """Add the stream that has not been asked yet; what there is of the other one stays."""
        spec = manifest["spec"]
        further = [name for name in self.regimes if name not in spec["regimes"]]
        if not further or not all(isinstance(spec.get(field), dict) for field in _BY_STREAM):
            return manifest
        # Of a stream that is there, its own hash is compared.
        hashes = {field: {**self._hashes[field], **spec[field]} for field in _BY_STREAM}
        spec = {**spec, **hashes, "regimes": list(self.regimes)}
        return {**manifest, "status": "incomplete", "spec": spec}

    def check(self, regime: str) -> Check:
        if regime in self._kept:
            return _record_check(regime)
        return _record_check(regime, {item.id for item in self._parts[regime]})

    async def produce(self, model: Model, key: Key) -> dict[str, Any]:
        item = self._items[key]
        messages, options = label_request(model, item, self._rubric, constrain=self._constrain)
        generation = await model.generate(messages, **options)
        call = Call("label", 0, generation)
        return {
            "question_id": item.id,
            "label": read_label(generation.text, item.stream),
            "calls": [call_record(call)],
            "timings": [timing_record(call)],
        }


def _hashes_in(folder: Path) -> _Hashes:
    """Return the hashes of the streams that a folder has labels of; none if it holds anything else."""
    manifest = load_job_manifest(folder)
    spec: dict[str, Any] = {} if manifest is None else manifest["spec"]
    there = {field: spec.get(field) for field in _BY_STREAM}
    hashes = {field: given if isinstance(given, dict) else {} for field, given in there.items()}
    streams = [name for name in STREAMS if all(name in given for given in hashes.values())]
    return {field: {name: str(given[name]) for name in streams} for field, given in hashes.items()}


def _records(folder: Path, stream: str) -> Iterator[dict[str, Any]]:
    return read_records(folder / f"{stream}.jsonl", _record_check(stream))


def _record_check(stream: str, ids: Collection[str] | None = None) -> Check:
    """Return a check of one record: that it is whole, and its label one of the stream's."""
    whole, labels = job_record_check(_FIELDS, {}, ids), get_stream(stream).labels

    def check(place: str, record: Mapping[str, Any]) -> None:
        whole(place, record)
        label = record["label"]
        if label is not None and not (isinstance(label, str) and label in labels):
            raise RunError(f"{place}: label is {shown(label)}, expected one of {', '.join(labels)} or null")

    return check


async def annotate(
    items: Sequence[Item],
    model: Model,
    out: str | Path,
    *,
    rubric: Rubric | None = None,
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
    rubric : Rubric, optional
        By default the project's.
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
    _check_items(items)
    rubric = load_rubric() if rubric is None else rubric
    job = _Annotation(items, model, rubric, Path(out), constrain=constrain)
    limit = model.max_concurrency if concurrency is None else concurrency
    await carry_out(job, Path(out), concurrency=limit, progress=progress)
    return read_labels(out, [name for name in STREAMS if any(item.stream == name for item in items)])


def _check_items(items: Sequence[Item]) -> None:
    if not items:
        raise ValueError("0 items, expected at least one")
    seen: dict[str, Item] = {}
    for item in items:
        if item.id in seen:
            what = "other" if seen[item.id].shown() != item.shown() else "the same"
            place = ", ".join(f"{name} {value}" for name, value in item.where.items() if name in KEY)
            raise ValueError(
                f"item {item.id!r} occurs twice in {len(items)} items, with {what} words ({place}); give "
                "each once, and one run at a time if runs differ in nothing of this"
            )
        seen[item.id] = item


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
    labels = {
        record["question_id"]: record["label"] for stream in streams for record in _records(folder, stream)
    }
    return pd.Series(labels, dtype=object, name="label").rename_axis("id")
