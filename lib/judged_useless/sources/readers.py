"""Where episodes are read from: the embedded cells, the hub's cache, files, and folders of files or runs."""

import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from judged_useless._io.files import sha256
from judged_useless._io.messages import listed, shown
from judged_useless._io.paths import cache_dir, data_dir
from judged_useless._io.strict_json import read_object
from judged_useless.episodes.formats import load_jsonl, load_parquet
from judged_useless.episodes.schema import EpisodeError, NoEpisodesError, refuse_repeated

Names = str | Sequence[str] | None
Source = str | Path | Sequence[str | Path]

#: Splits of the released data set.
SPLITS = ("test300", "fresh300")
_EXPECTED = "expected 'embedded', 'hub', a file, a folder, or a list of them"
_FETCH = "run `judged-useless fetch` (or `make data`)"


def _embedded_files() -> list[Path]:
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


def hub_file() -> Path:
    """Return the file that keeps what was fetched from the hub."""
    return cache_dir() / "episodes" / "released.parquet"


def unfetched(asked: Sequence[str]) -> str:
    """Return what says that some of these splits were not fetched, and how to; empty if all were."""
    there = pq.read_table(hub_file(), columns=["split"])["split"].unique().to_pylist()
    lacking = [split for split in SPLITS if split in asked and split not in there]
    if not lacking:
        return ""
    options = " ".join(f"--split {split}" for split in lacking)
    return (
        f"{' and '.join(lacking)} {'was' if len(lacking) == 1 else 'were'} not fetched from the hub; "
        f"`judged-useless fetch {options}` does it, and `judged-useless fetch` fetches all"
    )


def _is_run(path: Path) -> bool:
    return (path / "manifest.json").is_file()


def _has_begun(run: Path) -> bool:
    return any(file.stat().st_size for file in run.glob("*.jsonl")) or (
        # A run that says it is complete has lost its episodes, which reading it tells.
        (read_object(run / "manifest.json") or {}).get("status") == "complete"
    )


def _files_of(path: Path) -> list[Path]:
    """Return the files or runs of a path."""
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder of episodes")
    if not path.is_dir() or _is_run(path):
        return [path]
    if runs := sorted(folder for folder in path.iterdir() if _is_run(folder)):
        begun = {run: _has_begun(run) for run in runs}
        empty = ", ".join(run.name for run, has_begun in begun.items() if not has_begun)
        if not any(begun.values()):
            raise NoEpisodesError(f"{path}: no episode has ended yet in any of its runs: {empty}")
        if empty:  # one that failed at once must not hide the others
            warnings.warn(f"{path}: passed over, because no episode has ended yet: {empty}", stacklevel=5)
        return [run for run, has_begun in begun.items() if has_begun]
    files = sorted(p for pattern in ("*.parquet", "*.jsonl", "*.jsonl.gz") for p in path.glob(pattern))
    if not files:
        raise NoEpisodesError(f"{path}: the folder holds no .parquet, .jsonl or .jsonl.gz file")
    return files


def _located(source: Source) -> list[tuple[str | Path, Path]]:
    """Return the files and runs of a source, each with the entry of the list it belongs to."""
    if isinstance(source, str | Path) and source != "":
        if source == "embedded":
            return [(source, file) for file in _embedded_files()]
        return [(source, file) for file in ([hub_file()] if source == "hub" else _files_of(Path(source)))]
    if not isinstance(source, Sequence) or isinstance(source, bytes | bytearray | memoryview):
        raise TypeError(f"source is {shown(source)}; {_EXPECTED}")
    if not source:
        raise ValueError(f"source is empty; {_EXPECTED}")
    return [(each, file) for each in source for _, file in _located(each)]


