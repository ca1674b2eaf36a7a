"""A small cell of the made-up task."""

from pathlib import Path
from typing import Any

from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.cell import run_cell
from judged_useless.runs.recorded import Run

REGIMES = ("clean", "persistent", "recover_after_2")


CLUMSY = ScriptedModel("own-4", invalid=0.05, unreadable=0.03, truncated=0.02, disobedient=0.3, unparsed=0.1)


async def run(out: Path, model: Any = None, **options: Any) -> Run:
    """Run a small cell with an agent that makes every kind of mistake."""
    arguments: dict[str, Any] = {
        "model": CLUMSY if model is None else model,
        "condition": "enforced_rule",
        "task": "hamlets",
        "split": "all",
        "regimes": REGIMES,
        "n_questions": 6,
        "k": 3,
        "out": out,
        "progress": False,
    }
    return await run_cell(**(arguments | options))
