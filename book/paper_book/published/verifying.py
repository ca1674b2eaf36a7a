"""Whether the published numbers are still what was transcribed: five layers, from form to checksum."""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import pandas as pd
from judged_useless._io.files import sha256, write_atomically

from paper_book.published.transcribed import (
    DECIMAL,
    WHOLE,
    PublishedError,
    _number,
    published_dir,
    read_file,
    tables,
)

#: Columns of numbers whose count and sum are kept in ``TOTALS.csv``.
TOTALED = ("value", "low", "high", "p", "n", "k")
#: Columns of ``released_cells.csv``, the full-precision values behind Tables 2, 6 and 22.
RELEASED_COLUMNS = ("split", "model", "condition", "delta", "ci_low", "ci_high", "mean6")
_KEY = (
    "table",
    "panel",
    "row",
    "column",
    "model",
    "condition",
    "task",
    "split",
    "budget",
    "regime",
    "measure",
)
_VOCABULARY = ("model", "condition", "task", "split", "budget", "regime", "measure", "unit")
_TOTALS_HEADER = ("file", "rows", *TOTALED, *(f"sum_{name}" for name in TOTALED))


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with the published numbers.

    Attributes
    ----------
    layer : str
        Which check found it, a key of :data:`LAYERS`.
    file : str
        Name of the file.
    message : str
        What was expected and what was found.
    """

    layer: str
    file: str
    message: str


def _files(folder: Path) -> dict[str, Path]:
    return {path.name: path for path in tables(folder).values()}


def _chosen(folder: Path, names: Sequence[str]) -> dict[str, Path]:
    return {name: path for name, path in _files(folder).items() if not names or name in names}


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def _schema(folder: Path, names: Sequence[str]) -> Iterator[Problem]:
    """Header, field count, and number fields that hold numbers."""
    for name, path in _chosen(folder, names).items():
        try:
            frame = read_file(path)
            for column in (*DECIMAL, *WHOLE):
                for line, text in enumerate(frame[column], 2):
                    _number(path, line, column, text)
        except PublishedError as error:
            yield Problem("schema", name, str(error))
    if names and "released_cells.csv" not in names:
        return
    header = (folder / "released_cells.csv").read_text("utf-8").partition("\n")[0]
    if header != ",".join(RELEASED_COLUMNS):
        yield Problem(
            "schema", "released_cells.csv", f"expected the columns {RELEASED_COLUMNS}, found {header}"
        )


def _vocabulary(folder: Path, names: Sequence[str]) -> Iterator[Problem]:
    """Every model, condition, task, split, budget, regime, measure and unit is in ``vocabulary.csv``."""
    entries = _rows(folder / "vocabulary.csv")
    known = {field: {each["name"] for each in entries if each["field"] == field} for field in _VOCABULARY}
    for name, path in _chosen(folder, names).items():
        for line, row in enumerate(_rows(path), 2):
            for field in _VOCABULARY:
                parts = (row.get(field) or "").split(" - ")
                unknown = [part for part in parts if part and part not in known[field]]
                if unknown:
                    message = f"line {line}: field {field!r}: {', '.join(unknown)} is not in vocabulary.csv"
                    yield Problem("vocabulary", name, message)


def _keys(folder: Path, names: Sequence[str]) -> Iterator[Problem]:
    """No two rows of a file agree in all that identifies a printed number, and none is of another table."""
    for name, path in _chosen(folder, names).items():
        seen: dict[tuple[str | None, ...], int] = {}
        for line, row in enumerate(_rows(path), 2):
            key = tuple(row.get(field) for field in _KEY)
            if key in seen:
                yield Problem("key", name, f"line {line} repeats the key of line {seen[key]}")
            seen[key] = line
            number = name.removeprefix("table_").removesuffix(".csv")
            if name.startswith("table_") and row.get("table") != str(int(number)):
                yield Problem("key", name, f"line {line}: field 'table': found {row.get('table')!r}")


def totals(path: Path) -> dict[str, str]:
    """Return the number of rows of a file, and count and exact sum of each column of numbers.

    Parameters
    ----------
    path : pathlib.Path
        A file of published numbers, or ``released_cells.csv``.

    Returns
    -------
    dict of str to str
        Keys ``file``, ``rows``, then count and ``sum_`` of value, low, high, p, n and k. "<0.001" counts as
        0.001. In ``released_cells.csv`` value is delta and mean6, low and high are ci_low and ci_high.
    """
    rows = _rows(path)
    columns: dict[str, tuple[str, ...]] = {name: (name,) for name in TOTALED}
    if path.name == "released_cells.csv":
        columns |= {"value": ("delta", "mean6"), "low": ("ci_low",), "high": ("ci_high",)}
    filled = {
        name: [text for row in rows for column in sources if (text := row.get(column) or "")]
        for name, sources in columns.items()
    }
    sums = {
        f"sum_{name}": str(sum((Decimal(text.removeprefix("<")) for text in texts), Decimal(0)))
        for name, texts in filled.items()
    }
    counts = {name: str(len(texts)) for name, texts in filled.items()}
    return {"file": path.name, "rows": str(len(rows))} | counts | sums


def _all_files(folder: Path) -> list[Path]:
    return [*_files(folder).values(), folder / "released_cells.csv"]


def _totals(folder: Path, names: Sequence[str]) -> Iterator[Problem]:
    """Rows, and count and sum of every column of numbers, are those of ``TOTALS.csv``."""
    recorded = {row["file"]: row for row in _rows(folder / "TOTALS.csv")}
    found = {path.name: path for path in _all_files(folder) if path.exists()}
    for name in sorted(recorded.keys() ^ found.keys()):
        yield Problem("totals", name, "is in TOTALS.csv or in the folder, but not in both")
    for name in sorted(recorded.keys() & found.keys()):
        if names and name not in names:
            continue
        try:
            now = totals(found[name])
        except ArithmeticError:
            yield Problem("totals", name, "a field of numbers holds something else")
            continue
        for column in _TOTALS_HEADER:
            if now[column] != recorded[name][column]:
                message = f"{column}: expected {recorded[name][column]}, found {now[column]}"
                yield Problem("totals", name, message)


def _checksums(folder: Path, names: Sequence[str]) -> Iterator[Problem]:
    """Every file has the SHA-256 of ``SHA256SUMS``."""
    for line in (folder / "SHA256SUMS").read_text("utf-8").splitlines():
        expected, _, name = line.partition("  ")
        path = folder / name
        if names and name not in names:
            continue
        if not path.is_file():
            yield Problem("checksum", name, "is missing")
        elif sha256(path) != expected:
            yield Problem("checksum", name, f"SHA-256 is not {expected}")


#: The layers of :func:`verify`, from form to checksum.
LAYERS: dict[str, Callable[[Path, Sequence[str]], Iterator[Problem]]] = {
    "schema": _schema,
    "vocabulary": _vocabulary,
    "key": _keys,
    "totals": _totals,
    "checksum": _checksums,
}


def verify(
    folder: Path | None = None, *, layers: Sequence[str] = tuple(LAYERS), files: Sequence[str] = ()
) -> list[Problem]:
    """Return everything that is wrong with the published numbers, which is nothing.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Where they lie; the project's own by default.
    layers : sequence of str
        Which checks to make; all of :data:`LAYERS` by default.
    files : sequence of str
        Names of the files to look at; all by default.

    Returns
    -------
    list of Problem

    Raises
    ------
    KeyError
        If there is no such layer; the message lists those there are.
    """
    unknown = [layer for layer in layers if layer not in LAYERS]
    if unknown:
        raise KeyError(f"there is no layer {', '.join(unknown)}; there are {', '.join(LAYERS)}")
    folder = folder or published_dir()
    return [problem for layer in layers for problem in LAYERS[layer](folder, files)]


def count_numbers(folder: Path | None = None) -> pd.DataFrame:
    """Return how many rows and numbers each table has.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Where the files lie; the project's own by default.

    Returns
    -------
    pandas.DataFrame
        One row a file: ``table``, ``file``, ``rows``, the filled ``value``, ``low``, ``high``, ``p``, ``n``
        and ``k``, and ``numbers``: value, low, high, p and k together. n is not among them because it often
        repeats what a caption says once.
    """
    rows = []
    for table, path in tables(folder).items():
        counted = totals(path)
        rows.append(
            {"table": table, "file": path.name} | {name: int(counted[name]) for name in _TOTALS_HEADER[1:8]}
        )
    frame = pd.DataFrame(rows, columns=["table", "file", "rows", *TOTALED])
    return frame.assign(numbers=frame[[name for name in TOTALED if name != "n"]].sum(axis=1))


def seal(folder: Path) -> None:
    """Write ``TOTALS.csv`` and ``SHA256SUMS`` anew, after the files were changed on purpose.

    Parameters
    ----------
    folder : pathlib.Path
        Folder of the published numbers.
    """

    def write_totals(path: Path) -> None:
        with path.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, _TOTALS_HEADER, lineterminator="\n")
            writer.writeheader()
            writer.writerows(totals(each) for each in _all_files(folder))

    write_atomically(folder / "TOTALS.csv", write_totals)
    sealed = sorted(path.name for path in folder.glob("*.csv"))
    lines = "".join(f"{sha256(folder / name)}  {name}\n" for name in sealed)
    write_atomically(folder / "SHA256SUMS", lambda path: path.write_text(lines, "utf-8"))
