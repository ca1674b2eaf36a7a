"""Files: written whole or not at all, and read no further than memory allows."""

import gzip
import hashlib
import io
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

_MIB = 2**20
#: Bytes that a packed file may unpack to: so many times its own, within these bounds.
_RATIO, _ALWAYS, _NEVER_MORE = 200, 64 * _MIB, 1024 * _MIB
#: Bytes of one line; a whole episode with its messages has a tenth of a MiB.
LONGEST_LINE = 64 * _MIB

_DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile)


class UnreadableFileError(ValueError):
    """A file that is damaged, no UTF-8 text, or far larger than it looks; the message says where."""


def write_atomically(path: Path, write: Callable[[Path], object]) -> Path:
    """Let `write` fill a temporary file beside `path`, then put it in place in one step; return `path`.

    A folder that is missing is made. Whatever fails, nothing is left behind.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
    os.close(handle)
    temporary = Path(name)
    try:
        write(temporary)
        # mkstemp makes private files; what is published has the rights an ordinary file would have.
        umask = os.umask(0)
        os.umask(umask)
        temporary.chmod(0o666 & ~umask)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, as hexadecimal digits."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


class _Bounded(io.RawIOBase):
    """What is read of a packed file, up to a number of bytes."""

    def __init__(self, stream: gzip.GzipFile, path: Path) -> None:
        self._stream, self._path = stream, path
        self._left = self.most = min(max(_ALWAYS, _RATIO * path.stat().st_size), _NEVER_MORE)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._stream.read1(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise UnreadableFileError(
                f"{self._path}: unpacks to more than {self.most // _MIB} MiB; unpack it first if it is meant"
            )
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._stream.close()
        super().close()


def open_bounded(path: Path) -> BinaryIO:
    """Open a file to read bytes; one whose name ends in ``.gz`` is unpacked, but not without bound.

    Reading on raises `UnreadableFileError` once a packed file has come to 200 times its size (64 MiB are
    always allowed, more than 1 GiB never).
    """
    if path.suffix != ".gz":
        return path.open("rb")
    return cast(BinaryIO, io.BufferedReader(_Bounded(gzip.GzipFile(path), path), _MIB))


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a file that may be packed (``.gz``), or raise `UnreadableFileError`."""
    try:
        with open_bounded(path) as stream:
            return stream.read().decode("utf-8-sig")
    except _DAMAGE as error:
        raise UnreadableFileError(f"{path}: not a whole gzip file ({error})") from error
    except UnicodeDecodeError as error:
        raise UnreadableFileError(f"{path}: not UTF-8 text ({error})") from error


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Yield number (from 1) and text of each line that is not blank, of a file that may be packed.

    UTF-8, with or without a byte-order mark; lines end at ``\n`` and nowhere else. `UnreadableFileError` if
    a packed file is damaged or unpacks without bound, a line is too long, or it is not UTF-8.
    """
    number = 0
    with open_bounded(path) as stream:
        try:
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise UnreadableFileError(
                        f"{path}, line {number}: longer than {LONGEST_LINE // _MIB} MiB"
                    )
                # Decoded line by line: a text stream decodes ahead, and would name too early a line.
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
                if text.strip():
                    yield number, text
        except _DAMAGE as error:
            raise UnreadableFileError(
                f"{path}, after line {number}: the compressed file is cut off or damaged"
            ) from error
        except UnicodeDecodeError as error:
            raise UnreadableFileError(f"{path}, line {number}: not UTF-8 text") from error
