"""Runs: one cell (model × condition × split × regimes) at once, on disk as it goes, and read as episodes."""

from judged_useless.runs.cell import IncompleteRunError, run_cell
from judged_useless.runs.recorded import Run
from judged_useless.runs.store import RunError

__all__ = ["IncompleteRunError", "Run", "RunError", "run_cell"]
