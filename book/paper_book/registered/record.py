"""The registered tests and the paper's printed numbers: whether its outcomes follow from its tables."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from paper_book.measures.cell_index import Need
from paper_book.published.comparing import compare
from paper_book.published.transcribed import QUANTITY, decimals, published
from paper_book.registered.engine import evaluate_with
from paper_book.registered.results import Answer, Asked, Figure, RegisteredResult
from paper_book.registered.rules import RegisteredTest

Key = tuple[str, ...]


def printed_rows(test: RegisteredTest) -> pd.DataFrame:
    """Return the published rows of a test: its figures, thresholds and outcome as printed."""
    return published(test.table, panel=test.document, row=test.id)


def _key(row: Mapping[Any, object]) -> Key:
    values = (row[name] for name in QUANTITY)
    return tuple("" if value is None or value is pd.NA else str(value) for value in values)


def _agree(a: Key, b: Key) -> bool:
    """Return whether two keys can mean one quantity; the tables leave blank what goes without saying."""
    return all(mine == theirs or not (mine and theirs) for mine, theirs in zip(a, b, strict=True))


def _only(found: Iterable[Key]) -> Key | None:
    listed = list(found)
    return listed[0] if len(listed) == 1 else None


def evaluate_record(tests: Iterable[RegisteredTest]) -> list[RegisteredResult]:
    """Decide registered tests on the paper's printed numbers, compared with thresholds as they are printed.

    A quantity that is printed in several places is taken where it has the most decimals; number by number,
    since one table prints the interval and another the p-value.
    """
    rows: dict[Key, list[dict[Any, Any]]] = {}
    for row in published().to_dict("records"):
        rows.setdefault(_key(row), []).append(row)
    # Keys of one model in the tables of tests, which leave blank what goes without saying there.
    blanks = [key for key, there in rows.items() if key[0] and {row["table"] for row in there} & {"4", "5"}]

    def ask(asked: Asked) -> Answer:
        keys = asked.printed_keys()
        near = _only(key for key in blanks if any(_agree(key, mine) for mine in keys))
        found = next((rows[key] for key in (*keys, near) if key in rows), [])
        numbers = {name: _most_precise(found, name) for name in ("value", "low", "high", "p")}
        k, n = next(((int(row["k"]), int(row["n"])) for row in found if not pd.isna(row["k"])), (None, None))
        if numbers["value"] is None and k is not None and n is not None:
            numbers["value"] = k / n
        if all(number is None for number in numbers.values()):
            cell = asked.cells[0] if asked.cells else None
            return Answer(asked, needs=(Need("a printed number", cell, asked.regimes),))
        value = numbers.pop("value")
        value = float("nan") if value is None else value
        return Answer(asked, Figure(value, **numbers, n=n, k=k, reason="not printed"))

    return evaluate_with(ask, tests)


def _most_precise(rows: Iterable[dict[Any, Any]], name: str) -> float | None:
    printed = [row for row in rows if not pd.isna(row[name])]
    best = max(printed, key=lambda row: decimals(str(row[f"{name}_printed"])), default=None)
    return None if best is None else float(best[name])


def number_rows(results: Sequence[RegisteredResult]) -> pd.DataFrame:
    """Return the published numbers of tests beside the recomputed ones."""
    parts = [part for result in results if not (part := _numbers_of(result)).empty]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["test", "quantity"])


def _numbers_of(result: RegisteredResult) -> pd.DataFrame:
    figures = {
        key: answer.figure
        for case in result.cases
        for answer in case.answers.values()
        if answer.figure is not None
        for key in answer.asked.printed_keys()
    }
    printed = printed_rows(result.test)
    # A row without a model sums several models up, and is no number of one of them.
    found = [
        _only(key for key in figures if _agree(key, _key(row))) if row["model"] else None
        for row in printed.to_dict("records")
    ]
    names = [" · ".join(filter(None, key)) for key in found if key is not None]
    if not names:
        return pd.DataFrame()
    rows = [
        {"quantity": " · ".join(filter(None, key)), "value": each.value, "low": each.low, "high": each.high}
        for key, each in figures.items()
    ]
    computed = pd.DataFrame(rows, columns=["quantity", "value", "low", "high"])
    chosen = printed[[key is not None for key in found]].assign(quantity=names)
    return compare(chosen, computed, on=["quantity"]).assign(test=result.test.key)
