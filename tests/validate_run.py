"""An independent check of a run: every episode is taken through a fresh environment and written down anew.

Nothing here uses the agent loop. The generations of a trajectory are taken as given; everything else in it,
every message, observation, counter, injected sentence, judgment, event and field, is derived from them again
by the protocol and compared.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from judged_useless.environment.environment import Environment
from judged_useless.environment.failed_paragraphs import FailurePool
from judged_useless.protocol.prompts import get_wording
from judged_useless.runs.recorded import Run
from judged_useless.tasks import load_questions
from judged_useless.tasks.question import Question
from replay_oracle import DeviationError, Record, Replay, expected, follow


def validate_trajectory(record: Record, spec: Record, question: Question, pool: FailurePool) -> list[str]:
    """Compare one trajectory with what the protocol makes of its generations."""
    environment = Environment(
        question, record["regime"], pool, budget=spec["budget"], lookup=spec["lookup"], salt=spec["salt"]
    )
    replay = Replay(spec, record, environment, get_wording(spec["options"]["style"], question.kind))
    try:
        follow(replay)
    except DeviationError as deviation:
        return [str(deviation)]
    return [
        difference
        for name, value in expected(replay).items()
        if (difference := _difference(name, record[name], value))
    ]


def _difference(name: str, found: Any, wanted: Any) -> str:
    if found == wanted:
        return ""
    if isinstance(found, Sequence) and isinstance(wanted, Sequence) and not isinstance(found, str):
        for place, (one, other) in enumerate(zip(found, wanted, strict=False), 1):
            if one != other:
                return f"{name}, entry {place}: {one!r}, expected {other!r}"
        return f"{name}: {len(found)} entries, expected {len(wanted)}"
    return f"{name}: {found!r}, expected {wanted!r}"


def validate_run(path: str | Path, questions: Sequence[Question] | None = None) -> list[str]:
    """Compare every trajectory of a run with what the protocol makes of its generations."""
    run = Run(path)
    spec = run.manifest["spec"]
    split = list(questions) if questions is not None else load_questions(spec["task"], spec["split"])
    by_id, pool = {question.id: question for question in split}, FailurePool(split)
    return list(_problems(run, spec, by_id, pool))


def _problems(run: Run, spec: Record, by_id: Mapping[str, Question], pool: FailurePool) -> Iterator[str]:
    n = 0
    for record in run.trajectories():
        n += 1
        place = f"{record['regime']}, question {record['question_id']}"
        if record["question_id"] not in by_id:
            yield f"{place}: not a question of this split"
            continue
        for problem in validate_trajectory(record, spec, by_id[record["question_id"]], pool):
            yield f"{place}: {problem}"
    planned = spec["n_questions"] * len(spec["regimes"])
    if run.manifest["status"] == "complete" and n != planned:
        yield f"{n} trajectories, expected {planned}"
