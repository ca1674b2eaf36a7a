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
