"""What a page shows of registered tests: outcomes by document, cases, claims, numbers beside printed ones."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from paper_book.measures.cell_index import describe
from paper_book.published.comparing import show
from paper_book.published.transcribed import published
from paper_book.reading import our_numbers
from paper_book.registered.load import load_claims, load_documents
from paper_book.registered.record import number_rows, printed_rows
from paper_book.registered.results import (
    NOT_EVALUABLE,
    NOT_INTERPRETED,
    Answer,
    RegisteredCase,
    RegisteredResult,
)
from paper_book.registered.rules import Criterion, Place, RegisteredTest, RuleCheck
from paper_book.tables.data_table import FoldedRows, FoldedTable, Table, Text
from paper_book.tables.html import render, slug
from paper_book.tables.number_texts import in_words, printed_text
from paper_book.tables.paper_table import headings

#: What the record adds to the print: footnotes, and remarks on the layout.
_ADDED = re.compile(r" \[(e:|‡|the Doc|no test ID).*")
#: What a quantity of the tables goes without saying.
_USUAL = re.compile(r" · (hotpotqa|test300|8)(?= ·)")
#: Outcomes in the order in which they are counted.
_OUTCOMES = ("pass", "partial", "mixed", "fail", NOT_INTERPRETED, "reported", NOT_EVALUABLE)
_SIGNS = {"above": ">", "at_least": "≥", "below": "<", "at_most": "≤", "equals": "="}
_BOUNDS = {"value": "", "low": "lower bound of ", "high": "upper bound of ", "p": "p of ", "n": "n of "}
#: The cells of a test's row, from what `outcome_rows` says of it.
_Cells = Callable[[dict[str, str]], Sequence[Text]]


def printed_outcome(test: RegisteredTest) -> str:
    """Return a test's outcome in the paper's print, with signs in place of its markup."""
    rows = printed_rows(test)
    return in_words(_ADDED.sub("", str(rows.loc[rows["measure"] == "printed_outcome", "note"].iloc[0])))


def published_label(test: RegisteredTest, case: RegisteredCase) -> str | None:
    """Return the outcome that the paper prints for a case; None for none, as where it is only reported."""
    if not (case.check.scored or case.check.verdicts):
        return None
    here = {"model": case.model, "check": case.check.name} | {
        name: getattr(case.each, name) for name in ("arm", "regimes", "minus")
    }
    for other in test.published.singled_out:
        if all(getattr(other, name) in (None, value) for name, value in here.items()):
            return other.outcome
    named = {verdict.label for verdict in case.check.rulings()}
    return test.published.each if test.published.each in named else None


def agreement(*results: RegisteredResult) -> tuple[int, int]:
    """Return in how many decided cases the outcome is the published one, and how many can be compared."""
    labels = [
        (case.label, published_label(result.test, case))
        for result in results
        for case in result.cases
        if case.decided
    ]
    known = [mine == theirs for mine, theirs in labels if theirs is not None]
    return sum(known), len(known)


def _agreement_text(result: RegisteredResult) -> str:
    agree, known = agreement(result)
    whole = result.outcome != NOT_EVALUABLE
    if whole and result.test.published.each is None:
        # The paper's word for an outcome that differs between cases is another.
        theirs = {"mixed": "partial"}.get(result.test.published.outcome, result.test.published.outcome)
        return "agrees" if result.outcome == theirs else "differs"
    if agree < known:
        return f"differs in {known - agree} of {known}"
    return "" if not known else "agrees" if whole else f"agrees, as far as decided ({agree} of {known})"


@dataclass(frozen=True)
class TestStrip:
    """Tests by name below their published outcome, each leading to its row on the page of tests."""

    groups: Mapping[str, Sequence[RegisteredTest]]

    def __getitem__(self, outcome: str) -> Sequence[RegisteredTest]:
        return self.groups[outcome]

    @property
    def said(self) -> str:
        """How many tests there are, and how many of each outcome."""
        counts = [f"{len(tests)} {outcome}" for outcome, tests in self.groups.items()]
        return f"{sum(map(len, self.groups.values()))} tests: {', '.join(counts)}"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        named = (f"{outcome}: {', '.join(t.key for t in tests)}" for outcome, tests in self.groups.items())
        return {
            "text/html": str(render("test_strip", self.groups, self.said)),
            "text/plain": "\n".join([self.said, *named]),
        }


def test_strip(tests: Sequence[RegisteredTest]) -> TestStrip:
    """Return tests by published outcome; the paper's *partial* counts as mixed."""
    outcomes = [{"partial": "mixed"}.get(test.published.outcome, test.published.outcome) for test in tests]
    there = sorted(set(outcomes), key=_OUTCOMES.index)
    pairs = list(zip(tests, outcomes, strict=True))
    return TestStrip({each: [test for test, outcome in pairs if outcome == each] for each in there})


