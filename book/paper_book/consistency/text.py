"""Checks of the text's ranges and bounds against the tables they summarise."""

from collections.abc import Iterator
from dataclasses import dataclass

from paper_book.consistency.comparison import Comparison, at, at_most, derived, same
from paper_book.consistency.record_of_paper import SMALL, Number, Record

Rows = Iterator[Comparison]


@dataclass(frozen=True)
class Range:
    """A range, or one bound, that the text gives over several printed numbers.

    Attributes
    ----------
    claim : str
        Selects the row of the text.
    source : str
        Selects the numbers it is over.
    field : str
        Which field of the source rows.
    bound : bool
        Printed as "at most", so that it need not be attained.
    absolute : bool
        The bound is on the size.
    """

    claim: str
    source: str
    field: str = "value"
    bound: bool = False
    absolute: bool = False


_GAIN, _READER = "enforced_rule - unaided", "stated_judgment_rule - enforced_rule"
_DECIDE = "text; panel=C.1; measure=delta; condition=decide"
_FRESH = "22; measure=delta; condition=enforced_rule"
_D5 = "text; panel=D.5; regime=answerless"
_E2 = f"20; measure=paired_difference; condition={_READER}; model=llama3.1-8b|qwen3-8b|qwen3-32b"
#: Every range of the text that is over numbers printed elsewhere.
RANGES: tuple[Range, ...] = (
    Range(
        "text; panel=3; measure=useful_rate_gold_first; model=",
        "11; measure=useful_rate_gold_first; model=llama3.1-8b|qwen3-8b|qwen3-32b|claude-haiku-4.5",
    ),
    *(
        Range(
            f"text; panel=3; measure=beta; condition={each}",
            f"10; panel=beta_test300_pooled; condition={each}; model=small",
        )
        for each in ("unaided", "enforced_rule")
    ),
    Range("text; panel=3; measure=agreement", "text; panel=D.4; measure=agreement; model=open"),
    Range(
        "text; panel=3; measure=answered_after_5_stated; model=",
        "23; measure=answered_after_5_stated; model=small",
    ),
    Range("text; panel=3; measure=answer_now_success", "text; panel=D.2; measure=answer_now_success"),
    Range("text; panel=3; measure=continue_success", "text; panel=D.2; measure=continue_success", bound=True),
    Range(
        "text; panel=3; measure=answered_after_5; model=",
        "text; panel=1|C.1; measure=answered_after_5; model=open|claude-haiku-4.5",
        bound=True,
    ),
    Range("text; panel=4; measure=share_at_last_action", "4; row=H10; measure=share_at_last_action"),
    Range("text; panel=4; measure=delta; model=", _DECIDE),
    Range("figure 3; panel=4; measure=delta; model=", "9; measure=delta; condition=decide; model=small"),
    Range(
        "text; panel=4; measure=leave_contrast; model=",
        "25; measure=leave_contrast; condition=unaided",
        bound=True,
    ),
    Range(
        "text; panel=5; measure=delta",
        "9; measure=delta; condition=enforced_rule; model=open|claude-haiku-4.5",
    ),
    Range(
        f"text; panel=5; measure=paired_difference; condition={_GAIN}",
        f"15; task=hotpotqa; condition={_GAIN}; model=open|claude-haiku-4.5",
    ),
    Range(
        "text; panel=5; measure=paired_difference; condition=enforced_rule - random",
        "15; task=hotpotqa; condition=enforced_rule - random",
    ),
    Range(
        "text; panel=5; measure=regret",
        "17; measure=regret; condition=unaided; row=Qwen2.5-7B λ=0.0|Llama-3.1-8B λ=0.0|Qwen3-8B λ=0.0",
    ),
    Range("text; panel=5; measure=extra_calls", "19; measure=extra_calls; condition=enforced_rule"),
    Range(f"text; panel=5; measure=paired_difference; condition={_READER}", _E2, bound=True, absolute=True),
    Range("text; panel=6; measure=delta", _FRESH),
    Range("figure 3; panel=6; measure=delta", _FRESH),
    Range("text; panel=6; measure=paired_difference; split=fresh300", "5; row=F4; measure=paired_difference"),
    Range(
        "text; panel=6; measure=answered_after_5; split=fresh300",
        "22; measure=answered_after_5; model=small",
        bound=True,
    ),
    Range(
        "text; panel=6; measure=paired_difference; split=fever292",
        f"15; task=fever; condition={_GAIN}; model=small",
    ),
    Range("text; panel=6; measure=share_at_last_action", "4; row=F-H10; measure=share_at_last_action"),
    *(
        Range(f"text; panel=6; measure={each}; regime=plausible", f"8; measure={each}")
        for each in ("useless_rate", "answered_after_5")
    ),
    *(
        Range(f"text; panel=6; measure={each}; regime=answerless", f"{_D5}; measure={each}")
        for each in ("useless_rate", "answered_after_5")
    ),
    Range(
        "text; panel=D.6; measure=integration_index; condition=unaided",
        "27; measure=integration_index; condition=unaided",
        bound=True,
    ),
    Range(
        "text; panel=D.6; measure=paired_difference; split=test300-run2 - test300",
        "27; measure=paired_difference; split=test300-run2 - test300",
        absolute=True,
    ),
    Range("5; row=J2; measure=delta; condition=enforced_rule", "6; measure=delta; condition=enforced_rule"),
    *(
        Range(
            f"4; row={row}; measure=integration_index",
            f"{table}; measure=integration_index; condition=permit|budget; model=small",
            field="high",
        )
        for row, table in (("H9", "13"), ("F-H9", "14"))
    ),
    Range(
        "4; row=C1; measure=paired_difference",
        "15; condition=combo - enforced_rule|combo - budget; model=small",
        field="low",
    ),
    Range("5; row=E2; measure=paired_difference; model=", _E2, field="low"),
    Range(
        "figure 6; measure=success",
        "13; measure=success; regime=persistent; condition=unaided; model=small",
    ),
)


