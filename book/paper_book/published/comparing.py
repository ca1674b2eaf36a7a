"""Holding recomputed values against published ones, at the printed precision."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from judged_useless.estimators.estimate import Estimate

from paper_book.published.transcribed import QUANTITY, decimals

_FIELDS = ("value", "low", "high")
#: Two floating-point computations of one number differ by less.
_SLACK = 1e-9


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
        Columns `keys`, ``value``, ``low``, ``high``, ``n``; NaN for an undefined bound.
    """
    rows = [
        dict(zip(keys, key, strict=True))
        | {"value": each.value, "low": each.low, "high": each.high, "n": each.n}
        for key, each in estimates.items()
    ]
    return pd.DataFrame(rows, columns=[*keys, "value", "low", "high", "n"])


def one_each(printed: pd.DataFrame) -> pd.DataFrame:
    """Return each quantity once, from where most of it is printed.

    Parameters
    ----------
    printed : pandas.DataFrame
        Rows of :func:`published`. Many quantities are printed in several places, not always with interval.

    Returns
    -------
    pandas.DataFrame
        One row a quantity, in order of first appearance: that with the most of value, low and high, and
        among those with the most decimals.
    """
    much = printed[["value", "low", "high"]].notna().sum(axis=1) * 10 + printed["decimals"]
    best = much.groupby([printed[name] for name in QUANTITY], sort=False, dropna=False).idxmax()
    return printed.loc[best].reset_index(drop=True)


def compare(printed: pd.DataFrame, computed: pd.DataFrame, on: Sequence[str]) -> pd.DataFrame:
    """Hold recomputed values against published ones, at the printed precision.

    A printed number stands for all values that round to it, a tie either way; a number printed as a fraction
    k/n stands for exactly that.

    Parameters
    ----------
    printed : pandas.DataFrame
        Rows of :func:`published`.
    computed : pandas.DataFrame
        Rows with the columns `on`, ``value`` and, where there is an interval, ``low`` and ``high``, in the
        unit of the printed number.
    on : sequence of str
        Columns that identify a quantity; no two rows of `computed` may agree in all of them.

    Returns
    -------
    pandas.DataFrame
        One row a published number, in the same order: its columns, ``recomputed``, ``recomputed_low``,
        ``recomputed_high``, and

        ``compared``
            which of value, low and high are both printed and recomputed.
        ``difference``
            recomputed minus published value; also in ``units``, of the last printed place.
        ``equal``
            all that was compared agrees at the printed precision; missing where nothing was, or where a
            printed value was not recomputed.
        ``inside``
            the recomputed value lies in the published interval; missing without one.
        ``beyond``
            by how much it lies outside: negative below, positive above, 0 inside.

    Raises
    ------
    KeyError
        If `on` names a column that one of the two lacks.
    ValueError
        If `computed` has two rows for one quantity.
    """
    for name, frame in (("printed", printed), ("computed", computed)):
        lacking = [column for column in on if column not in frame.columns]
        if lacking:
            raise KeyError(f"the {name} numbers have no column {', '.join(lacking)} to be matched on")
    if computed.duplicated(list(on)).any():
        raise ValueError(f"two recomputed values for one quantity; {', '.join(on)} do not tell them apart")
    mine = {name: f"recomputed_{name}".removesuffix("_value") for name in _FIELDS}
    held = [name for name in _FIELDS if name in computed.columns]
    renamed = computed[[*on, *held]].rename(columns=mine)
    joined = printed.merge(renamed, on=list(on), how="left", validate="many_to_one")
    for name in mine.values():
        joined[name] = pd.to_numeric(joined[name]) if name in joined.columns else np.nan
    return joined.assign(**_judgments(joined, mine))


def _judgments(joined: pd.DataFrame, mine: Mapping[str, str]) -> dict[str, pd.Series]:
    fraction = (joined["k"] / joined["n"]).astype("Float64").to_numpy(float, na_value=np.nan)
    theirs = {name: joined[name] for name in _FIELDS}
    theirs["value"] = theirs["value"].fillna(pd.Series(fraction, index=joined.index))
    step = {
        name: pd.Series(10.0, index=joined.index) ** -joined[f"{name}_printed"].map(decimals)
        for name in _FIELDS
    }
    step["value"] = step["value"].where(joined["value"].notna(), 0.0)
    both = {name: theirs[name].notna() & joined[mine[name]].notna() for name in _FIELDS}
    gap = {name: joined[mine[name]] - theirs[name] for name in _FIELDS}
    wrong = sum((both[name] & (gap[name].abs() > step[name] / 2 + _SLACK)).astype(int) for name in _FIELDS)
    decided = (both["value"] | both["low"] | both["high"]) & (theirs["value"].isna() | both["value"])
    spans = both["value"] & joined["low"].notna() & joined["high"].notna()
    beyond = (gap["value"] + theirs["value"] - joined["high"]).clip(lower=0) + (
        gap["value"] + theirs["value"] - joined["low"]
    ).clip(upper=0)
    return {
        "compared": pd.Series(
            [", ".join(name for name in _FIELDS if both[name][row]) for row in joined.index],
            index=joined.index,
        ),
        "difference": gap["value"],
        "units": (gap["value"] / step["value"]).where(step["value"] > 0),
        "equal": (pd.Series(wrong, index=joined.index) == 0).astype("boolean").where(decided),
        "inside": (beyond == 0).astype("boolean").where(spans),
        "beyond": beyond.where(spans),
    }


def show(value: float, low: float, high: float, digits: int) -> str:
    """Return a number with its interval at a printed precision, empty for a missing one.

    Parameters
    ----------
    value, low, high : float
        Number and bounds; NaN for none. An interval needs both bounds.
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
    if not (np.isnan(low) or np.isnan(high)):
        text += f" [{low:.{digits}f}, {high:.{digits}f}]"
    return text.replace("-", "−")
