"""A job at work: one task an episode, one gate before the model, one writer behind them."""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tqdm import tqdm

from judged_useless.models.base import (
    ContextOverflowError,
    EveryRequestFailsError,
    FatalModelError,
    ModelError,
)
from judged_useless.runs.gate import Gate, GatedModel, Meter
from judged_useless.runs.job import Job
from judged_useless.runs.store import ERRORS, Key
from judged_useless.runs.writing import Writer

#: Episodes in a row that may fail in transport before the run gives up: the server is gone.
MOST_FAILURES_IN_A_ROW = 20


class IncompleteRunError(ModelError):
    """Episodes are missing because requests failed. Running the cell again runs just these.

    Attributes
    ----------
    path : pathlib.Path
        Where what there is lies.
    missing : int
        Episodes that are not there.
    """

    def __init__(self, path: Path, missing: int, last: str) -> None:
        super().__init__(
            f"{missing} episodes of {path} are missing because requests failed (the last: {last}); "
            f"{path / ERRORS} lists them, and the same call resumes the run"
        )
        self.path = path
        self.missing = missing


class Execution:
    """One go at what is missing of a job.

    Parameters
    ----------
    job : Job
        What is done.
    path : pathlib.Path
        The run directory, locked.
    done : mapping
        Regime -> question id -> trajectory that is there already.
    concurrency : int
        Requests in flight.
    progress : bool
        Whether to show a bar.
    """

    def __init__(
        self,
        job: Job,
        path: Path,
        done: Mapping[str, Mapping[str, Mapping[str, Any]]],
        concurrency: int,
        progress: bool,
    ) -> None:
        self._job = job
        self._keys = job.keys()
        self._gate = Gate(concurrency)
        self._writer = Writer(path)
        self._meter = Meter()
        self._done: set[Key] = {(regime, question) for regime, found in done.items() for question in found}
        self._tokens: Counter[str] = Counter()
        for found in done.values():
            for record in found.values():
                self._count(record)
        self._failures_in_a_row = 0
        self.last_error = ""
        self._bar = tqdm(
            total=len(self._keys),
            initial=self.n_done,
            disable=not progress,
            unit="episode",
            desc=job.model.name,
        )

    @property
    def n_done(self) -> int:
        """Episodes on the disk."""
        return len(self._done)

    @property
    def missing(self) -> int:
        """Episodes that are not."""
        return len(self._keys) - self.n_done

    def tokens(self) -> dict[str, int]:
        """Return calls and tokens of all episodes on the disk."""
        return dict(sorted(self._tokens.items()))

    async def run(self) -> None:
        """Run what is missing.

        Raises
        ------
        ModelError
            If trying again cannot help, or too many episodes in a row have failed.
        """
        try:
            async with asyncio.TaskGroup() as group:
                for rank, key in enumerate(self._pending()):
                    group.create_task(self._attempt(rank, key))
        except BaseExceptionGroup as failures:
            raise _first(failures) from failures
        finally:
            await self._writer.aclose()
            self._bar.close()

    def _pending(self) -> Iterator[Key]:
        return (key for key in self._keys if key not in self._done)

    async def _attempt(self, rank: int, key: Key) -> None:
        regime, question_id = key
        model = GatedModel(self._job.model, self._gate, self._meter, rank)
        try:
            record = await self._job.produce(model, key)
        except ModelError as error:
            if self._stops_everything(error):
                raise
            await self._fail(question_id, regime, error)
        else:
            await self._writer.append(f"{regime}.jsonl", record, lambda: self._saved(key, record))

    def _stops_everything(self, error: ModelError) -> bool:
        """Tell whether no further request makes sense, by its kind or since nothing has succeeded yet."""
        if isinstance(error, EveryRequestFailsError):
            return True
        # A refusal in the middle concerns one question.
        fatal = isinstance(error, FatalModelError) and not isinstance(error, ContextOverflowError)
        return fatal and not self._done

    async def _fail(self, question_id: str, regime: str, error: ModelError) -> None:
        """Leave an episode pending; give up if that has happened too often in a row."""
        self.last_error = f"{type(error).__name__}: {error}"
        # An overflow says nothing about the server.
        self._failures_in_a_row += not isinstance(error, ContextOverflowError)
        failure = {"question_id": question_id, "regime": regime, "error": self.last_error}
        await self._writer.append(ERRORS, failure)
        if self._failures_in_a_row >= MOST_FAILURES_IN_A_ROW:
            raise ModelError(
                f"{self._failures_in_a_row} episodes in a row failed, so the run stops; the last: {error}"
            ) from error

    def _saved(self, key: Key, record: Mapping[str, Any]) -> None:
        self._failures_in_a_row = 0
        self._done.add(key)
        self._count(record)
        self._show()

    def _count(self, record: Mapping[str, Any]) -> None:
        calls = record["calls"]
        self._tokens["calls"] += len(calls)
        for name in ("prompt_tokens", "completion_tokens"):
            self._tokens[name] += sum(call[name] or 0 for call in calls)

    def _show(self) -> None:
        if self._bar.disable:
            return
        elapsed = self._bar.format_dict["elapsed"] or 1e-9
        shown = {"calls": self._meter.calls, "tokens/s": round(self._meter.completion_tokens / elapsed)}
        if self._meter.cost_usd is not None:
            shown["USD"] = round(self._meter.cost_usd, 2)
        self._bar.set_postfix(shown, refresh=False)
        self._bar.update()


def _first(failures: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the failure that ended the group, out of any nesting."""
    first = failures.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first
