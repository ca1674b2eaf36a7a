"""When to stop asking a source that may be broken: the problem, and what any policy is worth in it.

An agent asks a source and judges every result. A failed result is judged USELESS with one probability, a real
one with another; a real result that is judged USEFUL may bring the answer, and the agent then gives it. Until
then it can, after each result, answer from memory, or go on at a price. Which regime the source is in is
drawn from a prior and never shown. This is the generating process of the paper's simulated agents (Appendix
C.1) with what that process leaves out: how often an answer is right, and what a call and a judgment cost.

Everything is exact: all 2^t histories of judgments are followed, weighted by every regime.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from judged_useless.environment.regimes import MEAN6, get_regime
from judged_useless.estimators.matching import regime_names
from judged_useless.estimators.resampling import number, whole_number

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
#: For t = 1, 2, ..., budget - 1 the probability of answering after each of the 2^t histories of judgments.
#: Bit t - i of a history's number is 1 if its i-th result was judged USELESS.
Answering = Sequence[Floats]
#: Budget up to which all histories are followed: 2^15 of them in the paper's doubled budget.
LARGEST_BUDGET = 16
_ROUNDING = 1e-9


@dataclass(frozen=True, kw_only=True)
class StoppingProblem:
    """What is known of source, judgments, answers and prices.

    Attributes
    ----------
    prior : mapping of str to float
        Regime -> weight of at least 0; weights are scaled to sum to 1. By default the six of mean6, equally.
    useless_if_failed, useless_if_real : float, default 0.99 and 0.45
        Probability that a failed, and a real, result is judged USELESS (paper, Appendix C.1).
    finds : float, default 0.3
        Probability that a real result judged USEFUL brings the answer (paper, Appendix C.1).
    memory : float, default 0.15
        Probability that an answer without it is right (paper, Appendix D.2: 0.149 to 0.171).
    found : float, default 0.8
        Probability that an answer with it is right. Ours.
    price : float, default 0.05
        Of a call, in correct answers (paper, §5).
    judgment_price : float, default 0
        Of a judgment, in correct answers. A policy that looks at judgments asks for one after every call; one
        that looks at the step alone asks for none.
    budget : int, default 8
        Actions of an episode, answering included; without an answer by then it is wrong. The first action is
        a call: decisions come after results, the first at t = 1.

    Raises
    ------
    ValueError
        If a value is out of range or a regime is unknown.
    """

    prior: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(MEAN6, 1.0))
    useless_if_failed: float = 0.99
    useless_if_real: float = 0.45
    finds: float = 0.3
    memory: float = 0.15
    found: float = 0.8
    price: float = 0.05
    judgment_price: float = 0.0
    budget: int = 8

    def __post_init__(self) -> None:
        for name in ("useless_if_failed", "useless_if_real", "finds", "memory", "found"):
            number(name, getattr(self, name), 0, 1)
        for name in ("price", "judgment_price"):
            number(name, getattr(self, name), 0)
        whole_number("budget", self.budget, 2, LARGEST_BUDGET)
        given: object = self.prior  # from outside, where types are not checked
        if not (isinstance(given, Mapping) and given):
            raise ValueError(f"prior is {given!r}, expected a mapping of regime to weight")
        for name, weight in self.prior.items():
            get_regime(str(name))
            number(f"prior of {name}", weight, 0)
        number("sum of the prior's weights", sum(self.prior.values()), 0, inside=True)

    @property
    def steps(self) -> range:
        """Decisions: t results have been seen, and an action is left."""
        return range(1, self.budget)

    @property
    def judged_call(self) -> float:
        """Price of a call and the judgment of its result."""
        return self.price + self.judgment_price

    @cached_property
    def weights(self) -> Floats:
        """Prior probability of each regime, shape (regimes,)."""
        weights = np.array(list(self.prior.values()), dtype=np.float64)
        return np.asarray(weights / weights.sum())

    @cached_property
    def failed(self) -> NDArray[np.bool_]:
        """Whether each regime's results fail, shape (budget, regimes)."""
        regimes = [get_regime(name) for name in self.prior]
        return np.array([[regime.failed(t) for regime in regimes] for t in range(1, self.budget + 1)])

    @cached_property
    def useless(self) -> Floats:
        """Probability that a result is judged USELESS, shape (budget, regimes)."""
        return np.where(self.failed, self.useless_if_failed, self.useless_if_real)

    @cached_property
    def finding(self) -> Floats:
        """Probability that a result brings the answer, shape (budget, regimes)."""
        return np.where(self.failed, 0.0, (1 - self.useless) * self.finds)

    def onward(self, mass: Floats, t: int) -> Floats:
        """Return the mass (..., 2^(t+1), regimes) of the histories one result longer, without the answer."""
        useless = self.useless[t]
        both = np.stack([1 - useless - self.finding[t], useless])
        longer = mass[..., :, None, :] * both
        return np.asarray(longer.reshape(*mass.shape[:-2], -1, mass.shape[-1]))