def _value(number: Number) -> float:
    return number.value


def _source(record: Record, spec: Range) -> tuple[str, list[Number]]:
    rows = [row for row in record.find(spec.source) if row.number(spec.field)]
    numbers = [at(row, spec.field)[1] for row in rows]
    if spec.absolute:
        numbers = [Number(abs(each.value), each.half, each.text) for each in numbers]
    places = ", ".join(dict.fromkeys(row.place for row in rows))
    return f"{places}, {len(rows)} numbers", numbers


def ranges(record: Record) -> Rows:
    """Check that ranges and bounds in text, captions and outcomes are those of the tables they summarise."""
    for spec in RANGES:
        claim = record.one(spec.claim)
        where, numbers = _source(record, spec)
        low, high = claim.number("low"), claim.number("high")
        what = claim.what if spec.field == "value" else f"{claim.what}: {spec.field}"
        largest = max(numbers, key=_value)
        if low and not spec.absolute:
            yield same(f"{what}, smallest", (claim.place, low), (where, min(numbers, key=_value)))
        if high and spec.bound:
            yield at_most(f"{what}, largest", (where, largest), (claim.place, high))
        elif high:
            yield same(f"{what}, largest", (claim.place, high), (where, largest))


def cost_adjusted_ranges(record: Record) -> Rows:
    """Check that the ranges of cost-adjusted contrasts (Appendix C.1) are differences within Table 6."""
    for first, second in (("call_cost", "budget"), ("combo", "call_cost")):
        claim = record.one(
            f"text; panel=C.1; measure=cost_adjusted_difference; condition={first} - {second}; model="
        )
        gaps = []
        for model in SMALL:
            wanted = f"6; measure=cost_adjusted_success; model={model}"
            a, b = (at(record.one(f"{wanted}; condition={each}"))[1] for each in (first, second))
            gaps.append(
                Number(a.value - b.value, a.half + b.half, f"{a.value - b.value:+.3f}".replace("-", "−"))
            )
        for name, field, gap in (
            ("smallest", "low", min(gaps, key=_value)),
            ("largest", "high", max(gaps, key=_value)),
        ):
            yield derived(f"{claim.what}, {name}", at(claim, field), ("differences in Table 6", gap))


def _growth(few: Number, many: Number) -> Number:
    """Return the relative growth and how far rounding may move it."""
    ratio = many.value / few.value - 1
    widest = (many.value + many.half) / (few.value - few.half) - 1
    return Number(ratio, widest - ratio, f"{100 * ratio:.1f} %")


def growth_of_calls(record: Record) -> Rows:
    """Check that the growth of calls under a doubled budget (§5, §7) is that of Tables 18 and 16."""
    for panel, table, models in (("5", "18", ("qwen2.5-7b", "qwen3-8b")), ("7", "16", ("qwen3-32b",))):
        claim = record.one(f"text; panel={panel}; measure=calls_increase")
        grown = []
        for model in models:
            wanted = f"{table}; measure=tool_calls; condition=budget; model={model}"
            few, many = (at(record.one(f"{wanted}; budget={each}"))[1] for each in ("8", "16"))
            grown.append(_growth(few, many))
        if len(grown) == 1:
            yield derived(claim.what, at(claim), (f"Table {table}", grown[0]))
            continue
        yield derived(f"{claim.what}, smallest", at(claim, "low"), (f"Table {table}", min(grown, key=_value)))
        yield derived(f"{claim.what}, largest", at(claim, "high"), (f"Table {table}", max(grown, key=_value)))


def medians_at_the_deadline(record: Record) -> Rows:
    """Check that budget-cued 7–8B models answer at actions 8 and 16 (§4, Figure 4) in Table 16."""
    for claim in record.find("text|figure 4; panel=4; measure=median_answer_action"):
        wanted = f"16; condition=budget; measure=median_answer_action; budget={claim['budget']}; model=small"
        for row in record.find(wanted):
            yield same(row.what, at(claim), at(row))


def upper_bounds(record: Record) -> Rows:
    """Check that unaided and budget-cued Δ stay below +0.06 however stratified (Appendix C.1, Table 6)."""
    for condition in ("unaided", "budget"):
        claim = record.one(
            f"text; condition={condition}; row=95-percent-upper-bound-under-every-stratification"
        )
        for row in record.find(f"6; condition={condition}; panel=delta|delta_by_question|delta_by_regime"):
            yield at_most(f"{row.what}: high", at(row, "high"), at(claim, "high"), strict=True)


def shares_add_up(record: Record) -> Rows:
    """Check that Search-R1's ways to end on a failing source are all of its episodes, up to rounding."""
    numbers = [
        at(record.one(f"text; model=search-r1; condition=unaided; measure={measure}"))[1]
        for measure in ("share_answered", "share_exhausted", "no_answer_rate")
    ]
    text = " + ".join(each.text for each in numbers)
    total = Number(sum(map(_value, numbers)), sum(each.half for each in numbers), text)
    what = "search-r1 · unaided · persistent · answered, exhausted, no answer"
    yield derived(what, ("§7, Appendix D.4", total), ("all episodes", Number.exact(1.0, "100 %")))


def simulated_clock(record: Record) -> Rows:
    """Check that a simulated clock-driven agent reaches I = +0.5 (§2) in Table 7."""
    row = record.one("7; row=clock, action 6; measure=integration_index")
    claim = record.one("text; panel=2; task=simulated")
    yield same("simulated · clock, action 6 · integration_index", at(claim), at(row))
