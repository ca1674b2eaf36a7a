"""Fetching all released episodes from the hub into the cache."""

import json
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from judged_useless._io.files import sha256
from judged_useless._io.hub_access import is_transport
from judged_useless._io.paths import cache_dir
from judged_useless._io.strict_json import read_object
from judged_useless.episodes.formats import write_parquet
from judged_useless.episodes.frames import fill_judgments
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.sources.readers import SPLITS

#: The released data set.
REPOSITORY = "benni23/judged-useless-episodes"


class HubUnreachableError(ConnectionError):
    """The hub could not be reached; nothing was changed."""


@dataclass(frozen=True)
class Fetched:
    """What is in the cache after a fetch.

    Attributes
    ----------
    repository : str
        Data set on the hub, or the local folder it was read from.
    revision : str or None
        Commit of the data set; None for a local folder.
    n_episodes : dict of str to int
        Episodes by split, those of an earlier fetch that were kept among them.
    sha256 : dict of str to str
        Checksum of each cached file.
    """

    repository: str
    revision: str | None
    n_episodes: dict[str, int]
    sha256: dict[str, str]


def _resolve(repository: str, revision: str | None) -> str | None:
    """Return the commit that the hub holds, so that all splits come from one."""
    if Path(repository).is_dir():
        return None
    from huggingface_hub import HfApi

    with _hub_errors(repository, revision):
        return str(HfApi().dataset_info(repository, revision=revision, timeout=20).sha)


@contextmanager
def _hub_errors(repository: str, revision: str | None) -> Iterator[None]:
    """Turn what the hub's client raises into the two errors that a user can act on."""
    from huggingface_hub.errors import HfHubHTTPError

    try:
        yield
    except Exception as error:
        if isinstance(error, HfHubHTTPError):
            status = error.response.status_code if error.response is not None else 0
            if status in (401, 403, 404):
                raise FileNotFoundError(
                    f"the hub has no public data set {repository!r}"
                    + (f" at revision {revision!r}" if revision else "")
                ) from error
            raise HubUnreachableError(_unreachable(repository)) from error
        if is_transport(error):
            raise HubUnreachableError(_unreachable(repository)) from error
        raise


def _unreachable(repository: str) -> str:
    return (
        f"The hub could not be reached, so {repository} was not fetched and nothing was changed; "
        "repeat `judged-useless fetch` (or `make data`) with a network."
    )


def _load_split(repository: str, split: str, revision: str | None) -> pd.DataFrame:
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    try:
        with _hub_errors(repository, revision):
            loaded = load_dataset(repository, split=split, revision=revision)
    except (DatasetsError, FileNotFoundError, ValueError) as error:
        # All splits are prepared at once, so the cause may lie in another; it names the file.
        raise EpisodeError(
            f"{repository}: split {split!r} cannot be read as a data set ({error.__cause__ or error})"
        ) from error
    frame: pd.DataFrame = fill_judgments(loaded.to_pandas())
    validate(frame, source=f"{repository}, split {split}")
    other = set(frame["split"]) - {split}
    if other:
        raise EpisodeError(
            f"{repository}, split {split!r}: field 'split' also says {', '.join(map(repr, sorted(other)))}"
        )
    return frame


def fetch(
    repository: str = REPOSITORY, *, splits: Sequence[str] = SPLITS, revision: str | None = None
) -> Fetched:
    """Download the released episodes through ``datasets``, check them, and make them the cache.

    Parameters
    ----------
    repository : str, default ``REPOSITORY``
        Data set on the hub, or a local folder in the hub's own layout.
    splits : sequence of str, default ``("test300", "fresh300")``
        Splits to fetch. Another one that is in the cache already, from the same commit of the same data set,
        is kept; a local folder has no commit to tell by, so from one only what is asked for is in the cache.
    revision : str, optional
        Commit, tag or branch of the data set; its newest commit by default.

    Returns
    -------
    Fetched
        Also written as ``source.json`` beside the files.

    Raises
    ------
    HubUnreachableError
        Without a network. The message is one sentence and names the command to repeat.
    FileNotFoundError
        If the hub has no such data set.
    EpisodeError
        If an episode is not what the schema says.
    ValueError
        If `splits` is empty: nothing fetched must not replace what is cached.

    Notes
    -----
    All splits are read and checked before the cache is touched, and the new cache replaces the old one in
    one step: a fetch that fails leaves what was there.
    """
    if not splits:
        raise ValueError(f"splits is empty; the data set has {', '.join(SPLITS)}")
    commit = _resolve(repository, revision)
    frames = {split: _load_split(repository, split, commit) for split in splits}
    target = cache_dir() / "episodes"
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".episodes.", dir=target.parent))
    try:
        n_episodes = {split: len(frame) for split, frame in frames.items()}
        files = [write_parquet(frame, fresh / f"{split}.parquet") for split, frame in frames.items()]
        for split, n in _kept(repository, commit, splits).items():
            files.append(Path(shutil.copy2(target / f"{split}.parquet", fresh)))
            n_episodes[split] = n
        fetched = Fetched(repository, commit, n_episodes, {file.name: sha256(file) for file in files})
        (fresh / "source.json").write_text(json.dumps(asdict(fetched), indent=2) + "\n", encoding="utf-8")
        _swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return fetched


def _kept(repository: str, commit: str | None, splits: Sequence[str]) -> dict[str, int]:
    """Return the other splits that the cache has whole and of this commit, and their episodes."""
    folder = cache_dir() / "episodes"
    try:
        before = read_object(folder / "source.json") or {}
        if commit is None or (before["repository"], before["revision"]) != (repository, commit):
            return {}
        return {
            split: int(before["n_episodes"][split])
            for split in SPLITS
            if split not in splits and f"{split}.parquet" in before["sha256"]
            if sha256(folder / f"{split}.parquet") == before["sha256"][f"{split}.parquet"]
        }
    except (OSError, ValueError, KeyError, TypeError):
        # A cache that is damaged has nothing to be kept; this fetch mends it.
        return {}


def _swap(fresh: Path, target: Path) -> None:
    """Put `fresh` in the place of `target`, which steps aside first and comes back on failure."""
    fresh.chmod(0o755)
    if not target.exists():
        fresh.rename(target)
        return
    old = Path(tempfile.mkdtemp(prefix=".old.", dir=target.parent))
    try:
        target.rename(old / "episodes")
        fresh.rename(target)
    except OSError:
        if not target.exists() and (old / "episodes").exists():
            (old / "episodes").rename(target)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
