"""The paper's numbers against each other: which checks must hold, and the ones known not to, by table."""

from collections.abc import Callable

import pytest
from paper_book import consistency
from paper_book.consistency.printed_numbers import (
    Number,
    PaperNumbers,
    PrintedNumber,
    arm,
    derived,
    same,
    select,
    weighted,
)

#: Checks that do not hold, with the comparisons that fail: quantity, then both prints.
FAIL = {
    "unparsed-judgments": [("local models · unparsed judgments", "0", "4")],
    "cited-tables": [
        ("simulated policies", "cites Table 8", "Table 7"),
        ("Δ from stated judgments, counts of its decisions", "cites Table 24", "Table 23"),
    ],
    "arms-of-table-2": [
        ("arms of Table 2 that are in Table 13", "27", "37"),
        ("arms of Table 2 that are in Table 9", "35", "37"),
    ],
    "prompt-cues-stay-flat": [
        ("llama3.1-8b · stated_rule · integration_index", "flat or falling", "I = 0.31"),
    ],
    "rule-raises-success": [
        ("qwen3-8b · enforced_rule - unaided · answerless · paired_difference",
         "raises success", "0.030 [0.000, 0.060]"),
        ("qwen3-32b · enforced_rule - unaided · answerless · paired_difference",
         "raises success", "0.027 [−0.010, 0.063]"),
    ],
    "registered-fever-tests": [("FEVER tests", "F-H1–F-H10", "5: F-H1, F-H2, F-H3, F-H9, F-H10")],
    "contexts": [("qwen2.5-7b · tokens of a trajectory", "≤ 8192", "> 16384")],
    "thresholds-on-development-questions": [
        ("claude-haiku-4.5 · k",
         "every threshold on the 100 development questions", "k = 5, from its own pilot"),
    ],
    "saved-judgments": [("claude-sonnet-5 · regimes without saved judgments", "all", "5 of 6")],
    "one-mean4": [
        ("regimes averaged as mean4",
         "clean, persistent, plausible, recover_after_2",
         "persistent, late_onset_from_3, recover_after_2, clean"),
    ],
    "stated-rule-of-qwen3-32b": [
        ("qwen3-32b · stated_rule",
         "partly follows it: Δ = 0.08 [0.01, 0.16]", "not executed: design-label contrast −0.10"),
    ],
    "reader-and-qwen25": [
        ("qwen2.5-7b · stated_judgment_rule - unaided · mean6 · paired_difference",
         "does not help", "0.018 [0.011, 0.024], starred"),
        ("qwen2.5-7b · stated_combo - budget · mean6 · utility_difference",
         "does not help", "0.027 [0.018, 0.037], starred"),
    ],
    "counts-of-two-question-sets": [("qwen3-32b · unaided · answered_after_5", "19/284", "19/284")],
}  # fmt: skip


@pytest.mark.parametrize("check", [name for name in consistency.load_checks() if name not in FAIL])
def test_holds(check: str) -> None:
    assert [each for each in consistency.run(check) if not each.holds] == []


@pytest.mark.parametrize("check", list(FAIL))
def test_fails_exactly_where_known(check: str) -> None:
    failing = [(each.what, each.left, each.right) for each in consistency.run(check) if not each.holds]
    assert failing == FAIL[check]


def test_the_table_has_every_comparison_and_the_summary_counts_them() -> None:
    table, summary = consistency.table(), consistency.summary()
    assert list(table.columns[:3]) == ["check", "tables", "what"]
    assert summary["comparisons"].sum() == len(table) > 3000
    assert summary["hold"].sum() == table["holds"].sum()
    assert (summary["comparisons"] > 0).all()
    assert len(table) - table["holds"].sum() == sum(map(len, FAIL.values()))
    table["holds"] = False
    assert consistency.table()["holds"].any()


def test_two_roundings_of_one_utility_are_a_tie_and_no_contradiction() -> None:
    """−0.149 and −0.150: −0.1495 is (20 × right answers − calls) / 36,000 for whole numbers of both."""
    rows = [each for each in consistency.run("same-quantity") if each.note]
    assert {(each.what, *sorted((each.left, each.right))) for each in rows} == {
        ("llama3.1-8b · combo · mean6 · utility", "−0.149", "−0.150")
    }
    assert all(each.holds and each.rounded for each in rows)


def test_a_sample_may_differ_from_the_whole_by_its_error() -> None:
    (compared,) = consistency.run("explicit-judgments")
    assert (compared.left, compared.right, compared.holds) == ("65 %", "99/160 = 0.62 ± 0.08", True)
    printed = consistency.load().one("23; model=qwen2.5-7b; measure=share_explicit")
    other = _changed(printed, "value", lambda _: "80")
    assert not consistency.run("explicit-judgments", other)[0].holds


