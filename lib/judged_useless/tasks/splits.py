"""Splits: lists of question ids, in order, one a line of a manifest."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from judged_useless._io.paths import data_dir
from judged_useless.tasks.question import Question


def manifest_path(split: str, *, folder: Path | None = None, prefix: str = "") -> Path:
    """Find a split's manifest.

    Parameters
    ----------
    split : str
        Such as ``test300``.
    folder : Path, optional
        Where the manifests are; the project's ``manifests`` by default.
    prefix : str, default ""
        What the file names have in front of the split.

    Returns
    -------
    Path

    Raises
    ------
    ValueError
        If there is no such split; the message lists those there are.
    """
    folder = data_dir() / "manifests" if folder is None else folder
    known = {path.stem.removeprefix(prefix): path for path in sorted(folder.glob(f"{prefix}*.txt"))}
    if split not in known:
        raise ValueError(
            f"unknown split {split!r}; known are {', '.join(known) or f'none (nothing in {folder})'}"
        )
    return known[split]


def split_ids(split: str, *, folder: Path | None = None, prefix: str = "") -> list[str]:
    """Return the ids of a split, in order.

    Parameters
    ----------
    split, folder, prefix
        As for `manifest_path`.

    Returns
    -------
    list of str

    Raises
    ------
    ValueError
        If there is no such split, or its manifest is empty, has a blank line or an id twice.
    """
    path = manifest_path(split, folder=folder, prefix=prefix)
    ids = path.read_text(encoding="utf-8").splitlines()
    if not ids:
        raise ValueError(f"{path}: empty; expected one question id a line")
    seen: dict[str, int] = {}
    for number, question_id in enumerate(ids, start=1):
        if not question_id or question_id != question_id.strip():
            raise ValueError(f"{path}, line {number}: expected a question id, found {question_id!r}")
        if question_id in seen:
            raise ValueError(
                f"{path}, line {number}: id {question_id!r} is already in line {seen[question_id]}"
            )
        seen[question_id] = number
    return ids


def select(questions: Iterable[Question], ids: Sequence[str], *, source: str | Path) -> list[Question]:
    """Pick the questions of a split, in its order.

    Parameters
    ----------
    questions : iterable of Question
        More than enough of them.
    ids : sequence of str
        The split.
    source : str or Path
        Named in the error.

    Returns
    -------
    list of Question

    Raises
    ------
    ValueError
        If a question is missing; the message names the source, how many are missing and the first.
    """
    by_id = {question.id: question for question in questions}
    missing = [question_id for question_id in ids if question_id not in by_id]
    if missing:
        raise ValueError(
            f"{source}: {len(missing)} of the split's {len(ids)} questions are missing, "
            f"the first is {missing[0]!r}"
        )
    return [by_id[question_id] for question_id in ids]
