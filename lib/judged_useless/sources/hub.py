"""Fetching all released episodes from the hub into the cache."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import pyarrow.parquet as pq
from huggingface_hub.constants import HF_HUB_OFFLINE

from judged_useless._io.files import DAMAGE
from judged_useless._io.hub_access import HubError, ask_hub, hub_errors
from judged_useless.episodes.formats import load_jsonl, load_parquet, write_parquet
from judged_useless.episodes.frames import fill_judgments, settled
from judged_useless.episodes.schema import DEFAULT_BUDGET, EpisodeError, validate
from judged_useless.sources.readers import SPLITS, hub_file
from judged_useless.sources.released import released_cells
from judged_useless.tasks.downloads import AUTHORS_FILES, download

#: The released data set.
REPOSITORY = "benni23/judged-useless-episodes"
#: The commit of the authors' repository that has the same episodes, a file a cell.
AUTHORS_COMMIT = "c08a4dabd5845a19f513e62752724c517a72e511"


@dataclass(frozen=True)
class Fetched:
    """What is in the cache after a fetch: episodes by split, of which commit (none of a local folder)."""

    repository: str
    revision: str | None
    n_episodes: dict[str, int]


def _load_split(repository: str, split: str, revision: str | None) -> pd.DataFrame:
    from datasets import load_dataset
    from datasets.exceptions import DatasetsError

    try:
        with hub_errors(repository, revision):
            loaded = load_dataset(repository, split=split, revision=revision)
    except HubError:
        raise
    except (DatasetsError, FileNotFoundError, ValueError, *DAMAGE) as error:
        # All splits are prepared at once, so the cause may lie in another; it names the file.
        raise EpisodeError(
            f"{repository}: split {split!r} cannot be read as a data set ({error.__cause__ or error})"
        ) from error
    source = f"{repository}, split {split}"
    frame = settled(validate(fill_judgments(loaded.to_pandas()), source=source))
    if other := set(frame["split"]) - {split}:
        raise EpisodeError(f"{source}: field 'split' also says {', '.join(map(repr, sorted(other)))}")
    return frame


def _from_authors(splits: Sequence[str]) -> dict[str, pd.DataFrame]:
    """Return the same episodes from the authors' repository."""
    cells = [cell for cell in released_cells().to_dict("records") if cell["split"] in splits]
    address = f"{AUTHORS_FILES}/{AUTHORS_COMMIT}/data/episodes/{{split}}/{{model}}__{{condition}}.jsonl.gz"
    files = [download(address.format_map(cell)) for cell in cells]
    whole = pd.concat([with_endings(load_jsonl(file)) for file in files], ignore_index=True)
    return {str(split): frame for split, frame in whole.groupby("split")}


def with_endings(frame: pd.DataFrame) -> pd.DataFrame:
    """Return released episodes with how each ended, as far as its actions tell."""
    ends = [
        "answered" if row[-1:] == ["finish"] else "budget_exhausted" if len(row) >= DEFAULT_BUDGET else None
        for row in frame["actions"]
    ]
    return frame.assign(termination=pd.Series(ends, index=frame.index, dtype=object))


def fetch(
    repository: str = REPOSITORY, *, splits: Sequence[str] = SPLITS, revision: str | None = None
) -> Fetched:
    """Download the released episodes through ``datasets``, check them, and make them the cache.

    Where the hub is not reached, they come from the authors' repository, which has them without how the
    episodes ended: that is filled in as far as the actions tell. All splits are read and checked before the
    cache is touched: a fetch that fails, or is killed, leaves what was there.

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
        Without a network, or where the hub refuses (for the released data set: if the authors' repository
        does too). The message says what to do.
    FileNotFoundError
        If the hub has no such data set.
    EpisodeError
        If an episode is not what the schema says.
    ValueError
        If `splits` is empty: nothing fetched must not replace what is cached.
    """
    if not splits:
        raise ValueError(f"splits is empty; the data set has {', '.join(SPLITS)}")
    try:
        commit = ask_hub(repository, revision)  # once, so that all splits come from one commit
        frames = {split: _load_split(repository, split, commit) for split in splits}
    except HubError as refused:
        if repository != REPOSITORY or revision or HF_HUB_OFFLINE:
            raise
        try:
            frames = _from_authors(splits)
        except ConnectionError as error:
            raise HubError(f"{refused}; the authors' repository neither: {error}") from error
        repository, commit = AUTHORS_FILES, AUTHORS_COMMIT
    origin = {"repository": repository, "revision": commit or ""}
    frames |= {split: frame for split, frame in _kept(origin).items() if split not in splits}
    whole = pd.concat([frames[split] for split in sorted(frames)], ignore_index=True)
    for leftover in hub_file().parent.glob(".*.tmp"):  # of a fetch that was killed
        leftover.unlink()
    write_parquet(whole, hub_file(), origin)
    return Fetched(repository, commit, {each: len(frames[each]) for each in SPLITS if each in frames})


def _kept(origin: dict[str, str]) -> dict[str, pd.DataFrame]:
    """Return the splits that the cache has whole, if they are of this commit."""
    try:
        about = pq.read_schema(hub_file()).metadata
        if not origin["revision"] or {name: about[name.encode()].decode() for name in origin} != origin:
            return {}
        return {str(split): frame for split, frame in load_parquet(hub_file()).groupby("split")}
    except (OSError, ValueError, KeyError, TypeError):
        return {}  # nothing was fetched before, or the cache is damaged, which this fetch mends
