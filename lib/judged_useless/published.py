"""The paper's printed numbers by table, and a recomputed value held against them.

Every number is a row of ``data/published/table_NN.csv``, ``text.csv`` or ``figures.csv``, transcribed from
the paper (arXiv:2610.06191) with its printed precision.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from judged_useless.estimators.estimate import Estimate
from judged_useless.paths import data_dir

#: Columns of every file of published numbers, in order.
COLUMNS = (
    "table", "panel", "row", "column", "model", "condition", "task", "split", "budget", "regime", "measure",
    "unit", "value", "low", "high", "p", "n", "k", "note",
)  # fmt: skip
_NUMBERS = ("value", "low", "high")
#: What identifies a quantity, wherever it is printed or recomputed.
QUANTITY = ("model", "condition", "task", "split", "budget", "regime", "measure")


class PublishedError(ValueError):
    """A file of published numbers that is not what it should be; the message names file, line and field."""


def _number(path: Path, line: int, name: str, text: str) -> float:
    try:
        return float(text.removeprefix("<")) if text else np.nan
    except ValueError as error:
        raise PublishedError(
            f"{path}, line {line}: field {name!r}: expected a number, found {text!r}"
        ) from error


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


@lru_cache(maxsize=64)
def _read(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8")
    if tuple(frame.columns) != COLUMNS:
        found = ", ".join(map(str, frame.columns))
        raise PublishedError(f"{path}, line 1: expected the columns {', '.join(COLUMNS)}, found {found}")
    for name in _NUMBERS:
        printed = frame[name]
        frame[f"{name}_printed"] = printed
        frame[name] = [_number(path, line, name, text) for line, text in enumerate(printed, 2)]
    for name in ("n", "k", "budget"):
        frame[name] = pd.array(
            [None if np.isnan(number) else int(number) for number in
             (_number(path, line, name, text) for line, text in enumerate(frame[name], 2))],
            dtype="Int64",
        )  # fmt: skip
    return frame.assign(decimals=frame["value_printed"].map(decimals))


def tables() -> dict[str, Path]:
    """Return the files of published numbers under ``"1"`` to ``"28"``, ``"text"`` and ``"figures"``."""
    folder = data_dir() / "published"
    files = {str(int(path.stem.removeprefix("table_"))): path for path in sorted(folder.glob("table_*.csv"))}
    return files | {
        name: folder / f"{name}.csv" for name in ("text", "figures") if (folder / f"{name}.csv").exists()
    }


def published(table: str | int | None = None, **wanted: str | Sequence[str]) -> pd.DataFrame:
    """Return published numbers.

    Parameters
    ----------
    table : str or int, optional
        Number of the paper's table, ``"text"`` or ``"figures"``; all of them by default.
    **wanted : str or sequence of str
        Keep only rows with these values, for instance ``model="qwen3-8b", measure="delta"``.

    Returns
    -------
    pandas.DataFrame
        Columns :data:`COLUMNS`, with ``value``, ``low`` and ``high`` as numbers (NaN for a dash), their
        printed form in ``value_printed`` and so on, and ``decimals``, the printed precision of the value.

    Raises
    ------
    PublishedError
        If a file is malformed.
    KeyError
        If there is no such table, column or value; the message lists those there are.

    Examples
    --------
    >>> row = published(6, panel="delta", model="qwen3-8b", condition="unaided").iloc[0]
    >>> row["value_printed"], row["low_printed"], row["high_printed"]
    ('-0.06', '-0.10', '-0.04')
    """
    known = tables()
    if table is not None and str(table) not in known:
        raise KeyError(f"there is no published table {table!r}; there are {', '.join(known)}")
    chosen = [known[str(table)]] if table is not None else list(known.values())
    frame = pd.concat([_read(path) for path in chosen], ignore_index=True)
    for name, value in wanted.items():
        if name not in COLUMNS:
            raise KeyError(f"published numbers have no column {name!r}; they have {', '.join(COLUMNS)}")
        values = [value] if isinstance(value, str) else list(value)
        there = frame[name].astype(str)
        frame = frame[there.isin([str(each) for each in values])]
        if frame.empty:
            raise KeyError(
                f"no published number has {name} {values}; there are {', '.join(sorted(set(there)))}"
            )
    return frame.reset_index(drop=True)


def recomputed(estimates: Mapping[tuple[str, ...], Estimate], keys: Sequence[str]) -> pd.DataFrame:
    """Return estimates as rows that :func:`compare` can match.

    Parameters
    ----------
    estimates : mapping of tuple of str to Estimate
        Each estimate under its values of `keys`.
    keys : sequence of str
        Names of the columns that identify a quantity, such as ``("model", "condition", "measure")``.

    Returns
    -------
    pandas.DataFrame
        Columns `keys`, ``value``, ``low``, ``high``, ``n``.
    """
    rows = [
        dict(zip(keys, key, strict=True))
        | {"value": each.value, "low": each.low, "high": each.high, "n": each.n}
        for key, each in estimates.items()
    ]
    return pd.DataFrame(rows, columns=[*keys, "value", "low", "high", "n"])


def compare(printed: pd.DataFrame, computed: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Hold recomputed values against published ones, at the printed precision.

    Parameters
    ----------
    printed : pandas.DataFrame
        Rows of :func:`published`.
    computed : pandas.DataFrame
        Rows with the columns `on`, ``value`` and, where there is an interval, ``low`` and ``high``.
    on : sequence of str
        Columns that identify a quantity; no two rows of `computed` may agree in all of them.

    Returns
    -------
    pandas.DataFrame
        One row a published number, in the same order: its columns, ``recomputed``, ``recomputed_low``,
        ``recomputed_high``, ``difference`` (recomputed minus published), ``equal`` (value and printed bounds
        agree at the printed precision; missing where nothing was recomputed) and ``inside`` (the recomputed
        value lies in the published interval; missing without one).

    Raises
    ------
    ValueError
        If `computed` has two rows for one quantity.
    """
    if computed.duplicated(list(on)).any():
        raise ValueError(f"two recomputed values for one quantity; {', '.join(on)} do not tell them apart")
    renamed = computed[[*on, *(name for name in _NUMBERS if name in computed)]].rename(
        columns={name: f"recomputed_{name}" for name in _NUMBERS}
    )
    joined = printed.merge(renamed, on=list(on), how="left", validate="many_to_one")
    joined = joined.rename(columns={"recomputed_value": "recomputed"})
    for name in ("recomputed", "recomputed_low", "recomputed_high"):
        joined[name] = pd.to_numeric(joined.get(name, pd.Series(np.nan, index=joined.index)))
    agree = pd.Series(True, index=joined.index)
    for name, mine in zip(_NUMBERS, ("recomputed", "recomputed_low", "recomputed_high"), strict=True):
        agree &= (
            _equal_as_printed(joined[mine], joined[name], joined[f"{name}_printed"]) | joined[name].isna()
        )
    has_both = joined["recomputed"].notna() & joined["value"].notna()
    inside = (joined["recomputed"] >= joined["low"]) & (joined["recomputed"] <= joined["high"])
    return joined.assign(
        difference=joined["recomputed"] - joined["value"],
        equal=agree.astype("boolean").where(has_both),
        inside=inside.astype("boolean").where(has_both & joined["low"].notna()),
    )


def _equal_as_printed(mine: pd.Series, theirs: pd.Series, printed: pd.Series) -> pd.Series:
    """Return whether a number rounds to the printed one; a tie may have been rounded either way."""
    half = 0.5 * 10.0 ** -printed.map(decimals)
    return (mine - theirs).abs() <= half + 1e-9


def show(value: float, low: float, high: float, digits: int) -> str:
    """Return a number with its interval at a printed precision, empty for a missing one.

    Parameters
    ----------
    value, low, high : float
        Number and bounds; NaN for none.
    digits : int
        Decimals.

    Returns
    -------
    str

    Examples
    --------
    >>> show(-0.0648, -0.0952, -0.0387, 2)
    '−0.06 [−0.10, −0.04]'
    """
    if np.isnan(value):
        return ""
    text = f"{value:.{digits}f}"
    if not np.isnan(low):
        text += f" [{low:.{digits}f}, {high:.{digits}f}]"
    return text.replace("-", "−")
