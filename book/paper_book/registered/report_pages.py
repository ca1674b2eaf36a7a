"""What a page shows of registered tests: outcomes by document, claims, and numbers beside printed ones."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd

from paper_book.published.comparing import show
from paper_book.registered.load import load_documents
from paper_book.registered.record import number_rows
from paper_book.registered.report import agreement, claim_rows, outcome_rows
from paper_book.registered.results import NOT_EVALUABLE, NOT_INTERPRETED, RegisteredResult
from paper_book.tables.data_table import Table
from paper_book.tables.grouped import Group, GroupedTable, Text
from paper_book.tables.number_texts import printed_text

#: What a quantity of the tables goes without saying.
_USUAL = re.compile(r" · (hotpotqa|test300|8)(?= ·)")
_ORIGINAL = "original"
#: Outcomes in the order in which they are counted.
_OUTCOMES = ("pass", "partial", "mixed", "fail", NOT_INTERPRETED, "reported", NOT_EVALUABLE)


def _document(name: str) -> str:
    """Return a document of the registration with what it is about."""
    about = load_documents()[name]
    return f"Original {about.lower()}" if name == _ORIGINAL else f"{name} · {about}"


def _tally(outcomes: Sequence[str]) -> str:
    """Return outcomes in words: how many of each, or "all pass" if they agree."""
    if len(set(outcomes)) == 1 and len(outcomes) > 1:
        return f"all {outcomes[0]}"
    return ", ".join(
        outcome if len(outcomes) == 1 else f"{outcomes.count(outcome)} {outcome}"
        for outcome in sorted(set(outcomes), key=_OUTCOMES.index)
    )


def _in_short(results: Sequence[RegisteredResult], recomputed: str) -> str:
    """Return the line of a document's tests: how many, what was published, and what was recomputed."""
    outcomes = [result.outcome for result in results]
    agree, decided = (sum(counts) for counts in zip(*map(agreement, results), strict=True))
    cases = f"; {agree} of {decided} decided cases as published" if decided else ""
    tests = "1 test" if len(results) == 1 else f"{len(results)} tests"
    published = _tally([result.test.published.outcome for result in results])
    return f"{tests} · published: {published} · {recomputed}: {_tally(outcomes)}{cases}"


def _by_document(results: Sequence[RegisteredResult]) -> dict[str, list[RegisteredResult]]:
    found: dict[str, list[RegisteredResult]] = {}
    for result in results:
        found.setdefault(result.test.document, []).append(result)
    return found


def _decided(row: "pd.Series[Any]") -> str:
    """Return how far the cases of a test are decided, and agree."""
    text = f"{row['decided']} {'case' if row['decided'].endswith(' of 1') else 'cases'} decided"
    return text + (f"; {row['agreement']}" if row["agreement"] else "")


def _grouped(
    results: Sequence[RegisteredResult],
    columns: Sequence[str],
    cells: Callable[["pd.Series[Any]"], Sequence[Text]],
    recomputed: str,
    *,
    opened: bool = False,
) -> tuple[Group, ...]:
    """Return a group a document, with a row a test."""
    groups: list[Group] = []
    for name, tests in _by_document(results).items():
        rows = {
            result.test.key: (result.test.id, *cells(row))
            for result, (_, row) in zip(tests, outcome_rows(tests).iterrows(), strict=True)
        }
        line = _in_short(tests, recomputed)
        groups.append(Group(_document(name), line, tuple(columns), rows, opened and not groups))
    return tuple(groups)


def outcome_table(
    results: Sequence[RegisteredResult], *, caption: str, source: str, note: str = ""
) -> GroupedTable:
    """Return all tests by document: prediction and rule, published and recomputed outcome, agreement."""

    def cells(row: "pd.Series[Any]") -> Sequence[Text]:
        rule = f"Rule: {row['decided by']}" if row["decided by"] != "reported" else "No rule: only reported"
        return (row["prediction"], rule), row["published"], (row["recomputed"], _decided(row))

    columns = ("test", "prediction, and the rule that decides it", "published", f"recomputed ({source})")
    groups = _grouped(results, columns, cells, "recomputed", opened=True)
    anchors = {result.test.key: result.test.anchor for result in results}
    return GroupedTable(caption, groups, note, anchors)


def claim_table(results: Sequence[RegisteredResult], *, caption: str) -> Table:
    """Return Table 3: claims, linked to the sections that recompute them and to their tests."""
    return Table(claim_rows(results), caption)


def _recomputed_text(row: "pd.Series[Any]") -> str:
    digits = len(str(row["value_printed"] or row["low_printed"] or row["high_printed"]).partition(".")[2])
    return show(row["recomputed"], row["recomputed_low"], row["recomputed_high"], digits + 1 if digits else 3)


def number_table(results: Sequence[RegisteredResult], *, caption: str, source: str) -> Table:
    """Return the numbers that the paper prints with its tests beside the recomputed ones."""
    rows = number_rows(results)
    words = {True: "equal", False: "differs"}
    frame = pd.DataFrame(
        {
            "test": rows["test"],
            "quantity": [_USUAL.sub("", each) for each in rows["quantity"]],
            "published": [printed_text(row) for row in rows.to_dict("records")],
            f"recomputed ({source})": [_recomputed_text(row) for _, row in rows.iterrows()],
            "at printed precision": [words.get(each, "") for each in rows.get("equal", [])],
        }
    )
    return Table(frame, caption, "" if len(frame) else "These episodes give none of the printed numbers.")


def needs_table(results: Sequence[RegisteredResult], *, caption: str) -> GroupedTable:
    """Return what is missing for each outcome that the episodes do not decide, by document."""
    lacking = [result for result in results if result.outcome == NOT_EVALUABLE]
    groups: list[Group] = []
    for name, tests in _by_document(lacking).items():
        rows = {
            result.test.key: (result.test.id, needs)
            for result, needs in zip(tests, outcome_rows(tests)["needs"], strict=True)
        }
        line = "1 test" if len(rows) == 1 else f"{len(rows)} tests"
        groups.append(Group(_document(name), f"{line} not decided", ("test", "needs"), rows))
    return GroupedTable(caption, tuple(groups), "" if groups else "Nothing is missing.")


def record_table(record: Sequence[RegisteredResult], *, caption: str) -> GroupedTable:
    """Return the tests decided on the paper's printed numbers, by document."""

    def cells(row: "pd.Series[Any]") -> Sequence[Text]:
        return row["published"], row["as printed"], (row["recomputed"], _decided(row))

    columns = ("test", "published", "as printed", "on printed numbers")
    return GroupedTable(caption, _grouped(record, columns, cells, "on printed numbers"))
