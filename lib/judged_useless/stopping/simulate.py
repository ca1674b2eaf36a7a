"""Agents with a known stopping policy, simulated without a model (paper, Appendix C.1, Table 7).

The generating process, as the paper gives it: a failed result is judged USELESS with probability 0.99, a real
one with probability 0.45; a real result that is judged USEFUL ends the episode (the agent answers) with
probability 0.3; otherwise the policy decides whether the agent answers or searches on. Nothing else ends an
episode but the budget. Judgments of one episode are independent of each other.

The paper does not say whether an episode that a useful result ends counts as answered. Here it does; were
it cut off without an answer, no measure of Table 7 would change, since each of them looks only at decisions
whose latest result failed or was judged USELESS.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.environment.regimes import FAIL, get_regime
from judged_useless.episodes.decisions import DecisionPoints, points_from_steps
from judged_useless.episodes.steps import Steps
from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

_SEARCH, _FINISH = ACTIONS.index("search"), ACTIONS.index("finish")
_USELESS, _USEFUL = JUDGMENTS.index("USELESS"), JUDGMENTS.index("USEFUL")
_NONE = -1

#: Slopes of the two rising hazards, which the paper does not give; how they were chosen is told at
#: :func:`judged_useless.stopping.simulated_measures.slope_grid`.
TIME_SLOPE, RUN_SLOPE = 0.06, 0.12


@dataclass(frozen=True)
class Moment:
    """What a policy may look at when it decides.

    Attributes
    ----------
    t : int
        Results seen so far.
    run, failed_run : numpy.ndarray of int, shape (n,)
        Results in a row that were judged USELESS; that failed by design.
    budget : int
        Actions an episode may take.
    """

    t: int
    run: Ints
    failed_run: Ints
    budget: int


Policy = Callable[[Moment], Floats | Bools]


def rising_with_time(slope: float) -> Policy:
    """Return the policy that answers with probability slope × t (at most 1)."""
    return lambda now: np.full(len(now.run), min(1.0, slope * now.t))


def rising_with_run(slope: float) -> Policy:
    """Return the policy that answers with probability slope × run of own useless judgments (at most 1)."""
    return lambda now: np.minimum(1.0, slope * now.run)


def _clock(action: int) -> Policy:
    return lambda now: np.full(len(now.run), now.t + 1 >= action)


def _own_count(k: int) -> Policy:
    return lambda now: now.run >= k


def _design_count(k: int) -> Policy:
    return lambda now: now.failed_run >= k


#: The eleven policies of Table 7: the probability of answering at a decision.
POLICIES: dict[str, Policy] = {
    "never stops": lambda now: np.zeros(len(now.run)),
    "answers at the deadline": lambda now: np.full(len(now.run), now.t + 1 == now.budget),
    "clock, action 4": _clock(4),
    "clock, action 6": _clock(6),
    "hazard rising with time": rising_with_time(TIME_SLOPE),
    "own-judgment count k=3": _own_count(3),
    "own-judgment count k=5": _own_count(5),
    "own-judgment count k=7": _own_count(7),
    "design-label count k=3": _design_count(3),
    "design-label count k=5": _design_count(5),
    "hazard rising with own count": rising_with_run(RUN_SLOPE),
}


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
            value = getattr(self, name)
            if not 0 <= value <= 1:
                raise ValueError(f"{name} must be a probability, not {value}")
        if self.budget < 2:
            raise ValueError(f"budget must be at least 2, not {self.budget}")
        if not self.regimes:
            raise ValueError("regimes must name at least one regime")
        for name in self.regimes:
            get_regime(name)  # refuses an unknown one

    def schedules(self) -> Bools:
        """Return which observations fail, shape (regimes, budget)."""
        steps = range(1, self.budget + 1)
        return np.array([[get_regime(name).failed(t) for t in steps] for name in self.regimes], dtype=bool)


@dataclass(frozen=True)
class Simulation:
    """Simulated episodes as arrays, questions outermost.

    Attributes
    ----------
    labels : pandas.DataFrame
        ``model, condition, split, question_id, regime, budget`` of each episode.
    judgments : numpy.ndarray of int, shape (n, budget)
        Codes of the judgments; -1 after the end.
    failed : numpy.ndarray of int, shape (n, budget)
        1 where an observation failed by design.
    n_actions : numpy.ndarray of int, shape (n,)
        Actions taken.
    answered : numpy.ndarray of bool, shape (n,)
        Whether the last action is finish.
    """

    labels: pd.DataFrame
    judgments: Ints
    failed: Ints
    n_actions: Ints
    answered: Bools

    def points(self) -> DecisionPoints:
        """Return the decision points, straight from the arrays."""
        taken = np.arange(self.judgments.shape[1]) < self.n_actions[:, None]
        actions = np.full(int(self.n_actions.sum()), _SEARCH)
        actions[np.cumsum(self.n_actions)[self.answered] - 1] = _FINISH
        steps = Steps(self.n_actions, actions, self.judgments[taken], self.failed[taken])
        return points_from_steps(self.labels, steps)

    def episodes(self) -> pd.DataFrame:
        """Return the episodes as a table that every stopping measure takes."""
        observed = self.n_actions - self.answered
        endings = [["finish"] if answered else [] for answered in self.answered]
        words = np.array(JUDGMENTS, dtype=object)
        return self.labels.assign(
            actions=_column(["search"] * n + ending for n, ending in zip(observed, endings, strict=True)),
            judgments=_column(
                words[row[:n]].tolist() for row, n in zip(self.judgments, observed, strict=True)
            ),
            termination=np.where(self.answered, "answered", "budget_exhausted"),
        )


def _column(lists: Iterable[list[str]]) -> "pd.Series[Any]":
    return pd.Series(list(lists), dtype=object)


def named_policy(policy: str | Policy) -> tuple[str, Policy]:
    """Return a policy and its name.

    Raises
    ------
    ValueError
        If there is no policy of that name.
    """
    if not isinstance(policy, str):
        return getattr(policy, "__name__", "own policy"), policy
    if policy not in POLICIES:
        raise ValueError(f"unknown policy {policy!r}; known: {', '.join(POLICIES)}")
    return policy, POLICIES[policy]


def simulate_arrays(
    policy: str | Policy, *, n_questions: int = 300, seed: int = 0, world: World | None = None
) -> Simulation:
    """Return simulated episodes as arrays; see :func:`simulate`.

    Parameters
    ----------
    policy, n_questions, seed, world
        As in :func:`simulate`.

    Returns
    -------
    Simulation

    Raises
    ------
    ValueError
        As in :func:`simulate`.
    """
    name, answers = named_policy(policy)
    world = world or World()
    if n_questions < 1:
        raise ValueError(f"n_questions must be at least 1, not {n_questions}")
    failed = np.tile(world.schedules(), (n_questions, 1))
    n, budget = failed.shape
    draws = np.random.default_rng(seed).random((3, n, budget))
    useless = draws[0] < np.where(failed, world.useless_if_failed, world.useless_if_real)
    leaves = ~failed & ~useless & (draws[1] < world.answer_if_useful)
    running = np.ones(n, dtype=bool)
    n_actions = np.full(n, budget)
    run = np.zeros(n, dtype=np.int64)
    failed_run = np.zeros(n, dtype=np.int64)
    for t in range(1, budget):  # decision t follows result t
        run = np.where(useless[:, t - 1], run + 1, 0)
        failed_run = np.where(failed[:, t - 1], failed_run + 1, 0)
        now = Moment(t, run, failed_run, budget)
        stops = running & (leaves[:, t - 1] | (draws[2, :, t - 1] < answers(now)))
        n_actions[stops] = t + 1
        running &= ~stops
    answered = ~running
    seen = np.arange(budget) < (n_actions - answered)[:, None]
    judgments = np.where(seen, np.where(useless, _USELESS, _USEFUL), _NONE)
    width = len(str(n_questions))
    labels = pd.DataFrame(
        {
            "model": f"simulated:{name}",
            "condition": "simulated",
            "split": "simulated",
            "question_id": np.repeat(
                [f"q{i:0{width}d}" for i in range(1, n_questions + 1)], len(world.regimes)
            ),
            "regime": np.tile(np.array(world.regimes, dtype=object), n_questions),
            "budget": budget,
        }
    )
    return Simulation(labels, judgments, failed.astype(np.int64), n_actions, answered)


def simulate(
    policy: str | Policy, *, n_questions: int = 300, seed: int = 0, world: World | None = None
) -> pd.DataFrame:
    """Return episodes of a simulated agent with a known stopping policy.

    Parameters
    ----------
    policy : str or callable
        A name in :data:`POLICIES`, or a function of a :class:`Moment` that returns the probability of
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

    Raises
    ------
    ValueError
        If the policy is unknown or an option is out of range.

    References
    ----------
    Paper, Appendix C.1 "Validation on simulated policies", Table 7 (arXiv:2610.06191); its text calls the
    table 8.

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
