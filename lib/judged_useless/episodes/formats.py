"""The files that episodes are kept in: JSON lines, plain or compressed, and Parquet."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from judged_useless._io.files import UnreadableFileError, text_lines, write_atomically
from judged_useless._io.messages import shown
from judged_useless._io.strict_json import RepeatedKeyError, strict_loads

from .frames import fill_judgments, from_records, settled, without_silent
from .schema import (
    KEY,
    OPTIONAL,
    PROBED,
    REQUIRED,
    WHOLE,
    EpisodeError,
    NoEpisodesError,
    encodable,
    plain,
    validate,
)

_TYPES: dict[str, pa.DataType] = {
    **dict.fromkeys((*KEY, "termination", "task", "answer", "repaired_answer"), pa.string()),
    **dict.fromkeys(WHOLE, pa.int64()),
    **dict.fromkeys(("success", "simulated", "repaired_success"), pa.bool_()),
    **dict.fromkeys(("failed", "answer_now", "answer_now_repaired"), pa.list_(pa.bool_())),
    **dict.fromkeys(("p_continue", "p_answer_now"), pa.list_(pa.float64())),
}
_WORDS = pa.list_(pa.string())
#: Whole numbers stay whole beside nulls.
_WHOLE_TYPES: Any = {pa.int64(): pd.Int64Dtype(), pa.int32(): pd.Int32Dtype()}


def record_of_line(path: Path, number: int, line: str, required: Sequence[str]) -> dict[str, Any]:
    """Return the object of a line of JSON, with the fields it must have, or an error that names the place."""
    place = f"{path}, line {number}"
    try:
        record = strict_loads(line)
    except RepeatedKeyError as error:
        raise EpisodeError(f"{place}: field {shown(error.key)} is given twice, expected once") from error
    except json.JSONDecodeError as error:
        what = "not valid JSON" if line.endswith("\n") else "the line is cut off"
        if error.msg == "Extra data":
            what = "more than one JSON value"
        raise EpisodeError(
            f"{place}: {what} ({error.msg} at column {error.colno}), expected one JSON object a line"
        ) from error
    except (ValueError, RecursionError) as error:  # a number too long, or brackets too deep, to be read
        raise EpisodeError(f"{place}: JSON that cannot be read ({error})") from error
    if not isinstance(record, dict):
        raise EpisodeError(f"{place}: expected a JSON object, found {type(record).__name__}")
    if "\\u" in line and (name := next((name for name in record if not encodable(name)), "")):
        raise EpisodeError(f"{place}: field {name!r}: half of a surrogate pair, expected a text")
    for name in required:
        if name not in record:
            raise EpisodeError(f"{place}: field {name!r} is missing; an episode has {', '.join(required)}")
    return record


def load_jsonl(path: str | Path, *, required: Sequence[str] = REQUIRED) -> pd.DataFrame:
    """Return the episodes of a JSON lines file, plain or gzip-compressed.

    Parameters
    ----------
    path : str or pathlib.Path
        A ``.jsonl`` or ``.jsonl.gz`` file with one episode a line; blank lines, and a
        byte-order mark at the beginning, are passed over.
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
    """
    path = Path(path)
    if path.is_dir():
        raise EpisodeError(
            f"{path}: a folder, expected a .jsonl or .jsonl.gz file; load_episodes reads folders"
        )
    numbers, records = [], []
    try:
        for number, line in text_lines(path):
            records.append(record_of_line(path, number, line, required))
            numbers.append(number)
    except UnreadableFileError as error:
        raise EpisodeError(str(error)) from error
    if not records:
        raise NoEpisodesError(f"{path}: the file holds no episode")
    frame = fill_judgments(from_records(records))
    del records
    return settled(validate(frame, source=str(path), lines=numbers, required=required))


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
        # Threads cost more than they save on files of this size.
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            frame = file.read(use_threads=False).to_pandas(types_mapper=_WHOLE_TYPES.get)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        # Arrow raises OSError without a number for damaged pages; with one it is the file system's.
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise EpisodeError(f"{path}: not a readable Parquet file ({error})") from error
    if frame.empty:
        raise NoEpisodesError(f"{path}: the file holds no episode")
    for name in {"p_continue", "p_answer_now"} & set(frame):  # whose arrays have NaN for null
        frame[name] = pd.Series(map(plain, frame[name]), index=frame.index, dtype=object)
    return without_silent(validate(fill_judgments(frame), source=str(path)))


def write_parquet(frame: pd.DataFrame, path: str | Path, about: dict[str, str] | None = None) -> Path:
    """Write valid episodes to a Parquet file, whole or not at all, and return its path; refuse others.

    The file carries `about` in its metadata, and a checksum of each page.
    """
    validate(frame, source=str(path))
    names = [name for name in (*REQUIRED, *OPTIONAL, *PROBED) if name in frame]
    whole = frame.astype({name: "Int64" for name in WHOLE if name in frame})
    columns = [pa.array([plain(v) for v in whole[name]], type=_TYPES.get(name, _WORDS)) for name in names]
    table = pa.Table.from_arrays(columns, names=names, metadata=about)
    how: Any = {"compression": "zstd", "write_page_checksum": True}
    return write_atomically(Path(path), lambda target: pq.write_table(table, target, **how))
