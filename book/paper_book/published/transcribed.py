"""Reading the paper's printed numbers, checking their files, and selecting from them."""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import pandas as pd
from judged_useless._io.paths import data_dir

#: Columns of every file of published numbers, in order.
COLUMNS = (
    "table", "panel", "row", "column", "model", "condition", "task", "split", "budget", "regime", "measure",
    "unit", "value", "low", "high", "p", "n", "k", "note",
)  # fmt: skip
#: What identifies a quantity, wherever it is printed or recomputed.
QUANTITY = ("model", "condition", "task", "split", "budget", "regime", "measure")
#: Columns printed with a precision of their own, and columns of whole numbers: the form of what they hold.
_DECIMAL = dict.fromkeys(("value", "low", "high"), r"-?\d+(?:\.\d+)?") | {"p": r"<?\d+(?:\.\d+)?"}
_WHOLE = dict.fromkeys(("n", "k", "budget"), r"\d+")
_FILTERS = [name for name in COLUMNS if name not in ("value", "low", "high", "p", "n", "k")]
#: Columns whose words ``vocabulary.csv`` explains.
_EXPLAINED = (*QUANTITY, "unit")


class PublishedError(ValueError):
    """A file of published numbers that is not what it should be; the message names file, line and field."""


def published_dir() -> Path:
    """Return the folder of the published numbers."""
    return data_dir() / "published"


def decimals(text: str) -> int:
    """Return how many decimals a printed number has.

    Examples
    --------
    >>> decimals("-0.070"), decimals("12")
    (3, 0)
    """
    return len(text.partition(".")[2])


@lru_cache(maxsize=4)
def _titles(folder: Path) -> pd.DataFrame:
    return pd.read_csv(folder / "titles.csv", dtype=str, na_filter=False).set_index("table")


def titles() -> pd.DataFrame:
    """Return what there is of the paper's numbers, one row a table."""
    return _titles(published_dir()).copy()


def tables() -> dict[str, Path]:
    """Return the files of published numbers by the name of their table."""
    return {str(table): published_dir() / str(file) for table, file in titles()["file"].items()}


def read_file(path: Path) -> pd.DataFrame:
    """Return the rows of one file, all fields as printed, after checking its form."""
    try:
        frame = pd.read_csv(path, dtype=str, na_filter=False, encoding="utf-8")
    except pd.errors.ParserError as error:
        raise PublishedError(f"{path}: expected {len(COLUMNS)} fields on every line ({error})") from error
    if tuple(frame.columns) != COLUMNS or not isinstance(frame.index, pd.RangeIndex):
        found = ", ".join(map(str, frame.columns))
        raise PublishedError(f"{path}, line 1: expected the columns {', '.join(COLUMNS)}, found {found}")
    for name, form in (_DECIMAL | _WHOLE).items():
        wrong = frame.index[frame[name].ne("") & ~frame[name].str.fullmatch(form).astype(bool)]
        if len(wrong):
            kind = "a whole number" if name in _WHOLE else "a decimal number"
            raise PublishedError(
                f"{path}, line {wrong[0] + 2}: field {name!r}: expected {kind}, "
                f"found {frame[name][wrong[0]]!r}"
            )
    return frame


@lru_cache(maxsize=128)
def _numbers(path: Path) -> pd.DataFrame:
    frame = read_file(path)
    for name in _DECIMAL:
        frame[f"{name}_printed"] = frame[name]
        frame[name] = pd.to_numeric(frame[name].str.removeprefix("<")).astype(float)
    for name in _WHOLE:
        frame[name] = pd.to_numeric(frame[name]).astype("Int64")
    return frame.assign(decimals=frame["value_printed"].map(decimals))


