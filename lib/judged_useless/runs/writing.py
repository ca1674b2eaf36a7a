"""Appending trajectories to the files of a run, none of which is left with a torn line in its middle."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import Any

from judged_useless.runs.store import RunError, to_line


class Writer:
    """Appends trajectories; each is on the disk before :meth:`append` returns.

    Records that arrive while the disk is busy are written together, so that waiting for the disk does not
    bound the number of episodes a second. A file whose disk has refused is cut back to its last whole record
    and not written again, so that nothing stands behind a torn line.

    Parameters
    ----------
    path : pathlib.Path
        The run directory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: dict[str, FileIO] = {}
        self._refused: dict[str, str] = {}
        self._pending: list[tuple[str, bytes, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def append(
        self, name: str, record: Mapping[str, Any], saved: Callable[[], None] = lambda: None
    ) -> None:
        """Append one record to ``<name>`` and wait until it is on the disk.

        Parameters
        ----------
        name : str
            File name in the run directory.
        record : mapping
            JSON values.
        saved : callable, optional
            Called when it is on the disk, also if whoever waits for it has been cancelled: what has ended is
            neither lost nor forgotten because something else fails.

        Raises
        ------
        RunError
            If the disk refuses, now or before; the message names the file.
        """
        done = asyncio.get_running_loop().create_future()
        done.add_done_callback(lambda future: None if future.exception() else saved())
        self._pending.append((name, to_line(record), done))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._drain())
        await asyncio.shield(done)

    async def _drain(self) -> None:
        while self._pending:
            batch, self._pending = self._pending, []
            failures = await asyncio.to_thread(self._write, [(name, line) for name, line, _ in batch])
            for (*_, done), failure in zip(batch, failures, strict=True):
                if failure is None:
                    done.set_result(None)
                else:
                    done.set_exception(RunError(failure))

    def _write(self, lines: Sequence[tuple[str, bytes]]) -> list[str | None]:
        """Write lines as far as the disk lets us, and return for each what kept it from the disk."""
        failures = [self._refused.get(name) or self._put(name, line) for name, line in lines]
        written = {name for (name, _), failure in zip(lines, failures, strict=True) if failure is None}
        unsaved = {name: self._sync(name) for name in written}
        return [failure or unsaved[name] for (name, _), failure in zip(lines, failures, strict=True)]

    def _put(self, name: str, line: bytes) -> str | None:
        try:
            if name not in self._files:
                self._files[name] = (self._path / name).open("ab", buffering=0)
            handle = self._files[name].fileno()
            whole = os.fstat(handle).st_size
        except OSError as error:
            return self._refuse(name, error)
        try:
            rest = memoryview(line)
            # A disk that fills up takes a part of a line before it refuses the next one.
            while rest:
                rest = rest[os.write(handle, rest) :]
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(handle, whole)
            return self._refuse(name, error)
        return None

    def _sync(self, name: str) -> str | None:
        try:
            os.fsync(self._files[name].fileno())
        except OSError as error:
            return self._refuse(name, error)
        return None

    def _refuse(self, name: str, error: OSError) -> str:
        self._refused[name] = f"{self._path / name}: cannot be written: {error}"
        return self._refused[name]

    async def aclose(self) -> None:
        """Write what is pending and close the files."""
        if self._task is not None:
            await self._task
            await asyncio.sleep(0)  # lets what waits for the last batch know
        for stream in self._files.values():
            stream.close()
