"""Checks of the paper's numbers that are more than a list of selections."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import pandas as pd

from paper_book.consistency.generic import Items, Rows, interval, value_of
from paper_book.consistency.printed_numbers import (
    MEANS,
    SLACK,
    SMALL,
    Number,
    PaperNumbers,
    PrintedNumber,
    arm,
    at,
    derived,
    same,
    stated,
    weighted,
)
from paper_book.published.transcribed import published_dir

#: Measures whose rows are constants, counts of tests and words, not results.
_NO_RESULT = {
    "setting", "threshold", "definition", "claim_map", "printed_outcome", "outcome", "best_policy",
    "tests_passed", "tests_failed",
}  # fmt: skip
_ENDS = (("smallest", "low", min), ("largest", "high", max))
_COUNTED = ("13", "14", "16", "25", "26")
#: Column of the released cells: measure and field of the printed number.
_PRINTED = {
    "delta": ("delta", "value"),
    "ci_low": ("delta", "low"),
    "ci_high": ("delta", "high"),
    "mean6": ("success", "value"),
}


@cache
def _cells() -> list[dict[str, str]]:
    """Return the released cells' full-precision values."""
    frame = pd.read_csv(published_dir() / "released_cells.csv", dtype=str)
    return frame.to_dict("records")  # type: ignore[return-value]


def intervals(paper: PaperNumbers, _: Items) -> Rows:
    """Check that a lower bound is not over the upper one, and that the value lies between them."""
    for entry in paper.entries:
        low, high, value = entry.number("low"), entry.number("high"), entry.number()
        pairs = (("low ≤ high", low, high), ("low ≤ value", low, value), ("value ≤ high", value, high))
        for name, lower, upper in pairs:
            if lower and upper:
                yield stated(
                    f"{entry.what}: {name}",
                    (entry.place, lower.text),
                    (entry.place, upper.text),
                    holds=lower.value <= upper.value,
                    gap=lower.value - upper.value,
                )


def same_quantity(paper: PaperNumbers, _: Items) -> Rows:
    """Check that a quantity printed in several places is the same everywhere, with its interval."""
    for rows in paper.groups():
        first = rows[0]
        if first["measure"] in _NO_RESULT or not first["model"]:
            continue
        for field in ("value", "low", "high", "p"):
            printed = [row for row in rows if row.number(field) is not None]
            for left, right in combinations(printed, 2):
                # Within one table, row and column tell quantities apart; Tables 4 and 5 repeat some.
                if left.place != right.place or left["table"] in ("4", "5"):
                    name = first.what if field == "value" else f"{first.what}: {field}"
                    compared = same(name, at(left, field), at(right, field))
                    if not compared.holds and field == "value" and _may_be_tie(paper, left, right):
                        note = "a tie: the value between both is one that it can have"
                        compared = replace(compared, holds=True, rounded=True, note=note)
                    yield compared


def _may_be_tie(paper: PaperNumbers, left: PrintedNumber, right: PrintedNumber) -> bool:
    """Return whether two prints of a utility are the two roundings of a value that it can have."""
    (_, a), (_, b) = at(left), at(right)
    n = paper.questions(left["model"], left["split"])
    if left["measure"] not in ("utility", "cost_adjusted_success") or n is None:
        return False
    # Right answers and calls are whole numbers, and a call costs a twentieth of an answer.
    parts = 20 * n * len(MEANS.get(left["regime"], (left["regime"],))) * (a.value + b.value) / 2
    return abs(a.value - b.value) <= a.half + b.half + SLACK and abs(parts - round(parts)) < 1e-6


def shares_are_counts(paper: PaperNumbers, _: Items) -> Rows:
    """Check that a share of n questions is some k/n at the printed precision."""
    for entry in paper.entries:
        n = paper.questions(entry["model"], entry["split"])
        single = entry["measure"] == "success" and entry["regime"] not in (*MEANS, "ts_mean6")
        number = entry.number()
        if single and entry["table"] in _COUNTED and n and number:
            count = round(number.value * n)
            exact = Number.exact(count / n, f"{count}/{n} = {count / n:.4f}")
            yield same(entry.what, (entry.place, number), ("nearest count", exact))


def means_of_regimes(paper: PaperNumbers, _: Items) -> Rows:
    """Check that mean6, mean3 and mean4 are the means of their regimes."""
    for entry in paper.entries:
        number = entry.number()
        if entry["measure"] == "success" and entry["regime"] in MEANS and number:
            mean = paper.success(entry.quantity)
            if mean and mean.half == 0:
                yield same(entry.what, (entry.place, number), ("mean of the regimes, Tables 13 and 14", mean))


