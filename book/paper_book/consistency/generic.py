"""Comparators of checks that are a list of selections: what is compared with what stands in the data."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import ge, gt, le, lt
from typing import Any

from paper_book.consistency.printed_numbers import (
    Comparison,
    Number,
    PaperNumbers,
    PrintedNumber,
    at,
    at_most,
    derived,
    same,
    stated,
    weighted,
)

Rows = Iterator[Comparison]
Items = Sequence[Mapping[str, Any]]
_SIGNS = {">": gt, "<": lt, "≥": ge, "≤": le}
#: How two statements, as texts, should relate.
_RELATIONS: Mapping[str, Callable[[str, str], bool]] = {
    "equal": lambda left, right: left == right,
    "at most": lambda left, right: float(left) <= float(right),
    "not in": lambda left, right: left not in right,
    "differ": lambda left, right: left != right,
}


def value_of(number: Number) -> float:
    """Return the value, to order numbers by."""
    return number.value


def holds(number: Number, rule: str) -> bool:
    """Return whether a number satisfies a rule such as ``"low > -0.05"`` as printed."""
    _, sign, bound = rule.split()
    return bool(_SIGNS[sign](number.value, float(bound)))


def interval(entry: PrintedNumber) -> str:
    """Return a row's value with its interval as printed."""
    value, low, high = (at(entry, field)[1].text for field in ("value", "low", "high"))
    return f"{value} [{low}, {high}]"


def _filled(template: str, entry: PrintedNumber) -> str:
    first, second = entry.sides()
    return template.format(**entry.fields, first=first, second=second)


def _term(paper: PaperNumbers, entry: PrintedNumber, name: str) -> Number:
    """Return a term of a sum: the arm's success, a measure of a side of a difference, or a selection."""
    side, _, measure = name.partition(" ")
    if name == "success":
        found = paper.success(entry.quantity)
        if found is None:
            raise LookupError(f"no success is printed for {entry.what}")
        return found
    if side in ("first", "second"):
        row = paper.printed(entry.sides()[side == "second"] | {"measure": measure})
        if row is None:
            raise LookupError(f"a side of {entry.what} is not printed as {measure}")
        return at(row)[1]
    return at(paper.one(_filled(name, entry)))[1]


def sums(paper: PaperNumbers, items: Items) -> Rows:
    """Compare printed numbers with weighted sums of others, whose roundings add up."""
    for item in items:
        for entry in paper.find(item["rows"]):
            terms = [
                (weight / item.get("divided_by", 1), _term(paper, entry, name))
                for name, weight in item["terms"].items()
            ]
            yield derived(entry.what, at(entry), (item["where"], weighted(terms)))


def equal(paper: PaperNumbers, items: Items) -> Rows:
    """Compare printed numbers with others that should be the same; a count `of` so many as its share."""
    for item in items:
        for entry in paper.find(item["rows"]):
            for other in paper.find(_filled(item["to"], entry)):
                if "of" in item:
                    share = int(other["value"]) / item["of"]
                    right = other.place, Number.exact(share, f"{other['value']}/{item['of']}")
                    yield same(entry.what, at(entry), right)
                else:
                    yield same(item.get("what", other.what), at(entry), at(other))


def below(paper: PaperNumbers, items: Items) -> Rows:
    """Check that printed bounds lie below another."""
    for item in items:
        for entry in paper.find(item["rows"]):
            other, field = paper.one(_filled(item["to"], entry)), item["field"]
            yield at_most(f"{entry.what}: {field}", at(entry, field), at(other, field), strict=True)


def claims(paper: PaperNumbers, items: Items) -> Rows:
    """Hold what the text says against the numbers that it is said of."""
    for item in items:
        beside = at(paper.one(item["beside"]))[1].text if "beside" in item else ""
        for entry in paper.find(item["rows"]):
            field = item["holds"].split()[0]
            number = at(entry, field)[1]
            shown = {"value": at(entry)[1].text} | ({"interval": interval(entry)} if entry["low"] else {})
            yield stated(
                entry.what,
                (item["place"], item["says"]),
                (entry.place, item["shown"].format(**shown)),
                holds=holds(number, item["holds"]),
                gap=at(entry, item.get("gap", field))[1].value,
                note=item.get("note", "").format(beside=beside),
            )


