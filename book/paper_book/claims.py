"""The claims of a section, each decided by what was computed on its page."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan
from typing import Protocol

import pandas as pd

from paper_book.provenance import is_simulated
from paper_book.tables.shown import Table

#: Sources whose episodes are the paper's: a claim that fails on them is a fault, not a finding.
RELEASED = ("embedded", "hub")


class ClaimError(AssertionError):
    """A claim of the paper does not hold on the paper's own episodes."""


@dataclass(frozen=True)
class Claim:
    """One claim and what decides it.

    Attributes
    ----------
    statement : str
        The claim in a sentence.
    holds : bool or None
        Whether it holds on the given episodes; None when they cannot tell.
    evidence : str
        The numbers that decide it, or what would be needed.
    """

    statement: str
    holds: bool | None
    evidence: str


class Bounded(Protocol):
    """Whatever has an interval: an estimate, or what stands for one."""

    @property
    def low(self) -> float | None:
        """Lower bound; None where it is undefined."""

    @property
    def high(self) -> float | None:
        """Upper bound; None where it is undefined."""


def _bound(value: float | None) -> float | None:
    return None if value is None or isnan(value) else float(value)


def at_least(value: float | None, bound: float) -> bool | None:
    """Return whether a value is at least `bound`; None for a missing value."""
    given = _bound(value)
    return None if given is None else given >= bound


def at_most(value: float | None, bound: float) -> bool | None:
    """Return whether a value is at most `bound`; None for a missing value."""
    given = _bound(value)
    return None if given is None else given <= bound


def above_zero(estimate: Bounded) -> bool | None:
    """Return whether an interval lies above zero; None where it is undefined."""
    low = _bound(estimate.low)
    return None if low is None else low > 0


def below_zero(estimate: Bounded) -> bool | None:
    """Return whether an interval lies below zero; None where it is undefined."""
    high = _bound(estimate.high)
    return None if high is None else high < 0


def every(verdicts: Sequence[bool | None]) -> bool | None:
    """Return whether all parts of a claim hold.

    Parameters
    ----------
    verdicts : sequence of bool or None
        Parts; None for one that cannot be told.

    Returns
    -------
    bool or None
        False if a part fails; otherwise None if there is none, or one of them cannot be told.

    Examples
    --------
    >>> every([True, None]), every([False, None]), every([])
    (None, False, None)
    """
    if any(each is not None and not each for each in verdicts):
        return False
    return None if not verdicts or any(each is None for each in verdicts) else True


def tally(verdicts: Sequence[bool | None]) -> str:
    """Return in words for how many parts a claim holds.

    Parameters
    ----------
    verdicts : sequence of bool or None
        One a cell, as for :func:`every`.

    Returns
    -------
    str

    Examples
    --------
    >>> tally([True, None, None])
    'holds for 1 of 3 cells; the others cannot be told'
    >>> tally([True, False]), tally([None])
    ('holds for 1 of 2 cells; fails for 1', 'none of 1 cell can be told')
    """
    cells = f"{len(verdicts)} {'cell' if len(verdicts) == 1 else 'cells'}"
    told = [bool(each) for each in verdicts if each is not None]
    if not told:
        return f"none of {cells} can be told"
    text = f"holds for {sum(told)} of {cells}"
    if failing := len(told) - sum(told):
        text += f"; fails for {failing}"
    return text + ("; the others cannot be told" if len(told) < len(verdicts) else "")


def check_claims(claims: Sequence[Claim], *, source: object, episodes: pd.DataFrame | None = None) -> Table:
    """Return the claims with their verdicts; on the released episodes, a claim that fails is an error.

    Parameters
    ----------
    claims : sequence of Claim
        Claims of one page.
    source : object
        Source of the episodes. On others than the released ones a claim that fails is a finding about
        another agent, and the page shows it.
    episodes : pandas.DataFrame, optional
        The episodes; simulated ones are not the released ones, whatever their source is called.

    Returns
    -------
    Table

    Raises
    ------
    ClaimError
        If a claim fails on the released episodes.
    """
    # Not `is False`: a comparison of arrays gives NumPy's own false.
    failed = [claim for claim in claims if claim.holds is not None and not claim.holds]
    simulated = episodes is not None and is_simulated(episodes)
    if failed and source in RELEASED and not simulated:
        raise ClaimError("; ".join(f"{claim.statement} ({claim.evidence})" for claim in failed))
    words = {True: "holds", False: "does not hold", None: "cannot be told"}
    frame = pd.DataFrame(
        {
            "claim": [claim.statement for claim in claims],
            "verdict": [words[None if claim.holds is None else bool(claim.holds)] for claim in claims],
            "decided by": [claim.evidence for claim in claims],
        }
    )
    return Table(frame, "The claims of this page, decided by the numbers on it.")
