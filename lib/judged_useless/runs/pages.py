"""Which of the question's own pages each observation of a run showed (paper, Appendix C.3)."""

from pathlib import Path

import pandas as pd

from judged_useless.runs.reading import Run
from judged_useless.runs.spec import questions_sha256
from judged_useless.runs.store import RunError
from judged_useless.tasks import load_questions

#: Actions that show a page; a lookup shows a sentence of the current one.
_SEARCHES = ("search", "backup_search")


def with_pages(run: Run, *, source: str | Path | None = None) -> pd.DataFrame:
    """Return a run's episodes with what `judged_useless.estimators.specificity` asks for.

    Parameters
    ----------
    run : Run
        A run directory.
    source : path, optional
        Where the task's loader reads from.

    Returns
    -------
    pandas.DataFrame
        As :meth:`Run.episodes`, with ``pages``, for each observation the title that a real search returned
        and None for anything else (a failed result, a lookup, no hit), and ``gold_titles`` of the question.

    Raises
    ------
    RunError
        If the questions are not those that the run was made on, or no episode has ended yet.
    """
    spec, episodes = run.manifest["spec"], run.episodes()
    questions = load_questions(spec["task"], spec["split"], source=source)
    if questions_sha256(questions) != spec["data_sha256"]:
        raise RunError(f"{run.path}: {spec['task']} {spec['split']} is not what the run was made on")
    gold = {question.id: list(question.gold_titles) for question in questions}
    pages = [
        [
            seen["real_title"] if seen["action"] in _SEARCHES and not seen["failed"] else None
            for seen in record["observation_meta"]
        ]
        for record in run.trajectories()
    ]
    return episodes.assign(
        pages=pd.Series(pages, index=episodes.index, dtype=object),
        gold_titles=pd.Series([gold[each] for each in episodes["question_id"]], index=episodes.index),
    )
