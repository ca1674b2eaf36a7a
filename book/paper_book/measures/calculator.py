"""A measure's value on cells, computed once."""

from collections.abc import Callable, Sequence
from functools import cache
from inspect import signature
from math import isfinite
from typing import Any
from warnings import catch_warnings, filterwarnings

import pandas as pd
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

from paper_book.measures.cell_index import CellIndex, CellKey, Need
from paper_book.measures.registry import PaperMeasure


def plain(name: str, value: float, n: int, part: pd.DataFrame, level: float, **parts: float) -> Estimate:
    """Return a number that the paper prints without an interval."""
    if not isfinite(value):
        raise UndefinedEstimateError(f"{name} is undefined on these episodes")
    return Estimate(
        name, float(value), None, None, level, "plain number", n=int(n),
        n_clusters=part["question_id"].nunique(), reason="the paper gives no interval", parts=parts,
    )  # fmt: skip


@cache
def _parameters(call: Callable[..., Any]) -> frozenset[str]:
    return frozenset(signature(call).parameters)


class Calculator:
    """Measures on the cells of some episodes."""

    def __init__(self, cells: CellIndex, *, n_boot: int, seed: int, level: float) -> None:
        self.cells = cells
        self._resampling = {"n_boot": n_boot, "seed": seed, "level": level}
        self._made: dict[tuple[object, ...], Any] = {}

    def missing(self, measure: PaperMeasure, keys: Sequence[CellKey], regimes: tuple[str, ...]) -> list[Need]:
        """Return what the cells lack for a measure."""
        return [need for key in keys for need in self.cells.missing(key, regimes, measure)]

    def value(
        self, measure: PaperMeasure, keys: Sequence[CellKey], regimes: tuple[str, ...], price: float = 0.0
    ) -> Estimate | str:
        """Return a measure, or the word that is its result."""
        call = measure.function(len(keys))
        assert call is not None
        parts = [measure.prepared(self.cells.part(key, regimes)) for key in keys]
        given = {"regimes": regimes, "price": price} | self._resampling
        if "regime" in _parameters(call):
            if len(regimes) > 1:
                raise UndefinedEstimateError(
                    f"it is defined for one regime at a time, not {', '.join(regimes)}"
                )
            given["regime"] = regimes[0]
        options = {name: each for name, each in given.items() if name in _parameters(call)} | measure.options
        made = (call, measure.of, tuple(keys), regimes, tuple(sorted(options.items(), key=str)))
        if "memory" in _parameters(call):
            options["memory"] = self._made
        if made not in self._made:
            pairs = len(parts) > measure.cells
            arguments = [list(zip(parts[::2], parts[1::2], strict=True))] if pairs else parts
            with catch_warnings():
                # Which cells a number compares is the paper's choice: two runs of the same questions differ.
                filterwarnings("ignore", "the two cells differ")
                self._made[made] = call(*arguments, **options)
        return self._picked(self._made[made], measure, parts[0])

    def _picked(self, made: Any, measure: PaperMeasure, part: pd.DataFrame) -> Estimate | str:  # noqa: ANN401
        """Return the entry of a result that a measure is."""
        name, level = measure.part, self._resampling["level"]
        if name is None:
            result: Estimate | str = made
            return result
        if isinstance(made, pd.DataFrame):
            key = tuple(name.split()) if isinstance(made.index, pd.MultiIndex) else name
            return Estimate.from_row(made.T[key].to_dict())
        entries = made.parts if isinstance(made, Estimate) else made
        n = int(entries[measure.n] if measure.n else made.n)
        return plain(name.replace("_", " "), entries[name], n, part, level)
