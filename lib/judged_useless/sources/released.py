"""All released cells at full precision: recompute each, and say which equal the paper's."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from judged_useless._io.paths import data_dir
from judged_useless.environment.regimes import FAIL, MEAN6
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.success import mean_success

_CELL = ["split", "model", "condition"]
_MEASURES = ("delta", "ci_low", "ci_high", "mean6")
#: Two floating-point computations of one number differ by less.
TOLERANCE = 1e-12


def released_cells() -> pd.DataFrame:
    """Return Δ, its interval and mean6 of the 43 released cells, at full precision.

    Returns
    -------
    pandas.DataFrame
        Columns ``split, model, condition, delta, ci_low, ci_high, mean6``; differences of probabilities,
        and a share. Source: the paper's authors, at the precision behind Figure 3 and Table 2.
    """
    return pd.read_csv(data_dir() / "published" / "released_cells.csv")


def _measure(cell: pd.DataFrame) -> dict[str, float]:
    measured = dict.fromkeys(_MEASURES, np.nan)
    try:
        contrast = time_matched_contrast(cell[cell["regime"].isin(FAIL)])
        measured["delta"] = contrast.value
        measured["ci_low"] = np.nan if contrast.low is None else contrast.low
        measured["ci_high"] = np.nan if contrast.high is None else contrast.high
    except UndefinedEstimateError:
        pass  # stays missing, and the comparison says so
    if set(MEAN6) <= set(cell["regime"]):
        measured["mean6"] = mean_success(cell, n_boot=1).value
    return measured


def compare_cells(
    episodes: pd.DataFrame,
    *,
    progress: Callable[[Sequence[Any]], Iterable[Any]] = iter,
) -> pd.DataFrame:
    """Recompute Δ, its interval and mean6 of every cell, and compare with the published values.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells.
    progress : callable, optional
        Wraps the list of cells, for a progress bar.

    Returns
    -------
    pandas.DataFrame
        One row a cell: ``split, model, condition``, the four recomputed measures, the largest absolute
        ``difference`` from the published ones, and ``equal`` (within 1e-12 in all that could be recomputed;
        missing for a cell that the paper does not have), and ``missing``, what could not be recomputed.
    """
    cells = list(episodes.groupby(_CELL, sort=False, observed=True))
    rows = [dict(zip(_CELL, key, strict=True)) | _measure(cell) for key, cell in progress(cells)]
    found = pd.DataFrame(rows, columns=[*_CELL, *_MEASURES])
    joined = found.merge(released_cells(), on=_CELL, how="left", suffixes=("", "_published"))
    differences = pd.DataFrame(
        {name: (joined[name] - joined[f"{name}_published"]).abs() for name in _MEASURES}
    )
    largest = differences.max(axis=1)
    missing = [", ".join(name for name in _MEASURES if np.isnan(row[name])) for row in rows]
    return found.assign(
        difference=largest,
        equal=(largest <= TOLERANCE).astype("boolean").where(largest.notna()),
        missing=missing,
    )


def summary(cells: pd.DataFrame) -> str:
    """Return one sentence on how many cells equal the paper's.

    Parameters
    ----------
    cells : pandas.DataFrame
        Result of :func:`compare_cells`.

    Returns
    -------
    str
    """
    total = len(released_cells())
    comparable = cells["equal"].notna()
    equal = int(cells["equal"].fillna(False).sum())
    text = (
        f"{equal} of {int(comparable.sum())} recomputed cells equal the paper's; the paper has {total} cells"
    )
    partial = int((cells["missing"] != "").sum())
    return text + (f"; {partial} could be recomputed only in part" if partial else "") + "."
