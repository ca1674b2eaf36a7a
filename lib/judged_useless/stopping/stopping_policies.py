"""The one notion of a stopping policy: answer after so many results, or so many useless ones in a row."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from judged_useless.episodes.schema import DEFAULT_BUDGET
from judged_useless.estimators.resampling import whole_number

from .problem import Floats, StoppingProblem, run_lengths
from .wald import WaldTest


@dataclass(frozen=True)
class StoppingPolicy:
    """Answer after the `cap`-th result, after a run of `own` useless judgments, or whichever is first.

    Either may be None, but not both; they are whole numbers of at least 1.
    """

    cap: int | None = None
    own: int | None = None

    def __post_init__(self) -> None:
        if self.cap is None and self.own is None:
            raise ValueError("a policy needs a cap, a run of own judgments, or both")
        for name in ("cap", "own"):
            if getattr(self, name) is not None:
                whole_number(name, getattr(self, name))

    @property
    def name(self) -> str:
        """The paper's name: ``cap 3``, ``own 5``, ``own 3 or cap 5``."""
        own = "" if self.own is None else f"own {self.own}"
        cap = "" if self.cap is None else f"cap {self.cap}"
        return " or ".join(filter(None, (own, cap)))

    def answers(self, t: NDArray[np.int64] | int, run: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether the policy answers after `t` results, the last `run` of them USELESS."""
        capped = np.full(run.shape, False) if self.cap is None else np.broadcast_to(t >= self.cap, run.shape)
        return capped if self.own is None else capped | (run >= self.own)

    def answering(self, problem: StoppingProblem) -> tuple[Floats, ...]:
        """Return the policy over all histories of a problem; what its budget never reaches never answers."""
        return tuple(self.answers(t, run_lengths(t)).astype(np.float64) for t in problem.steps)


def simple_policies(budget: int = DEFAULT_BUDGET) -> list[StoppingPolicy]:
    """Return every cap, run-length and combined policy that can fire within a budget of actions.

    Caps and runs from 1 to budget - 1, and each run with each longer cap (another always fires first).

    Examples
    --------
    >>> [policy.name for policy in simple_policies(3)]
    ['cap 1', 'cap 2', 'own 1', 'own 2', 'own 1 or cap 2']
    """
    steps = range(1, budget)
    return [
        *(StoppingPolicy(cap=c) for c in steps),
        *(StoppingPolicy(own=k) for k in steps),
        *(StoppingPolicy(cap=c, own=k) for k in steps for c in steps if c > k),
    ]


def _wald(problem: StoppingProblem, *, restarts: bool) -> tuple[Floats, ...]:
    return WaldTest(problem.useless_if_failed, problem.useless_if_real, restarts=restarts).answering(problem)


#: Name of a policy to hold against the best -> what it does in a problem.
POLICIES: dict[str, Callable[[StoppingProblem], tuple[Floats, ...]]] = {
    "never": lambda problem: StoppingPolicy(cap=problem.budget).answering(problem),
    "deadline": lambda problem: StoppingPolicy(cap=problem.budget - 1).answering(problem),
    "run of 3": StoppingPolicy(own=3).answering,
    "run of 5": StoppingPolicy(own=5).answering,
    "run of 5 or deadline": lambda problem: StoppingPolicy(problem.budget - 1, own=5).answering(problem),
    "Wald's test": lambda problem: _wald(problem, restarts=False),
    "Page's test": lambda problem: _wald(problem, restarts=True),
}
