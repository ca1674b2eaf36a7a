"""The numbers that the paper prints with its registered tests, beside the recomputed ones."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from paper_book.published.comparing import compare
from paper_book.published.transcribed import QUANTITY
from paper_book.registered.report import printed_rows
from paper_book.registered.results import Result

Key = tuple[str, ...]


def quantity_key(row: Mapping[Any, object]) -> Key:
    """Return what identifies a published quantity, in the order of ``QUANTITY`` and as text."""
    values = (row[name] for name in QUANTITY)
    return tuple("" if value is None or value is pd.NA else str(value) for value in values)


def agree(a: Key, b: Key) -> bool:
    """Return whether two keys can mean one quantity; the tables leave blank what goes without saying."""
    return all(mine == theirs or not (mine and theirs) for mine, theirs in zip(a, b, strict=True))


def only(found: Iterable[Key]) -> Key | None:
    """Return the one key there is; None for none or several."""
    listed = list(found)
    return listed[0] if len(listed) == 1 else None


def number_rows(results: Sequence[Result]) -> pd.DataFrame:
    """Return the published numbers of tests beside the recomputed ones.

    Parameters
    ----------
    results : sequence of Result
        Tests on given episodes.

    Returns
    -------
    pandas.DataFrame
        As :func:`paper_book.published.compare` returns it, one row a published number that was
        recomputed, with ``test`` and ``quantity``; without rows where none was.
    """
    parts = [part for result in results if not (part := _numbers_of(result)).empty]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=["test", "quantity"])


def _numbers_of(result: Result) -> pd.DataFrame:
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
        only(key for key in figures if agree(key, quantity_key(row))) if row["model"] else None
        for row in printed.to_dict("records")
    ]
    chosen = printed[[key is not None for key in found]]
    if chosen.empty:
        return chosen
    names = [" · ".join(filter(None, key)) for key in found if key is not None]
    rows = [
        {"quantity": " · ".join(filter(None, key)), "value": each.value, "low": each.low, "high": each.high}
        for key, each in figures.items()
    ]
    compared = compare(chosen.assign(quantity=names), pd.DataFrame(rows), on=["quantity"])
    return compared.assign(test=result.test.key)
