"""The claims of a section, each decided by what was computed on its page."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate

from paper_book.tables.compared import Comparison
from paper_book.tables.data_table import Table
from paper_book.tables.number_texts import number

#: An interval; of a number without one, three times that number.
Interval = tuple[float, float, float]


class ClaimError(AssertionError):
    """A claim of the paper does not hold on the paper's own episodes."""


@dataclass(frozen=True)
class Claim:
    """One claim and what decides it."""

    statement: str
    holds: bool | None
    evidence: str
    printed: bool | None = None
    asked: bool = True


def _intervals(given: Any) -> list[Interval]:  # noqa: ANN401 - as for `claim`
    if isinstance(given, Comparison):
        rows = given.decisive[["recomputed", "recomputed_low", "recomputed_high"]]
        return [(value, low, high) for value, low, high in rows.to_numpy(dtype=float)]
    if isinstance(given, Estimate):
        return [tuple(pd.Series([given.value, given.low, given.high], dtype=float))]  # type: ignore[list-item]
    if isinstance(given, Mapping):
        return [each for part in given.values() for each in _intervals(part)]
    if isinstance(given, Iterable):
        return [each for part in given for each in _intervals(part)]
    return [(float(given), float(given), float(given))]


def _printed(given: Any) -> list[Interval]:  # noqa: ANN401 - as for `claim`
    """Return what the paper prints of the comparisons among `given`."""
    if isinstance(given, Comparison):
        rows = given.rows[["value", "low", "high"]].dropna(how="all")
        return [(value, low, high) for value, low, high in rows.to_numpy(dtype=float)]
    return [each for part in given for each in _printed(part)] if isinstance(given, list) else []


def claim(
    statement: str,
    given: Any,  # noqa: ANN401 - see below
    *,
    above: float | None = None,
    not_above: float | None = None,
    below: float | None = None,
    at_least: float | None = None,
    at_most: float | None = None,
    when: bool = True,
    evidence: str = "",
) -> Claim:
    """Return a claim, decided by numbers.

    Parameters
    ----------
    statement : str
        The claim in a sentence.
    given : Estimate, number, Comparison, or several of them
        What decides it. Of a comparison the paper's cells, as language models fill them; what the paper
        prints in them is held against the claim as well.
    above, not_above, below, at_least, at_most : float, optional
        One of them: the whole interval lies above or below this, does not lie above it, or the value itself
        is at least or at most this.
    when : bool, default True
        Whether the page shows what the claim is about; elsewhere its numbers are findings, and it is open.
    evidence : str, optional
        What is shown; the numbers by default.

    Returns
    -------
    Claim
        It holds if all of `given` are so, and fails if one is not; it is open if one cannot be told, or there
        is nothing.

    Examples
    --------
    >>> claim("It is one.", 1.0, at_least=1).holds, claim("None is.", [0.5, float("nan")], above=0).holds
    (True, None)
    """

    def holds(interval: Interval) -> bool | None:
        value, low, high = interval
        asked = (
            (low, above, low > (above or 0)),
            (low, not_above, low <= (not_above or 0)),
            (high, below, high < (below or 0)),
            (value, at_least, value >= (at_least or 0)),
            (value, at_most, value <= (at_most or 0)),
        )
        told, _, held = next(each for each in asked if each[1] is not None)
        return None if pd.isna(told) else bool(held)

    here, printed = ([holds(each) for each in found] for found in (_intervals(given), _printed(given)))
    if not evidence:
        evidence = f"printed: {tally(printed)}; here: {tally(here)}" if printed else tally(here)
        if isinstance(given, Estimate):
            evidence = str(given)
        elif isinstance(given, Real):
            evidence = number(float(given), ".0f" if isinstance(given, Integral) else ".3f")
    if not when:
        return Claim(statement, None, evidence, asked=False)
    return Claim(statement, every(here), evidence, every(printed))


def every(verdicts: Sequence[bool | None]) -> bool | None:
    """Return False if a part fails; otherwise None if there is none, or one of them cannot be told.

    Examples
    --------
    >>> every([True, None]), every([False, None]), every([])
    (None, False, None)
    """
    if any(each is False for each in verdicts):
        return False
    return None if not verdicts or None in verdicts else True


def tally(verdicts: Sequence[bool | None]) -> str:
    """Return in words for how many parts a claim holds.

    Examples
    --------
    >>> tally([True, None, None])
    'holds for 1 of 3 cells; the others cannot be told'
    >>> tally([True, False]), tally([None])
    ('holds for 1 of 2 cells; fails for 1', 'none of 1 cell can be told')
    """
    cells = f"{len(verdicts)} {'cell' if len(verdicts) == 1 else 'cells'}"
    told = [each for each in verdicts if each is not None]
    if not told:
        return f"none of {cells} can be told"
    text = f"holds for {sum(told)} of {cells}"
    if failing := len(told) - sum(told):
        text += f"; fails for {failing}"
    return text + ("; the others cannot be told" if len(told) < len(verdicts) else "")


def claims_table(claims: Sequence[Claim], *, strict: bool) -> Table:
    """Return claims with their verdicts, where some are about printed numbers with both."""
    failed = [each for each in claims if each.holds is False or each.printed is False]
    if failed and strict:
        raise ClaimError("; ".join(f"{each.statement} ({each.evidence})" for each in failed))
    words = {True: "holds", False: "does not hold", None: "cannot be told"}
    said = {"claim": [each.statement for each in claims]}
    if any(each.printed is not None for each in claims):
        said["as printed"] = ["" if each.printed is None else words[each.printed] for each in claims]
    said["verdict"] = [words[each.holds] if each.asked else "not asked here" for each in claims]
    frame = pd.DataFrame(said | {"decided by": [each.evidence for each in claims]})
    return Table(frame, "The claims of this page, decided by the numbers on it.")
