"""Running a cell: all its episodes in flight, each on the disk as soon as it has ended."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from judged_useless.calls import Options
from judged_useless.conditions import get_condition
from judged_useless.knowledge import LookupMode
from judged_useless.models import Model, get_model
from judged_useless.models.scripted import KnowsQuestions
from judged_useless.pool import SALT, replicate_salt
from judged_useless.regimes import MEAN6, get_regime
from judged_useless.runs.execution import Execution, IncompleteRunError
from judged_useless.runs.reading import Run
from judged_useless.runs.spec import Cell, differences, software
from judged_useless.runs.store import (
    Lock,
    RunError,
    read_manifest,
    recover,
    rewrite_sorted,
    write_manifest,
)
from judged_useless.tasks import load_questions

__all__ = ["IncompleteRunError", "run_cell"]

_ROOT = Path("runs")


async def run_cell(
    *,
    model: str | Model,
    condition: str = "unaided",
    task: str = "hotpotqa",
    split: str = "test300",
    regimes: Sequence[str] = MEAN6,
    n_questions: int | None = None,
    budget: int = 8,
    k: int = 5,
    seed: int | None = None,
    out: str | Path | None = None,
    judge: bool = True,
    useless_rate: float | None = None,
    constrain: bool = False,
    style: str | None = None,
    lookup: LookupMode = "released",
    replicate: str | None = None,
    source: str | Path | None = None,
    concurrency: int | None = None,
    progress: bool = True,
    **model_options: Any,  # noqa: ANN401 - options belong to the provider
) -> Run:
    """Run one cell, or what is missing of it (paper §2; every argument is written into the manifest).

    Parameters
    ----------
    model : str or Model
        ``provider:name`` as for `judged_useless.models.get_model`, or a model; a model given is left open.
    condition : str, default "unaided"
        As for `judged_useless.conditions.get_condition`: a released name, or parts joined with ``+``.
    task, split : str, default "hotpotqa", "test300"
        As for `judged_useless.tasks.load_questions`.
    regimes : sequence of str, default the six of mean6
        As for `judged_useless.regimes.get_regime`.
    n_questions : int, optional
        Only the first so many; all by default.
    budget : int, default 8
        Actions of an episode, ``finish`` included.
    k : int, default 5
        Run of USELESS judgments at which a rule acts.
    seed : int, optional
        Base seed of sampling and of the random signal; by default the released runs' 42.
    out : path, optional
        The run directory; by default a folder under ``runs/`` named after the cell.
    judge : bool, default True
        Record the model's judgments also where the condition does not use them, on copies, as the paper's
        replay does (not in clean and plausible, which it left out). Δ needs them; they cost requests but no
        waiting.
    useless_rate : float, optional
        For ``random``: the model's own share of USELESS on development questions.
    constrain : bool, default False
        Hold turns to their form while they are generated: a deviation, for very small models.
    style : {"react", "search-r1"}, optional
        How turns are written; by default search-r1 for that model, else react.
    lookup : {"released", "paper"}, default "released"
        Whether a repeated lookup returns the first match again or the next one.
    replicate : str, optional
        Tag of a replicate: other failed observations are drawn (Amendment 10). Give another `seed` with it.
    source : path, optional
        Where the task's loader reads from.
    concurrency : int, optional
        Requests in flight; by default what the model says is worth having.
    progress : bool, default True
        Show a progress bar.
    **model_options
        Passed on to the model's provider, such as ``base_url``.

    Returns
    -------
    Run
        The finished run. One that is finished already is returned as it is.

    Raises
    ------
    IncompleteRunError
        If episodes are missing because requests failed; calling again runs just these.
    ModelError
        If the cost cap is reached, the very first request cannot succeed, or the server is gone; what has
        ended is kept, and calling again resumes.
    RunError
        If the directory holds another run, or another process is writing there.
    ValueError
        If an argument is not what is described here.
    """
    questions = load_questions(task, split, source=source)
    chosen = len(questions) if n_questions is None else n_questions
    if not 1 <= chosen <= len(questions):
        raise ValueError(f"n_questions is {chosen}; {task} {split} has {len(questions)} questions")
    agent, opened = _model(model, condition, seed, model_options)
    try:
        if isinstance(agent, KnowsQuestions):
            agent = agent.prepared(questions, budget)
        cell = Cell(
            model=agent,
            condition=get_condition(condition, model=agent.name),
            task=task,
            split=split,
            questions=tuple(questions),
            n_questions=chosen,
            regimes=_regimes(regimes),
            budget=budget,
            options=Options(
                k=k,
                style=style or ("search-r1" if agent.name == "search-r1" else "react"),
                judge=judge,
                useless_rate=useless_rate,
                seed=42 if seed is None else seed,
                constrain=constrain,
            ),
            lookup=lookup,
            salt=SALT if replicate is None else replicate_salt(replicate),
        )
        path = _ROOT / cell.run_id() if out is None else Path(out)
        limit = agent.max_concurrency if concurrency is None else concurrency
        return await _run(cell, path, limit, progress)
    finally:
        if opened:
            await agent.aclose()


def _model(
    model: str | Model, condition: str, seed: int | None, options: Mapping[str, Any]
) -> tuple[Model, bool]:
    """Return the model, and whether it was opened here."""
    thinking = get_condition(condition).thinking
    if not isinstance(model, str):
        if options:
            raise ValueError(
                f"options {', '.join(options)} belong to a model's provider, and a model was given"
            )
        if thinking and not model.decoding.thinking:
            raise ValueError(
                f"condition {condition!r} needs a model in thinking mode; make it with thinking=True"
            )
        return model, False
    given = dict(options)
    if seed is not None:
        given["seed"] = seed
    if thinking:
        given["thinking"] = True
    return get_model(model, **given), True


def _regimes(regimes: Sequence[str]) -> tuple[str, ...]:
    if isinstance(regimes, str):
        raise ValueError(f"regimes is the text {regimes!r}, expected a sequence of names")
    names = tuple(get_regime(name).name for name in regimes)
    if not names or len(set(names)) < len(names):
        raise ValueError(f"regimes are {list(regimes)}, expected at least one, each once")
    return names


async def _run(cell: Cell, path: Path, concurrency: int, progress: bool) -> Run:
    spec = json.loads(json.dumps(cell.spec()))
    if _finished(path, spec):
        return Run(path)
    with Lock(path):
        # Looked at again: another process may have finished it before the lock was ours.
        if _finished(path, spec):
            return Run(path)
        done = {regime: recover(path / f"{regime}.jsonl") for regime in cell.regimes}
        manifest = _manifest(cell, spec, path, concurrency)
        write_manifest(path, manifest)
        execution = Execution(cell, path, done, concurrency, progress)
        try:
            await execution.run()
        except (KeyboardInterrupt, asyncio.CancelledError):
            manifest["status"] = "interrupted"
            raise
        except Exception as error:
            manifest["status"] = "stopped"
            manifest["reason"] = type(error).__name__
            raise
        else:
            manifest["status"] = "incomplete" if execution.missing else "complete"
        finally:
            _close(cell, path, manifest, execution)
    if execution.missing:
        raise IncompleteRunError(Run(path), execution.missing, execution.last_error)
    return Run(path)


def _finished(path: Path, spec: Mapping[str, Any]) -> bool:
    """Tell whether the run is complete, and refuse a directory that holds another one."""
    manifest = read_manifest(path)
    if manifest is None:
        if path.is_dir() and any(path.glob("*.jsonl")):
            raise RunError(f"{path}: holds .jsonl files but no manifest, so it is no run; give another out")
        return False
    if different := differences(manifest.get("spec", {}), spec):
        raise RunError(f"{path}: holds another run; give another out. Different: {'; '.join(different)}")
    return manifest.get("status") == "complete"


def _manifest(cell: Cell, spec: Mapping[str, Any], path: Path, concurrency: int) -> dict[str, Any]:
    before = read_manifest(path) or {}
    return {
        "run": cell.run_id(),
        "status": "running",
        "simulated": cell.model.simulated,
        "spec": dict(spec),
        "model": cell.model.describe(),
        "concurrency": concurrency,
        "n_episodes": {"planned": cell.n_questions * len(cell.regimes), "done": 0},
        "tokens": {},
        "software": software(),
        "timings": {"started": [*before.get("timings", {}).get("started", []), _now()]},
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _close(cell: Cell, path: Path, manifest: dict[str, Any], execution: Execution) -> None:
    """Write what is known at the end, however it came."""
    if manifest["status"] == "complete":
        order = {question.id: place for place, question in enumerate(cell.questions)}
        for regime in cell.regimes:
            rewrite_sorted(path / f"{regime}.jsonl", order)
    manifest["model"] = cell.model.describe()
    manifest["n_episodes"]["done"] = execution.n_done
    manifest["tokens"] = execution.tokens()
    manifest["timings"]["ended"] = _now()
    write_manifest(path, manifest)
