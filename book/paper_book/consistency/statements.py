"""Statements of the paper that numbers printed elsewhere do not bear out; each is computed, not asserted."""

from collections.abc import Iterator

from paper_book.consistency.comparison import Comparison, at, stated
from paper_book.consistency.record_of_paper import MEANS, Entry, Record

Rows = Iterator[Comparison]
#: What the text cites a table for: place, table cited, content, and the rows that are that content.
_CITED = (
    ("Appendix C.1", "8", "simulated policies", "measure=design_label_contrast; task=simulated"),
    ("Appendix D.4", "24", "Δ from stated judgments, counts of its decisions", "measure=n_all_useless"),
    ("Appendix D.4", "22", "fresh questions, design labels", "measure=design_label_contrast; split=fresh300"),
    ("Appendix D.3", "19", "calls of the stated-judgment rule", "measure=tool_calls; condition=stated_combo"),
    ("Appendix D.5", "25", "two sources", "measure=ever_switched"),
    ("Appendix D.5", "26", "answerless source, success", "measure=success; regime=answerless"),
)
_NUMBERED = "|".join(map(str, range(1, 29)))


def _with_interval(entry: Entry) -> str:
    value, low, high = (at(entry, field)[1].text for field in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def cited_tables(record: Record) -> Rows:
    """Check that a table cited for its content has that content."""
    for place, cited, what, content in _CITED:
        found = sorted({row["table"] for row in record.find(f"{_NUMBERED}; {content}")}, key=int)
        tables = ", ".join(f"Table {each}" for each in found)
        yield stated(what, (place, f"cites Table {cited}"), ("where it is", tables), holds=cited in found)


def arms_of_table_2(record: Record) -> Rows:
    """Check that Table 13 has "every model and arm" (caption), Table 9 "the arms in Table 2" (C.2)."""
    arms = {(row["model"], row["condition"]) for row in record.find("2") if row.number()}
    for table in ("13", "9"):
        there = arms & {(row["model"], row["condition"]) for row in record.find(table) if row.number()}
        lacking = ", ".join(sorted(f"{model} {condition}" for model, condition in arms - there))
        yield stated(
            f"arms of Table 2 that are in Table {table}",
            (f"Table {table}", str(len(there))),
            ("Table 2", str(len(arms))),
            holds=not lacking,
            gap=len(there) - len(arms),
            note=f"not there: {lacking}",
        )


def prompt_cues_stay_flat(record: Record) -> Rows:
    """Check that prompt cues stay flat or fall in the 7–8B models (Figure 5): I at most +0.10 (H9)."""
    for row in record.find(
        "9; measure=integration_index; model=small; condition=permit|budget|stated_rule|call_cost"
    ):
        number = at(row)[1]
        yield stated(
            row.what,
            ("Figure 5, caption", "flat or falling"),
            (row.place, f"I = {number.text}"),
            holds=number.value <= 0.10,
            gap=number.value,
            note="the caption does not say which prompts are drawn",
        )


def rule_raises_success(record: Record) -> Rows:
    """Check that the rule raises success on the answerless source (§6): each interval is above 0."""
    for row in record.find("26; condition=enforced_rule - unaided; regime=answerless"):
        low = at(row, "low")[1]
        yield stated(
            row.what,
            ("§6", "raises success"),
            (row.place, _with_interval(row)),
            holds=low.value > 0,
            gap=low.value,
            note="every difference is above 0; not every interval is",
        )


def registered_fever_tests(record: Record) -> Rows:
    """Check that FEVER has the tests F-H1 to F-H10 that Table 3 names."""
    tests = [row["row"] for row in record.find("4; measure=printed_outcome; panel=A4")]
    yield stated(
        "FEVER tests",
        ("Table 3", "F-H1–F-H10"),
        ("Table 4", f"{len(tests)}: {', '.join(tests)}"),
        holds=len(tests) == 10,
        gap=10.0 - len(tests),
        note="the numbers follow those of the HotpotQA tests that were carried over",
    )


def contexts(record: Record) -> Rows:
    """Check that all other Qwen2.5-7B arms stayed within 8,192 tokens (deviation 1)."""
    first = record.one("text; row=deviation-1-context-of-the-other-arms")
    third = record.one("text; row=deviation-3-context-exceeded")
    gap = float(third["value"]) - float(first["value"])
    yield stated(
        "qwen2.5-7b · tokens of a trajectory",
        ("Appendix A, deviation 1", f"≤ {first['value']}"),
        ("Appendix A, deviation 3", f"> {third['value']}"),
        holds=gap <= 0,
        gap=gap,
        note="deviation 1 is from the original runs, deviation 3 from amendment 5's 16-action budget arm",
    )


def thresholds_on_development_questions(record: Record) -> Rows:
    """Check that every threshold was set on the 100 development questions (§2)."""
    haiku = record.one("text; panel=A; row=threshold-of-the-enforced-rule; model=claude-haiku-4.5")
    yield stated(
        "claude-haiku-4.5 · k",
        ("§2", "every threshold on the 100 development questions"),
        (haiku.place, f"k = {haiku['value']}, from its own pilot"),
        holds="pilot" not in haiku["note"],
    )


def saved_judgments(record: Record) -> Rows:
    """Check that none of Claude Sonnet 5's per-step judgments were saved (Table 9, note)."""
    lost, total = record.one("text; row=regimes-whose-rule-run-judgments-were-not-saved").fraction()
    yield stated(
        "claude-sonnet-5 · regimes without saved judgments",
        ("Table 9, note", "all"),
        ("Appendix B.4", f"{lost} of {total}"),
        holds=lost == total,
        gap=float(total - lost),
    )


def one_mean4(record: Record) -> Rows:
    """Check that mean4 is one average."""
    used = {row["regime"]: row.place for row in record.find("17|24; regime=mean4|mean4_late")}
    (first, place), (second, other) = sorted(used.items())
    yield stated(
        "regimes averaged as mean4",
        (f"Appendix D.2, {place}", ", ".join(MEANS[first])),
        (other, ", ".join(MEANS[second])),
        holds=set(MEANS[first]) == set(MEANS[second]),
    )


def stated_rule_of_qwen3_32b(record: Record) -> Rows:
    """Check that the registered verdict on Qwen3-32B's stated rule is that of its own Δ (§4)."""
    own = record.one("6; panel=delta; model=qwen3-32b; condition=stated_rule")
    design = record.one("5; row=PP1; model=qwen3-32b; measure=design_label_contrast")
    verdict = record.one("5; row=PP1; model=qwen3-32b; measure=outcome")["note"]
    yield stated(
        "qwen3-32b · stated_rule",
        ("§4, Table 6", f"partly follows it: Δ = {_with_interval(own)}"),
        ("Table 5, PP1", f"{verdict}: design-label contrast {at(design)[1].text}"),
        holds=(at(own, "low")[1].value > 0) != (verdict == "not executed"),
        note="PP1 (amendment 11) was decided on design labels; own judgments came with amendment 12",
    )


def reader_and_qwen25(record: Record) -> Rows:
    """Check that the keyword reader does not help Qwen2.5-7B (§5)."""
    fires = at(record.one("20; model=qwen2.5-7b; measure=firing_rate"))[1].text
    for row in record.find(
        "20; model=qwen2.5-7b; condition=stated_judgment_rule - unaided|stated_combo - budget"
    ):
        yield stated(
            row.what,
            ("§5", "does not help"),
            (row.place, f"{_with_interval(row)}, starred"),
            holds=at(row, "low")[1].value <= 0,
            gap=at(row)[1].value,
            note=f"not applicable as registered: it fires on {fires} of persistent questions, below 0.20",
        )


def explicit_judgments(record: Record) -> Rows:
    """Check that Qwen2.5-7B states a judgment at one share of its decision points."""
    labeled = record.one("23; model=qwen2.5-7b; measure=share_explicit")
    reader = record.one("text; model=qwen2.5-7b; condition=stated_judgment_rule; measure=share_no_judgment")
    sample = record.one("text; model=qwen2.5-7b; measure=share_explicit; panel=D.4")
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


def signs_of_zero(record: Record) -> Rows:
    """Check that a quantity that rounds to zero is printed with one sign."""
    for rows in record.groups():
        for field in ("value", "low", "high"):
            zeros: dict[bool, Entry] = {}
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


def unaided_contrasts(record: Record) -> Rows:
    """Check that Δ of every unaided open model is negative (§1, §3)."""
    for row in record.find("6|22; measure=delta; condition=unaided"):
        number = at(row)[1]
        yield stated(
            row.what,
            ("§1, §3, §6", "below 0"),
            (row.place, number.text),
            holds=number.value < 0,
            gap=number.value,
        )
