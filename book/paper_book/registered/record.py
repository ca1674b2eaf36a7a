"""Registered tests decided on the paper's printed numbers: whether its outcomes follow from its tables."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import pandas as pd

from paper_book.published.transcribed import decimals, published
from paper_book.registered.engine import Decider
from paper_book.registered.models import RegisteredTest
from paper_book.registered.printed import Key, agree, only, quantity_key
from paper_book.registered.registered_cells import Need
from paper_book.registered.results import Answer, Asked, Result
from paper_book.registered.test_measures import Figure

_NUMBERS = ("value", "low", "high", "p")


class Record(Decider):
    """The paper's tables, text and figures as a source of quantities.

    A quantity that is printed in several places is taken where it has the most decimals; number by number,
    since one table prints the interval and another the p-value.
    """

    @cached_property
    def _rows(self) -> dict[Key, list[dict[Any, Any]]]:
        rows: dict[Key, list[dict[Any, Any]]] = {}
        for row in published().to_dict("records"):
            rows.setdefault(quantity_key(row), []).append(row)
        return rows

    @cached_property
    def _registered(self) -> tuple[Key, ...]:
        """Keys of one model in the tables of tests, which leave blank what goes without saying there."""
        return tuple(
            key for key, rows in self._rows.items() if key[0] and {row["table"] for row in rows} & {"4", "5"}
        )

    def _find(self, asked: Asked) -> list[dict[Any, Any]]:
        for key in asked.printed_keys():
            if key in self._rows:
                return self._rows[key]
        near = only(key for key in self._registered if any(agree(key, mine) for mine in asked.printed_keys()))
        return self._rows[near] if near is not None else []

    def ask(self, asked: Asked) -> Answer:
        """Return a quantity as printed.

        Parameters
        ----------
        asked : Asked
            The quantity.

        Returns
        -------
        Answer
            Without a figure where the paper does not print its value; a bound or p-value that is not printed
            is missing.
        """
        rows = self._find(asked)
        found = {name: _most_precise(rows, name) for name in _NUMBERS}
        counts = next(((int(row["k"]), int(row["n"])) for row in rows if not pd.isna(row["k"])), None)
        if found["value"] is None and counts is not None:
            found["value"] = counts[0] / counts[1]
        if all(number is None for number in found.values()):
            return Answer(asked, needs=(Need("a printed number", asked.a, asked.regimes),))
        k, n = counts or (None, None)
        value = float("nan") if found["value"] is None else found["value"]
        return Answer(asked, Figure(value, found["low"], found["high"], found["p"], n, k, "not printed"))


def _most_precise(rows: Iterable[dict[Any, Any]], name: str) -> float | None:
    printed = [row for row in rows if not pd.isna(row[name])]
    if not printed:
        return None
    return float(max(printed, key=lambda row: decimals(str(row[f"{name}_printed"])))[name])


def evaluate_record(tests: Iterable[RegisteredTest]) -> list[Result]:
    """Decide registered tests on the paper's printed numbers.

    Parameters
    ----------
    tests : iterable of RegisteredTest
        The tests.

    Returns
    -------
    list of Result
        One a test. A case is decided as far as its numbers are printed, and a number is compared with a
        threshold as it is printed.
    """
    record = Record()
    return [record.evaluate(test) for test in tests]
