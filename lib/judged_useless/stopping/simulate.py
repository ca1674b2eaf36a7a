"""Agents with a known stopping policy, simulated without a model (paper, Appendix C.1, Table 7).

The generating process, as the paper gives it: a failed result is judged USELESS with probability 0.99, a real
one with probability 0.45; a real result that is judged USEFUL ends the episode (the agent answers) with
probability 0.3; otherwise the policy decides whether the agent answers or searches on. Nothing else ends an
episode but the budget. Judgments of one episode are independent of each other.

The paper does not say whether an episode that a useful result ends counts as answered. Here it does; were
it cut off without an answer, no measure of Table 7 would change, since each of them looks only at decisions
whose latest result failed or was judged USELESS.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.environment.regimes import FAIL, get_regime
from judged_useless.estimators.matching import regime_names
from judged_useless.estimators.resampling import number, whole_number

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

#: Slopes of the two rising hazards, which the paper names and does not give. The simplest form is taken for
#: both, and the slopes at which the three measures come nearest to the published row. No slope of the second
#: meets all three: at 0.12 they are 0.32, 0.15, 0.30, published 0.32, 0.18, 0.31.
TIME_SLOPE, RUN_SLOPE = 0.06, 0.12


@dataclass(frozen=True)
class Moment:
    """What a policy may look at when it decides: results seen, runs of shape (n,), and the budget.

    ``run`` counts the results in a row that were judged USELESS, ``failed_run`` those that failed by design.
    """

    t: int
    run: Ints
    failed_run: Ints
    budget: int


#: The probability of answering at a decision, shape (n,).
Hazard = Callable[[Moment], Floats | Bools]


def rising_with_time(slope: float) -> Hazard:
    """Return the policy that answers with probability slope × t (at most 1)."""
    return lambda now: np.full(len(now.run), min(1.0, slope * now.t))


def rising_with_run(slope: float) -> Hazard:
    """Return the policy that answers with probability slope × run of own useless judgments (at most 1)."""
    return lambda now: np.minimum(1.0, slope * now.run)


#: The eleven policies of Table 7.
SIMULATED: dict[str, Hazard] = {
    "never stops": lambda now: np.zeros(len(now.run)),
    "answers at the deadline": lambda now: np.full(len(now.run), now.t + 1 == now.budget),
    "clock, action 4": lambda now: np.full(len(now.run), now.t >= 3),
    "clock, action 6": lambda now: np.full(len(now.run), now.t >= 5),
    "hazard rising with time": rising_with_time(TIME_SLOPE),
    "own-judgment count k=3": lambda now: now.run >= 3,
    "own-judgment count k=5": lambda now: now.run >= 5,
    "own-judgment count k=7": lambda now: now.run >= 7,
    "design-label count k=3": lambda now: now.failed_run >= 3,
    "design-label count k=5": lambda now: now.failed_run >= 5,
    "hazard rising with own count": rising_with_run(RUN_SLOPE),
}
#: Those whose slope was fitted to the published row, so that it is no evidence for the row.
FITTED = ("hazard rising with time", "hazard rising with own count")


@dataclass(frozen=True)
class World:
    """The generating process.

    Attributes
    ----------
    useless_if_failed, useless_if_real : float
        Probability that a failed, and a real, result is judged USELESS (0.99 and 0.45 in the paper).
    answer_if_useful : float
        Probability that a real result judged USEFUL ends the episode with an answer (0.3).
    budget : int
        Actions an episode may take (8).
    regimes : tuple of str
        Failure schedules, each run on every question (FAIL).
    """

    useless_if_failed: float = 0.99
    useless_if_real: float = 0.45
    answer_if_useful: float = 0.3
    budget: int = 8
    regimes: tuple[str, ...] = FAIL

    def __post_init__(self) -> None:
        for name in ("useless_if_failed", "useless_if_real", "answer_if_useful"):
            number(name, getattr(self, name), 0, 1)
        whole_number("budget", self.budget, least=2)
        regime_names("regimes", self.regimes)


@dataclass(frozen=True)
class Simulation:
    """Simulated episodes as arrays, questions outermost, each in every regime.

    ``useless`` and ``failed``, shape (n, budget), say whether a result is judged USELESS and fails by design,
    also after the end; ``n_actions`` and ``answered``, shape (n,), how an episode went.
    """

    name: str
    world: World
    useless: Bools
    failed: Bools
    n_actions: Ints
    answered: Bools

    def episodes(self) -> pd.DataFrame:
        """Return the episodes as a table that every stopping measure takes."""
        regimes = self.world.regimes
        n_questions = len(self.n_actions) // len(regimes)
        questions = [f"q{i:0{len(str(n_questions))}d}" for i in range(1, n_questions + 1)]
        labels = {
            "model": f"simulated:{self.name}", "condition": "simulated", "split": "simulated",
            "question_id": np.repeat(questions, len(regimes)),
            "regime": np.tile(np.array(regimes, dtype=object), n_questions), "budget": self.world.budget,
        }  # fmt: skip
        observed, answered = (self.n_actions - self.answered).tolist(), self.answered.tolist()
        words = np.where(self.useless, "USELESS", "USEFUL").astype(object)
        actions = [["search"] * n + ["finish"] * end for n, end in zip(observed, answered, strict=True)]
        judgments = [row[:n].tolist() for row, n in zip(words, observed, strict=True)]
        return pd.DataFrame(labels).assign(
            actions=pd.Series(actions, dtype=object),
            judgments=pd.Series(judgments, dtype=object),
            termination=np.where(self.answered, "answered", "budget_exhausted"),
        )


def simulate_arrays(
    policy: str | Hazard, *, n_questions: int = 300, seed: int = 0, world: World | None = None
) -> Simulation:
    """Return simulated episodes as arrays; parameters and errors as for :func:`simulate`."""
    if isinstance(policy, str) and policy not in SIMULATED:
        raise ValueError(f"unknown policy {policy!r}; known: {', '.join(SIMULATED)}")
    hazard = SIMULATED[policy] if isinstance(policy, str) else policy
    name = policy if isinstance(policy, str) else getattr(policy, "__name__", "own policy")
    world = world or World()
    whole_number("n_questions", n_questions)
    steps = range(1, world.budget + 1)
    schedules = [[get_regime(each).failed(t) for t in steps] for each in world.regimes]
    failed = np.tile(np.array(schedules, dtype=bool), (n_questions, 1))
    n, budget = failed.shape
    draws = np.random.default_rng(seed).random((3, n, budget))
    useless = draws[0] < np.where(failed, world.useless_if_failed, world.useless_if_real)
    leaves = ~failed & ~useless & (draws[1] < world.answer_if_useful)
    running, n_actions = np.ones(n, dtype=bool), np.full(n, budget)
    run = failed_run = np.zeros(n, dtype=np.int64)
    for t in range(1, budget):  # decision t follows result t
        run, failed_run = (run + 1) * useless[:, t - 1], (failed_run + 1) * failed[:, t - 1]
        answers = draws[2, :, t - 1] < hazard(Moment(t, run, failed_run, budget))
        stops = running & (leaves[:, t - 1] | answers)
        n_actions[stops] = t + 1
        running &= ~stops
    return Simulation(name, world, useless, failed, n_actions, ~running)


def simulate(
    policy: str | Hazard, *, n_questions: int = 300, seed: int = 0, world: World | None = None
) -> pd.DataFrame:
    """Return episodes of a simulated agent with a known stopping policy (paper, Appendix C.1, Table 7).

    Parameters
    ----------
    policy : str or callable
        A name in :data:`SIMULATED`, or a function of a :class:`Moment` that returns the probability of
        answering at that decision, shape (n,).
    n_questions : int, default 300
        Questions, each run in every regime.
    seed : int, default 0
        Seed of NumPy's generator.
    world : World, optional
        The generating process; the paper's by default.

    Returns
    -------
    pandas.DataFrame
        One row an episode, in the schema's fields, with ``model`` "simulated:<policy>". There is no
        ``success``: a simulated agent stops, but it answers nothing.

    Examples
    --------
    >>> episodes = simulate("clock, action 6", n_questions=2)
    >>> episodes["model"].iloc[0], len(episodes)
    ('simulated:clock, action 6', 10)
    >>> from judged_useless import time_matched_contrast
    >>> print(time_matched_contrast(simulate("own-judgment count k=5")))
    Δ = 0.372 [0.357, 0.390]
    """
    return simulate_arrays(policy, n_questions=n_questions, seed=seed, world=world).episodes()
