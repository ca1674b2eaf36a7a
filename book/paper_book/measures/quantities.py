"""What a published number is: which measure of which cells, or why no run gives it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from paper_book.measures.cell_index import CellKey
from paper_book.measures.registry import PaperMeasure, registry

#: Splits that stand for several runs of the same questions.
_SEVERAL_RUNS = {"test300-three-runs": ("test300", "test300-run2", "test300-run3")}
_SEVERAL = "a range or a count over several cells"
_PRICE = re.compile(r"λ=(\d+(?:\.\d+)?)")


@dataclass(frozen=True)
class PaperQuantity:
    """A published number: its measure in the registry, its cells, and what it needs beside them."""

    name: str
    measure: PaperMeasure | None
    #: One cell, the two that are compared, or these two for each of several runs.
    keys: tuple[CellKey, ...]
    #: Regimes that are read; none where the number should name some and doesn't.
    regimes: tuple[str, ...]
    #: λ, where the row names one.
    price: float
    #: 100 for a number that is printed in per cent, otherwise 1.
    scale: int
    #: Why no run gives it; empty for a number that runs, with their probes, can give.
    why_not: str

    @property
    def has_call(self) -> bool:
        """Whether the registry has a call for it."""
        return self.measure is not None and self.measure.function(len(self.keys)) is not None


def quantity_of(record: Mapping[Any, Any]) -> PaperQuantity:
    """Return what a row of published numbers is."""
    exception = next((each for each in registry().exceptions if each.fits(record)), None)
    name = (exception.measure if exception else "") or str(record["measure"])
    measure = registry().measures.get(name)
    condition = (exception.condition if exception else "") or str(record["condition"])
    if not condition and measure and record["model"]:
        condition = measure.condition_of(str(record["model"]))
    keys = _keys(record, condition)
    if measure and measure.second:
        keys = (*keys, keys[0]._replace(**measure.second))
    several = any(not key.model or not key.condition for key in keys)
    why_not = (exception.why_not if exception else "") or (measure.why_not if measure else "")
    price = _PRICE.search(str(record["row"])) if record["table"] == "17" else None
    return PaperQuantity(
        name, measure, keys,
        measure.regimes(str(record["regime"]), str(record["task"])) if measure else (),
        float(price[1]) if price else 0.0,
        _scale(record),
        why_not or (_SEVERAL if several else ""),
    )  # fmt: skip


def _scale(record: Mapping[Any, Any]) -> int:
    in_per_cent = str(record["unit"]) in ("percent", "points")
    return 100 if in_per_cent and any(pd.notna(record[name]) for name in ("value", "low", "high")) else 1


def _keys(record: Mapping[Any, Any], condition: str) -> tuple[CellKey, ...]:
    """Return the cells of a row; ``condition`` or ``split`` may read "a - b"."""
    model, task = str(record["model"]), str(record["task"])
    budget = 0 if pd.isna(record["budget"]) else int(record["budget"])
    conditions, splits = condition.split(" - "), str(record["split"]).split(" - ")
    n = max(len(conditions), len(splits))
    return tuple(
        CellKey(model, conditions[min(i, len(conditions) - 1)], task, run, budget)
        for runs in (_SEVERAL_RUNS.get(splits[0], (None,)),)
        for each in runs
        for i in range(n)
        for run in (each or splits[min(i, len(splits) - 1)],)
    )
