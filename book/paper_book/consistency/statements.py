"""Statements of the paper that numbers printed elsewhere do not bear out; each is computed, not asserted."""

from paper_book.consistency.comparison import at, stated
from paper_book.consistency.generic import Items, Rows, interval
from paper_book.consistency.printed_numbers import MEANS, PaperNumbers, PrintedNumber


def arms_of_table_2(paper: PaperNumbers, _: Items) -> Rows:
    """Check that Table 13 has "every model and arm" (caption), Table 9 "the arms in Table 2" (C.2)."""
    arms = {(row["model"], row["condition"]) for row in paper.find("2") if row.number()}
    for table in ("13", "9"):
        there = arms & {(row["model"], row["condition"]) for row in paper.find(table) if row.number()}
        lacking = ", ".join(sorted(f"{model} {condition}" for model, condition in arms - there))
        yield stated(
            f"arms of Table 2 that are in Table {table}",
            (f"Table {table}", str(len(there))),
            ("Table 2", str(len(arms))),
            holds=not lacking,
            gap=len(there) - len(arms),
            note=f"not there: {lacking}",
        )


def registered_fever_tests(paper: PaperNumbers, _: Items) -> Rows:
    """Check that FEVER has the tests F-H1 to F-H10 that Table 3 names."""
    tests = [row["row"] for row in paper.find("4; measure=printed_outcome; panel=A4")]
    yield stated(
        "FEVER tests",
        ("Table 3", "F-H1–F-H10"),
        ("Table 4", f"{len(tests)}: {', '.join(tests)}"),
        holds=len(tests) == 10,
        gap=10.0 - len(tests),
        note="the numbers follow those of the HotpotQA tests that were carried over",
    )


def contexts(paper: PaperNumbers, _: Items) -> Rows:
    """Check that all other Qwen2.5-7B arms stayed within 8,192 tokens (deviation 1)."""
    first = paper.one("text; row=deviation-1-context-of-the-other-arms")
    third = paper.one("text; row=deviation-3-context-exceeded")
    gap = float(third["value"]) - float(first["value"])
    yield stated(
        "qwen2.5-7b · tokens of a trajectory",
        ("Appendix A, deviation 1", f"≤ {first['value']}"),
        ("Appendix A, deviation 3", f"> {third['value']}"),
        holds=gap <= 0,
        gap=gap,
        note="deviation 1 is from the original runs, deviation 3 from amendment 5's 16-action budget arm",
    )


def thresholds_on_development_questions(paper: PaperNumbers, _: Items) -> Rows:
    """Check that every threshold was set on the 100 development questions (§2)."""
    haiku = paper.one("text; panel=A; row=threshold-of-the-enforced-rule; model=claude-haiku-4.5")
    yield stated(
        "claude-haiku-4.5 · k",
        ("§2", "every threshold on the 100 development questions"),
        (haiku.place, f"k = {haiku['value']}, from its own pilot"),
        holds="pilot" not in haiku["note"],
    )


def saved_judgments(paper: PaperNumbers, _: Items) -> Rows:
    """Check that none of Claude Sonnet 5's per-step judgments were saved (Table 9, note)."""
    lost, total = paper.one("text; row=regimes-whose-rule-run-judgments-were-not-saved").fraction()
    yield stated(
        "claude-sonnet-5 · regimes without saved judgments",
        ("Table 9, note", "all"),
        ("Appendix B.4", f"{lost} of {total}"),
        holds=lost == total,
        gap=float(total - lost),
    )


def one_mean4(paper: PaperNumbers, _: Items) -> Rows:
    """Check that mean4 is one average."""
    used = {row["regime"]: row.place for row in paper.find("17|24; regime=mean4|mean4_late")}
    (first, place), (second, other) = sorted(used.items())
    yield stated(
        "regimes averaged as mean4",
        (f"Appendix D.2, {place}", ", ".join(MEANS[first])),
        (other, ", ".join(MEANS[second])),
        holds=set(MEANS[first]) == set(MEANS[second]),
    )


def stated_rule_of_qwen3_32b(paper: PaperNumbers, _: Items) -> Rows:
    """Check that the registered verdict on Qwen3-32B's stated rule is that of its own Δ (§4)."""
    own = paper.one("6; panel=delta; model=qwen3-32b; condition=stated_rule")
    design = paper.one("5; row=PP1; model=qwen3-32b; measure=design_label_contrast")
    verdict = paper.one("5; row=PP1; model=qwen3-32b; measure=outcome")["note"]
    yield stated(
        "qwen3-32b · stated_rule",
        ("§4, Table 6", f"partly follows it: Δ = {interval(own)}"),
        ("Table 5, PP1", f"{verdict}: design-label contrast {at(design)[1].text}"),
        holds=(at(own, "low")[1].value > 0) != (verdict == "not executed"),
        note="PP1 (amendment 11) was decided on design labels; own judgments came with amendment 12",
    )


def explicit_judgments(paper: PaperNumbers, _: Items) -> Rows:
    """Check that Qwen2.5-7B states a judgment at one share of its decision points."""
    labeled = paper.one("23; model=qwen2.5-7b; measure=share_explicit")
    reader = paper.one("text; model=qwen2.5-7b; condition=stated_judgment_rule; measure=share_no_judgment")
    sample = paper.one("text; model=qwen2.5-7b; measure=share_explicit; panel=D.4")
    left, silent, drawn = at(labeled)[1], at(reader)[1], at(sample)[1]
    for place, text, share in (
        (reader.place, f"1 − {silent.text}", 1 - silent.value),
        (sample.place, drawn.text, drawn.value),
    ):
        yield stated(
            "qwen2.5-7b · decision points with a stated judgment",
            (labeled.place, left.text),
            (place, text),
            holds=abs(left.value - share) <= left.half,
            gap=left.value - share,
            note="read by an annotator at all points, by the keyword reader in its own runs, "
            "by an annotator in a sample of 160",
        )


def signs_of_zero(paper: PaperNumbers, _: Items) -> Rows:
    """Check that a quantity that rounds to zero is printed with one sign."""
    for rows in paper.groups():
        for field in ("value", "low", "high"):
            zeros: dict[bool, PrintedNumber] = {}
            for row in rows:
                if rows[0]["model"] and row[field] and float(row[field]) == 0 and "." in row[field]:
                    zeros.setdefault(row[field].startswith("-"), row)
            if zeros:
                first, last = zeros.get(True, zeros.get(False)), zeros.get(False, zeros.get(True))
                assert first is not None
                assert last is not None
                yield stated(
                    rows[0].what if field == "value" else f"{rows[0].what}: {field}",
                    (first.place, at(first, field)[1].text),
                    (last.place, at(last, field)[1].text),
                    holds=len(zeros) == 1,
                    note="equal numbers; a matter of print",
                )
