"""LLM annotators: any model, one record a request, blinded, with the machinery of runs behind it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from judged_useless.afterwards.items import KEY, Item
from judged_useless.afterwards.labelling import Annotation, label_records
from judged_useless.afterwards.labelling import label_request as label_request
from judged_useless.afterwards.labelling import read_label as read_label
from judged_useless.afterwards.labels import STREAMS, Rubric, get_stream, load_rubric
from judged_useless.models.base import Model
from judged_useless.runs.carrying_out import carry_out, is_finished
from judged_useless.runs.checking import require_manifest
from judged_useless.runs.store import RunError


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
    job = _job(items, model, out, rubric, constrain=constrain)
    limit = model.max_concurrency if concurrency is None else concurrency
    await carry_out(job, Path(out), concurrency=limit, progress=progress)
    return read_labels(out, [name for name in STREAMS if any(item.stream == name for item in items)])


def check_folder(
    items: Sequence[Item],
    model: Model,
    out: str | Path,
    *,
    rubric: Rubric | None = None,
    constrain: bool = False,
) -> None:
    """Refuse what :func:`annotate` would refuse of these items and this folder; nothing is sent or written.

    Parameters
    ----------
    items, model, out, rubric, constrain
        As for :func:`annotate`.

    Raises
    ------
    RunError
        If the folder holds another annotation, or a label in it is none of its stream's.
    ValueError
        If there is no item, or one occurs twice.
    """
    is_finished(_job(items, model, out, rubric, constrain=constrain), Path(out))


def _job(
    items: Sequence[Item], model: Model, out: str | Path, rubric: Rubric | None, *, constrain: bool
) -> Annotation:
    _check_items(items)
    rubric = load_rubric() if rubric is None else rubric
    return Annotation(items, model, rubric, Path(out), constrain=constrain)


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
    records = (record for stream in streams for record in label_records(folder, stream))
    labels = {record["question_id"]: record["label"] for record in records}
    return pd.Series(labels, dtype=object, name="label").rename_axis("id")
