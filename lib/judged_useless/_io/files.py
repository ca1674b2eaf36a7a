"""Writing files whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Callable
from pathlib import Path


def write_atomically(path: Path, write: Callable[[Path], object]) -> Path:
    """Let `write` fill a temporary file beside `path`, then put it in place in one step.

    Parameters
    ----------
    path : pathlib.Path
        Where the file belongs; its folder is made when it is missing.
    write : callable
        Receives the temporary path and writes the whole file there.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    OSError
        If the folder cannot be written; nothing is left behind then.
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
    """Return the SHA-256 of a file, as hexadecimal digits.

    Parameters
    ----------
    path : pathlib.Path
        A file.

    Returns
    -------
    str
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