def check_files() -> None:
    """Check every file of published numbers: its form, its words, and that no two rows are one number."""
    vocabulary = pd.read_csv(published_dir() / "vocabulary.csv", dtype=str, na_filter=False)
    known = {field: set(names) for field, names in vocabulary.groupby("field")["name"]}
    key = [name for name in COLUMNS[:11] if name != "table"]
    for table, path in tables().items():
        frame = read_file(path)
        of_others = frame["table"].ne(table) & table.isdigit()
        found = [(row, "table", f"found {frame['table'][row]!r}") for row in frame.index[of_others]]
        found += [
            (row, "row", "repeats a row above") for row in frame.index[frame.duplicated(["table", *key])]
        ]
        for field in _EXPLAINED:
            words = frame[field].str.split(" - ").explode()
            unknown = words[words.ne("") & ~words.isin(known[field])]
            found += [(row, field, f"{word!r} is not in vocabulary.csv") for row, word in unknown.items()]
        if found:
            row, field, fault = found[0]
            raise PublishedError(f"{path}, line {int(str(row)) + 2}: field {field!r}: {fault}")


def count_numbers() -> pd.DataFrame:
    """Return how many rows and numbers (values, bounds, p and k) each table has."""
    frames = {table: _numbers(path) for table, path in tables().items()}
    counted = [
        (table, tables()[table].name, len(frame), int(frame[[*_DECIMAL, "k"]].notna().sum().sum()))
        for table, frame in frames.items()
    ]
    return pd.DataFrame(counted, columns=["table", "file", "rows", "numbers"])


def published(table: str | int | None = None, **wanted: str | float | Sequence[str | float]) -> pd.DataFrame:
    """Return published numbers: of one table, of ``"text"``, ``"figures"`` or ``"card"``, or all of them.

    Parameters
    ----------
    **wanted : str, number or sequence of them
        Keep only rows with these values, for instance ``model="qwen3-8b", measure="delta"``.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`COLUMNS`, with ``value``, ``low``, ``high`` and ``p`` as numbers (NaN for a dash;
        "<0.001" as 0.001), their printed form in ``value_printed`` and so on, and ``decimals``, the printed
        precision of the value. A quantity printed as a fraction has ``k`` and ``n`` and no value.

    Raises
    ------
    PublishedError, KeyError
        If a file is malformed; if there is no such table, column or value, or no row with all of them.

    Examples
    --------
    >>> row = published(6, panel="delta", model="qwen3-8b", condition="unaided").iloc[0]
    >>> row["value_printed"], row["low_printed"], row["high_printed"]
    ('-0.06', '-0.10', '-0.04')
    """
    known = tables()
    if table is not None and str(table) not in known:
        raise KeyError(f"there is no published table {table!r}; there are {', '.join(known)}")
    chosen = list(known.values()) if table is None else [known[str(table)]]
    frame = pd.concat([_numbers(path) for path in chosen], ignore_index=True)
    kept = pd.Series(True, index=frame.index)
    for name, value in wanted.items():
        several = isinstance(value, Iterable) and not isinstance(value, str)
        kept &= _matches(frame, name, list(value) if several else [value])  # type: ignore[arg-type]
    if not kept.any():
        asked = ", ".join(f"{name}={value!r}" for name, value in wanted.items())
        raise KeyError(f"no published number has all of {asked}")
    return frame[kept].reset_index(drop=True)


def _matches(frame: pd.DataFrame, name: str, values: Sequence[object]) -> pd.Series:
    """Return which rows have one of the values, each of which some row must have."""
    if name not in _FILTERS:
        raise KeyError(f"published numbers cannot be selected by {name!r}, only by {', '.join(_FILTERS)}")
    there = frame[name].astype("string").fillna("")
    asked = [
        str(int(each)) if isinstance(each, float) and each.is_integer() else str(each) for each in values
    ]
    unknown = [each for each in asked if each not in set(there)]
    if unknown:
        listed = ", ".join(repr(each) for each in sorted(set(there)))
        raise KeyError(f"no published number has {name} {', '.join(map(repr, unknown))}; there are {listed}")
    return there.isin(asked).astype(bool)
