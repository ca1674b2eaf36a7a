"""Statements of the paper that numbers printed elsewhere do not bear out; each is computed, not asserted."""

from paper_book.consistency.comparison import at, derived, stated
from paper_book.consistency.generic import Items, Rows, interval
from paper_book.consistency.printed_numbers import MEANS, Number, PaperNumbers


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
    """Check a share of all decision points against that of a sample, within two standard errors of it."""
    every = paper.one("23; model=qwen2.5-7b; measure=share_explicit")
    sample = paper.one("text; model=qwen2.5-7b; measure=share_explicit; panel=D.4")
    drawn = at(sample)[1]
    error = (drawn.value * (1 - drawn.value) / int(sample["n"])) ** 0.5
    right = Number(drawn.value, 2 * error, f"{drawn.text} = {drawn.value:.2f} ± {2 * error:.2f}")
    yield derived("qwen2.5-7b · decision points with a stated judgment", at(every), (sample.place, right))
