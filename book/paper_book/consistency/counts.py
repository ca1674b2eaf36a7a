"""Checks of counted verdicts: how many tests pass, by the figures that are printed for them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import ge, gt, le, lt

from paper_book.consistency.comparison import Comparison, stated
from paper_book.consistency.record_of_paper import Number, Record

Rows = Iterator[Comparison]
_SIGNS: dict[str, Callable[[float, float], bool]] = {">": gt, "<": lt, "≥": ge, "≤": le}


@dataclass(frozen=True)
class Verdict:
    """A printed count of tests, and the figures that decide it.

    Attributes
    ----------
    claim : str
        Selects the printed count, of ``tests_passed`` or ``tests_failed``.
    source : str
        Selects the deciding figures.
    rule : str
        Field, sign and bound, such as ``"low > -0.05"``.
    """

    claim: str
    source: str
    rule: str

    def passes(self, number: Number) -> bool:
        """Return whether a figure satisfies the rule as printed."""
        _, sign, bound = self.rule.split()
        return _SIGNS[sign](number.value, float(bound))


_GAIN, _RANDOM = "condition=enforced_rule - unaided", "condition=enforced_rule - random"
_COMBO = "condition=combo - enforced_rule|combo - budget"
_READER = "condition=stated_judgment_rule - enforced_rule"
_APPLICABLE = "model=llama3.1-8b|qwen3-8b|qwen3-32b"
_INDEX = "measure=integration_index; condition=permit|budget"
VERDICTS: tuple[Verdict, ...] = (
    Verdict("4; row=H1", f"15; task=hotpotqa; {_GAIN}; model=small|claude-haiku-4.5", "p < 0.05"),
    Verdict("4; row=H2", f"15; task=hotpotqa; {_RANDOM}", "p < 0.05"),
    Verdict("4; row=F-H1", f"15; task=fever; {_GAIN}; model=small", "p < 0.05"),
    Verdict("4; row=F-H2", f"15; task=fever; {_RANDOM}; model=small", "p < 0.05"),
    Verdict("4; row=H9", f"13; {_INDEX}; model=small", "high < 0.10"),
    Verdict("4; row=F-H9", f"14; {_INDEX}; model=small", "high < 0.10"),
    Verdict("4; row=L-H9", f"13; {_INDEX}; model=qwen3-32b", "high < 0.10"),
    Verdict("4; row=H10", "4; row=H10; measure=share_at_last_action", "value > 0.5"),
    Verdict("4; row=F-H10", "4; row=F-H10; measure=share_at_last_action", "value > 0.5"),
    Verdict(
        "4; row=D1",
        "16; measure=median_answer_action; condition=budget; budget=16; model=small",
        "value ≥ 12",
    ),
    Verdict("4; row=D3", "4; row=D3; measure=tool_call_difference", "value ≥ 4"),
    Verdict("4; row=C4", "4; row=C4; measure=tool_call_difference", "value ≥ 4"),
    Verdict("4; row=D4", "4; row=D4; measure=integration_index", "high < 0.10"),
    Verdict("4; row=C1", f"15; {_COMBO}; model=small", "low > -0.05"),
    Verdict("4; row=L-C1", f"15; {_COMBO}; model=qwen3-32b", "low > -0.05"),
    Verdict("text; row=combination-non-inferior-at-the-drafted-margin", f"15; {_COMBO}", "low > -0.02"),
    Verdict("text; panel=B.4", "text; row=non-inferiority-not-pre-registered", "low > -0.05"),
    Verdict("5; row=Rp1", f"27; {_GAIN}", "low > 0"),
    Verdict("5; row=Rp3", "27; measure=median_answer_action", "value ≥ 8"),
    Verdict("5; row=13d; column=Outcome, Rp1", f"28; split=test300-run3; {_GAIN}", "low > 0"),
    Verdict("5; row=13d; column=Outcome, Rp3", "28; measure=median_answer_action", "value ≥ 8"),
    Verdict("5; row=13d; column=Outcome, Rp4", f"28; {_COMBO}", "low > -0.05"),
    Verdict(
        "5; row=PP2",
        "5; row=PP2; measure=paired_difference; condition=stated_rule - enforced_rule",
        "low > -0.05",
    ),
    Verdict("5; row=J2; n=4", "6; panel=delta; condition=enforced_rule", "low > 0"),
    Verdict("5; row=J2; n=12", "6; panel=delta; condition=unaided|permit|budget", "low ≤ 0"),
    Verdict("5; row=C", "6; panel=delta; condition=call_cost", "low ≤ 0"),
    Verdict("5; row=13c", f"26; {_GAIN}; regime=recover_after_4", "low > -0.05"),
    Verdict(
        "5; row=T1; panel=A15", "24; measure=delta; condition=unaided_thinking|budget_thinking", "low ≤ 0"
    ),
    Verdict("5; row=F1–F2", "22; measure=delta; condition=unaided|budget", "high < 0.06"),
    Verdict("5; row=F3", "22; measure=delta; condition=enforced_rule", "low > 0.20"),
    Verdict("5; row=F4", "5; row=F4; measure=paired_difference", "p < 0.05"),
    Verdict("5; row=F5", "22; measure=answered_after_5; model=small", "value < 0.10"),
    Verdict("5; row=T1; panel=A18", "23; measure=delta_stated", "high < 0.06"),
    Verdict("5; row=T2", "23; measure=answered_after_5_stated; model=llama3.1-8b|qwen3-8b", "value < 0.10"),
    Verdict("5; row=E1", f"20; condition=stated_judgment_rule - unaided; {_APPLICABLE}", "low > 0"),
    Verdict("5; row=E2", f"20; {_READER}; measure=paired_difference; {_APPLICABLE}", "low > -0.05"),
    Verdict("text; row=e2-passed", f"20; {_READER}; measure=paired_difference", "low > -0.05"),
    Verdict("5; row=E3", f"20; {_READER}; measure=utility_difference; {_APPLICABLE}", "low > 0"),
    Verdict("5; row=E4", f"20; condition=stated_combo - budget; {_APPLICABLE}", "low > 0"),
)


def verdicts(record: Record) -> Rows:
    """Check that the printed number of tests passed or failed follows from the printed figures."""
    for each in VERDICTS:
        claim = record.one(f"{each.claim}; measure=tests_passed|tests_failed")
        field = each.rule.split()[0]
        held = [(row.place, number) for row in record.find(each.source) if (number := row.number(field))]
        passed = sum(each.passes(number) for _, number in held)
        counted = passed if claim["measure"] == "tests_passed" else len(held) - passed
        (k, n), places = claim.fraction(), ", ".join(dict.fromkeys(place for place, _ in held))
        word = claim["measure"].removeprefix("tests_")
        yield stated(
            f"{claim['row']} · {word}, {each.rule.replace('-', '−')}",
            (claim.place, f"{k}/{n}"),
            (places, f"{counted}/{len(held)}"),
            holds=(k, n) == (counted, len(held)),
            gap=k - counted,
        )


#: Totals of the text: the row, the tests they are made of, and passed tests without a printed count.
_SUMS: tuple[tuple[str, tuple[str, ...], int], ...] = (
    ("non-inferior-where-the-source-recovers-or-never-fails", ("4; row=H3",), 4),
    ("combination-non-inferior-to-both-components", ("4; row=C1", "4; row=L-C1"), 0),
    ("tests-passed-on-fresh-questions", ("5; row=F1–F2", "5; row=F3", "5; row=F4", "5; row=F5"), 0),
)


def totals_of_tests(record: Record) -> Rows:
    """Check that totals in the text are sums of the tests (§5: with the four under L-H1 of Table 3)."""
    for row, tests, more in _SUMS:
        claim = record.one(f"text; row={row}")
        parts = [record.one(f"{test}; measure=tests_passed") for test in tests]
        passed = sum(part.fraction()[0] for part in parts) + more
        total = sum(part.fraction()[1] for part in parts) + more
        names = " + ".join(part["row"] for part in parts) + (f" + {more} under L-H1" if more else "")
        k, n = claim.fraction()
        yield stated(
            claim["row"].replace("-", " "),
            (claim.place, f"{k}/{n}"),
            (f"{parts[0].place}: {names}", f"{passed}/{total}"),
            holds=(k, n) == (passed, total),
            gap=k - passed,
        )


#: Counts that Table 3 repeats: a pattern of its text, and the test.
_CLAIM_MAP = (
    (r"F5, fresh300 \(pass (\d+/\d+)\)", "5; row=F5"),
    (r"T2, stated judgments \(pass (\d+/\d+)\)", "5; row=T2"),
    (r"none, permit, budget \(pass (\d+/\d+)\)", "5; row=J2; n=12"),
    (r"C, call cost \(pass (\d+/\d+)\)", "5; row=C"),
    (r"F1–F2, fresh300 \(pass (\d+/\d+)\)", "5; row=F1–F2"),
    (r"T1 of A18, stated judgments \(pass (\d+/\d+)\)", "5; row=T1; panel=A18"),
    (r"H3 \((\d+/\d+);", "4; row=H3"),
    (r"F-H3 \((\d+/\d+)\)", "4; row=F-H3"),
    (r"Rp4 \((\d+/\d+)\)", "5; row=Rp4"),
    (r"E4 \((\d+/\d+)\)", "5; row=E4"),
)


def claim_map(record: Record) -> Rows:
    """Check that counts in Table 3 are those of Tables 4 and 5."""
    text = " | ".join(row["note"] for row in record.find("3"))
    for pattern, test in _CLAIM_MAP:
        found = re.search(pattern, text)
        row = record.one(f"{test}; measure=tests_passed")
        printed = "{}/{}".format(*row.fraction())
        left = found[1] if found else "not there"
        yield stated(f"{row['row']} · passed", ("Table 3", left), (row.place, printed), holds=left == printed)


def agents(record: Record) -> Rows:
    """Check that seven agents are tested and five answer on at most 7 % after five judgments in a row."""
    tested = {row["model"] for row in record.find("2")}
    claim = record.one("text; panel=abstract; row=agents-tested")
    yield stated(
        "agents tested",
        (claim.place, claim["value"]),
        ("Table 2", str(len(tested))),
        holds=claim["value"] == str(len(tested)),
    )
    rows = record.find("text|5; panel=1|C.1|A17; measure=answered_after_5")
    few = {row["model"] for row in rows if row["k"] and int(row["k"]) <= 0.075 * int(row["n"])}
    k, n = record.one("text; panel=1; measure=n_agents").fraction()
    yield stated(
        "agents that answer on at most 7 %",
        ("§1", f"{k} of {n}"),
        ("§1, Appendix C.1, Table 5", str(len(few))),
        holds=k == len(few),
    )


def changed_significance(record: Record) -> Rows:
    """Check that three contrasts of Table 12 change significance under repair (Appendix C.5)."""
    marked = {
        (row["row"], row["model"], row["task"]) for row in record.find("12") if row["note"].startswith("†")
    }
    claim = record.one("text; panel=C.5; measure=n_changed")
    yield stated(
        "contrasts marked †",
        (claim.place, claim["value"]),
        ("Table 12", str(len(marked))),
        holds=claim["value"] == str(len(marked)),
    )


def endings(record: Record) -> Rows:
    """Check that Claude Haiku 4.5's answers (§1) and exhausted budgets (B.4) fit into its questions."""
    wanted = "text; panel=1|B.4; model=claude-haiku-4.5; measure"
    answered = record.one(f"{wanted}=answered_after_5")
    exhausted = record.one(f"{wanted}=exhausted_where_rule_fired")
    (a, n), (b, m) = answered.fraction(), exhausted.fraction()
    yield stated(
        "claude-haiku-4.5 · unaided · answered, and exhausted, where the rule fired",
        (f"{answered.place}, {exhausted.place}", f"{a} + {b} = {a + b}"),
        ("questions", str(n)),
        holds=a + b <= n == m,
        note="an episode may also end in a format failure or a truncated turn",
    )
