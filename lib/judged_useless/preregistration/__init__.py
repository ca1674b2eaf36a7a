"""The paper's registered tests as data, and their verdicts recomputed on given episodes."""

from judged_useless.preregistration.cells import Cell, Need
from judged_useless.preregistration.engine import Evaluator, evaluate
from judged_useless.preregistration.load import PreregistrationError, load_documents, load_tests
from judged_useless.preregistration.record import evaluate_record
from judged_useless.preregistration.results import NOT_EVALUABLE, Case, Result
from judged_useless.preregistration.schema import RegisteredTest

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
