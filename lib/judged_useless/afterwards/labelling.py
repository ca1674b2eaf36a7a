"""The job of labelling: what is sent, how a reply is read, and what a folder of labels holds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from judged_useless._io.strict_json import reply_object, shown
from judged_useless.afterwards.items import Item
from judged_useless.afterwards.labels import STREAMS, Rubric, get_stream
from judged_useless.agent.calls import Call
from judged_useless.models.base import Message, Model
from judged_useless.runs.checking import job_record_check, load_job_manifest
from judged_useless.runs.records import call_record, timing_record
from judged_useless.runs.spec import VOLATILE, text_sha256
from judged_useless.runs.store import Check, Key, RunError, read_records

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


class Annotation:
    """The job of labelling items; a stream takes the place of a regime, an item that of a question.

    Parameters
    ----------
    items : sequence of Item
        What is labelled.
    model : Model
        That is asked.
    rubric : Rubric
        By which.
    folder : pathlib.Path
        Where labels lie; what it has of a stream that is not among `items` stays.
    constrain : bool
        Whether replies are held to their form.
    """

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
            name: [str(each["question_id"]) for each in label_records(folder, name)]
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
        """Return stream and id of every item, and of what the folder has of the other stream."""
        return [*self._items, *((name, each) for name, ids in self._kept.items() for each in ids)]

    def spec(self) -> dict[str, Any]:
        """Return what decides every label."""
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
        """Return a check of a record of a stream."""
        if regime in self._kept:
            return _record_check(regime)
        return _record_check(regime, {item.id for item in self._parts[regime]})

    async def produce(self, model: Model, key: Key) -> dict[str, Any]:
        """Label one item."""
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


def label_records(folder: Path, stream: str) -> Iterator[dict[str, Any]]:
    """Yield the records of a stream that a folder has, each checked."""
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
