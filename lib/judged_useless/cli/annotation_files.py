"""Where the files of ``annotate`` lie: made sure of before anything is asked, and the labels written."""

import argparse
import io
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from judged_useless._io.files import write_atomically
from judged_useless.afterwards.annotators import read_labels
from judged_useless.afterwards.sheet import SheetError, streams_of
from judged_useless.runs.store import RunError, read_manifest

#: File of the final labels, in the folder of the results.
LABELS = "labels.csv"


def folder_name(annotator: str) -> str:
    """Return the name of an annotator's folder."""
    return re.sub(r"[^\w.+-]+", "-", annotator)


def sheet_path(arguments: argparse.Namespace, out: Path, stream: str) -> Path:
    """Return where the sheet of a stream belongs.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    out : pathlib.Path
        Where results lie.
    stream : str
        S1 or S2.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    ValueError
        If ``--sheet`` names no file.
    """
    if arguments.sheet is None:
        return out / f"disagreements-{stream}.csv"
    path = Path(arguments.sheet)
    if path.name in ("", "..") or path.is_dir():
        raise ValueError(f"--sheet {arguments.sheet}: expected a file, such as disagreements.csv")
    return path.with_name(f"{path.stem}-{stream}{path.suffix}")


def check_places(arguments: argparse.Namespace, out: Path, streams: Sequence[str]) -> None:
    """Refuse places that cannot be written, and runs, into which nothing is written.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    out : pathlib.Path
        Where results lie.
    streams : sequence of str
        That are annotated.

    Raises
    ------
    ValueError
        With option and place in the message.
    """
    option = "--out" if arguments.out else "without --out"
    for name in ("", *map(folder_name, arguments.annotator)):
        _check_folder(option, out / name)
    _refuse_run(option, out)
    sheets = [sheet_path(arguments, out, stream) for stream in streams]
    if arguments.sheet is not None:
        _check_folder("--sheet", sheets[0].parent)
        _refuse_run("--sheet", sheets[0].parent)
    for file in (out / LABELS, *sheets):
        if file.is_dir():
            raise ValueError(f"{file}: a folder is in the way of a file; move it, or give another --out")


def _check_folder(option: str, folder: Path) -> None:
    there = next(place for place in (folder, *folder.absolute().parents) if place.exists())
    if not there.is_dir():
        raise ValueError(f"{option} {folder}: {there} is a file, expected a folder")


def _refuse_run(option: str, folder: Path) -> None:
    for place in (folder.resolve(), *folder.resolve().parents):
        if _has_a_job(place):
            lies = "is" if place == folder.resolve() else f"lies in {place},"
            raise ValueError(
                f"{option} {folder}: {lies} the folder of a run or of what was asked of one, into which "
                "nothing else is written; give another folder"
            )


def _has_a_job(folder: Path) -> bool:
    try:
        manifest = read_manifest(folder)
    except RunError:
        # Whose it was cannot be told any more; what lies beside it can.
        return any(folder.glob("*.jsonl"))
    return manifest is not None and "spec" in manifest


def sheets_given(arguments: argparse.Namespace, out: Path, streams: Sequence[str]) -> dict[str, Path]:
    """Return the adjudicated sheets by the stream that they have rows of.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of ``annotate``.
    out : pathlib.Path
        Where results lie.
    streams : sequence of str
        That are annotated.

    Returns
    -------
    dict of str to pathlib.Path

    Raises
    ------
    SheetError
        If one is missing, no file, without rows or of another stream, or two are of the same.
    """
    found: dict[str, Path] = {}
    for path in map(Path, arguments.adjudicated or ()):
        if not path.is_file():
            wanted = ", ".join(str(sheet_path(arguments, out, stream)) for stream in streams)
            what = "a folder" if path.is_dir() else "no such file"
            raise SheetError(
                f"--adjudicated {path}: {what}; sheets of this annotation are written to {wanted}"
            )
        try:
            there = streams_of(path)
        except SheetError as error:
            raise SheetError(f"--adjudicated {error}") from error
        for stream in there:
            if stream not in streams:
                raise SheetError(
                    f"--adjudicated {path}: rows of {stream}, of a stream that is not annotated here"
                )
            if stream in found:
                raise SheetError(
                    f"--adjudicated {path}: rows of {stream}, which {found[stream]} has too; give one of them"
                )
            found[stream] = path
    return found


def write_labels(out: Path, table: pd.DataFrame, annotators: Sequence[str]) -> dict[str, int]:
    """Write the final labels; those of a stream that is not annotated now stay.

    Parameters
    ----------
    out : pathlib.Path
        Where results lie.
    table : pandas.DataFrame
        Index ``id``: ``stream``, ``first``, ``second`` and more, of the streams annotated now.
    annotators : sequence of str
        As given with ``--annotator``. Rows are kept only if these two gave their labels.

    Returns
    -------
    dict of str to int
        Stream that is not annotated now -> rows of it that were kept.
    """
    rows = _as_text(table.to_csv(lineterminator="\n"))
    kept = _kept(out, rows, annotators)
    whole = pd.concat([rows, kept]).sort_values(["stream", "id"], kind="stable")
    write_atomically(
        out / LABELS,
        lambda target: whole.to_csv(target, index=False, encoding="utf-8", lineterminator="\n"),
    )
    return {str(stream): int(n) for stream, n in kept["stream"].value_counts().items()}


def _as_text(text: str) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)


def _kept(out: Path, rows: pd.DataFrame, annotators: Sequence[str]) -> pd.DataFrame:
    none = rows.iloc[:0]
    try:
        there = _as_text((out / LABELS).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return none
    if list(there.columns) != list(rows.columns):
        return none
    there = there[~there["stream"].isin(rows["stream"])]
    for column, name in zip(("first", "second"), annotators, strict=True):
        given = {id_: label or "" for id_, label in read_labels(out / folder_name(name)).items()}
        same = [given.get(id_) == label for id_, label in there[["id", column]].to_numpy()]
        there = there[np.array(same, dtype=bool)]
    return there
