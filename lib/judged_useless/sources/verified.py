"""The files of the released episodes, embedded or fetched, checked against their checksums."""

import json
from collections.abc import Sequence
from pathlib import Path

from judged_useless._io.files import sha256
from judged_useless._io.paths import cache_dir, data_dir
from judged_useless.episodes.schema import EpisodeError

#: Splits of the released data set.
SPLITS = ("test300", "fresh300")


def embedded_files() -> list[Path]:
    """Return the files of the embedded cells, or raise :class:`EpisodeError` for one that was changed."""
    folder = data_dir() / "episodes"
    files = []
    for line in (folder / "SHA256SUMS").read_text(encoding="ascii").splitlines():
        digest, name = line.split()
        if sha256(folder / name) != digest:
            raise EpisodeError(
                f"{folder / name}: checksum differs from SHA256SUMS; the file was changed or is damaged"
            )
        files.append(folder / name)
    return files


def hub_files() -> list[Path]:
    """Return the fetched files, all of them and as they were fetched.

    Returns
    -------
    list of pathlib.Path

    Raises
    ------
    FileNotFoundError
        If nothing was fetched yet.
    EpisodeError
        If a file was changed, added or removed since; the message names the command to fetch again.
    """
    folder = cache_dir() / "episodes"
    files = sorted(folder.glob("*.parquet"))
    if not files and not (folder / "source.json").exists():
        raise FileNotFoundError(
            "the released episodes are not in the cache yet; run `judged-useless fetch` (or `make data`) once"
        )
    again = "run `judged-useless fetch` (or `make data`) again"
    checksums = _hub_checksums(folder / "source.json", again)
    for name in sorted(checksums.keys() | {file.name for file in files}):
        if name not in checksums:
            raise EpisodeError(f"{folder / name}: not among the files that source.json lists; {again}")
        if folder / name not in files:
            raise EpisodeError(f"{folder / name}: source.json lists this file, but it is not there; {again}")
        if sha256(folder / name) != checksums[name]:
            raise EpisodeError(
                f"{folder / name}: checksum differs from source.json; the file was changed or is "
                f"damaged; {again}"
            )
    return files


def unfetched(asked: Sequence[str]) -> str:
    """Return what says that splits were not fetched, and how to; empty if all were.

    Parameters
    ----------
    asked : sequence of str
        Splits that are wanted; a name that is none of the released ones is passed over.

    Returns
    -------
    str
    """
    folder = cache_dir() / "episodes"
    lacking = [split for split in SPLITS if split in asked and not (folder / f"{split}.parquet").exists()]
    if not lacking:
        return ""
    were, options = " and ".join(lacking), " ".join(f"--split {split}" for split in lacking)
    return (
        f"{were} {'was' if len(lacking) == 1 else 'were'} not fetched from the hub; "
        f"`judged-useless fetch {options}` does it, and `judged-useless fetch` fetches all"
    )


def _hub_checksums(path: Path, again: str) -> dict[str, str]:
    try:
        checksums = json.loads(path.read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EpisodeError(
            f"{path}: expected the checksums of the fetched files ({error!r}); {again}"
        ) from error
    if not isinstance(checksums, dict) or not all(isinstance(each, str) for each in checksums.values()):
        raise EpisodeError(f"{path}: field 'sha256': expected a checksum for each file; {again}")
    return checksums
