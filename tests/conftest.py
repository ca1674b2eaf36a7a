"""Settings and episodes that tests of several rooms share."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import settings
from judged_useless import FAIL, load_episodes

# A slow machine is no fault of the code, and the same examples are drawn everywhere.
settings.register_profile("book", deadline=None, derandomize=True)
settings.load_profile("book")

CODES = {"-": "USELESS", "+": "USEFUL", "?": "UNPARSED", "0": None}


def _episode(question: str, judgments: str, last: str = "finish", **labels: Any) -> dict[str, Any]:
    actions = ["search"] * len(judgments) + ([last] if last else [])
    return {"question_id": question, "actions": actions, "judgments": [CODES[c] for c in judgments]} | labels


@pytest.fixture(scope="session")
def episode() -> Any:
    """Return a maker of episodes: ``episode("q1", "--+-", regime="persistent")``, "-" for USELESS."""
    return _episode


@pytest.fixture(scope="session")
def cells() -> dict[str, pd.DataFrame]:
    """Return the two released cells."""
    return {name: load_episodes(condition=name, regimes=FAIL) for name in ("unaided", "enforced_rule")}


def _random_cell(seed: int, n_questions: int = 12, regimes: Sequence[str] = FAIL) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for question in range(n_questions):
        for regime in regimes:
            n = int(rng.integers(3, 9))
            answers = bool(rng.random() < 0.6)
            observed = n - answers
            words = rng.choice(["USELESS", "USEFUL", "UNPARSED"], size=observed, p=[0.7, 0.25, 0.05])
            rows.append(
                {
                    "model": "made-up", "condition": "random", "split": "none",
                    "question_id": f"q{question}", "regime": regime,
                    "actions": ["search"] * observed + ["finish"] * answers,
                    "judgments": words.tolist(), "success": bool(rng.random() < 0.4) and answers,
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="session")
def random_cell() -> Any:
    """Return a maker of seeded random cells: ``random_cell(seed, n_questions=12)``."""
    return _random_cell
