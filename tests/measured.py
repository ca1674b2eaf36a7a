"""Measures of the registry on small cells, by hand."""

from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate
from paper_book.measures.calculator import Calculator
from paper_book.measures.cell_index import CellIndex, CellKey
from paper_book.measures.registry import registry


def estimate(name: str, *cells: pd.DataFrame, regime: str = "persistent", price: float = 0.0) -> Any:
    """Return a measure of one cell, or of two, in the regimes that a number naming `regime` reads."""
    # Each cell gets a split of its own, so that two of one condition stay two.
    split = [cell.assign(split=f"{cell['split'].iloc[0]}-{place}") for place, cell in enumerate(cells)]
    index = CellIndex(pd.concat(split, ignore_index=True))
    calculator = Calculator(index, n_boot=20, seed=0, level=0.95)
    measure, keys = registry().measures[name], list(index.cells)
    regimes = measure.regimes(regime, keys[0].task)
    if measure.as_run and not regime:
        regimes = tuple(each for each in regimes if each in set(cells[0]["regime"]))
    assert calculator.missing(measure, keys, regimes) == []
    return calculator.value(measure, keys, regimes, price)


def value(name: str, *cells: pd.DataFrame, regime: str = "persistent", price: float = 0.0) -> float:
    """Return the number of a measure."""
    found = estimate(name, *cells, regime=regime, price=price)
    assert isinstance(found, Estimate)
    return found.value


def lacking(name: str, cell: pd.DataFrame, regime: str = "persistent") -> list[str]:
    """Return what a cell lacks for a measure."""
    index = CellIndex(cell)
    measure, key = registry().measures[name], next(iter(index.cells))
    assert isinstance(key, CellKey)
    return [need.what for need in index.missing(key, measure.regimes(regime, key.task), measure)]
