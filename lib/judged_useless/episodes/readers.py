"""Where episodes are read from: the embedded cells, the hub's cache, and files."""

import gzip
import json
import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from judged_useless.episodes.kinds import unencodable_field
from judged_useless.episodes.schema import (
    OPTIONAL,
    REQUIRED,
    EpisodeError,
    NoEpisodesError,
    fill_judgments,
    validate,
)
from judged_useless.episodes.verified import embedded_files, hub_files
from judged_useless.files import write_atomically
from judged_useless.strict_json import RepeatedKeyError, read_object, shown, strict_loads

Names = str | Sequence[str] | None
Source = str | Path | Sequence[str | Path]

_WORDS = pa.list_(pa.string())
_TYPES: dict[str, pa.DataType] = {
    **dict.fromkeys(("model", "condition", "split", "question_id", "regime"), pa.string()),
    **dict.fromkeys(("actions", "judgments", "stated"), _WORDS),
    **dict.fromkeys(("termination", "task", "answer"), pa.string()),
    **dict.fromkeys(("budget", "n_judgment_calls", "n_discarded", "seed"), pa.int64()),
    **dict.fromkeys(("success", "simulated"), pa.bool_()),
    "failed": pa.list_(pa.bool_()),
}


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    number = 0
    packed = path.suffix == ".gz"
    # Lines are decoded one by one: a text stream decodes ahead, and would name too early a line.
    with gzip.open(path, "rb") if packed else path.open("rb") as stream:
        try:
            for number, line in enumerate(stream, 1):
                if line.strip():
                    yield number, line.decode("utf-8")
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise EpisodeError(
                f"{path}, after line {number}: the compressed file is cut off or damaged"
            ) from error
        except UnicodeDecodeError as error:
            raise EpisodeError(f"{path}, line {number}: not UTF-8 text, expected JSON lines") from error


def _record(path: Path, number: int, line: str, required: Sequence[str]) -> dict[str, Any]:
    try:
        record = strict_loads(line)
    except RepeatedKeyError as error:
        raise EpisodeError(
            f"{path}, line {number}: field {shown(error.key)} is given twice, expected once"
        ) from error
    except json.JSONDecodeError as error:
        what = "the line is cut off" if not line.endswith("\n") else "not valid JSON"
        if error.msg == "Extra data":
            what = "more than one JSON value"
        raise EpisodeError(
            f"{path}, line {number}: {what} ({error.msg} at column {error.colno}), "
            "expected one JSON object a line"
        ) from error
    except (ValueError, RecursionError) as error:  # a number too long, or brackets too deep, to be read
        raise EpisodeError(f"{path}, line {number}: JSON that cannot be read ({error})") from error
    if not isinstance(record, dict):
        raise EpisodeError(f"{path}, line {number}: expected a JSON object, found {type(record).__name__}")
    if "\\u" in line and (field := unencodable_field(record)):
        raise EpisodeError(f"{path}, line {number}: field {field}: half of a surrogate pair, expected a text")
    for name in required:
        if name not in record:
            raise EpisodeError(
                f"{path}, line {number}: field {name!r} is missing; an episode has {', '.join(required)}"
            )
    return record


def load_jsonl(path: str | Path, *, required: Sequence[str] = REQUIRED) -> pd.DataFrame:
    """Return the episodes of a JSON lines file, plain or gzip-compressed.

    Parameters
    ----------
    path : str or pathlib.Path
        A ``.jsonl`` or ``.jsonl.gz`` file with one episode a line; blank lines are passed over.
    required : sequence of str
        Fields every episode must have: by default the released ones. The stopping measures need no more
        than ``("question_id", "actions", "judgments")``.

    Returns
    -------
    pandas.DataFrame
        One row an episode, in the order of the file.

    Raises
    ------
    EpisodeError
        If the file is empty, a line is cut off or not an episode; the message names file, line and field.
    FileNotFoundError
        If there is no such file.

    References
    ----------
    Fields: the released episodes' data card; DESIGN of this project in ``book/data.md``.
    """
    path = Path(path)
    if path.is_dir():
        raise EpisodeError(
            f"{path}: a folder, expected a .jsonl or .jsonl.gz file; load_episodes reads folders"
        )
    numbers, records = [], []
    for number, line in _lines(path):
        records.append(_record(path, number, line, required))
        numbers.append(number)
    if not records:
        raise NoEpisodesError(f"{path}: the file holds no episode")
    frame = _normalise(pd.DataFrame.from_records(records))
    return validate(frame, source=str(path), lines=numbers, required=required)


