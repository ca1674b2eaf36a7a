"""Checks of tables against themselves and each other."""

from collections.abc import Iterator
from itertools import combinations

from paper_book.consistency.comparison import Comparison, at, combine, derived, same, stated, subtract
from paper_book.consistency.record_of_paper import MEANS, SMALL, Entry, Number, Record, arm

Rows = Iterator[Comparison]
#: Measures whose rows are constants, counts of tests and words, not results.
_NO_RESULT = {
    "setting", "threshold", "definition", "claim_map", "printed_outcome", "outcome", "best_policy",
    "tests_passed", "tests_failed",
}  # fmt: skip
_COUNTED = ("13", "14", "16", "25", "26")


def intervals(record: Record) -> Rows:
    """Check that a lower bound is not over the upper one, and that the value lies between them."""
    for entry in record.entries:
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


def same_quantity(record: Record) -> Rows:
    """Check that a quantity printed in several places is the same everywhere, with its interval."""
    for rows in record.groups():
        first = rows[0]
        if first["measure"] in _NO_RESULT or not first["model"]:
            continue
        for field in ("value", "low", "high", "p"):
            printed = [row for row in rows if row.number(field) is not None]
            for left, right in combinations(printed, 2):
                # Within one table, row and column tell quantities apart; Tables 4 and 5 repeat some.
                if left.place != right.place or left["table"] in ("4", "5"):
                    name = first.what if field == "value" else f"{first.what}: {field}"
                    yield same(name, at(left, field), at(right, field))


def shares_are_counts(record: Record) -> Rows:
    """Check that a share of n questions is some k/n at the printed precision."""
    for entry in record.entries:
        n = record.questions(entry["model"], entry["split"])
        single = entry["measure"] == "success" and entry["regime"] not in (*MEANS, "ts_mean6")
        number = entry.number()
        if single and entry["table"] in _COUNTED and n and number:
            count = round(number.value * n)
            exact = Number.exact(count / n, f"{count}/{n} = {count / n:.4f}")
            yield same(entry.what, (entry.place, number), ("nearest count", exact))


def means_of_regimes(record: Record) -> Rows:
    """Check that mean6, mean3 and mean4 are the means of their regimes."""
    for entry in record.entries:
        number = entry.number()
        if entry["measure"] == "success" and entry["regime"] in MEANS and number:
            mean = record.success(entry.quantity)
            if mean and mean.half == 0:
                yield same(entry.what, (entry.place, number), ("mean of the regimes, Tables 13 and 14", mean))


def index_is_a_difference(record: Record) -> Rows:
    """Check that I = h₄₋₅ − h₁₋₂ in Tables 13 and 14."""
    for entry in record.find("13|14; measure=integration_index"):
        rate = {
            measure: at(
                record.one({name: (entry[name],) for name in ("table", "row")} | {"measure": (measure,)})
            )[1]
            for measure in ("hazard_4_5", "hazard_1_2")
        }
        difference = subtract(rate["hazard_4_5"], rate["hazard_1_2"])
        yield derived(entry.what, at(entry), ("h₄₋₅ − h₁₋₂, same row", difference))


def _sides(entry: Entry) -> tuple[dict[str, str], dict[str, str]]:
    """Return the quantities on both sides of a difference, written "a - b" in a field."""
    parts = {name: (text.split(" - ") * 2)[:2] for name, text in entry.quantity.items()}
    return {name: pair[0] for name, pair in parts.items()}, {name: pair[1] for name, pair in parts.items()}


def paired_differences(record: Record) -> Rows:
    """Check that a paired difference in success is the difference of the two means."""
    for entry in record.entries:
        left, right = _sides(entry)
        resolved = entry["measure"] == "paired_difference" and entry["model"] and entry["regime"]
        if not resolved or left == right or entry.number() is None:
            continue
        first, second = record.success(left), record.success(right)
        if first and second:
            means = f"difference of means, {first.text} and {second.text}"
            yield derived(entry.what, at(entry), (means, subtract(first, second)))


def utilities(record: Record) -> Rows:
    """Check that utility is success minus 0.05 a call (Tables 6 and 19), and its contrasts differences."""
    for entry in record.find("19; measure=utility"):
        success = record.success(entry.quantity)
        calls, extra = (
            at(record.one({"table": ("19",), "row": (entry["row"],), "measure": (measure,)}))[1]
            for measure in ("tool_calls", "extra_calls")
        )
        if success is None:
            raise LookupError(f"no success is printed for {entry.what}")
        whole = combine([(1, success), (-0.05, calls), (-0.05, extra)])
        yield derived(entry.what, at(entry), ("mean6 − 0.05 × (tool + extra calls), Table 19", whole))
        free = record.printed(entry.quantity | {"measure": "cost_adjusted_success"})
        if free:
            without = combine([(1, success), (-0.05, calls)])
            yield derived(free.what, at(free), ("mean6 − 0.05 × tool calls, Table 19", without))
    yield from _utility_differences(record, "utility_difference", "utility", "5|20", "Table 19")
    yield from _utility_differences(
        record, "cost_adjusted_difference", "cost_adjusted_success", "5|text", "Table 6"
    )


