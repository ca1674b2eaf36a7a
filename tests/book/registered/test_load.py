"""The file of registered tests: complete, in agreement with the tables, and refused where it is wrong."""

from collections import Counter
from pathlib import Path

import pandas as pd
import pytest
from paper_book.published.transcribed import published
from paper_book.registered.load import load_documents, load_preregistration, load_tests
from paper_book.registered.record import evaluate_record, printed_rows
from paper_book.registered.report import printed_outcome, published_label
from paper_book.registered.rules import RegisteredTest
from paper_book.strict_yaml import RecordFileError

TESTS = load_tests()
RESULTS = {result.test.key: result for result in evaluate_record(TESTS)}
by_key = pytest.mark.parametrize("test", TESTS, ids=[test.key for test in TESTS])
#: Tests whose thresholds the tables print with the test they are taken over from.
TAKEN_OVER = (
    "A4 F-H3", "A4 F-H9", "A4 F-H10", "A8 L-H1", "A8 L-H9", "A8 L-C1", "A8 L-C3", "A11 PP1", "A13 13d",
    "A20 H1",
)  # fmt: skip

MINIMAL = """\
documents: {original: Ours}
tests:
  - id: H1
    document: original
    prediction: Something.
    models: [m]
    rule:
      - quantities:
          gain: {measure: paired_difference, arm: budget, minus: {arm: permit}, regimes: mean6}
        pass_if: [{quantity: gain, bound: low, above: 0}]
    published: {outcome: pass, each: pass}
"""


def test_every_row_of_tables_4_and_5_is_a_test_and_in_order() -> None:
    rows = pd.concat([published(4), published(5)]).drop_duplicates(["panel", "row"])
    printed = list(zip(rows["panel"], rows["row"], strict=True))
    assert sorted((test.document, test.id) for test in TESTS) == sorted(printed)
    order = list(load_documents())
    assert [test.document for test in TESTS] == sorted((test.document for test in TESTS), key=order.index)
    assert all(len(printed_rows(test)) for test in TESTS)


@by_key
def test_thresholds_are_the_published_ones(test: RegisteredTest) -> None:
    rows = printed_rows(test)
    rows = rows[(rows["measure"] == "threshold") & ~rows["column"].str.contains("counted|at this action")]
    printed = set(rows["value"].where(rows["unit"] != "percent", rows["value"] / 100))
    ours = {criterion.comparison[1] for check in test.rule for criterion in check.criteria()}
    assert printed <= ours
    # What the tables do not print as a threshold: significance, a sign, "over half", the applicability rule,
    # "within one", and the criteria that a test takes over from another.
    taken_over = {-0.05, 0.1, 0.05, 0.3, 8.0, 7.0} if test.key in TAKEN_OVER else set()
    assert ours - printed <= {0.05, 0.0, 0.5, 0.2, -1.0} | taken_over


@by_key
def test_outcome_is_the_published_one(test: RegisteredTest) -> None:
    rows = printed_rows(test)
    whole = rows[(rows["measure"] == "outcome") & (rows["regime"] == "") & rows["column"].eq("Outcome")]
    if test.key == "A13 S4":
        return  # the paper prints differences without an outcome word; the record calls them mixed
    if test.key == "A16 16b":
        assert "pass in Table 3" in whole["note"].iloc[0]
        return
    if test.key == "A17 R1":
        assert "not interpreted" in printed_outcome(test)
        assert test.published.outcome == "not interpreted"
        return
    words = [note.split(";")[0].split(" ")[0] for note in whole["note"]]
    counted = rows[rows["measure"].isin(["tests_passed", "tests_failed"])]
    words += [note.split(";")[0].split(" ")[0] for note in counted["note"]]
    assert (
        test.published.outcome in {"formally": "pass"}.get(words[0], words[0])
        or test.published.outcome in words
    )


