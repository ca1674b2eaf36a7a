"""Computed checks between the paper's own numbers, and between the paper and what was released with it.

A check is an entry of ``data/consistency.yaml``: what should hold, where, and a comparator of `generic` with
what it compares, or a function of `checks`.
"""

from collections.abc import Callable
from dataclasses import asdict, fields
from functools import cache, lru_cache
from typing import Any

import pandas as pd
from judged_useless._io.paths import data_dir

from paper_book.consistency import checks, generic
from paper_book.consistency.printed_numbers import Comparison, PaperNumbers, load
from paper_book.strict_yaml import Strict, read

__all__ = ["Comparison", "ConsistencyCheck", "PaperNumbers", "load", "load_checks", "run", "summary", "table"]


class ConsistencyCheck(Strict):
    """One check: its name, the tables and sections it is about, what should hold, and what compares what."""

    name: str
    places: str
    rule: str
    by: str
    over: tuple[Any, ...] = ()

    @property
    def comparator(self) -> Callable[..., generic.Rows]:
        """What makes the comparisons, from the numbers and `over`."""
        found: Callable[..., generic.Rows] = getattr(generic, self.by, None) or getattr(checks, self.by)
        return found


class _Checks(Strict):
    checks: tuple[ConsistencyCheck, ...]


@cache
def load_checks() -> dict[str, ConsistencyCheck]:
    """Return every check by name."""
    return {check.name: check for check in read(data_dir() / "consistency.yaml", _Checks).checks}


def run(name: str, paper: PaperNumbers | None = None) -> list[Comparison]:
    """Return the comparisons of one check."""
    known = load_checks()
    if name not in known:
        raise KeyError(f"there is no check {name!r}; there are {', '.join(known)}")
    found = list(known[name].comparator(paper or load(), known[name].over))
    if not found:
        raise LookupError(f"the check {name} compares nothing")
    return found


@lru_cache(maxsize=1)
def _table() -> pd.DataFrame:
    rows = [
        {"check": name, "tables": check.places} | asdict(comparison)
        for name, check in load_checks().items()
        for comparison in run(name)
    ]
    return pd.DataFrame(rows, columns=["check", "tables", *(field.name for field in fields(Comparison))])


def table() -> pd.DataFrame:
    """Return every comparison of every check."""
    return _table().copy()


def summary() -> pd.DataFrame:
    """Return how many comparisons of each check hold."""
    holds = table().groupby("check", sort=False)["holds"].agg(comparisons="size", hold="sum").astype(int)
    said = {name: {"rule": check.rule, "tables": check.places} for name, check in load_checks().items()}
    about = pd.DataFrame.from_dict(said, orient="index").rename_axis("check")
    return about.join(holds).reset_index()
