"""Where episodes are read from: the embedded cells, the hub's cache, files, and folders of files or runs."""

import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from judged_useless._io.strict_json import listed, read_object, shown
from judged_useless.afterwards.probe_findings import read_run
from judged_useless.episodes.formats import load_jsonl, load_parquet
from judged_useless.episodes.schema import EpisodeError, NoEpisodesError, validate
from judged_useless.sources.verified import SPLITS, embedded_files, hub_files, unfetched

Names = str | Sequence[str] | None
Source = str | Path | Sequence[str | Path]


def _is_run(path: Path) -> bool:
    return (path / "manifest.json").is_file()


def _begun(folder: Path, runs: Sequence[Path]) -> list[Path]:
    """Return the runs of a folder that hold an episode: one that failed at once must not hide the others."""
    begun = [
        run
        for run in runs
        if any(file.stat().st_size for file in run.glob("*.jsonl"))
        # A run that says it is complete has lost its episodes, which reading it tells.
        or (read_object(run / "manifest.json") or {}).get("status") == "complete"
    ]
    empty = ", ".join(run.name for run in runs if run not in begun)
    if not begun:
        raise NoEpisodesError(f"{folder}: no episode has ended yet in any of its runs: {empty}")
    if empty:
        warnings.warn(f"{folder}: passed over, because no episode has ended yet: {empty}", stacklevel=2)
    return begun


def _given_files(path: Path) -> list[Path]:
    if _is_run(path):
        return [path]
    if path.is_dir() and (runs := sorted(folder for folder in path.iterdir() if _is_run(folder))):
        return _begun(path, runs)
    if path.is_dir():
        files = sorted(p for pattern in ("*.parquet", "*.jsonl", "*.jsonl.gz") for p in path.glob(pattern))
        if not files:
            raise NoEpisodesError(f"{path}: the folder holds no .parquet, .jsonl or .jsonl.gz file")
        return files
    if not path.exists():
        raise FileNotFoundError(f"{path}: there is no such file or folder of episodes")
    return [path]


def _read(path: Path) -> pd.DataFrame:
    if path.is_dir():
        return read_run(path)
    if path.suffix == ".parquet":
        return load_parquet(path)
    if path.suffix == ".jsonl" or path.name.endswith(".jsonl.gz"):
        return load_jsonl(path)
    raise EpisodeError(f"{path}: expected a .parquet, .jsonl or .jsonl.gz file of episodes")


def _files(source: Source) -> list[Path]:
    if source == "embedded":
        return embedded_files()
    if source == "hub":
        return hub_files()
    if source == "":
        raise ValueError("source is an empty text; expected 'embedded', 'hub', a file, a folder, or a list")
    if isinstance(source, str | Path):
        return _given_files(Path(source))
    if not isinstance(source, Sequence) or isinstance(source, bytes | bytearray | memoryview):
        raise TypeError(
            f"source is {shown(source)}; expected 'embedded', 'hub', a file, a folder, or a list of them"
        )
    if not source:
        raise ValueError("source is an empty list; expected 'embedded', 'hub', a file, a folder, or a list")
    return [file for each in source for file in _files(each)]


def _read_all(source: Source) -> list[pd.DataFrame]:
    """Return the tables of a source; where it is a list of several, each says in which entry it was found."""
    if isinstance(source, str | Path) or not isinstance(source, Sequence) or len(source) < 2:
        return [_read(file) for file in _files(source)]
    _files(source)  # what is missing is told before anything is read
    return [_read(file).assign(loaded_from=str(each)) for each in source for file in _files(each)]


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
    there = list(frame[name].unique())
    chosen = frame[frame[name].isin(names)]
    if chosen.empty:
        raise NoEpisodesError(
            f"source {shown(source, 400)} has no episode with {name} {listed(map(shown, names))}; "
            f"it has {listed(there) or 'none at all'}"
        )
    return chosen


def _row_files(source: Source, frames: Sequence[pd.DataFrame]) -> list[str]:
    """Return the file or folder that each row is from."""
    return [str(file) for file, frame in zip(_files(source), frames, strict=True) for _ in range(len(frame))]


def load_episodes(
    source: Source = "embedded",
    *,
    model: Names = None,
    condition: Names = None,
    split: Names = None,
    regimes: Names = None,
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

    Returns
    -------
    pandas.DataFrame
        One row an episode: ``model, condition, split, question_id, regime, actions, judgments, success`` and
        the optional fields that the source has, in the order of the source; of a list of several sources also
        ``loaded_from``, the entry of the list in which an episode was found.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or a checksum differs.
    NoEpisodesError
        If the source holds no episode, nothing is left by a filter, or no split that is asked for was fetched
        from the hub.
    FileNotFoundError
        If a file is missing, or the hub's cache has not been filled.
    ValueError
        If `source` is an empty list or text.
    TypeError
        If `source` is neither a text, nor a path, nor a list of them.

    References
    ----------
    Embedded and hub episodes: Zhang et al. 2026, CC BY 4.0 (arXiv:2610.06191).

    Examples
    --------
    >>> load_episodes(condition="unaided", regimes="persistent").shape[0]
    300
    """
    frames = _read_all(source)
    _require_fetched(source, split)
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    if len(frames) > 1:
        validate(frame, source=str(source), origins=lambda: _row_files(source, frames))
    filters: Iterable[tuple[str, Names]] = (
        ("model", model), ("condition", condition), ("split", split), ("regime", regimes),
    )  # fmt: skip
    for name, wanted in filters:
        frame = _keep(frame, name, wanted, source)
    return frame.reset_index(drop=True)


def derive_termination(frame: pd.DataFrame, budget: int = 8) -> pd.DataFrame:
    """Return episodes with ``termination`` as far as their actions tell it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Episodes.
    budget : int, default 8
        Actions an episode may take.

    Returns
    -------
    pandas.DataFrame
        With ``answered`` where the last action is finish, ``budget_exhausted`` where `budget` actions were
        taken without it, and a missing value where the episode ended earlier: a turn without a readable
        action and one that was cut off look alike then.
    """
    last = frame["actions"].map(lambda actions: actions[-1] if len(actions) else None)
    spent = frame["actions"].map(len) >= budget
    words = np.select([last == "finish", spent], ["answered", "budget_exhausted"], "")
    derived = pd.Series([str(word) or None for word in words], index=frame.index, dtype=object)
    return frame.assign(termination=derived)