def _read(path: Path, *, allow_partial: bool) -> pd.DataFrame:
    if path.is_dir():
        # Here, because it brings along the whole harness, which files of episodes need nothing of.
        from judged_useless.afterwards.probe_findings import read_run

        return read_run(path, allow_partial=allow_partial)
    if path == hub_file():
        try:
            return load_parquet(path)
        except FileNotFoundError:
            raise FileNotFoundError(
                f"the released episodes are not in the cache yet; {_FETCH} once"
            ) from None
        except EpisodeError as error:
            raise EpisodeError(f"{error}; {_FETCH} again") from error
    if path.suffix == ".parquet":
        return load_parquet(path)
    if path.name.endswith((".jsonl", ".jsonl.gz")):
        return load_jsonl(path)
    raise EpisodeError(f"{path}: expected a .parquet, .jsonl or .jsonl.gz file of episodes")


def _require_fetched(source: Source, split: Names) -> None:
    """Refuse splits of the hub that were not fetched; warn where others were asked for beside them."""
    if "hub" not in ([source] if isinstance(source, str | Path) else source):
        return
    asked = SPLITS if split is None else [split] if isinstance(split, str) else list(split)
    hint = unfetched(asked)
    if hint and not any(not unfetched([each]) for each in asked):
        raise NoEpisodesError(f"source {source!r}: {hint}")
    if hint:
        warnings.warn(f"source {source!r}: {hint}", stacklevel=3)


def _keep(frame: pd.DataFrame, name: str, wanted: Names, source: Source) -> pd.DataFrame:
    if wanted is None:
        return frame
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    chosen = frame[frame[name].isin(names)]
    if chosen.empty:
        raise NoEpisodesError(
            f"source {shown(source, 400)} has no episode with {name} {listed(map(shown, names))}; "
            f"it has {listed(frame[name].unique()) or 'none at all'}"
        )
    return chosen


def load_episodes(
    source: Source = "embedded",
    *,
    model: Names = None,
    condition: Names = None,
    split: Names = None,
    regimes: Names = None,
    allow_partial: bool = False,
) -> pd.DataFrame:
    """Return episodes as a table.

    Parameters
    ----------
    source : str, path, or list of them, default "embedded"
        "embedded": the two released cells in ``data/episodes``. "hub": all 43 released cells, from the cache
        that ``judged-useless fetch`` fills. Otherwise a Parquet or JSON lines file (also ``.jsonl.gz``), a
        run directory, a folder of such files or runs, or a list of any of these. Runs of a folder in which no
        episode has ended yet are passed over with a warning.
    model, condition, split, regimes : str or sequence of str, optional
        Keep only these; everything by default. A name that is asked for beside others may be absent; if it
        is a split that was not fetched from the hub, a warning names the command that fetches it.
    allow_partial : bool, default False
        Return, with a warning, also what there is of a run that is not complete. Short episodes end first, so
        that estimates from the first of them are not those of the whole run.

    Returns
    -------
    pandas.DataFrame
        One row an episode: ``model, condition, split, question_id, regime, actions, judgments, success`` and
        the optional fields that the source has, in the order of the source; of a list of several sources also
        ``loaded_from``, the entry of the list in which an episode was found.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, is there twice, or a checksum differs.
    NoEpisodesError
        If the source holds no episode, or nothing is left by a filter.
    FileNotFoundError
        If a file is missing, or the hub's cache has not been filled.
    ValueError, TypeError
        If `source` is empty, or neither a text, nor a path, nor a list of them.

    References
    ----------
    Embedded and hub episodes: Zhang et al. 2026, CC BY 4.0 (arXiv:2610.06191).

    Examples
    --------
    >>> load_episodes(condition="unaided", regimes="persistent").shape[0]
    300
    """
    located = _located(source)
    frames = [_read(file, allow_partial=allow_partial) for _, file in located]
    if not isinstance(source, str | Path) and len(source) > 1:
        frames = [
            frame.assign(loaded_from=str(each)) for frame, (each, _) in zip(frames, located, strict=True)
        ]
    _require_fetched(source, split)
    frame = frames[0]
    if len(frames) > 1:
        ends = np.cumsum([len(each) for each in frames])
        frame = pd.concat(frames, ignore_index=True)
        refuse_repeated(frame, lambda row: str(located[int(np.searchsorted(ends, row, side="right"))][1]))
    for name, wanted in (("model", model), ("condition", condition), ("split", split), ("regime", regimes)):
        frame = _keep(frame, name, wanted, source)
    return frame.reset_index(drop=True)