def pairs(paper: PaperNumbers, items: Items) -> Rows:
    """Set two statements side by side: `rows` are numbers, `counts` how many values fields have in rows."""
    for item in items:
        said: dict[str, Any] = {name: paper.one(text) for name, text in item.get("rows", {}).items()}
        for name, (text, *fields) in item.get("counts", {}).items():
            mark = item.get("marked", "")
            rows = [row for row in paper.find(text) if row["note"].startswith(mark)]
            said[name] = list(dict.fromkeys(", ".join(row[field] for field in fields) for row in rows))
            said[f"n_{name}"] = len(said[name])
            said[name] = ", ".join(said[name])
        (place, text), (there, other) = item["left"], item["right"]
        left, right = (each.format(**said) for each in item["compare"])
        gap = float(left) - float(right) if item.get("gap") else 0.0
        yield stated(
            item["what"],
            (place.format(**said), text.format(**said)),
            (there.format(**said), other.format(**said)),
            holds=_RELATIONS[item["holds"]](left, right),
            gap=gap,
            note=item.get("note", ""),
        )


def ranges(paper: PaperNumbers, items: Items) -> Rows:
    """Compare ranges and bounds with the numbers that they summarise."""
    for item in items:
        claim, field, absolute = paper.one(item["claim"]), item.get("field", "value"), item.get("absolute")
        rows = [row for row in paper.find(item["source"]) if row.number(field)]
        numbers = [at(row, field)[1] for row in rows]
        if absolute:
            numbers = [Number(abs(each.value), each.half, each.text) for each in numbers]
        where = f"{', '.join(dict.fromkeys(row.place for row in rows))}, {len(rows)} numbers"
        low, high = claim.number("low"), claim.number("high")
        what = claim.what if field == "value" else f"{claim.what}: {field}"
        largest = max(numbers, key=value_of)
        if low and not absolute:
            yield same(f"{what}, smallest", (claim.place, low), (where, min(numbers, key=value_of)))
        if high and item.get("bound"):
            yield at_most(f"{what}, largest", (where, largest), (claim.place, high))
        elif high:
            yield same(f"{what}, largest", (claim.place, high), (where, largest))


def verdicts(paper: PaperNumbers, items: Items) -> Rows:
    """Count the figures that satisfy a rule, and compare with the printed count of tests."""
    for item in items:
        rule = item["rule"]
        claim = paper.one(f"{item['claim']}; measure=tests_passed|tests_failed")
        rows = paper.find(item["source"])
        held = [(row.place, number) for row in rows if (number := row.number(rule.split()[0]))]
        passed = sum(holds(number, rule) for _, number in held)
        counted = passed if claim["measure"] == "tests_passed" else len(held) - passed
        (k, n), places = claim.fraction(), ", ".join(dict.fromkeys(place for place, _ in held))
        yield stated(
            f"{claim['row']} · {claim['measure'].removeprefix('tests_')}, {rule.replace('-', '−')}",
            (claim.place, f"{k}/{n}"),
            (places, f"{counted}/{len(held)}"),
            holds=(k, n) == (counted, len(held)),
            gap=k - counted,
        )


def totals_of_tests(paper: PaperNumbers, items: Items) -> Rows:
    """Compare totals in the text with the sums of the tests that they are made of."""
    for item in items:
        claim, more = paper.one(f"text; row={item['claim']}"), item["more"]
        parts = [paper.one(f"{test}; measure=tests_passed") for test in item["tests"]]
        passed, total = (sum(part.fraction()[i] for part in parts) + more for i in (0, 1))
        names = " + ".join(part["row"] for part in parts) + (f" + {more} under L-H1" if more else "")
        k, n = claim.fraction()
        yield stated(
            claim["row"].replace("-", " "),
            (claim.place, f"{k}/{n}"),
            (f"{parts[0].place}: {names}", f"{passed}/{total}"),
            holds=(k, n) == (passed, total),
            gap=k - passed,
        )


def claim_map(paper: PaperNumbers, items: Items) -> Rows:
    """Compare counts in Table 3 with those of Tables 4 and 5."""
    text = " | ".join(row["note"] for row in paper.find("3"))
    for item in items:
        found = re.search(item["pattern"], text)
        row = paper.one(f"{item['test']}; measure=tests_passed")
        printed = "{}/{}".format(*row.fraction())
        left = found[1] if found else "not there"
        yield stated(f"{row['row']} · passed", ("Table 3", left), (row.place, printed), holds=left == printed)


def cited_tables(paper: PaperNumbers, items: Items) -> Rows:
    """Check that a table cited for its content has that content."""
    numbered = "|".join(map(str, range(1, 29)))
    for item in items:
        found = sorted({row["table"] for row in paper.find(f"{numbered}; {item['content']}")}, key=int)
        tables = ", ".join(f"Table {each}" for each in found)
        cites = (item["place"], f"cites Table {item['cited']}")
        yield stated(item["what"], cites, ("where it is", tables), holds=item["cited"] in found)
