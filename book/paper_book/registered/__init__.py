"""The paper's registered tests as data, and their verdicts recomputed on given episodes."""

from paper_book.registered.engine import evaluate
from paper_book.registered.load import load_tests
from paper_book.registered.record import evaluate_record

__all__ = ["evaluate", "evaluate_record", "load_tests"]
