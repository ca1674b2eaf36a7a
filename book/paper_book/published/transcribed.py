"""Reading the files of published numbers, and selecting from them."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from judged_useless._io.paths import data_dir

#: Columns of every file of published numbers, in order.
COLUMNS = (
    "table", "panel", "row", "column", "model", "condition", "task", "split", "budget", "regime", "measure",
    "unit", "value", "low", "high", "p", "n", "k", "note",
)  # fmt: skip
#: Columns that :func:`published` selects by.
FILTERS = tuple(name for name in COLUMNS if name not in ("value", "low", "high", "p", "n", "k"))
#: What identifies a quantity, wherever it is printed or recomputed.
QUANTITY = ("model", "condition", "task", "split", "budget", "regime", "measure")
#: Columns printed with a precision of their own.
DECIMAL = ("value", "low", "high", "p")
#: Columns that hold whole numbers.
WHOLE = ("n", "k", "budget")
_DECIMAL_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_P_VALUE = re.compile(r"<?\d+(\.\d+)?")
_WHOLE_NUMBER = re.compile(r"\d+")
#: Files that belong to no numbered table, under the names :func:`published` knows them by.
OTHER_FILES = {"text": "text.csv", "figures": "figures.csv", "card": "dataset_card.csv"}


class PublishedError(ValueError):
    """A file of published numbers that is not what it should be; the message names file, line and field."""


def published_dir() -> Path:
    """Return the folder of the published numbers.

    Returns
    -------
    pathlib.Path
        ``published`` in the project's data.
    """
    return data_dir() / "published"


def decimals(text: str) -> int:
    """Return how many decimals a printed number has.

    Parameters
    ----------
    text : str
        A number as printed, such as ``"-0.07"``.

    Returns
    -------
    int
        0 for a whole number.

    Examples
    --------
    >>> decimals("-0.070"), decimals("12")
    (3, 0)
    """
    return len(text.partition(".")[2])


def _number(path: Path, line: int, name: str, text: str) -> float:
    form = _WHOLE_NUMBER if name in WHOLE else _P_VALUE if name == "p" else _DECIMAL_NUMBER
    if not text:
        return np.nan
    if not form.fullmatch(text):
        kind = "a whole number" if name in WHOLE else "a decimal number"
        raise PublishedError(f"{path}, line {line}: field {name!r}: expected {kind}, found {text!r}")
    return float(text.removeprefix("<"))


def read_file(path: Path) -> pd.DataFrame:
    """Return the rows of one file, all fields as printed, after checking its header.

    Parameters
    ----------
    path : pathlib.Path
        A CSV file of published numbers.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`COLUMNS`, all strings, empty where nothing is printed.

    Raises
    ------
    PublishedError
        If the header is not :data:`COLUMNS` or a line has too many or too few fields.
    """
    try:
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, na_filter=False, encoding="utf-8")
    except pd.errors.ParserError as error:
        raise PublishedError(f"{path}: expected {len(COLUMNS)} fields on every line ({error})") from error
    if tuple(frame.columns) != COLUMNS or not isinstance(frame.index, pd.RangeIndex):
        found = ", ".join(map(str, frame.columns))
        raise PublishedError(f"{path}, line 1: expected the columns {', '.join(COLUMNS)}, found {found}")
    return frame


@lru_cache(maxsize=128)
def _numbers(path: Path) -> pd.DataFrame:
    frame = read_file(path)
    for name in DECIMAL:
        frame[f"{name}_printed"] = frame[name]
    for name in (*DECIMAL, *WHOLE):
        frame[name] = [_number(path, line, name, text) for line, text in enumerate(frame[name], 2)]
    for name in WHOLE:
        frame[name] = frame[name].astype("Int64")
    return frame.assign(decimals=frame["value_printed"].map(decimals))


def tables(folder: Path | None = None) -> dict[str, Path]:
    """Return the files of published numbers by the name of their table.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Where they lie; :func:`published_dir` by default.

    Returns
    -------
    dict of str to pathlib.Path
        ``"1"`` to ``"28"``, ``"text"``, ``"figures"`` and ``"card"`` (the card of the released episodes).

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    """
    folder = folder or published_dir()
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder}: there is no such folder of published numbers")
    files = {str(int(path.stem.removeprefix("table_"))): path for path in sorted(folder.glob("table_*.csv"))}
    return files | {name: folder / file for name, file in OTHER_FILES.items() if (folder / file).exists()}


def published(
    table: str | int | None = None,
    *,
    folder: Path | None = None,
    **wanted: str | float | Sequence[str | float],
) -> pd.DataFrame:
    """Return published numbers.

    Parameters
    ----------
    table : str or int, optional
        Number of the paper's table, ``"text"``, ``"figures"`` or ``"card"``; all of them by default.
    folder : pathlib.Path, optional
        Where the files lie; the project's own by default.
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
    PublishedError
        If a file is malformed.
    FileNotFoundError
        If there is no such folder, or it holds no published numbers.
    KeyError
        If there is no such table, column or value, or no row with that combination; the message lists those
        there are.

    Examples
    --------
    >>> row = published(6, panel="delta", model="qwen3-8b", condition="unaided").iloc[0]
    >>> row["value_printed"], row["low_printed"], row["high_printed"]
    ('-0.06', '-0.10', '-0.04')
    """
    known = tables(folder)
    if not known:
        raise FileNotFoundError(f"{folder}: the folder holds no published numbers, such as table_05.csv")
    if table is not None and str(table) not in known:
        raise KeyError(f"there is no published table {table!r}; there are {', '.join(known)}")
    chosen = [known[str(table)]] if table is not None else list(known.values())
    frame = pd.concat([_numbers(path) for path in chosen], ignore_index=True)
    kept = pd.Series(True, index=frame.index)
    for name, value in wanted.items():
        kept &= _matches(
            frame,
            name,
            list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value],
        )
    if frame.empty or not kept.any():
        asked = ", ".join(f"{name}={value!r}" for name, value in wanted.items())
        raise KeyError(f"no published number has all of {asked}")
    return frame[kept].reset_index(drop=True)


def _as_printed(value: object) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _matches(frame: pd.DataFrame, name: str, values: Sequence[object]) -> pd.Series:
    if name not in FILTERS:
        raise KeyError(f"published numbers cannot be selected by {name!r}, only by {', '.join(FILTERS)}")
    there = frame[name].astype("string").fillna("")
    known = set(there)
    unknown = [value for value in map(_as_printed, values) if value not in known]
    if unknown:
        raise KeyError(
            f"no published number has {name} {', '.join(map(repr, unknown))}; there are "
            f"{', '.join(repr(each) for each in sorted(known))}"
        )
    return there.isin(list(map(_as_printed, values))).astype(bool)
