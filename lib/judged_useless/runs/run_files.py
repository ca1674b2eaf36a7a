"""The files of a folder of records: appended to, whole after any crash, of one process at a time."""

import asyncio
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from judged_useless._io.files import write_atomically
from judged_useless._io.strict_json import RepeatedKeyError, strict_loads
from judged_useless.episodes.schema import encodable

#: Requests and episodes that failed in transport; one JSON object a line, but no episodes file.
ERRORS = "errors.log"

#: What makes a record one record of a folder: regime and question id.
Key = tuple[str, str]
#: Takes a place, such as file and line, and the record there; raises an error naming place and field.
RecordCheck = Callable[[str, Mapping[str, Any]], None]
#: What stands in a folder that somebody else made is not followed to where it leads.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class RunError(ValueError):
    """A run directory that cannot be used as asked; the message says which and why."""


def to_line(record: Mapping[str, Any]) -> bytes:
    """Return a record as one line of JSON, equal for equal records."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def replace_file(file: Path, content: bytes) -> None:
    """Put a file in place in one step, or raise `RunError`."""
    try:
        write_atomically(file, lambda target: target.write_bytes(content))
    except OSError as error:
        raise RunError(f"{file}: cannot be written: {error}") from error


def read_records(file: Path, check: RecordCheck | None = None) -> Iterator[dict[str, Any]]:
    """Yield the records of a file, which need not exist; a last line torn by a crash is passed over.

    `RunError` if a line that is not the last is no JSON object, one is nested too deep to be read, a question
    occurs twice, or `check` says so.
    """
    for _, _, record in _whole_lines(file, check):
        yield record


def _whole_lines(file: Path, check: RecordCheck | None) -> Iterator[tuple[bytes, int, dict[str, Any]]]:
    """Yield each line that is whole, where it ends in the file, and the record in it."""
    if not file.is_file():
        return
    size, end = file.stat().st_size, 0
    seen: set[str] = set()
    with file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            end += len(line)
            place = f"{file}, line {number}"
            record = _parsed(place, line)
            if record is None:
                if end < size:
                    raise RunError(f"{place}: not a JSON object, and not the last line")
                return
            if check is not None:
                check(place, record)
            question_id = str(record.get("question_id"))
            if question_id in seen:
                raise RunError(f"{place}: question {question_id!r} occurs twice")
            seen.add(question_id)
            yield line, end, record


def _parsed(place: str, line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = strict_loads(line.decode())
    except RecursionError as error:
        raise RunError(f"{place}: brackets too deep to be read") from error
    except RepeatedKeyError as error:
        raise RunError(f"{place}: {error}") from error
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    # Nothing here writes one; what is appended to or asked again must not break off over it.
    for name, value in record.items() if b"\\u" in line else ():
        if not encodable(name + json.dumps(value, ensure_ascii=False)):
            raise RunError(f"{place}: {name}: half of a surrogate pair, expected whole characters")
    return record


def recover(file: Path, check: RecordCheck | None = None) -> dict[str, dict[str, Any]]:
    """Return question id -> record of a file, and cut a torn last line off, so that it can be appended to."""
    found, whole = dict[str, dict[str, Any]](), 0
    for _, end, record in _whole_lines(file, check):
        found[str(record.get("question_id"))], whole = record, end
    if file.is_file() and file.stat().st_size > whole:
        handle = _opened(file, os.O_RDWR)
        try:
            os.ftruncate(handle, whole)
        finally:
            os.close(handle)
    return found


def rewrite_sorted(file: Path, order: Sequence[str]) -> None:
    """Put the records of a finished file into the order of the questions, in one step."""
    lines = {record["question_id"]: line for line, _, record in _whole_lines(file, None)}
    content = b"".join(lines[question_id] for question_id in order)
    if order and content != file.read_bytes():
        replace_file(file, content)


def _opened(file: Path, flags: int) -> int:
    """Open a file for writing, but no link in its place."""
    try:
        return os.open(file, flags | _NO_LINK, 0o666)
    except OSError as error:
        why = "a link, through which nothing is written" if file.is_symlink() else error
        raise RunError(f"{file}: cannot be written: {why}") from error


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Keep a second process off a folder; the lock goes with the process that holds it, however it dies."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        why = "a file is in the way, and a run needs a folder; move it, or give another out"
        raise RunError(f"{path}: {why}") from error
    lock, holder = FileLock(path / "run.lock", timeout=0), path / "run.pid"
    try:
        lock.acquire()
    except Timeout:
        pid = holder.read_text(encoding="ascii").strip() if holder.is_file() else "unknown"
        raise RunError(
            f"{path}: another process (pid {pid}) is writing this run; wait for it or end it"
        ) from None
    except OSError as error:
        raise RunError(f"{path / 'run.lock'}: cannot be written: {error}") from error
    try:
        with os.fdopen(_opened(holder, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "w") as stream:
            stream.write(f"{os.getpid()}\n")
        yield
    finally:
        if not holder.is_symlink():
            holder.unlink(missing_ok=True)
        lock.release()


class Writer:
    """Appends records; each is on the disk before :meth:`append` returns.

    Records that arrive while the disk is busy are written together, so that waiting for the disk does not
    bound the number of episodes a second. A file whose disk has refused is cut back to its last whole record
    and not written again, so that nothing stands behind a torn line.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._handles: dict[str, int] = {}
        self._refused: dict[str, str] = {}
        self._pending: list[tuple[str, bytes, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def append(
        self, name: str, record: Mapping[str, Any], saved: Callable[[], None] = lambda: None
    ) -> None:
        """Append one record to a file and wait until it is on the disk, or raise `RunError`, which names it.

        `saved` is called when it is there, also if whoever waits for it has been cancelled: what has ended is
        neither lost nor forgotten because something else fails.
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
            lines: dict[str, list[bytes]] = {}
            for name, line, _ in batch:
                lines.setdefault(name, []).append(line)
            await asyncio.to_thread(self._write, lines)
            for name, _, done in batch:
                if name in self._refused:
                    done.set_exception(RunError(self._refused[name]))
                else:
                    done.set_result(None)

    def _write(self, lines: Mapping[str, Sequence[bytes]]) -> None:
        """Write lines as far as the disk lets us, and keep what it said of the files that it refused."""
        for name in lines.keys() - self._refused:
            try:
                self._put(name, b"".join(lines[name]))
            except RunError as error:
                self._refused[name] = str(error)
            except OSError as error:
                self._refused[name] = f"{self._path / name}: cannot be written: {error}"

    def _put(self, name: str, content: bytes) -> None:
        if name not in self._handles:
            self._handles[name] = _opened(self._path / name, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        handle = self._handles[name]
        whole, rest = os.fstat(handle).st_size, memoryview(content)
        try:
            # A disk that fills up takes a part before it refuses the rest.
            while rest:
                rest = rest[os.write(handle, rest) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(handle, whole)
            raise
        os.fsync(handle)

    async def aclose(self) -> None:
        """Write what is pending and close the files."""
        if self._task is not None:
            await self._task
            await asyncio.sleep(0)  # lets what waits for the last batch know
        for handle in self._handles.values():
            os.close(handle)
        self._handles.clear()
