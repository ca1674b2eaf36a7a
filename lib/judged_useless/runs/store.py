"""The folder of a run: append-only trajectories, a lock, and a manifest that is replaced whole."""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self

from filelock import FileLock, Timeout

from judged_useless._io.files import write_atomically
from judged_useless._io.strict_json import read_object
from judged_useless.episodes.schema import encodable

MANIFEST = "manifest.json"
#: Requests and episodes that failed in transport; one JSON object a line, but no episodes file.
ERRORS = "errors.log"

#: What makes a trajectory one trajectory of a cell.
Key = tuple[str, str]
#: Takes a place, such as file and line, and the record there; raises an error naming place and field.
Check = Callable[[str, Mapping[str, Any]], None]


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
        If it is not a JSON object.
    """
    try:
        return read_object(path / MANIFEST)
    except ValueError as error:
        raise RunError(str(error)) from error


def write_manifest(path: Path, manifest: Mapping[str, Any]) -> None:
    """Replace the manifest of a run directory in one step."""
    text = json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"
    _replace(path / MANIFEST, text.encode())


def _replace(file: Path, content: bytes) -> None:
    try:
        write_atomically(file, lambda target: target.write_bytes(content))
    except OSError as error:
        raise RunError(f"{file}: cannot be written: {error}") from error


def _unchecked(place: str, record: Mapping[str, Any]) -> None:
    """Let every record pass."""


def read_records(file: Path, check: Check = _unchecked) -> Iterator[dict[str, Any]]:
    """Yield the trajectories of a file; a last line that was torn by a crash is passed over.

    Parameters
    ----------
    file : pathlib.Path
        Of one regime; need not exist.
    check : callable, optional
        Of each record.

    Yields
    ------
    dict

    Raises
    ------
    RunError
        If a line that is not the last is no JSON object, one is nested too deep to be read, a question occurs
        twice, or `check` says so.
    """
    for whole in _whole_lines(file, check):
        yield whole.record


class _Whole(NamedTuple):
    """A line that is whole: its bytes, where it ends in the file, and the record in it."""

    line: bytes
    end: int
    record: dict[str, Any]


def _whole_lines(file: Path, check: Check = _unchecked) -> Iterator[_Whole]:
    if not file.is_file():
        return
    size, end = file.stat().st_size, 0
    seen: set[str] = set()
    with file.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            end += len(line)
            place = f"{file}, line {number}"
            try:
                record = _parsed(line)
                # Nothing here writes one; what is appended to or asked again must not break off over it.
                halved = _halved_field(record) if record is not None and b"\\u" in line else ""
            except RecursionError as error:
                raise RunError(f"{place}: brackets too deep to be read") from error
            if record is not None:
                if halved:
                    raise RunError(f"{place}: {halved}: half of a surrogate pair, expected whole characters")
                check(place, record)
                question_id = str(record.get("question_id"))
                if question_id in seen:
                    raise RunError(f"{place}: question {question_id!r} occurs twice")
                seen.add(question_id)
                yield _Whole(line, end, record)
            elif end < size:
                raise RunError(f"{place}: not a JSON object, and not the last line")


def _halved_field(record: Mapping[str, Any]) -> str:
    """Return the first field that holds half of a surrogate pair, however deep; or an empty text."""
    written = {name: json.dumps(value, ensure_ascii=False) for name, value in record.items()}
    return next((name for name, text in written.items() if not encodable(name + text)), "")


def _parsed(line: bytes) -> dict[str, Any] | None:
    if not line.endswith(b"\n"):
        return None
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def recover(file: Path, check: Check = _unchecked) -> dict[str, dict[str, Any]]:
    """Read what a file holds and cut a torn last line off, so that the file can be appended to.

    Parameters
    ----------
    file : pathlib.Path
        Of one regime.
    check : callable, optional
        Of each record.

    Returns
    -------
    dict of str to dict
        Question id -> trajectory.

    Raises
    ------
    RunError
        If a line is damaged that is not the last, a question occurs twice, or `check` says so.
    """
    found: dict[str, dict[str, Any]] = {}
    whole = 0
    for _, end, record in _whole_lines(file, check):
        found[str(record.get("question_id"))], whole = record, end
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
        On entering, if another process is writing there, or it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._holder = path / "run.pid"
        self._lock = FileLock(path / "run.lock", timeout=0)

    def __enter__(self) -> Self:
        try:
            self._path.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise RunError(
                f"{self._path}: a file is in the way, and a run needs a folder; move it, or give another out"
            ) from error
        try:
            self._lock.acquire()
        except Timeout:
            pid = self._holder.read_text(encoding="ascii").strip() if self._holder.is_file() else "unknown"
            raise RunError(
                f"{self._path}: another process (pid {pid}) is writing this run; wait for it or end it"
            ) from None
        try:
            self._holder.write_text(f"{os.getpid()}\n", encoding="ascii")
        except OSError as error:
            self._lock.release()
            raise RunError(f"{self._holder}: cannot be written: {error}") from error
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._holder.unlink(missing_ok=True)
        self._lock.release()


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
        _replace(file, content)
