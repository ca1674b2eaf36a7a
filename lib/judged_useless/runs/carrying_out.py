"""Doing a job in a folder: a lock, a manifest from the start, records as they come, a status at the end."""

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from judged_useless.runs.differing import differences
from judged_useless.runs.execution import Execution, IncompleteRunError
from judged_useless.runs.gate import require_places
from judged_useless.runs.job import Job
from judged_useless.runs.spec import software
from judged_useless.runs.store import Lock, RunError, read_records, recover, rewrite_sorted, write_manifest


async def carry_out(job: Job, path: Path, *, concurrency: int, progress: bool) -> None:
    """Do a job, or what is missing of it, in a folder that nobody else writes meanwhile.

    Parameters
    ----------
    job : Job
        What is done. One that is finished already, with every record there, is left as it is.
    path : pathlib.Path
        The folder.
    concurrency : int
        Requests in flight.
    progress : bool
        Whether to show a bar.

    Raises
    ------
    IncompleteRunError
        If records are missing because requests failed; calling again makes just these.
    RunError
        If the folder holds something else or something that is not of this job, another process is writing
        there, or it cannot be written.
    ValueError
        If no request may be in flight; nothing is written then.
    """
    require_places(concurrency)
    spec = _spec(job)
    if _finished(job, path, spec):
        return
    with Lock(path):
        # Looked at again: another process may have finished it before the lock was ours.
        if _finished(job, path, spec):
            return
        done = {regime: recover(path / f"{regime}.jsonl", job.check(regime)) for regime in job.regimes}
        manifest = _manifest(job, spec, path, concurrency)
        write_manifest(path, manifest)
        execution = Execution(job, path, done, concurrency, progress)
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
            _close(job, path, manifest, execution)
    if execution.missing:
        raise IncompleteRunError(path, execution.missing, execution.last_error)


def is_finished(job: Job, path: Path) -> bool:
    """Tell whether a job is complete and all of it there; nothing is written.

    Parameters
    ----------
    job : Job
        What is done.
    path : pathlib.Path
        The folder.

    Returns
    -------
    bool

    Raises
    ------
    RunError
        If the folder holds something else or something that is not of this job.
    """
    return _finished(job, path, _spec(job))


def _spec(job: Job) -> dict[str, Any]:
    """Return a job's specification as it is once it has been written and read."""
    return dict(json.loads(json.dumps(job.spec())))


def _finished(job: Job, path: Path, spec: Mapping[str, Any]) -> bool:
    """Tell it of a job whose specification is known."""
    manifest = job.manifest(path)
    if manifest is None:
        if path.is_dir() and any(path.glob("*.jsonl")):
            raise RunError(f"{path}: holds .jsonl files but no manifest; move them, or give another out")
        return False
    if different := differences(manifest["spec"], spec):
        # One that failed before anything was there stands in nobody's way.
        if not any(file.stat().st_size for file in path.glob("*.jsonl")):
            return False
        raise RunError(f"{path}: {job.another('; '.join(different))}")
    if manifest["status"] != "complete":
        return False
    found = {
        (regime, record["question_id"])
        for regime in job.regimes
        for record in read_records(path / f"{regime}.jsonl", job.check(regime))
    }
    return found.issuperset(job.keys())


def _manifest(job: Job, spec: Mapping[str, Any], path: Path, concurrency: int) -> dict[str, Any]:
    before, keys = job.manifest(path) or {}, job.keys()
    return {
        "run": job.run_id(),
        "status": "running",
        "simulated": job.model.simulated,
        "spec": dict(spec),
        "model": job.model.describe(),
        "concurrency": concurrency,
        "questions": list(dict.fromkeys(question_id for _, question_id in keys)),
        "n_episodes": {"planned": len(keys), "done": 0},
        "tokens": {},
        "software": software(),
        "timings": {"started": [*before.get("timings", {}).get("started", []), _now()]},
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _close(job: Job, path: Path, manifest: dict[str, Any], execution: Execution) -> None:
    """Write what is known at the end, however it came."""
    if manifest["status"] == "complete":
        places: dict[str, dict[str, int]] = {}
        for place, (regime, question_id) in enumerate(job.keys()):
            places.setdefault(regime, {})[question_id] = place
        for regime, order in places.items():
            rewrite_sorted(path / f"{regime}.jsonl", order)
    manifest["model"] = job.model.describe()
    manifest["n_episodes"]["done"] = execution.n_done
    manifest["tokens"] = execution.tokens()
    manifest["timings"]["ended"] = _now()
    write_manifest(path, manifest)
