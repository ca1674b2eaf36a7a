"""What the tests of runs have done by other processes, in a module that these can import by its name."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import hamlets
from canned import SlowModel
from hamlet_cell import run
from judged_useless.models.scripted import ScriptedModel
from judged_useless.runs.run_files import locked

CELL: dict[str, Any] = {"n_questions": 24, "condition": "enforced_rule", "k": 3}


def work(path: Path, begun: Any = None) -> None:
    """Run or resume the cell with a model that takes its time."""
    if begun is not None:
        begun.set()
    hamlets.register()
    model = ScriptedModel("own-4", invalid=0.05, unparsed=0.1, disobedient=0.3)
    slow = SlowModel(model.prepared(hamlets.load("all"), 8), lambda messages: 0.005)
    asyncio.run(run(path, model=slow, concurrency=4, **CELL))


def hold(path: Path, held: Any, released: Any) -> None:
    with locked(path):
        held.set()
        released.wait(20)


def hold_and_die(path: Path) -> None:
    with locked(path):
        os.kill(os.getpid(), signal.SIGKILL)
