"""The published numbers as things that can be compared: where each is printed, and what it may stand for."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from paper_book.measures.registry import REGIME_SETS
from paper_book.published.transcribed import QUANTITY, decimals, read_file, tables

#: Members of each regime that is an average with equal weight.
MEANS = {name: REGIME_SETS[name] for name in ("mean6", "mean3", "mean4", "mean4_late")}
SMALL = ("qwen2.5-7b", "llama3.1-8b", "qwen3-8b")
#: Names for several values in a selection.
_GROUPS = {"small": SMALL, "open": (*SMALL, "qwen3-32b")}
#: Questions of a split; Claude Sonnet 5 ran on the first 100 of test300 only.
_QUESTIONS = {"test300": 300, "test300-first200": 200, "fresh300": 300, "fever292": 292}
_SCALE = {"percent": 0.01, "points": 0.01}
Selection = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True)
class Number:
    """A number, a percentage as a share; half a unit of its last printed place, 0 if exact; its print."""

    value: float
    half: float
    text: str

    @classmethod
    def exact(cls, value: float, text: str = "") -> "Number":
        """Return a number without rounding, shown with four decimals unless `text` says how."""
        return cls(value, 0.0, text or f"{value:.4f}")


@dataclass(frozen=True)
class PrintedNumber:
    """One row of the published numbers: its fields as printed, empty where nothing is."""

    fields: Mapping[str, str]

    def __getitem__(self, field: str) -> str:
        return self.fields[field]

    @cached_property
    def quantity(self) -> dict[str, str]:
        """What the row is a number of."""
        return {name: self.fields[name] for name in QUANTITY}

    @property
    def place(self) -> str:
        """Where it is printed, as the paper calls it."""
        table, panel = self["table"], self["panel"]
        if table == "card":
            return "dataset card"
        if table.startswith("figure"):
            return f"{table.capitalize()}, {'caption' if panel == 'caption' else f'text in {panel}'}"
        if table != "text":
            return f"Table {table}"
        if panel.startswith("caption:"):
            return f"{panel.removeprefix('caption:').capitalize()}, caption"
        return panel if panel == "abstract" else f"{'§' if panel[0].isdigit() else 'Appendix '}{panel}"

    @property
    def what(self) -> str:
        """Its quantity in words, without what goes without saying."""
        plain = {"hotpotqa", "test300", "8", "fail", ""}
        setting = [self[name] for name in ("task", "split", "regime") if self[name] not in plain]
        setting += ["16 actions"] if self["budget"] == "16" else []
        parts = [self["model"], self["condition"], *setting, self["measure"]]
        return " · ".join(part for part in parts if part)

    def number(self, field: str = "value") -> Number | None:
        """Return the number in a field, None where nothing is printed; a fraction k/n is a value."""
        printed = self[field]
        if field == "value" and not printed and self["k"] and self["n"]:
            return Number.exact(int(self["k"]) / int(self["n"]), f"{self['k']}/{self['n']}")
        if not printed:
            return None
        scale = _SCALE.get(self["unit"], 1.0)
        half = scale * 0.5 * 10.0 ** -decimals(printed)
        unit = " %" if self["unit"] == "percent" else ""
        return Number(scale * float(printed.removeprefix("<")), half, printed.replace("-", "−") + unit)

    def fraction(self) -> tuple[int, int]:
        """Return k and n, which must be there."""
        return int(self["k"]), int(self["n"])

    def sides(self) -> tuple[dict[str, str], dict[str, str]]:
        """Return the quantities on both sides of a difference, written "a - b" in a field."""
        parts = {name: (text.split(" - ") * 2)[:2] for name, text in self.quantity.items()}
        return {name: pair[0] for name, pair in parts.items()}, {
            name: pair[1] for name, pair in parts.items()
        }


def select(text: str) -> Selection:
    """Return the selection that a line describes; the head of ``data/consistency.yaml`` says how it reads.

    Examples
    --------
    >>> select("6; panel=delta; condition=unaided|budget")
    {'table': ('6',), 'panel': ('delta',), 'condition': ('unaided', 'budget')}
    """
    table, *fields = text.split("; ")
    pairs = [
        ("table", table),
        *((name, value) for name, _, value in (field.partition("=") for field in fields)),
    ]
    return {
        name: tuple(each for part in value.split("|") for each in _GROUPS.get(part, (part,)))
        for name, value in pairs
    }


class PaperNumbers:
    """All published numbers, by table and by quantity."""

    def __init__(self, entries: Iterable[PrintedNumber]) -> None:
        self.entries = list(entries)
        self._by_table: dict[str, list[PrintedNumber]] = defaultdict(list)
        self._by_quantity: dict[tuple[str, ...], list[PrintedNumber]] = defaultdict(list)
        for entry in self.entries:
            self._by_table[entry["table"]].append(entry)
            self._by_quantity[tuple(entry.quantity.values())].append(entry)

    def groups(self) -> Iterator[list[PrintedNumber]]:
        """Yield the rows of each quantity."""
        yield from self._by_quantity.values()

    def find(self, selection: str) -> list[PrintedNumber]:
        """Return the rows of a selection, of which there must be one: a check of nothing must not pass."""
        chosen = dict(select(selection))
        rows = [entry for table in chosen.pop("table") for entry in self._by_table[table]]
        found = [entry for entry in rows if all(entry[name] in any_of for name, any_of in chosen.items())]
        if not found:
            raise LookupError(f"no published number has {selection}")
        return found

    def one(self, selection: str) -> PrintedNumber:
        """Return the row of a selection, which must be the only one."""
        found = self.find(selection)
        if len(found) > 1:
            raise LookupError(f"{len(found)} published numbers have {selection}")
        return found[0]

    def printed(self, quantity: Mapping[str, str]) -> PrintedNumber | None:
        """Return the most precisely printed row of a quantity, None if no value of it is printed."""
        rows = self._by_quantity.get(tuple(quantity[name] for name in QUANTITY), [])
        held = [(number.half, i) for i, row in enumerate(rows) if (number := row.number()) is not None]
        return rows[min(held)[1]] if held else None

    def questions(self, model: str, split: str) -> int | None:
        """Return on how many questions an arm ran, None where the paper does not say."""
        return 100 if model == "claude-sonnet-5" else _QUESTIONS.get(split)

    def success(self, quantity: Mapping[str, str]) -> Number | None:
        """Return the success of an arm in a regime or a mean of regimes, as precisely as printed."""
        key = dict(quantity) | {"measure": "success"}
        n = self.questions(key["model"], key["split"]) if key["regime"] != "ts_mean6" else None
        members = [
            self.printed(key | {"regime": each}) for each in MEANS.get(key["regime"], (key["regime"],))
        ]
        numbers = [number for member in members if member and (number := member.number())]
        if n and len(numbers) == len(members) and all(each.half <= 0.5 / n for each in numbers):
            correct, total = sum(round(each.value * n) for each in numbers), n * len(numbers)
            return Number.exact(correct / total, f"{correct}/{total} = {correct / total:.4f}")
        row = self.printed(key)
        return row.number() if row else None


def arm(model: str, condition: str, regime: str) -> dict[str, str]:
    """Return the quantity of an arm's success on test300 with 8 actions."""
    plain = {"task": "hotpotqa", "split": "test300", "budget": "8", "measure": "success"}
    return {"model": model, "condition": condition, "regime": regime} | plain


