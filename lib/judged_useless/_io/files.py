"""Files: written whole or not at all, and read no further than memory allows."""

import contextlib
import gzip
import hashlib
import os
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

_MIB = 2**20
#: Bytes that a packed file may unpack to: so many times its own, within these bounds.
_RATIO, _ALWAYS, _NEVER_MORE = 200, 64 * _MIB, 1024 * _MIB
#: Bytes of one line; a whole episode with its messages has a tenth of a MiB.
LONGEST_LINE = 64 * _MIB

#: What readers of packed files raise of one that is cut off or damaged.
DAMAGE = (EOFError, zlib.error, gzip.BadGzipFile, zipfile.BadZipFile)


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


def open_bounded(path: Path) -> BinaryIO:
    """Open a file to read bytes, unpacked if its name ends in ``.gz``.

    A packed file that comes to more than 200 times its size is refused before anything is kept of it (64 MiB
    are always allowed, more than 1 GiB never).
    """
    if path.suffix != ".gz":
        return path.open("rb")
    unpacked, most = 0, min(max(_ALWAYS, _RATIO * path.stat().st_size), _NEVER_MORE)
    # What is damaged is for whoever reads on to say, with the line.
    with contextlib.suppress(*DAMAGE), gzip.open(path, "rb") as stream:
        while unpacked <= most and (chunk := stream.read(_MIB)):
            unpacked += len(chunk)
    if unpacked > most:
        raise UnreadableFileError(
            f"{path}: unpacks to more than {most // _MIB} MiB; unpack it first if that is meant"
        )
    return cast(BinaryIO, gzip.open(path, "rb"))


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a file that may be packed (``.gz``), or raise `UnreadableFileError`."""
    try:
        with open_bounded(path) as stream:
            return stream.read().decode("utf-8-sig")
    except DAMAGE as error:
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
        except DAMAGE as error:
            raise UnreadableFileError(
                f"{path}, after line {number}: the compressed file is cut off or damaged"
            ) from error
        except UnicodeDecodeError as error:
            raise UnreadableFileError(f"{path}, line {number}: not UTF-8 text") from error
