"""Splits: lists of question ids, in order, one a line of a manifest."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from judged_useless._io.paths import data_dir
from judged_useless.tasks.question import Question


def split_ids(split: str, *, folder: Path | None = None, prefix: str = "") -> list[str]:
    """Return the ids of a split, in the order of its manifest ``<folder>/<prefix><split>.txt``.

    The folder is the project's ``manifests`` by default. A ValueError lists the splits there are if this is
    none of them, or says what is wrong with its manifest.
    """
    folder = data_dir() / "manifests" if folder is None else folder
    known = {path.stem.removeprefix(prefix): path for path in sorted(folder.glob(f"{prefix}*.txt"))}
    if split not in known:
        there = ", ".join(known) or f"none (nothing in {folder})"
        raise ValueError(f"unknown split {split!r}; known are {there}")
    path = known[split]
    seen: dict[str, int] = {}
    for number, question_id in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        where = f"{path}, line {number}"
        if not question_id or question_id != question_id.strip():
            raise ValueError(f"{where}: expected a question id, found {question_id!r}")
        if question_id in seen:
            raise ValueError(f"{where}: id {question_id!r} is already in line {seen[question_id]}")
        seen[question_id] = number
    if not seen:
        raise ValueError(f"{path}: empty; expected one question id a line")
    return list(seen)


def select(questions: Iterable[Question], ids: Sequence[str], *, source: str | Path) -> list[Question]:
    """Return the questions of a split, in its order, or name the first that `source` lacks."""
    by_id = {question.id: question for question in questions}
    missing = [question_id for question_id in ids if question_id not in by_id]
    if missing:
        raise ValueError(
            f"{source}: {len(missing)} of the split's {len(ids)} questions are missing, "
            f"the first is {missing[0]!r}"
        )
    return [by_id[question_id] for question_id in ids]
