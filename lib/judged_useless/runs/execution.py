"""A job at work in a folder: one task an episode, so many of them at once, one writer behind them."""

import asyncio
import gc
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tqdm import tqdm

from judged_useless._io.messages import visible
from judged_useless.models.base import (
    ContextOverflowError,
    EveryRequestFailsError,
    FatalModelError,
    Generation,
    Message,
    Model,
    ModelError,
)
from judged_useless.protocol.signals import parse_side_channel
from judged_useless.runs.cell_spec import differences, software
from judged_useless.runs.manifests import read_manifest, write_manifest
from judged_useless.runs.run_files import (
    ERRORS,
    Key,
    RecordCheck,
    RunError,
    Writer,
    locked,
    read_records,
    recover,
    rewrite_sorted,
)

#: Episodes in a row that may fail in transport before the run gives up: the server is gone.
MOST_FAILURES_IN_A_ROW = 20
#: Of an error's text, in messages and in the log of errors.
MOST_CHARACTERS = 1000
#: New objects after which Python looks for cycles while a run is on; by default it does so after 700.
OBJECTS_BETWEEN_COLLECTIONS = 50_000


@dataclass(frozen=True, kw_only=True)
class Job:
    """Work that makes one record an episode, with one model: running it, or asking something of it."""

    model: Model
    #: Regime and question id of every record, in the order in which they are worked on.
    keys: list[Key]
    #: What decides every byte of the records but the timings; it has ``regimes``, one file each.
    spec: dict[str, Any]
    run_id: str
    #: What to say of a folder that holds something else; ``{different}`` is in what.
    another: str
    #: Regime -> a check of a record in its file: that it is whole, and one of `keys`.
    check: Callable[[str], RecordCheck]
    #: Makes one record, with ``question_id`` and ``calls``.
    produce: Callable[[Model, Key], Coroutine[Any, Any, dict[str, Any]]]
    #: Whether the records are a run's.
    of_run: bool = False
    #: Manifest of a folder -> one that this job can go on with as an unfinished one of its own.
    extended: Callable[[dict[str, Any]], dict[str, Any]] = lambda manifest: manifest

    @property
    def regimes(self) -> list[str]:
        """One file each."""
        return list(self.spec["regimes"])

    def manifest(self, path: Path) -> dict[str, Any] | None:
        """Return the manifest of a folder, or None."""
        manifest = read_manifest(path, of_run=self.of_run)
        return manifest if manifest is None else self.extended(manifest)


class IncompleteRunError(ModelError):
    """Episodes are missing because requests failed. Running the cell again runs just these.

    `path` is where what there is lies, `missing` the number of episodes that are not there.
    """

    def __init__(self, path: Path, missing: int, last: str) -> None:
        super().__init__(
            f"{missing} episodes of {path} are missing because requests failed (the last: {last}); "
            f"{path / ERRORS} lists them, and the same call resumes the run"
        )
        self.path, self.missing = path, missing


async def carry_out(job: Job, path: Path, *, concurrency: int, progress: bool) -> None:
    """Do a job, or what is missing of it, in a folder that nobody else writes meanwhile.

    One that is finished already, with every record there, is left as it is. Errors are those of `run_cell`.
    """
    if concurrency < 1:
        raise ValueError(f"concurrency is {concurrency}, expected at least 1")
    if is_finished(job, path):
        return
    with locked(path):
        # Looked at again: another process may have finished it before the lock was ours.
        if is_finished(job, path):
            return
        done = {
            (regime, question_id): record
            for regime in job.regimes
            for question_id, record in recover(path / f"{regime}.jsonl", job.check(regime)).items()
        }
        manifest = _first_manifest(job, path, concurrency)
        write_manifest(path, manifest)
        execution = _Execution(job, path, done, concurrency, progress)
        try:
            with rare_collections():
                await execution.run()
        except (KeyboardInterrupt, asyncio.CancelledError):
            manifest["status"] = "interrupted"
            raise
        except Exception as error:
            manifest |= {"status": "stopped", "reason": type(error).__name__}
            raise
        else:
            if not execution.missing:
                for regime in job.regimes:
                    rewrite_sorted(path / f"{regime}.jsonl", [key[1] for key in job.keys if key[0] == regime])
            manifest["status"] = "incomplete" if execution.missing else "complete"
        finally:
            manifest |= {
                "model": job.model.describe(),
                "n_episodes": {"planned": len(job.keys), "done": len(execution.done)},
                "tokens": dict(sorted(execution.tokens.items())),
                "judgments": dict(execution.judgments),
            }
            manifest["timings"]["ended"] = _now()
            write_manifest(path, manifest)
    if execution.missing:
        raise IncompleteRunError(path, execution.missing, execution.last_error)