def run_lengths(t: int) -> Ints:
    """Return the run of USELESS at the end of every history of t judgments, shape (2^t,)."""
    runs = np.zeros(1, dtype=np.int64)
    for _ in range(t):
        runs = np.stack([np.zeros_like(runs), runs + 1], axis=1).ravel()
    return runs


def histories(t: int) -> NDArray[np.bool_]:
    """Return every history of t judgments, shape (2^t, t), True for USELESS, in the order of a policy."""
    bits = np.arange(t - 1, -1, -1)
    return (np.arange(2**t)[:, None] >> bits & 1).astype(bool)


@dataclass(frozen=True)
class Outcome:
    """What a policy comes to; each field has the shape of the policies before their last axis.

    ``success`` is the probability of a right answer, ``calls`` the expected calls, ``answered`` the
    probability of an answer at all; ``utility`` is success - price × calls - judgment price × judgments.
    """

    success: Floats
    calls: Floats
    answered: Floats
    utility: Floats


def evaluate(problem: StoppingProblem, answering: Answering) -> Outcome:
    """Return what a policy is worth, exactly.

    Parameters
    ----------
    problem : StoppingProblem
        Source, judgments, prices.
    answering : sequence of numpy.ndarray, the t-th of shape (..., 2^t)
        Probability of answering after each history; leading axes are policies evaluated together. What does
        not fit the budget, or is no probability, is refused.
    """
    if len(answering) != problem.budget - 1:
        raise ValueError(f"{len(answering)} decisions in the policy, expected {problem.budget - 1}")
    lead = np.broadcast_shapes(*(np.shape(answers)[:-1] for answers in answering))
    success, calls, answered = (np.zeros(lead) for _ in range(3))
    looks = np.zeros(lead, dtype=bool)
    mass = problem.weights[None, :]
    for t, given in zip(problem.steps, answering, strict=True):
        ending = (mass * problem.finding[t - 1]).sum(axis=(-1, -2))  # has just found the answer
        mass, answers = problem.onward(mass, t - 1), np.asarray(given, dtype=np.float64)
        if answers.shape[-1] != 2**t:
            raise ValueError(f"{answers.shape[-1]} histories after {t} results, expected {2**t}")
        # What comes of rounding is let through: mixtures of policies may exceed 1 by that.
        if not ((answers >= -_ROUNDING) & (answers <= 1 + _ROUNDING)).all():
            raise ValueError(f"the policy answers with no probability between 0 and 1 after {t} results")
        stopping = mass * answers[..., None]
        mass, from_memory = mass - stopping, stopping.sum(axis=(-1, -2))
        success += problem.memory * from_memory + problem.found * ending
        calls += t * (from_memory + ending)
        answered += from_memory + ending
        looks |= np.ptp(answers, axis=-1) > 0
    calls += problem.budget * (1 - answered)
    cost = np.where(looks, problem.judged_call, problem.price)
    return Outcome(success, calls, answered, success - cost * calls)


#: Name of the first of `named_sources` unless another prior is given.
PAPER = "the paper's six regimes"
#: Sources whose lines can still be told apart in one figure.
MOST_SOURCES = 6


def named_sources(
    problem: StoppingProblem,
    *,
    prior: Sequence[str] | Mapping[str, float] | None = None,
    recoveries: Sequence[int] = (),
) -> dict[str, StoppingProblem]:
    """Return a first source, and one more for each number of failures before a recovery, by name.

    Parameters
    ----------
    problem : StoppingProblem
        Everything but the prior.
    prior : sequence of str, or mapping of str to float, optional
        Regimes of the first source, equally likely, or regime -> weight; by default the six of mean6.
    recoveries : sequence of int
        For each (five at most), a source that with equal chance works, fails for good, or recovers after so
        many failures.

    Raises
    ------
    ValueError
        If `prior` has no regime or an unknown one, or `recoveries` are not such numbers.
    """
    if prior is None:
        sources = {PAPER: problem}
    elif isinstance(prior, Mapping):
        name = ", ".join(f"{regime} ({weight})" for regime, weight in prior.items())
        sources = {name: replace(problem, prior=prior)}
    else:
        equal = dict.fromkeys(regime_names("prior", prior), 1.0)
        sources = {f"{', '.join(map(str, equal))} (equally likely)": replace(problem, prior=equal)}
    if isinstance(recoveries, int | str) or len(recoveries) >= MOST_SOURCES:
        raise ValueError(f"recoveries is {recoveries!r}, expected a list of at most {MOST_SOURCES - 1}")
    for each in recoveries:
        after = ("clean", "persistent", f"recover_after_{whole_number('recoveries: each', each)}")
        sources[f"works, fails, or recovers after {each}"] = replace(problem, prior=dict.fromkeys(after, 1.0))
    return sources
