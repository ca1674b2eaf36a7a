"""What the page "Δ, hands on" computes with: the process of `simulate`, and the state of its draws."""

from typing import Any

import numpy as np
from judged_useless.environment.regimes import get_regime
from judged_useless.estimators.hazard import EARLY, LATE
from judged_useless.stopping.simulate import RUN_SLOPE, TIME_SLOPE, World

from paper_book.figures.style import COLOURS

#: Questions of a simulation, as `simulate` takes them by default, and seeds that the page offers.
QUESTIONS, SEEDS = 300, 10


def hands_on_data() -> dict[str, Any]:
    """Return the parameters of the paper's simulation; the page draws the numbers that NumPy would draw.

    ``states`` hold state and increment of NumPy's default generator for each seed, in hexadecimal, so that
    the page goes on exactly as ``numpy.random.default_rng(seed)`` does.
    """
    world = World()
    steps = range(1, world.budget + 1)
    states = [np.random.default_rng(seed).bit_generator.state["state"] for seed in range(SEEDS)]
    return {
        "questions": QUESTIONS,
        "budget": world.budget,
        "regimes": {name: [get_regime(name).failed(t) for t in steps] for name in world.regimes},
        "failed": world.useless_if_failed,
        "real": world.useless_if_real,
        "ends": world.answer_if_useful,
        "slopes": {"time": TIME_SLOPE, "rising": RUN_SLOPE},
        "late": LATE,
        "early": EARLY,
        "states": [[f"{state[name]:x}" for name in ("state", "inc")] for state in states],
        "colours": {name: COLOURS[name] for name in ("USELESS", "USEFUL", "answer")},
    }
