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
    """Return Δ, its interval and mean6 of the 43 released cells, as the paper's authors computed them.

    Columns ``split, model, condition, delta, ci_low, ci_high, mean6``, at full precision.
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
    episodes: pd.DataFrame, *, progress: Callable[[Sequence[Any]], Iterable[Any]] = iter
) -> pd.DataFrame:
    """Recompute Δ, its interval and mean6 of every cell, and compare with the published values.

    Parameters
    ----------
    episodes : pandas.DataFrame
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
    differences = [(joined[name] - joined[f"{name}_published"]).abs() for name in _MEASURES]
    largest = pd.concat(differences, axis=1).max(axis=1)
    missing = [", ".join(name for name in _MEASURES if np.isnan(row[name])) for row in rows]
    return found.assign(
        difference=largest,
        equal=(largest <= TOLERANCE).astype("boolean").where(largest.notna()),
        missing=missing,
    )


def summary(cells: pd.DataFrame) -> str:
    """Return one sentence on how many cells of :func:`compare_cells` equal the paper's."""
    equal, partial = cells["equal"].sum(), (cells["missing"] != "").sum()
    text = f"{equal} of {cells['equal'].count()} recomputed cells equal the paper's"
    text += f"; the paper has {len(released_cells())} cells"
    return text + (f"; {partial} could be recomputed only in part" if partial else "") + "."