def outcome_rows(results: Sequence[RegisteredResult]) -> pd.DataFrame:
    """Return the whole table of tests: prediction, published and recomputed outcome, agreement."""
    return pd.DataFrame(
        {
            "test": result.test.key,
            "prediction": result.test.prediction,
            "models": ", ".join(result.test.models),
            "decided by": criteria_text(result.test),
            "published": result.test.published.outcome,
            "as printed": printed_outcome(result.test),
            "recomputed": result.outcome,
            "decided": f"{sum(case.decided for case in result.cases)} of {len(result.cases)}",
            "agreement": _agreement_text(result),
            "needs": result.verdict.partition(": ")[2].removeprefix("needs "),
        }
        for result in results
    )


def criteria_text(test: RegisteredTest) -> str:
    """Return the decision rule of a test in one line; "reported" where it has no criterion."""
    texts = [text for check in test.rule if (text := _rule_text(check))]
    suffix = ", Holm across models" if test.multiplicity == "holm" else ""
    suffix += f" ({test.ours})" if test.ours else ""
    return "; ".join(dict.fromkeys(texts)) + suffix if texts else "reported"


def _rule_text(check: RuleCheck) -> str:
    """Return the criteria of a check in words; empty without any."""

    def joined(criteria: Sequence[Criterion], word: str) -> list[str]:
        return [f" {word} ".join(_criterion_text(check, each) for each in criteria)] if criteria else []

    texts = []
    for verdict in check.rulings():
        if criteria := [*joined(verdict.all, "and"), *joined(verdict.any, "or")]:
            texts.append(("" if check.pass_if else f"{verdict.label}: ") + " and ".join(criteria))
    if check.applies_if and texts:
        texts.append(f"{check.otherwise} unless {joined(check.applies_if, 'and')[0]}")
    return "; ".join(texts)


def _criterion_text(check: RuleCheck, criterion: Criterion) -> str:
    measure = check.quantities[criterion.quantity].measure
    words = headings("criteria").get(measure, measure.replace("_", " "))
    name, threshold = criterion.comparison
    return f"{_BOUNDS[criterion.bound]}{words} {_SIGNS[name]} {threshold:g}".replace("-", "−")


def _figure_text(name: str, answer: Answer, on_p: bool) -> str:
    figure = answer.figure
    if figure is None:
        return f"{name}: –"
    digits = 2 if answer.asked.measure in ("median_answer_action", "tool_call_difference") else 3
    text = f"{name} {figure.value:.{digits}f}"
    if figure.k is not None:
        text += f" ({figure.k}/{figure.n})"
    elif figure.low is not None and figure.high is not None:
        text += f" [{figure.low:.{digits}f}, {figure.high:.{digits}f}]"
    if on_p and figure.p is not None:
        text += f", p {figure.p:.4g}"
    return text.replace("-", "−")


def _case_row(result: RegisteredResult, case: RegisteredCase) -> dict[str, str]:
    on_p = {criterion.quantity for criterion in case.check.criteria() if criterion.bound == "p"}
    where = [
        f"minus {each.arm}" if isinstance(each, Place) else str(each) for each in case.each.given().values()
    ]
    return {
        "test": result.test.key,
        "check": case.check.name,
        "case": ", ".join(filter(None, [case.model, *where])),
        "numbers": "; ".join(_figure_text(name, each, name in on_p) for name, each in case.answers.items()),
        "recomputed": case.label,
        "published": published_label(result.test, case) or "",
        "needs": describe(case.needs),
    }


def case_rows(results: Sequence[RegisteredResult]) -> pd.DataFrame:
    """Return the decided cases of tests with their numbers, and the outcome that the paper prints."""
    rows = [_case_row(result, case) for result in results for case in result.cases if case.decided]
    return pd.DataFrame(
        rows, columns=["test", "check", "case", "numbers", "recomputed", "published", "needs"]
    )


def _section(name: str) -> tuple[str, str]:
    """Return a page, or a heading on it, in words and as an address."""
    page, mark, heading = name.partition("#")
    words = f": {heading.replace('-', ' ')}" if mark else ""
    return f"{page.replace('_', ' ')}{words}", f"{page}.html{mark}{heading}"


def claim_table(results: Sequence[RegisteredResult], *, caption: str) -> Table:
    """Return Table 3: claims, linked to the sections that recompute them and to their tests, and analyses."""
    by_key = {result.test.key: result.test for result in results}
    rows = []
    for claim in load_claims():
        table = published(3, row=claim.claim).set_index("column")["note"]
        tests = [by_key[key] for key in claim.tests if key in by_key]
        rows.append(
            {
                "claim": claim.claim,
                "sections": [_section(name) for name in claim.sections],
                "tests": [(f"{test.key}: {test.published.outcome}", f"#{slug(test.key)}") for test in tests],
                "exploratory": table["Exploratory"],
                "appendix": table["Appendix"],
            }
        )
    return Table(pd.DataFrame(rows), caption)


