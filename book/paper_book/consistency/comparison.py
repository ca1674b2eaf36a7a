"""One comparison between two numbers of the paper, and the rounding that may lie between them."""

from collections.abc import Iterable
from dataclasses import dataclass

from paper_book.consistency.printed_numbers import Number, PrintedNumber

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