def published_cases(test: RegisteredTest) -> list[tuple[str, str, str]]:
    """Check, model and printed outcome of every case that passes or fails."""
    result = RESULTS[test.key]
    labels = [
        (case.check.name, case.model, published_label(test, case))
        for case in result.cases
        if case.check.scored
    ]
    return [(check, model, label) for check, model, label in labels if label in ("pass", "fail")]


@by_key
def test_number_of_cases_is_the_published_one(test: RegisteredTest) -> None:
    rows = printed_rows(test)
    for _, row in rows[rows["measure"].isin(["tests_passed", "tests_failed"])].iterrows():
        name = row["column"].removeprefix("Outcome").removeprefix(", ")
        if row["condition"] and test.key in ("A12 J2", "A13 13c"):
            continue  # counts of a part of the test, checked below
        if test.key == "A12 J2":
            continue
        cases = [case for case in published_cases(test) if not name or case[0].startswith(name)]
        counts = Counter(label for _, _, label in cases)
        assert sum(counts.values()) == row["n"]
        assert counts["pass" if row["measure"] == "tests_passed" else "fail"] == row["k"]


def test_holm_is_where_the_printed_rule_has_it() -> None:
    """Tables 4 and 5: "one-sided, Holm", or "as" a test that has it; H4, C2 and R2 are one-sided only."""
    assert {test.key for test in TESTS if test.multiplicity == "holm"} == {
        "original H1", "original H2", "A3 H7", "A4 F-H1", "A4 F-H2", "A10 Rp1", "A13 13d", "A16 F4",
        "A19 E1", "A19 E3", "A19 E4",
    }  # fmt: skip


def test_r1_is_not_interpreted_because_v_failed() -> None:
    """On the printed numbers R1's case passes, V fails, and so R1 is no pass."""
    v, r1 = RESULTS["A17 V"], RESULTS["A17 R1"]
    assert (v.outcome, [case.label for case in r1.cases], r1.outcome) == ("fail", ["pass"], "not interpreted")
    (alone,) = evaluate_record([r1.test])
    assert alone.outcome == "pass"


def faulty(tmp_path: Path, old: str, new: str, text: str = MINIMAL) -> str:
    assert old in text
    path = tmp_path / "tests.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(RecordFileError) as error:
        load_preregistration(path)
    assert str(path) in str(error.value)
    return str(error.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("prediction: Something.", "prediktion: Something.", 3, "prediction"),
        ("models: [m]", "models: []", 6, "models"),
        ("models: [m]", "models: [m]\n    colour: red", 7, "colour"),
        ("models: [m]", "models: [m]\n    models: [n]", 7, "'models' is given twice"),
        ("measure: paired_difference", "measure: luck", 9, "unknown measure 'luck'"),
        ("regimes: mean6", "regimes: mean7", 9, "mean7"),
        ("regimes: mean6", "regimes: mean6, price: 0.05", 9, "price"),
        ("bound: low", "bound: lowest", 10, "lowest"),
        ("above: 0", "above: 0, below: 1", 10, "exactly one of"),
        ("quantity: gain, bound", "quantity: pain, bound", 8, "criteria on ['pain']"),
        ("outcome: pass", "outcome: passed", 11, "passed"),
        ("models: [m]", "models: [m]\n    multiplicity: holm", 3, "no criterion is on p"),
        ("models: [m]", "models: [m]\n    exploratory: true", 3, "no criterion"),
        ("document: original", "document: A1", 1, "tests without document"),
        ("bound: low, above: 0}]", "above: 0}]\n        verdicts: [{label: good}]", 8, "found both"),
        ("pass_if: [{quantity: gain, bound: low, above: 0}]",
         "verdicts: [{label: good, all: [{quantity: gain, above: 0}]}]", 8, "must hold without conditions"),
        ("tests:", "tests: [", 3, ""),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_line_and_field(
    tmp_path: Path, old: str, new: str, line: int, said: str
) -> None:
    message = faulty(tmp_path, old, new)
    assert said in message
    if said:
        assert message.startswith(f", line {line}:")