def load_parquet(path: str | Path) -> pd.DataFrame:
    """Return the episodes of a Parquet file.

    Parameters
    ----------
    path : str or pathlib.Path
        A file written by :func:`write_parquet`, or any Parquet file with the released fields.

    Returns
    -------
    pandas.DataFrame
        One row an episode, in the order of the file.

    Raises
    ------
    EpisodeError
        If the file is not Parquet or is damaged, or an episode is not what the schema says.
    NoEpisodesError
        If the file holds no episode.
    FileNotFoundError
        If there is no such file.
    """
    path = Path(path)
    try:
        frame = pq.read_table(path).to_pandas(strings_to_categorical=False)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # Arrow raises OSError without a number for damaged pages; with one it is the file system's.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise EpisodeError(f"{path}: not a readable Parquet file ({error})") from error
    if frame.empty:
        raise NoEpisodesError(f"{path}: the file holds no episode")
    return validate(_normalise(frame), source=str(path))


def write_parquet(frame: pd.DataFrame, path: Path) -> Path:
    """Write episodes to a Parquet file, whole or not at all.

    Parameters
    ----------
    frame : pandas.DataFrame
        Valid episodes.
    path : pathlib.Path
        Where the file belongs.

    Returns
    -------
    pathlib.Path
        `path`.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says; nothing is written then.
    """
    validate(frame, source=str(path))
    names = [name for name in (*REQUIRED, *OPTIONAL) if name in frame]
    columns = [pa.array([_plain(value) for value in frame[name]], type=_TYPES[name]) for name in names]
    table = pa.Table.from_arrays(columns, names=names)
    return write_atomically(path, lambda target: pq.write_table(table, target, compression="zstd"))


def _plain(value: object) -> object:
    if isinstance(value, np.ndarray | list | tuple):
        return [None if entry is None else entry for entry in value]
    return None if isinstance(value, float) and np.isnan(value) else value


def _normalise(frame: pd.DataFrame) -> pd.DataFrame:
    """Give episodes without any judgment an empty list, and leave optional columns out that say nothing."""
    frame = fill_judgments(frame)
    silent = [name for name in OPTIONAL if name in frame and frame[name].isna().all()]
    return frame.drop(columns=silent)


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
        # Here, because runs are read into episodes and so import this package.
        from judged_useless.runs.reading import read_run

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


def _keep(frame: pd.DataFrame, name: str, wanted: Names, source: Source) -> pd.DataFrame:
    if wanted is None:
        return frame
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    there = list(frame[name].unique())
    chosen = frame[frame[name].isin(names)]
    if chosen.empty:
        raise NoEpisodesError(
            f"source {source!r} has no episode with {name} {', '.join(map(repr, names))}; "
            f"it has {', '.join(there) or 'none at all'}"
        )
    return chosen


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
        Keep only these; everything by default. A name that is asked for beside others may be absent.

    Returns
    -------
    pandas.DataFrame
        One row an episode: ``model, condition, split, question_id, regime, actions, judgments, success`` and
        the optional fields that the source has, in the order of the source.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or a checksum differs.
    NoEpisodesError
        If the source holds no episode, or nothing is left by a filter.
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
    frames = [_read(file) for file in _files(source)]
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    if len(frames) > 1:
        validate(frame, source=str(source))
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
