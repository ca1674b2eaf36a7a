"""Holding recomputed values against published ones, at the printed precision."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from paper_book.published.transcribed import QUANTITY, decimals

_FIELDS = ("value", "low", "high")
_RECOMPUTED = ("recomputed", "recomputed_low", "recomputed_high")
#: Two floating-point computations of one number differ by less.
_SLACK = 1e-9


def one_each(printed: pd.DataFrame) -> pd.DataFrame:
    """Return each quantity once: the print with the most of value, low and high, then the most decimals."""
    much = printed[list(_FIELDS)].notna().sum(axis=1) * 10 + printed["decimals"]
    best = much.groupby([printed[name] for name in QUANTITY], sort=False, dropna=False).idxmax()
    return printed.loc[best].reset_index(drop=True)


def compare(printed: pd.DataFrame, computed: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Hold recomputed values against published ones, at the printed precision."""
    renamed = {name: f"recomputed_{name}".removesuffix("_value") for name in _FIELDS}
    mine = computed[[*on, *_FIELDS]].rename(columns=renamed)
    return hold(printed.merge(mine, on=list(on), how="left", validate="many_to_one"))


def hold(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with `difference` and `equal`: all that is both printed and recomputed rounds to the print.

    A number on the rounding boundary agrees either way; a number printed as a fraction k/n stands for exactly
    that, and with ``recomputed_k`` and ``recomputed_n`` fractions are compared as counts. `equal` is missing
    where nothing is both, or a printed value was not recomputed.
    """
    rows = rows.assign(**{name: pd.to_numeric(rows[name]) for name in rows if name in _RECOMPUTED})
    fraction = rows["value"].isna() & rows["k"].notna() & rows["n"].notna()
    share = (rows["k"].astype("Float64") / rows["n"].astype("Float64")).astype(float)
    value = rows["value"].where(~fraction, share)
    theirs = {"value": value, "low": rows["low"], "high": rows["high"]}
    equal, decided = pd.Series(True, index=rows.index), pd.Series(False, index=rows.index)
    for name, mine in zip(_FIELDS, _RECOMPUTED, strict=True):
        half = 0.5 * 10.0 ** -rows[f"{name}_printed"].map(decimals)
        if name == "value":
            half = half.where(~fraction, 0.0)
        gap = rows[mine] - theirs[name]
        equal &= ~(gap.abs() > half + _SLACK)
        decided |= gap.notna()
    decided &= value.isna() | rows["recomputed"].notna()
    if "recomputed_k" in rows:
        same = rows["recomputed_k"].eq(rows["k"]) & rows["recomputed_n"].eq(rows["n"])
        equal = equal.where(~fraction, same.fillna(False).astype(bool))
        rows = rows.assign(value=value, decimals=rows["decimals"].where(~fraction, 3))
    return rows.assign(
        difference=rows["recomputed"] - value, equal=equal.astype("boolean").where(decided, pd.NA)
    )


def show(value: float, low: float, high: float, digits: int) -> str:
    """Return a number with its interval to some decimals, empty for a missing one.

    Examples
    --------
    >>> show(-0.0648, -0.0952, -0.0387, 2)
    '−0.06 [−0.10, −0.04]'
    """
    if np.isnan(value):
        return ""
    text = f"{value:.{digits}f}"
    if not (np.isnan(low) or np.isnan(high)):
        text += f" [{low:.{digits}f}, {high:.{digits}f}]"
    return text.replace("-", "−")