def _utility_differences(record: Record, difference: str, level: str, printed: str, where: str) -> Rows:
    for entry in record.find(f"{printed}; measure={difference}; model=open"):
        first, second = (record.printed(side | {"measure": level}) for side in _sides(entry))
        if first is None or second is None:
            raise LookupError(f"{where} lacks a side of {entry.what}")
        yield derived(
            entry.what, at(entry), (f"difference in {where}", subtract(at(first)[1], at(second)[1]))
        )


def calls_under_budgets(record: Record) -> Rows:
    """Check that differences of tool calls (D3, C4) are those of Table 16."""
    for entry in record.find("4; measure=tool_call_difference"):
        first, second = (
            at(
                record.one(
                    f"16; measure=tool_calls; budget=16; model={side['model']}; condition={side['condition']}"
                )
            )[1]
            for side in _sides(entry)
        )
        yield derived(entry.what, at(entry), ("difference in Table 16", subtract(first, second)))


def answered_shares(record: Record) -> Rows:
    """Check that shares answered (Table 24) are the counts of Table 16."""
    for entry in record.find("24; measure=share_answered; condition=unaided|budget"):
        count = record.one(
            f"16; measure=n_answered; budget=8; model=qwen3-32b; condition={entry['condition']}"
        )
        exact = Number.exact(int(count["value"]) / 300, f"{count['value']}/300")
        yield same(entry.what, at(entry), ("Table 16", exact))


def regrets(record: Record) -> Rows:
    """Check that regret at λ = 0 is the distance from mean4 (Table 17), and that utility is linear in λ."""
    for entry in record.find("17; measure=regret; row=Qwen2.5-7B λ=0.0|Llama-3.1-8B λ=0.0|Qwen3-8B λ=0.0"):
        levels = []
        for price in ("0.0", "0.02", "0.05"):
            row = entry["row"].replace("λ=0.0", f"λ={price}")
            best = at(record.one(f"17; row={row}; measure=utility"))[1]
            regret = at(record.one(f"17; row={row}; measure=regret; condition={entry['condition']}"))[1]
            levels.append(subtract(best, regret))
        name = f"{entry['model']} · {entry['condition']}"
        mean = record.success(arm(entry["model"], entry["condition"], "mean4"))
        if mean and mean.half == 0:
            left = ("Table 17, utility − regret at λ = 0", levels[0])
            yield derived(f"{name} · mean4 · success", left, ("mean4, Table 13", mean))
        line = combine([(-1.5, levels[0]), (2.5, levels[1])])
        left = ("Table 17, utility − regret at λ = 0.05", levels[2])
        yield derived(f"{name} · mean4 · utility", left, ("line through λ = 0 and 0.02", line))


def pooled_runs(record: Record) -> Rows:
    """Check that the gain pooled over three runs (Table 28) is the mean of the three."""
    places = ("15; split=test300", "27; split=test300-run2", "28; split=test300-run3")
    for entry in record.find("28; split=test300-three-runs"):
        wanted = f"measure=paired_difference; condition={entry['condition']}; model={entry['model']}"
        mean = combine([(1 / 3, at(record.one(f"{place}; {wanted}"))[1]) for place in places])
        yield derived(entry.what, at(entry), ("mean of Tables 15, 27 and 28", mean))


def answering_or_continuing(record: Record) -> Rows:
    """Check that answering minus continuing (D.2) is their difference, and that of decisions won and lost."""
    for model in SMALL:
        rows = {
            measure: record.one(f"text; panel=D.2; model={model}; measure={measure}")
            for measure in (
                "paired_difference", "answer_now_success", "continue_success", "n_answering_better",
                "n_continuing_better",
            )
        }  # fmt: skip
        gain = rows["paired_difference"]
        parts = subtract(at(rows["answer_now_success"])[1], at(rows["continue_success"])[1])
        yield derived(gain.what, at(gain), ("difference of both, Appendix D.2", parts))
        won, lost, n = (
            int(rows["n_answering_better"]["value"]),
            int(rows["n_continuing_better"]["value"]),
            int(gain["n"]),
        )
        net = Number.exact((won - lost) / n, f"({won} − {lost})/{n}")
        yield same(gain.what, at(gain), ("decisions won and lost, Appendix D.2", net))


def net_correct(record: Record) -> Rows:
    """Check that questions won and lost by the rule (Appendix A) add up to the difference in Table 13."""
    for regime in ("recover_after_1", "recover_after_3"):
        rows = record.find(f"text; panel=A; measure=net_correct; regime={regime}")
        arms = [record.success(arm("qwen3-8b", each, regime)) for each in ("enforced_rule", "unaided")]
        counts = [round(each.value * 300) for each in arms if each]
        total, difference = sum(int(row["value"]) for row in rows), counts[0] - counts[1]
        yield stated(
            rows[0].what,
            (rows[0].place, " + ".join(row["value"] for row in rows).replace("-", "−")),
            ("Table 13, of 300", f"{counts[0]} − {counts[1]} = {difference}".replace("= -", "= −")),
            holds=total == difference,
            gap=total - difference,
        )
