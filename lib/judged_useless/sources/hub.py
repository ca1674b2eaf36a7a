"""Fetching all released episodes from the hub into the cache."""

import json
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from judged_useless._io.files import sha256
from judged_useless._io.hub_access import HubError, ask_hub, hub_errors
from judged_useless._io.strict_json import read_object
from judged_useless.episodes.formats import write_parquet
from judged_useless.episodes.frames import fill_judgments, settled
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.sources.readers import SPLITS, hub_folder

#: The released data set.
REPOSITORY = "benni23/judged-useless-episodes"


@dataclass(frozen=True)
class Fetched:
    """What is in the cache after a fetch, by split and file; kept as ``source.json`` beside the files.

    ``revision`` is the commit of the data set; None for a local folder.
    """

    repository: str
    revision: str | None
    n_episodes: dict[str, int]
    sha256: dict[str, str]


def _load_split(repository: str, split: str, revision: str | None) -> pd.DataFrame:
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    try:
        with hub_errors(repository, revision):
            loaded = load_dataset(repository, split=split, revision=revision)
    except HubError:
        raise
    except (DatasetsError, FileNotFoundError, ValueError) as error:
        # All splits are prepared at once, so the cause may lie in another; it names the file.
        raise EpisodeError(
            f"{repository}: split {split!r} cannot be read as a data set ({error.__cause__ or error})"
        ) from error
    source = f"{repository}, split {split}"
    frame = settled(validate(fill_judgments(loaded.to_pandas()), source=source))
    if other := set(frame["split"]) - {split}:
        raise EpisodeError(f"{source}: field 'split' also says {', '.join(map(repr, sorted(other)))}")
    return frame


def fetch(
    repository: str = REPOSITORY, *, splits: Sequence[str] = SPLITS, revision: str | None = None
) -> Fetched:
    """Download the released episodes through ``datasets``, check them, and make them the cache.

    All splits are read and checked before the cache is touched: a fetch that fails, or is killed, leaves
    what was there.

    Parameters
    ----------
    repository : str, default ``REPOSITORY``
        Data set on the hub, or a local folder in the hub's own layout.
    splits : sequence of str, default ``("test300", "fresh300")``
        Splits to fetch. Another one that is in the cache already, from the same commit of the same data set,
        is kept; a local folder has no commit to tell by, so from one only what is asked for is in the cache.
    revision : str, optional
        Commit, tag or branch of the data set; its newest commit by default.

    Raises
    ------
    HubError
        Without a network, or where the hub refuses. The message says what to do.
    FileNotFoundError
        If the hub has no such data set.
    EpisodeError
        If an episode is not what the schema says.
    ValueError
        If `splits` is empty: nothing fetched must not replace what is cached.
    """
    if not splits:
        raise ValueError(f"splits is empty; the data set has {', '.join(SPLITS)}")
    commit = ask_hub(repository, revision)  # once, so that all splits come from one commit
    frames = {split: _load_split(repository, split, commit) for split in splits}
    target = hub_folder()
    target.parent.mkdir(parents=True, exist_ok=True)
    for leftover in target.parent.glob(".episodes.*"):  # of a fetch that was killed
        shutil.rmtree(leftover, ignore_errors=True)
    with tempfile.TemporaryDirectory(
        prefix=".episodes.", dir=target.parent, ignore_cleanup_errors=True
    ) as made:
        fresh = Path(made) / "episodes"
        n_episodes = {split: len(frame) for split, frame in frames.items()}
        files = [write_parquet(frame, fresh / f"{split}.parquet") for split, frame in frames.items()]
        for split, n in _kept(target, repository, commit, splits).items():
            files.append(Path(shutil.copy2(target / f"{split}.parquet", fresh)))
            n_episodes[split] = n
        fetched = Fetched(repository, commit, n_episodes, {file.name: sha256(file) for file in files})
        (fresh / "source.json").write_text(json.dumps(asdict(fetched), indent=2) + "\n", encoding="utf-8")
        _swap(fresh, target)
    return fetched


def _kept(target: Path, repository: str, commit: str | None, splits: Sequence[str]) -> dict[str, int]:
    """Return the other splits that the cache has whole and of this commit, and their episodes."""
    try:
        before = read_object(target / "source.json") or {}
        if commit is None or (before["repository"], before["revision"]) != (repository, commit):
            return {}
        return {
            split: int(before["n_episodes"][split])
            for split in SPLITS
            if split not in splits and f"{split}.parquet" in before["sha256"]
            if sha256(target / f"{split}.parquet") == before["sha256"][f"{split}.parquet"]
        }
    except (OSError, ValueError, KeyError, TypeError):
        # A cache that is damaged has nothing to be kept; this fetch mends it.
        return {}


def _swap(fresh: Path, target: Path) -> None:
    """Put `fresh` in the place of `target`, which steps aside first; :func:`hub_folder` brings it back."""
    aside = target.with_name("episodes.before")
    if target.exists():
        shutil.rmtree(aside, ignore_errors=True)  # of a fetch that was killed when all but this was done
        target.rename(aside)
    try:
        fresh.rename(target)
    except OSError:
        hub_folder()
        raise
    shutil.rmtree(aside, ignore_errors=True)
