"""The claims of a section, each decided by what was computed on its page."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from judged_useless.tables import Table

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


def check_claims(claims: Sequence[Claim], *, source: object) -> Table:
    """Return the claims with their verdicts; on the released episodes, a claim that fails is an error.

    Parameters
    ----------
    claims : sequence of Claim
        Claims of one page.
    source : object
        Source of the episodes. On others than the released ones a claim that fails is a finding about
        another agent, and the page shows it.

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
    if failed and source in RELEASED:
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
