"""Runs: one cell (model × condition × split × regimes) at once, on disk as it goes, and read as episodes."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged_useless.runs.cell import run_cell
    from judged_useless.runs.execution import IncompleteRunError
    from judged_useless.runs.recorded import Run
    from judged_useless.runs.run_files import RunError

#: Public names and the module of each, imported when first used: who reads a run needs no agent.
_PUBLIC = {"IncompleteRunError": "execution", "Run": "recorded", "RunError": "run_files", "run_cell": "cell"}

__all__ = ["IncompleteRunError", "Run", "RunError", "run_cell"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module holds under that name
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
