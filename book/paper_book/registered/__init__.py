"""The paper's registered tests as data, and their verdicts recomputed on given episodes."""

from paper_book.registered.engine import evaluate
from paper_book.registered.load import equivalence_bound, load_claims, load_preregistration, load_tests
from paper_book.registered.record import evaluate_record
from paper_book.registered.results import NOT_EVALUABLE, RegisteredResult
from paper_book.registered.rules import RegisteredTest

__all__ = [
    "NOT_EVALUABLE",
    "RegisteredResult",
    "RegisteredTest",
    "equivalence_bound",
    "evaluate",
    "evaluate_record",
    "load_claims",
    "load_preregistration",
    "load_tests",
]
