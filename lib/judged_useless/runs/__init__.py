"""Runs: one cell (model × condition × split × regimes) at once, on disk as it goes, and read as episodes."""

from judged_useless.runs.cell import IncompleteRunError, run_cell
from judged_useless.runs.reading import Run, read_run
from judged_useless.runs.store import RunError
from judged_useless.runs.validate import validate_run

__all__ = ["IncompleteRunError", "Run", "RunError", "read_run", "run_cell", "validate_run"]
