"""Fetching all released episodes from the hub into the cache."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from judged_useless.episodes.readers import write_parquet
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.files import sha256
from judged_useless.paths import cache_dir

#: The released data set, and its splits.
REPOSITORY = "benni23/judged-useless-episodes"
SPLITS = ("test300", "fresh300")


class HubUnreachableError(ConnectionError):
    """The hub could not be reached; nothing was changed."""


@dataclass(frozen=True)
class Fetched:
    """What a fetch brought into the cache.

    Attributes
    ----------
    repository : str
        Data set on the hub, or the local folder it was read from.
    revision : str or None
        Commit of the data set; None for a local folder.
    n_episodes : dict of str to int
        Episodes by split.
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
    from huggingface_hub.errors import HfHubHTTPError

    try:
        return str(HfApi().dataset_info(repository, revision=revision, timeout=20).sha)
    except HfHubHTTPError as error:
        if error.response is not None and error.response.status_code in (401, 403, 404):
            raise FileNotFoundError(
                f"the hub has no public data set {repository!r}"
                + (f" at revision {revision!r}" if revision else "")
            ) from error
        raise HubUnreachableError(_unreachable(repository)) from error
    except Exception as error:
        if _is_transport(error):
            raise HubUnreachableError(_unreachable(repository)) from error
        raise


def _is_transport(error: BaseException) -> bool:
    """Return whether a request did not get through.

    The hub's client has changed its HTTP library more than once, and the libraries share no base class but
    names: so the names decide.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    return isinstance(error, OSError) or bool(names & {"TransportError", "OfflineModeIsEnabled"})


def _unreachable(repository: str) -> str:
    return (
        f"The hub could not be reached, so {repository} was not fetched and nothing was changed; "
        "repeat `judged-useless fetch` (or `make data`) with a network."
    )


def _load_split(repository: str, split: str, revision: str | None) -> pd.DataFrame:
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    try:
        loaded = load_dataset(repository, split=split, revision=revision)
    except (DatasetsError, FileNotFoundError, ValueError) as error:
        raise EpisodeError(
            f"{repository}, split {split!r}: cannot be read as a data set ({error})"
        ) from error
    except Exception as error:
        if _is_transport(error):
            raise HubUnreachableError(_unreachable(repository)) from error
        raise
    frame: pd.DataFrame = loaded.to_pandas()
    other = set(frame["split"]) - {split} if "split" in frame else set()
    if other:
        raise EpisodeError(
            f"{repository}, split {split!r}: field 'split' also says {', '.join(map(repr, other))}"
        )
    return validate(frame, source=f"{repository}, split {split}")


def fetch(
    repository: str = REPOSITORY, *, splits: Sequence[str] = SPLITS, revision: str | None = None
) -> Fetched:
    """Download the released episodes through ``datasets``, check them, and make them the cache.

    Parameters
    ----------
    repository : str, default ``REPOSITORY``
        Data set on the hub, or a local folder in the hub's own layout.
    splits : sequence of str, default ``("test300", "fresh300")``
        Splits to fetch.
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

    Notes
    -----
    All splits are read and checked before the cache is touched, and the new cache replaces the old one in
    one step: a fetch that fails leaves what was there.
    """
    commit = _resolve(repository, revision)
    frames = {split: _load_split(repository, split, commit) for split in splits}
    target = cache_dir() / "episodes"
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=".episodes.", dir=target.parent))
    try:
        files = [write_parquet(frame, fresh / f"{split}.parquet") for split, frame in frames.items()]
        fetched = Fetched(
            repository,
            commit,
            {split: len(frame) for split, frame in frames.items()},
            {file.name: sha256(file) for file in files},
        )
        (fresh / "source.json").write_text(json.dumps(asdict(fetched), indent=2) + "\n", encoding="utf-8")
        _swap(fresh, target)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
    return fetched


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