def paired_differences(paper: PaperNumbers, _: Items) -> Rows:
    """Check that a paired difference in success is the difference of the two means."""
    for entry in paper.entries:
        left, right = entry.sides()
        resolved = entry["measure"] == "paired_difference" and entry["model"] and entry["regime"]
        if not resolved or left == right or entry.number() is None:
            continue
        first, second = paper.success(left), paper.success(right)
        if first and second:
            means = f"difference of means, {first.text} and {second.text}"
            yield derived(entry.what, at(entry), (means, weighted([(1, first), (-1, second)])))


def regrets(paper: PaperNumbers, _: Items) -> Rows:
    """Check that regret at λ = 0 is the distance from mean4 (Table 17), and that utility is linear in λ."""
    for entry in paper.find("17; measure=regret; row=Qwen2.5-7B λ=0.0|Llama-3.1-8B λ=0.0|Qwen3-8B λ=0.0"):
        levels = []
        for price in ("0.0", "0.02", "0.05"):
            row = entry["row"].replace("λ=0.0", f"λ={price}")
            best = at(paper.one(f"17; row={row}; measure=utility"))[1]
            regret = at(paper.one(f"17; row={row}; measure=regret; condition={entry['condition']}"))[1]
            levels.append(weighted([(1, best), (-1, regret)]))
        name = f"{entry['model']} · {entry['condition']}"
        mean = paper.success(arm(entry["model"], entry["condition"], "mean4"))
        if mean and mean.half == 0:
            left = ("Table 17, utility − regret at λ = 0", levels[0])
            yield derived(f"{name} · mean4 · success", left, ("mean4, Table 13", mean))
        line = weighted([(-1.5, levels[0]), (2.5, levels[1])])
        left = ("Table 17, utility − regret at λ = 0.05", levels[2])
        yield derived(f"{name} · mean4 · utility", left, ("line through λ = 0 and 0.02", line))


def answering_or_continuing(paper: PaperNumbers, _: Items) -> Rows:
    """Check that answering minus continuing (D.2) is their difference, and that of decisions won and lost."""
    for model in SMALL:
        rows = {row["measure"]: row for row in paper.find(f"text; panel=D.2; model={model}")}
        gain = rows["paired_difference"]
        parts = weighted([(1, at(rows["answer_now_success"])[1]), (-1, at(rows["continue_success"])[1])])
        yield derived(gain.what, at(gain), ("difference of both, Appendix D.2", parts))
        won, lost = (int(rows[f"n_{side}_better"]["value"]) for side in ("answering", "continuing"))
        n = int(gain["n"])
        net = Number.exact((won - lost) / n, f"({won} − {lost})/{n}")
        yield same(gain.what, at(gain), ("decisions won and lost, Appendix D.2", net))


def net_correct(paper: PaperNumbers, _: Items) -> Rows:
    """Check that questions won and lost by the rule (Appendix A) add up to the difference in Table 13."""
    won = "net_correct_where_fired|net_correct_elsewhere"
    for regime in ("recover_after_1", "recover_after_3"):
        rows = paper.find(f"text; panel=A; measure={won}; regime={regime}")
        arms = [paper.success(arm("qwen3-8b", each, regime)) for each in ("enforced_rule", "unaided")]
        counts = [round(each.value * 300) for each in arms if each]
        total, difference = sum(int(row["value"]) for row in rows), counts[0] - counts[1]
        yield stated(
            rows[0].what,
            (rows[0].place, " + ".join(row["value"] for row in rows).replace("-", "−")),
            ("Table 13, of 300", f"{counts[0]} − {counts[1]} = {difference}".replace("= -", "= −")),
            holds=total == difference,
            gap=total - difference,
        )


def cost_adjusted_ranges(paper: PaperNumbers, items: Sequence[Sequence[str]]) -> Rows:
    """Check that the ranges of cost-adjusted contrasts (Appendix C.1) are differences within Table 6."""
    for first, second in items:
        claim = paper.one(
            f"text; panel=C.1; measure=cost_adjusted_difference; condition={first} - {second}; model="
        )
        gaps = []
        for model in SMALL:
            wanted = f"6; measure=cost_adjusted_success; model={model}"
            a, b = (at(paper.one(f"{wanted}; condition={each}"))[1] for each in (first, second))
            gap = a.value - b.value
            gaps.append(Number(gap, a.half + b.half, f"{gap:+.3f}".replace("-", "−")))
        for name, field, pick in _ENDS:
            where = ("differences in Table 6", pick(gaps, key=value_of))
            yield derived(f"{claim.what}, {name}", at(claim, field), where)


def _growth(few: Number, many: Number) -> Number:
    """Return the relative growth and how far rounding may move it."""
    ratio = many.value / few.value - 1
    widest = (many.value + many.half) / (few.value - few.half) - 1
    return Number(ratio, widest - ratio, f"{100 * ratio:.1f} %")