def _tally(outcomes: Sequence[str]) -> str:
    """Return outcomes in words: how many of each, or "all pass" if they agree."""
    if len(set(outcomes)) == 1 and len(outcomes) > 1:
        return f"all {outcomes[0]}"
    return ", ".join(
        outcome if len(outcomes) == 1 else f"{outcomes.count(outcome)} {outcome}"
        for outcome in sorted(set(outcomes), key=_OUTCOMES.index)
    )


def _tests(results: Sequence[RegisteredResult]) -> str:
    return "1 test" if len(results) == 1 else f"{len(results)} tests"


def _in_short(results: Sequence[RegisteredResult], recomputed: str) -> str:
    """Return the line of a document's tests: how many, what was published, and what was recomputed."""
    agree, decided = agreement(*results)
    cases = f"; {agree} of {decided} decided cases as published" if decided else ""
    outcomes = _tally([result.outcome for result in results])
    theirs = _tally([result.test.published.outcome for result in results])
    return f"{_tests(results)} · published: {theirs} · {recomputed}: {outcomes}{cases}"


def _by_document(
    results: Sequence[RegisteredResult],
    columns: tuple[str, ...],
    cells: _Cells,
    line: Callable[[Sequence[RegisteredResult]], str],
) -> tuple[FoldedRows, ...]:
    """Return the rows of each document, one a test."""
    parts = []
    for name, about in load_documents().items():
        if not (tests := [result for result in results if result.test.document == name]):
            continue
        said = outcome_rows(tests).to_dict("records")
        rows = {
            result.test.key: (result.test.id, *cells({str(key): str(each) for key, each in row.items()}))
            for result, row in zip(tests, said, strict=True)
        }
        title = f"Original {about.lower()}" if name == "original" else f"{name} · {about}"
        parts.append(FoldedRows(title, line(tests), columns, rows))
    return tuple(parts)


def _decided(row: dict[str, str]) -> Text:
    """Return the outcome of a test, and how far its cases are decided and agree."""
    text = f"{row['decided']} {'case' if row['decided'].endswith(' of 1') else 'cases'} decided"
    return row["recomputed"], text + (f"; {row['agreement']}" if row["agreement"] else "")


def outcome_table(
    results: Sequence[RegisteredResult], *, caption: str, source: str, note: str = ""
) -> FoldedTable:
    """Return all tests by document: prediction and rule, published and recomputed outcome, agreement."""

    def cells(row: dict[str, str]) -> Sequence[Text]:
        rule = f"Rule: {row['decided by']}" if row["decided by"] != "reported" else "No rule: only reported"
        return (row["prediction"], rule), row["published"], _decided(row)

    columns = ("test", "prediction, and the rule that decides it", "published", our_numbers(source))
    parts = _by_document(results, columns, cells, lambda tests: _in_short(tests, "recomputed"))
    anchors = {result.test.key: slug(result.test.key) for result in results}
    return FoldedTable(caption, parts, note, anchors, open_first=True)


def record_table(record: Sequence[RegisteredResult], *, caption: str) -> FoldedTable:
    """Return the tests decided on the paper's printed numbers, by document."""

    def cells(row: dict[str, str]) -> Sequence[Text]:
        return row["published"], row["as printed"], _decided(row)

    columns, where = ("test", "published", "as printed", "on printed numbers"), "on printed numbers"
    return FoldedTable(caption, _by_document(record, columns, cells, lambda tests: _in_short(tests, where)))


def needs_table(results: Sequence[RegisteredResult], *, caption: str) -> FoldedTable:
    """Return what is missing for each outcome that the episodes do not decide, by document."""
    lacking = [result for result in results if result.outcome == NOT_EVALUABLE]
    parts = _by_document(
        lacking, ("test", "needs"), lambda row: (row["needs"],), lambda tests: f"{_tests(tests)} not decided"
    )
    return FoldedTable(caption, parts, "" if parts else "Nothing is missing.")


def number_table(results: Sequence[RegisteredResult], *, caption: str, source: str) -> Table:
    """Return the numbers that the paper prints with its tests beside the recomputed ones."""
    rows = number_rows(results)
    records: list[dict[Any, Any]] = rows.to_dict("records")
    frame = pd.DataFrame(
        {
            "test": rows["test"],
            "quantity": [_USUAL.sub("", each) for each in rows["quantity"]],
            "published": [printed_text(row) for row in records],
            our_numbers(source): [_recomputed_text(row) for row in records],
            "at printed precision": [
                {True: "equal", False: "differs"}.get(each, "") for each in rows.get("equal", [])
            ],
        }
    )
    return Table(frame, caption, "" if len(frame) else "These episodes give none of the printed numbers.")


def _recomputed_text(row: dict[Any, Any]) -> str:
    digits = len(str(row["value_printed"] or row["low_printed"] or row["high_printed"]).partition(".")[2])
    return show(row["recomputed"], row["recomputed_low"], row["recomputed_high"], digits + 1 if digits else 3)
