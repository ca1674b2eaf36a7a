"""Table 3 of the paper as links: claims, the registered tests on them, and the sections of the book."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import pandas as pd
from judged_useless._io.paths import data_dir
from pydantic import Field, model_validator

from paper_book.published.transcribed import published
from paper_book.registered.load import load_tests, read
from paper_book.registered.results import Result
from paper_book.registered.rules import Strict, Text


class MappedClaim(Strict):
    """A claim of the paper's main text.

    Attributes
    ----------
    claim : str
        The claim, as the row of Table 3 words it.
    tests : tuple of str
        Registered tests that bear on it, by document and id.
    sections : tuple of str
        Sections of the book that recompute it, by file name.
    """

    claim: Text
    tests: Annotated[tuple[Text, ...], Field(min_length=1)]
    sections: Annotated[tuple[Text, ...], Field(min_length=1)]


class ClaimMap(Strict):
    """All claims, in the order of Table 3."""

    claims: tuple[MappedClaim, ...]

    @model_validator(mode="after")
    def _known(self) -> "ClaimMap":
        known = {test.key for test in load_tests()}
        unknown = [name for claim in self.claims for name in claim.tests if name not in known]
        if unknown:
            raise ValueError(f"unknown tests {', '.join(unknown)}; there are {', '.join(sorted(known))}")
        rows = set(published(3)["row"])
        strange = [claim.claim for claim in self.claims if claim.claim not in rows]
        if strange:
            raise ValueError(f"not a claim of Table 3: {'; '.join(strange)}")
        return self


def load_claims(path: Path | None = None) -> tuple[MappedClaim, ...]:
    """Return the claims of Table 3 with their tests and sections.

    Parameters
    ----------
    path : pathlib.Path, optional
        File of claims; the project's by default.

    Returns
    -------
    tuple of MappedClaim
        In the order of the paper.

    Raises
    ------
    PreregistrationError
        If the file is not what it should be.
    """
    return read(path or data_dir() / "claims.yaml", ClaimMap).claims


def slug(key: str) -> str:
    """Return the anchor of a test on its page.

    Examples
    --------
    >>> slug("A16 F1–F2")
    'test-a16-f1-f2'
    """
    return "test-" + key.lower().replace(" ", "-").replace("–", "-")


def claim_rows(results: Sequence[Result]) -> pd.DataFrame:
    """Return the claims with their tests, sections and analyses.

    Parameters
    ----------
    results : sequence of Result
        Registered tests on given episodes.

    Returns
    -------
    pandas.DataFrame
        One row a claim: ``claim``; ``sections`` and ``tests``, lists of (text, address) where a test's text
        holds its published and recomputed outcome; ``exploratory`` and ``appendix``, as Table 3 prints them.
    """
    by_key = {result.test.key: result for result in results}
    rows = []
    for claim in load_claims():
        table = published(3, row=claim.claim).set_index("column")["note"]
        tests = [by_key[key].test for key in claim.tests if key in by_key]
        rows.append(
            {
                "claim": claim.claim,
                "sections": [(name.replace("_", " "), f"{name}.html") for name in claim.sections],
                "tests": [(f"{test.key}: {test.published.outcome}", f"#{slug(test.key)}") for test in tests],
                "exploratory": table["Exploratory"],
                "appendix": table["Appendix"],
            }
        )
    return pd.DataFrame(rows)
