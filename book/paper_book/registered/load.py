"""The registered tests and the claims that they bear on, from their files."""

from functools import cache
from pathlib import Path
from typing import Annotated

from judged_useless._io.paths import data_dir
from pydantic import Field

from paper_book.published.transcribed import published
from paper_book.registered.rules import Preregistration, RegisteredTest, Text
from paper_book.strict_yaml import RecordFileError, Strict, read


class MappedClaim(Strict):
    """A claim of the paper's main text."""

    claim: Text
    tests: Annotated[tuple[Text, ...], Field(min_length=1)]
    sections: Annotated[tuple[Text, ...], Field(min_length=1)]


class ClaimMap(Strict):
    """All claims, in the order of Table 3."""

    claims: tuple[MappedClaim, ...]


@cache
def load_preregistration(path: Path | None = None) -> Preregistration:
    """Return every registered test, and the documents that fixed them, in the order of the paper."""
    return read(path or data_dir() / "preregistration.yaml", Preregistration)


def load_tests() -> tuple[RegisteredTest, ...]:
    """Return every registered test, in the order of the paper's Tables 4 and 5.

    Examples
    --------
    >>> [test.key for test in load_tests() if test.id == "T1"]
    ['A15 T1', 'A18 T1']
    """
    return load_preregistration().tests


def equivalence_bound() -> float:
    """Return the registered bound below which Δ counts as none, with its whole interval (A16, F1–F2).

    Examples
    --------
    >>> equivalence_bound()
    0.06
    """
    test = next(test for test in load_tests() if test.key == "A16 F1–F2")
    return test.rule[0].pass_if[0].comparison[1]


def load_documents() -> dict[str, str]:
    """Return the documents that fixed the tests: name → what it is about, in order of time."""
    return dict(load_preregistration().documents)


def load_claims(path: Path | None = None) -> tuple[MappedClaim, ...]:
    """Return the claims of Table 3 with their tests and sections, in the order of the paper."""
    path = path or data_dir() / "claims.yaml"
    claims = read(path, ClaimMap).claims
    known, rows = {test.key for test in load_tests()}, set(published(3)["row"])
    for claim in claims:
        if claim.claim not in rows:
            raise RecordFileError(f"{path}: field 'claim': not a claim of Table 3: {claim.claim}")
        if unknown := [name for name in claim.tests if name not in known]:
            raise RecordFileError(f"{path}: field 'tests': unknown tests {', '.join(unknown)}")
    return claims
