"""The three tasks: their questions, splits and scoring (paper §2, "Tasks and tools")."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import cast

from judged_useless.tasks.question import Kind, Paragraph, Question, SupportingFact
from judged_useless.tasks.scoring import is_correct, normalize_answer, parse_verdict, token_f1

__all__ = [
    "TASKS",
    "Paragraph",
    "Question",
    "SupportingFact",
    "Task",
    "get_task",
    "is_correct",
    "load_questions",
    "normalize_answer",
    "parse_verdict",
    "token_f1",
]

#: ``load(split, *, source=None)``.
Loader = Callable[..., list[Question]]


@dataclass(frozen=True)
class Task:
    """One entry of `TASKS`.

    Attributes
    ----------
    name : str
        What commands and manifests call it.
    kind : {"question", "claim"}
        Decides wording and scoring.
    loader : str
        ``module:function``, imported when questions are asked for and not before.
    split : str
        The split that is meant where none is named.
    about : str
        One line for lists and help texts.
    """

    name: str
    kind: Kind
    loader: str
    split: str
    about: str

    def load(self, split: str, *, source: str | Path | None = None) -> list[Question]:
        """Return all questions of a split, in the order of its manifest.

        Parameters
        ----------
        split : str
            A split of this task; an unknown one raises and lists those there are.
        source : str or Path, optional
            Where to read from; what is possible and the default are the task module's.

        Returns
        -------
        list of Question
        """
        module, function = self.loader.split(":")
        loader = cast(Loader, getattr(import_module(module), function))
        return loader(split, source=source)


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task(
            "hotpotqa",
            "question",
            "judged_useless.tasks.hotpotqa:load",
            "test300",
            "two-hop questions, the paper's main task",
        ),
        Task(
            "fever",
            "claim",
            "judged_useless.tasks.fever:load",
            "fever292",
            "claims to verify, the paper's second task",
        ),
        Task(
            "atlas",
            "question",
            "judged_useless.tasks.atlas:load",
            "test300",
            "two-hop questions of our own, embedded (not in the paper)",
        ),
        Task(
            "atlas-claims",
            "claim",
            "judged_useless.tasks.atlas:load_claims",
            "claims",
            "claims of our own, embedded (not in the paper)",
        ),
    )
}


def get_task(name: str) -> Task:
    """Look a task up.

    Parameters
    ----------
    name : str
        A key of `TASKS`.

    Returns
    -------
    Task

    Raises
    ------
    ValueError
        If there is no such task; the message lists those there are.
    """
    try:
        return TASKS[name]
    except KeyError:
        raise ValueError(f"unknown task {name!r}; known are {', '.join(TASKS)}") from None


def load_questions(
    task: str, split: str, n_questions: int | None = None, *, source: str | Path | None = None
) -> list[Question]:
    """Load the questions of one split, or its first few.

    Parameters
    ----------
    task : str
        A key of `TASKS`.
    split : str
        Such as ``test300``.
    n_questions : int, optional
        Only the first so many; all by default. The pool of failed observations is built over the whole
        split even then: see `judged_useless.environment.failed_paragraphs.FailurePool.for_split`.
    source : str or Path, optional
        Passed on to the task's loader.

    Returns
    -------
    list of Question
        In the order of the split's manifest.

    Raises
    ------
    ValueError
        If the task or split is unknown, or `n_questions` is below 1 or more than the split has.
    """
    questions = get_task(task).load(split, source=source)
    if n_questions is None:
        return questions
    if not 1 <= n_questions <= len(questions):
        raise ValueError(f"n_questions is {n_questions}; {task} {split} has {len(questions)} questions")
    return questions[:n_questions]
