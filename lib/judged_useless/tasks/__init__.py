"""The tasks: their questions, splits and scoring (paper §2, "Tasks and tools")."""

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from judged_useless.tasks.question import Kind, Question

__all__ = ["TASKS", "Task", "get_task", "load_questions"]


@dataclass(frozen=True)
class Task:
    """One entry of `TASKS`: wording and scoring go by ``kind``; ``split`` is meant where none is named."""

    name: str
    kind: Kind
    #: ``module:function``, imported when questions are asked for; called as ``load(split, source=...)``.
    loader: str
    split: str
    about: str


_ALL: tuple[tuple[str, Kind, str, str, str], ...] = (
    ("hotpotqa", "question", "hotpotqa:load", "test300", "two-hop questions, the paper's main task"),
    ("fever", "claim", "fever:load", "fever292", "claims to verify, the paper's second task"),
    ("atlas", "question", "atlas:load", "test300", "two-hop questions of our own, not in the paper"),
    ("atlas-claims", "claim", "atlas:load_claims", "claims", "claims of our own, not in the paper"),
)
TASKS = {name: Task(name, kind, f"{__name__}.{loader}", *rest) for name, kind, loader, *rest in _ALL}


def get_task(name: str) -> Task:
    """Return an entry of `TASKS`; a ValueError lists those there are."""
    if name not in TASKS:
        raise ValueError(f"unknown task {name!r}; known are {', '.join(TASKS)}")
    return TASKS[name]


def load_questions(
    task: str, split: str, n_questions: int | None = None, *, source: str | Path | None = None
) -> list[Question]:
    """Load the questions of one split, in the order of its manifest, or its first few.

    Parameters
    ----------
    task, split : str
        A key of `TASKS`, and one of its splits, such as ``test300``.
    n_questions : int, optional
        Only the first so many; all by default. The pool of failed observations is built over the whole split
        even then.
    source : str or Path, optional
        Where to read from; what is possible, and the default, is the task's loader's affair.

    Raises
    ------
    ValueError
        If the task or split is unknown, or `n_questions` is below 1 or more than the split has.
    """
    module, function = get_task(task).loader.split(":")
    questions: list[Question] = getattr(import_module(module), function)(split, source=source)
    if n_questions is None:
        return questions
    if not 1 <= n_questions <= len(questions):
        raise ValueError(
            f"n_questions is {n_questions}, expected 1 to {len(questions)}: so many has {task} {split}"
        )
    return questions[:n_questions]
