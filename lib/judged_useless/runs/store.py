"""The folder of a run: append-only trajectories, a lock, and a manifest that is replaced whole."""

import asyncio
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self

from filelock import FileLock, Timeout

from judged_useless.files import write_atomically

MANIFEST = "manifest.json"
#: Requests and episodes that failed in transport; one JSON object a line, but no episodes file.
ERRORS = "errors.log"

#: What makes a trajectory one trajectory of a cell.
Key = tuple[str, str]


class RunError(ValueError):
    """A run directory that cannot be used as asked; the message says which and why."""


def to_line(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line of JSON, equal for equal records."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def read_manifest(path: Path) -> dict[str, Any] | None:
    """Return the manifest of a run directory.

    Parameters
    ----------
    path : pathlib.Path
        The directory.

    Returns
    -------
    dict or None
        None if there is none.

    Raises
    ------
    RunError
        If it is not JSON.
    """
    file = path / MANIFEST
    if not file.is_file():
        return None
    try:
        manifest = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise RunError(f"{file}: not valid JSON ({error})") from error
    if not isinstance(manifest, dict):
        raise RunError(f"{file}: expected a JSON object, found {type(manifest).__name__}")
    return manifest


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Replace the manifest of a run directory in one step."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    write_atomically(path / MANIFEST, lambda target: target.write_text(text, encoding="utf-8"))


def read_records(file: Path) -> Iterator[dict[str, Any]]:
    """Yield the trajectories of a file; a last line that was torn by a crash is passed over.

    Parameters
    ----------
    file : pathlib.Path
        Of one regime; need not exist.

    Yields
    ------
    dict

    Raises
    ------
    RunError
        If a line that is not the last is no JSON object.
    """
    for whole in _whole_lines(file):
        yield whole.record


class _Whole(NamedTuple):
    """A line that is whole: its bytes, where it ends in the file, and the record in it."""

    line: bytes
    end: int
    record: dict[str, Any]


def _whole_lines(file: Path) -> Iterator[_Whole]:
    if not file.is_file():
        return
    size, end = file.stat().st_size, 0
    with file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            end += len(line)
            record = _parsed(line)
            if record is not None:
                yield _Whole(line, end, record)
            elif end < size:
                raise RunError(f"{file}, line {number}: not a JSON object, and not the last line")


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def recover(file: Path) -> dict[str, dict[str, Any]]:
    """Read what a file holds and cut a torn last line off, so that the file can be appended to.

    Parameters
    ----------
    file : pathlib.Path
        Of one regime.

    Returns
    -------
    dict of str to dict
        Question id -> trajectory.

    Raises
    ------
    RunError
        If a line is damaged that is not the last, or a question occurs twice.
    """
    found: dict[str, dict[str, Any]] = {}
    whole = 0
    for _, end, record in _whole_lines(file):
        question_id = str(record.get("question_id"))
        if question_id in found:
            raise RunError(f"{file}: question {question_id!r} occurs twice")
        found[question_id], whole = record, end
    if file.is_file() and file.stat().st_size > whole:
        with file.open("r+b") as stream:
            stream.truncate(whole)
    return found


class Lock:
    """Keeps a second process off a run directory; gone with the process that holds it, however it dies.

    Parameters
    ----------
    path : pathlib.Path
        The run directory.

    Raises
    ------
    RunError
        On entering, if another process is writing there.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._holder = path / "run.pid"
        self._lock = FileLock(path / "run.lock", timeout=0)

    def __enter__(self) -> Self:
        self._path.mkdir(parents=True, exist_ok=True)
        try:
            self._lock.acquire()
        except Timeout:
            pid = self._holder.read_text(encoding="ascii").strip() if self._holder.is_file() else "unknown"
            raise RunError(
                f"{self._path}: another process (pid {pid}) is writing this run; wait for it or end it"
            ) from None
        self._holder.write_text(f"{os.getpid()}\n", encoding="ascii")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._holder.unlink(missing_ok=True)
        self._lock.release()


class Writer:
    """Appends trajectories; each is on the disk before :meth:`append` returns.

    Records that arrive while the disk is busy are written together, so that waiting for the disk does not
    bound the number of episodes a second.

    Parameters
    ----------
    path : pathlib.Path
        The run directory.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._files: dict[str, BinaryIO] = {}
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
            If the disk refuses.
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
            try:
                await asyncio.to_thread(self._write, [(name, line) for name, line, _ in batch])
            except OSError as error:
                for *_, done in batch:
                    done.set_exception(RunError(f"{self._path}: cannot be written: {error}"))
                continue
            for *_, done in batch:
                done.set_result(None)

    def _write(self, lines: Iterable[tuple[str, bytes]]) -> None:
        touched = set()
        for name, line in lines:
            if name not in self._files:
                self._files[name] = (self._path / name).open("ab")
            self._files[name].write(line)
            touched.add(name)
        for name in touched:
            self._files[name].flush()
            os.fsync(self._files[name].fileno())

    async def aclose(self) -> None:
        """Write what is pending and close the files."""
        if self._task is not None:
            await self._task
            await asyncio.sleep(0)  # lets what waits for the last batch know
        for stream in self._files.values():
            stream.close()


def rewrite_sorted(file: Path, order: Mapping[str, int]) -> None:
    """Put the trajectories of a finished file into the order of the questions, in one step.

    Parameters
    ----------
    file : pathlib.Path
        Of one regime.
    order : mapping of str to int
        Question id -> its place.
    """
    lines = sorted(_whole_lines(file), key=lambda whole: order[whole.record["question_id"]])
    content = b"".join(whole.line for whole in lines)
    if content != file.read_bytes():
        write_atomically(file, lambda target: target.write_bytes(content))