def growth_of_calls(paper: PaperNumbers, items: Items) -> Rows:
    """Check that the growth of calls under a doubled budget (§5, §7) is that of Tables 18 and 16."""
    for panel, table, models in (item.values() for item in items):
        claim = paper.one(f"text; panel={panel}; measure=calls_increase")
        grown = []
        for model in models:
            wanted = f"{table}; measure=tool_calls; condition=budget; model={model}"
            few, many = (at(paper.one(f"{wanted}; budget={each}"))[1] for each in ("8", "16"))
            grown.append(_growth(few, many))
        if len(grown) == 1:
            yield derived(claim.what, at(claim), (f"Table {table}", grown[0]))
            continue
        for name, field, pick in _ENDS:
            where = (f"Table {table}", pick(grown, key=value_of))
            yield derived(f"{claim.what}, {name}", at(claim, field), where)


def shares_add_up(paper: PaperNumbers, _: Items) -> Rows:
    """Check that Search-R1's ways to end on a failing source are all of its episodes, up to rounding."""
    numbers = [
        at(paper.one(f"text; model=search-r1; condition=unaided; measure={measure}"))[1]
        for measure in ("share_answered", "share_exhausted", "no_answer_rate")
    ]
    text = " + ".join(each.text for each in numbers)
    total = Number(sum(map(value_of, numbers)), sum(each.half for each in numbers), text)
    what = "search-r1 · unaided · persistent · answered, exhausted, no answer"
    yield derived(what, ("§7, Appendix D.4", total), ("all episodes", Number.exact(1.0, "100 %")))


def agents_that_answer(paper: PaperNumbers, _: Items) -> Rows:
    """Check that five agents answer on at most 7 % after five judgments in a row."""
    rows = paper.find("text|5; panel=1|C.1|A17; measure=answered_after_5")
    few = {row["model"] for row in rows if row["k"] and int(row["k"]) <= 0.075 * int(row["n"])}
    k, n = paper.one("text; panel=1; measure=n_agents").fraction()
    where = ("§1, Appendix C.1, Table 5", str(len(few)))
    yield stated("agents that answer on at most 7 %", ("§1", f"{k} of {n}"), where, holds=k == len(few))


def endings(paper: PaperNumbers, _: Items) -> Rows:
    """Check that Claude Haiku 4.5's answers (§1) and exhausted budgets (B.4) fit into its questions."""
    wanted = "text; panel=1|B.4; model=claude-haiku-4.5; measure"
    answered = paper.one(f"{wanted}=answered_after_5")
    exhausted = paper.one(f"{wanted}=exhausted_where_rule_fired")
    (a, n), (b, m) = answered.fraction(), exhausted.fraction()
    yield stated(
        "claude-haiku-4.5 · unaided · answered, and exhausted, where the rule fired",
        (f"{answered.place}, {exhausted.place}", f"{a} + {b} = {a + b}"),
        ("questions", str(n)),
        holds=a + b <= n == m,
        note="an episode may also end in a format failure or a truncated turn",
    )


def released_cells(paper: PaperNumbers, _: Items) -> Rows:
    """Check that Δ, its interval and mean6 of the released cells round to every place that prints them."""
    printed: dict[tuple[str, ...], list[PrintedNumber]] = {}
    for entry in paper.entries:
        main = (entry["task"], entry["budget"]) == ("hotpotqa", "8")
        if main and (entry["regime"], entry["measure"]) in (("fail", "delta"), ("mean6", "success")):
            key = tuple(entry[name] for name in ("split", "model", "condition", "measure"))
            printed.setdefault(key, []).append(entry)
    for cell in _cells():
        for name, (measure, field) in _PRINTED.items():
            exact = Number.exact(float(cell[name]), f"{float(cell[name]):.6f}".replace("-", "−"))
            for entry in printed.get((cell["split"], cell["model"], cell["condition"], measure), []):
                if entry.number(field):
                    yield same(f"{entry.what}: {name}", at(entry, field), ("released cells", exact))


def number_of_cells(paper: PaperNumbers, _: Items) -> Rows:
    """Check that the released cells are those of the card: every condition, decide for three models only."""
    found = Counter(cell["split"] for cell in _cells())
    models = int(paper.one("card; row=open-models")["value"])
    for split, lacking in (("test300", 1), ("fresh300", 0)):
        conditions = int(paper.one(f"card; row=conditions; split={split}")["value"])
        expected = models * conditions - lacking
        yield stated(
            f"cells of {split}",
            ("dataset card", f"{models} × {conditions} − {lacking} = {expected}"),
            ("released cells", str(found[split])),
            holds=expected == found[split],
            gap=expected - found[split],
        )


# --- statements that numbers printed elsewhere do not bear out: each is computed, not asserted --------------


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
