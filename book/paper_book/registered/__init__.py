"""The paper's registered tests as data, and their verdicts recomputed on given episodes."""

from paper_book.registered.engine import Evaluator, evaluate
from paper_book.registered.load import PreregistrationError, load_documents, load_tests
from paper_book.registered.models import RegisteredTest
from paper_book.registered.record import evaluate_record
from paper_book.registered.registered_cells import Cell, Need
from paper_book.registered.results import NOT_EVALUABLE, Case, Result

__all__ = [
    "NOT_EVALUABLE",
    "Case",
    "Cell",
    "Evaluator",
    "Need",
    "PreregistrationError",
    "RegisteredTest",
    "Result",
    "evaluate",
    "evaluate_record",
    "load_documents",
    "load_tests",
]