@lru_cache(maxsize=1)
def load() -> PaperNumbers:
    """Return all published numbers, read once."""
    rows = [row for path in tables().values() for row in read_file(path).to_dict("records")]
    return PaperNumbers(PrintedNumber({str(name): str(text) for name, text in row.items()}) for row in rows)


# --- comparing two of them ----------------------------------------------------------------------------

#: Two floating-point computations of one number differ by less.
SLACK = 1e-9


@dataclass(frozen=True)
class Comparison:
    """Two numbers that should agree: where each is printed, or what it was computed from."""

    what: str
    left_place: str
    left: str
    right_place: str
    right: str
    #: Left minus right, and the largest absolute gap that rounding explains.
    gap: float
    allowed: float
    holds: bool
    #: What a reader should know about it.
    note: str = ""
    #: The numbers as printed lead to another last digit, and rounding explains it.
    rounded: bool = False


def _compared(
    what: str, left: tuple[str, Number], right: tuple[str, Number], *, slack: float, last: float
) -> Comparison:
    gap, allowed = left[1].value - right[1].value, left[1].half + right[1].half
    holds = abs(gap) <= allowed + slack or abs(gap) <= SLACK
    rounded = holds and abs(gap) > SLACK and 0 < last <= abs(gap) + SLACK
    return Comparison(
        what, left[0], left[1].text, right[0], right[1].text, gap, allowed, holds, rounded=rounded
    )


def same(what: str, left: tuple[str, Number], right: tuple[str, Number]) -> Comparison:
    """Compare one quantity printed in two places: some value must round to both."""
    halves = (left[1].half, right[1].half)
    return _compared(what, left, right, slack=SLACK if min(halves) == 0 else -SLACK, last=max(halves))


def derived(what: str, left: tuple[str, Number], right: tuple[str, Number]) -> Comparison:
    """Compare a printed number with one computed from other printed numbers, whose roundings add up."""
    return _compared(what, left, right, slack=SLACK, last=left[1].half)


def at_most(
    what: str, left: tuple[str, Number], right: tuple[str, Number], *, strict: bool = False
) -> Comparison:
    """Check that the left number is not over the right one, or below it when `strict`."""
    gap, allowed = left[1].value - right[1].value, left[1].half + right[1].half
    holds = gap < allowed - SLACK if strict else gap <= allowed + SLACK
    sign = "<" if strict else "≤"
    return Comparison(what, left[0], left[1].text, right[0], f"{sign} {right[1].text}", gap, allowed, holds)


def stated(
    what: str, left: tuple[str, str], right: tuple[str, str], *, holds: bool, gap: float = 0.0, note: str = ""
) -> Comparison:
    """Set two statements side by side that are not a matter of rounding."""
    return Comparison(what, left[0], left[1], right[0], right[1], gap, 0.0, holds, note)


def weighted(terms: Iterable[tuple[float, Number]]) -> Number:
    """Return a weighted sum, its rounding the weighted sum of the roundings; a difference with its sign."""
    terms = list(terms)
    value = sum(weight * number.value for weight, number in terms)
    half = sum(abs(weight) * number.half for weight, number in terms)
    signed = "+" if [weight for weight, _ in terms] == [1, -1] else ""
    return Number(value, half, f"{value:{signed}.4f}".replace("-", "−"))


def at(entry: PrintedNumber, field: str = "value") -> tuple[str, Number]:
    """Return place and number of a row; a LookupError if it has none."""
    number = entry.number(field)
    if number is None:
        raise LookupError(f"{entry.place}: {entry.what} has no {field}")
    return entry.place, number