@contextmanager
def rare_collections() -> Iterator[None]:
    """Have garbage collected more rarely: it costs what is in flight, and 256 requests are many objects."""
    before = gc.get_threshold()
    gc.set_threshold(max(OBJECTS_BETWEEN_COLLECTIONS, before[0]), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def is_finished(job: Job, path: Path) -> bool:
    """Tell whether a job is complete and all of it there; raise `RunError` if something else is."""
    manifest = job.manifest(path)
    if manifest is None:
        if path.is_dir() and any(path.glob("*.jsonl")):
            raise RunError(f"{path}: holds .jsonl files but no manifest; move them, or give another out")
        return False
    # As it is once it has been written and read.
    if different := differences(manifest["spec"], json.loads(json.dumps(job.spec))):
        # One that failed before anything was there stands in nobody's way.
        if not any(file.stat().st_size for file in path.glob("*.jsonl")):
            return False
        raise RunError(f"{path}: {job.another.format(different='; '.join(different))}")
    if manifest["status"] != "complete":
        return False
    found = {
        (regime, record["question_id"])
        for regime in job.regimes
        for record in read_records(path / f"{regime}.jsonl", job.check(regime))
    }
    return found.issuperset(job.keys)


def _first_manifest(job: Job, path: Path, concurrency: int) -> dict[str, Any]:
    before, keys = job.manifest(path) or {}, job.keys
    return {
        "run": job.run_id,
        "status": "running",
        "simulated": job.model.simulated,
        "spec": job.spec,
        "model": job.model.describe(),
        "concurrency": concurrency,
        "questions": list(dict.fromkeys(question_id for _, question_id in keys)),
        "n_episodes": {"planned": len(keys), "done": 0},
        "tokens": {},
        "judgments": {},
        "software": software(),
        "timings": {"started": [*before.get("timings", {}).get("started", []), _now()]},
    }


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


class _BoundedModel:
    """A model of which only so many requests are in flight at once."""

    def __init__(self, model: Model, limit: int) -> None:
        self.name, self.provider, self.decoding = model.name, model.provider, model.decoding
        self.max_concurrency, self.simulated = limit, model.simulated
        self.describe, self.aclose = model.describe, model.aclose
        self._generate, self._places = model.generate, asyncio.Semaphore(limit)

    async def generate(self, messages: Sequence[Message], **options: Any) -> Generation:  # noqa: ANN401
        """Continue a conversation when there is a place."""
        async with self._places:
            return await self._generate(messages, **options)


class _Execution:
    """One go at what is missing of a job."""

    def __init__(
        self, job: Job, path: Path, found: Mapping[Key, Mapping[str, Any]], concurrency: int, progress: bool
    ) -> None:
        self._job, self._writer = job, Writer(path)
        self._model, self._places = _BoundedModel(job.model, concurrency), asyncio.Semaphore(concurrency)
        self.done: set[Key] = set()
        self.tokens: Counter[str] = Counter()
        #: Judgments asked of the model, those that say neither word, and of these the ones that were cut.
        self.judgments = Counter({"asked": 0, "unparsed": 0, "cut": 0})
        for key, record in found.items():
            self._add(key, record)
        self.last_error = ""
        self._failures_in_a_row, self._has_ended = 0, False
        # Of this process: tokens generated, and what they cost.
        self._generated, self._cost = 0, 0.0
        shown: dict[str, Any] = {"disable": not progress, "unit": "episode", "desc": job.model.name}
        self._bar = tqdm(total=len(job.keys), initial=len(self.done), **shown)

    @property
    def missing(self) -> int:
        """Episodes that are not on the disk."""
        return len(self._job.keys) - len(self.done)

    async def run(self) -> None:
        """Run what is missing; raise what makes going on senseless."""
        pending = [key for key in self._job.keys if key not in self.done]
        try:
            async with asyncio.TaskGroup() as group:
                for key in pending:
                    group.create_task(self._attempt(key))
        except BaseExceptionGroup as failures:
            first: BaseException = failures
            while isinstance(first, BaseExceptionGroup):
                first = first.exceptions[0]
            raise first from failures
        finally:
            await self._writer.aclose()
            self._bar.close()

    async def _attempt(self, key: Key) -> None:
        try:
            # Not all at once: what is on the disk early is then whole episodes, and the prefixes of those in
            # flight are still in the server's cache.
            async with self._places:
                record = await self._job.produce(self._model, key)
        except ModelError as error:
            # A refusal in the middle concerns one question, unless nothing has succeeded yet.
            fatal = isinstance(error, FatalModelError) and not isinstance(error, ContextOverflowError)
            if isinstance(error, EveryRequestFailsError) or (fatal and not self._has_ended):
                raise
            await self._fail(key, error)
        else:
            # At once: by the time that it is on the disk, the next episode may have met its refusal.
            self._has_ended = True
            await self._writer.append(f"{key[0]}.jsonl", record, lambda: self._saved(key, record))

    async def _fail(self, key: Key, error: ModelError) -> None:
        """Leave an episode pending; give up if that has happened too often in a row."""
        # What a server said may be of any length, and turn a terminal's colours or direction.
        self.last_error = visible(f"{type(error).__name__}: {error}"[:MOST_CHARACTERS])
        # An overflow says nothing about the server.
        self._failures_in_a_row += not isinstance(error, ContextOverflowError)
        failure = {"question_id": key[1], "regime": key[0], "error": self.last_error}
        await self._writer.append(ERRORS, failure)
        if self._failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
            raise ModelError(
                f"{self._failures_in_a_row} episodes in a row failed, so the run stops; the last: "
                f"{self.last_error}"
            ) from error

    def _saved(self, key: Key, record: Mapping[str, Any]) -> None:
        self._failures_in_a_row = 0
        self._add(key, record)
        self._generated += sum(call["completion_tokens"] or 0 for call in record["calls"])
        self._cost += sum(timing["cost_usd"] or 0.0 for timing in record["timings"])
        if not self._bar.disable:
            elapsed = self._bar.format_dict["elapsed"] or 1e-9
            shown = {"calls": self.tokens["calls"], "tokens/s": round(self._generated / elapsed)}
            cost = {"USD": round(self._cost, 2)} if self._cost else {}
            self._bar.set_postfix(shown | cost, refresh=False)
            self._bar.update()

    def _add(self, key: Key, record: Mapping[str, Any]) -> None:
        self.done.add(key)
        self.tokens["calls"] += len(record["calls"])
        for name in ("prompt_tokens", "completion_tokens"):
            self.tokens[name] += sum(call[name] or 0 for call in record["calls"])
        for call in record["calls"]:
            if call["kind"] == "judgment":
                unparsed = parse_side_channel(call["text"]) == "UNPARSED"
                self.judgments["asked"] += 1
                self.judgments["unparsed"] += unparsed
                self.judgments["cut"] += unparsed and call["finish_reason"] == "length"