def _changed(target: PrintedNumber, field: str, change: Callable[[str], str]) -> PaperNumbers:
    fields = dict(target.fields) | {field: change(target[field])}
    assert fields != target.fields
    entries = consistency.load().entries
    return PaperNumbers(PrintedNumber(fields) if entry is target else entry for entry in entries)


def _digit(text: str) -> str:
    """Change the first digit that is not zero."""
    place = next(i for i, sign in enumerate(text) if sign in "123456789")
    return text[:place] + str(int(text[place]) % 9 + 1) + text[place + 1 :]


@pytest.mark.parametrize(
    ("selection", "field", "check"),
    [
        ("2; model=qwen3-8b; condition=budget", "value", "released-cells"),
        ("2; model=claude-haiku-4.5", "value", "same-quantity"),
        ("4; row=C1; measure=tests_passed", "k", "verdicts"),
        ("5; row=E3; measure=utility_difference", "value", "utilities"),
        ("6; panel=cost_adjusted; condition=enforced_rule", "value", "utilities"),
        ("7; row=clock, action 6; measure=integration_index", "value", "simulated-clock"),
        ("10; panel=beta_test300_pooled; condition=enforced_rule; model=qwen2.5-7b", "value", "ranges"),
        ("13; measure=success; regime=persistent; condition=budget", "value", "means-of-regimes"),
        ("13; measure=hazard_4_5; condition=combo", "value", "index-is-a-difference"),
        ("15; condition=enforced_rule - lexical", "value", "paired-differences"),
        ("16; measure=tool_calls; budget=16; condition=combo", "value", "calls-under-budgets"),
        ("17; measure=utility", "value", "regrets"),
        ("18; condition=budget; budget=16", "value", "growth-of-calls"),
        ("22; measure=delta; condition=enforced_rule", "low", "intervals"),
        ("24; measure=share_answered; condition=budget", "value", "answered-shares"),
        ("28; split=test300-three-runs", "value", "pooled-runs"),
        ("card; measure=delta", "value", "released-cells"),
    ],
)  # fmt: skip
def test_a_wrong_digit_breaks_a_check(selection: str, field: str, check: str) -> None:
    wrong = _changed(consistency.load().find(selection)[0], field, _digit)
    before = sum(not each.holds for each in consistency.run(check))
    assert sum(not each.holds for each in consistency.run(check, wrong)) > before


def test_a_check_whose_number_is_gone_fails_instead_of_passing() -> None:
    without = PaperNumbers(entry for entry in consistency.load().entries if entry["table"] != "18")
    with pytest.raises(LookupError, match="no published number has 18; measure=tool_calls"):
        consistency.run("growth-of-calls", without)


def _number(text: str) -> Number:
    return Number(float(text), 0.5 * 10.0 ** -len(text.partition(".")[2]), text)


@pytest.mark.parametrize(
    ("left", "right", "holds"),
    [
        ("0.149", "0.149", True),
        ("0.149", "0.150", False),
        ("0.06", "0.065", True),
        ("0.06", "0.066", False),
        ("0.52", "0.525", True),
        ("0.975", "0.97", True),
        ("0", "0.4", True),
        ("0", "0.6", False),
    ],
)
def test_two_prints_of_one_quantity(left: str, right: str, holds: bool) -> None:
    for a, b in ((left, right), (right, left)):
        assert same("x", ("a", _number(a)), ("b", _number(b))).holds is holds


def test_marks_what_only_rounding_explains() -> None:
    assert derived(
        "x", ("a", _number("0.27")), ("b", weighted([(1, _number("0.53")), (-1, _number("0.27"))]))
    ).rounded
    assert not same("x", ("a", _number("0.05")), ("b", _number("0.052"))).rounded
    assert same("x", ("a", _number("0.05")), ("b", _number("0.055"))).rounded
    assert not same("x", ("a", _number("0.05")), ("b", _number("0.06"))).rounded


def test_success_of_printed_regimes_is_exact() -> None:
    mean = consistency.load().success(arm("qwen3-8b", "unaided", "mean6"))
    assert mean is not None
    # 2 + 166 + 161 + 150 + 146 + 181 of 6 x 300, from Table 13
    assert (mean.value, mean.half) == (806 / 1800, 0.0)
    printed = consistency.load().success(arm("qwen3-8b", "stated_rule", "mean6"))
    assert printed is not None
    assert (printed.value, printed.half) == (0.439, 0.0005)
    assert consistency.load().success(arm("search-r1", "budget", "mean6")) is None


def test_selections_are_read_as_written() -> None:
    assert select("13|14; model=small|qwen3-32b; note=") == {
        "table": ("13", "14"),
        "model": ("qwen2.5-7b", "llama3.1-8b", "qwen3-8b", "qwen3-32b"),
        "note": ("",),
    }
    with pytest.raises(LookupError, match="7; row=clock, action 7"):
        consistency.load().one("7; row=clock, action 7")
    with pytest.raises(LookupError, match="3 published numbers have 7; row=clock, action 6"):
        consistency.load().one("7; row=clock, action 6")
