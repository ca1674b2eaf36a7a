"""The recomputed column: every published quantity that some episodes can give."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

from paper_book.measures.calculator import Calculator
from paper_book.measures.cell_index import CellIndex, describe
from paper_book.measures.own_models import with_own_models
from paper_book.measures.quantities import PaperQuantity, quantity_of
from paper_book.published.comparing import hold
from paper_book.published.transcribed import QUANTITY
from paper_book.reading import SEPARATOR, is_simulated

#: How the reason begins where episodes are missing.
NEEDS_CELLS = "needs the cells "
_Found = tuple[Estimate | str | None, str]


def recompute(
    printed: pd.DataFrame, episodes: pd.DataFrame, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Hold published quantities against what episodes give.

    Episodes of a model that the paper does not have are added below, with an empty published column. The rows
    get ``recomputed`` with ``_low``, ``_high``, ``_k`` and ``_n``; ``recomputed_words``, a result that is no
    number; ``difference`` and ``equal`` as of :func:`~paper_book.published.comparing.hold`; ``reason``, why a
    quantity could not be recomputed; ``simulated``, whether its episodes are of no language model; ``own``,
    whether it is of a model that the paper does not have; and, of several sources, ``loaded_from``.
    """
    cells = CellIndex(episodes)
    calculator = Calculator(cells, n_boot=n_boot, seed=seed, level=level)
    wanted = with_own_models(printed, list(cells.cells))
    quantities = [quantity_of(record) for record in wanted.to_dict("records")]
    # One quantity stands in several tables, and is computed once.
    done: dict[tuple[object, ...], _Found] = {}
    found: list[_Found] = []
    for what, names in zip(quantities, wanted[list(QUANTITY)].itertuples(index=False), strict=True):
        key = (*names, what.name, what.price)
        if key not in done:
            done[key] = _one(what, calculator)
        found.append(done[key])
    numbers = pd.DataFrame(
        [_numbers(value, what.scale) for (value, _), what in zip(found, quantities, strict=True)],
        columns=["recomputed", *(f"recomputed_{name}" for name in ("low", "high", "k", "n"))],
        index=wanted.index,
        dtype=float,
    )
    return hold(wanted.join(numbers)).assign(
        reason=[reason for _, reason in found],
        recomputed_words=[value if isinstance(value, str) else "" for value, _ in found],
        **_origin(quantities, cells),
    )


def _one(what: PaperQuantity, calculator: Calculator) -> _Found:
    """Return a quantity, or why these episodes do not give it."""
    if what.why_not or what.measure is None or not what.has_call:
        return None, what.why_not or f"there is no measure {what.name}"
    regimes, keys = what.regimes, what.keys
    try:
        if what.measure.as_run and (cell := calculator.cells.find(keys[0])) is not None:
            regimes = tuple(name for name in regimes if name in set(cell["regime"])) or regimes
        needs = calculator.missing(what.measure, keys, regimes)
        if any(need.what == "episodes" for need in needs):
            return None, f"{NEEDS_CELLS}{describe(needs)}"
        if needs:
            return None, f"needs {describe(needs)}"
        return calculator.value(what.measure, keys, regimes, what.price), ""
    except (UndefinedEstimateError, EpisodeError) as error:
        # The episodes were checked before, so what is wrong with them here is a field this measure lacks.
        return None, str(error)


def _numbers(value: Estimate | str | None, scale: int) -> tuple[float | None, ...]:
    """Return value, bounds, count and number of observations."""
    if not isinstance(value, Estimate):
        return (None,) * 5
    bounds = (None if each is None else each * scale for each in (value.value, value.low, value.high))
    return (*bounds, value.parts.get("count", value.parts.get("answers")), value.n)


def _origin(quantities: Sequence[PaperQuantity], cells: CellIndex) -> dict[str, list[Any]]:
    """Return whether each quantity's episodes are simulated, and which sources they are from."""
    facts = {
        id(cell): (is_simulated(cell), list(cell["loaded_from"].unique()) if "loaded_from" in cell else [])
        for cell in cells.cells.values()
    }
    simulated, origin = [], []
    for what in quantities:
        there = [facts[id(cell)] for key in what.keys if (cell := cells.find(key)) is not None]
        simulated.append(any(each for each, _ in there))
        origin.append(SEPARATOR.join(dict.fromkeys(name for _, names in there for name in names)) or None)
    several = any(len(names) for _, names in facts.values())
    return {"simulated": simulated} | ({"loaded_from": origin} if several else {})


def as_grid(
    compared: pd.DataFrame, values: str, rows: Sequence[str], columns: Sequence[str] | None = None
) -> pd.DataFrame:
    """Return one number for each condition and model."""
    names = list(dict.fromkeys(compared["model"])) if columns is None else list(columns)
    by_cell = compared.set_index(["condition", "model"])[values].astype(float)
    return pd.DataFrame(
        {name: [by_cell.get((row, name), np.nan) for row in rows] for name in names},
        index=pd.Index(list(rows), name="condition"),
    ).rename_axis(columns="model")
