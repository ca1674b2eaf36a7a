r"""Wald's sequential test, of which the run-length rule is a cousin.

Between "the source fails" and "the source works", each judgment adds its log-likelihood ratio: USELESS adds
:math:`\log(u_f / u_r)`, USEFUL adds :math:`\log((1 - u_f) / (1 - u_r))`, where u_f and u_r are the shares of
failed and real results that are judged USELESS. The test says "fails" once the sum reaches
:math:`\log((1 - \beta) / \alpha)`. The run-length rule adds 1 and forgets everything at a USEFUL; Page's
version of the test, whose sum never falls below 0, forgets too, if a USEFUL outweighs the run before it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil, log

import numpy as np
import pandas as pd

from judged_useless._io.messages import shown
from judged_useless.episodes.frames import USEFUL, USELESS, current_run
from judged_useless.estimators.resampling import number, whole_number
from judged_useless.protocol.vocabulary import JUDGMENTS

from .problem import Floats, StoppingProblem, histories


@dataclass(frozen=True)
class WaldTest:
    """A sequential test of whether the source fails, on the agent's own judgments.

    Attributes
    ----------
    useless_if_failed, useless_if_real : float
        Probability that a failed, and a real, result is judged USELESS; the first has to be larger.
    alpha : float, default 0.02
        Probability of giving a working source up, in (0, 0.5).
    beta : float, default 0.05
        Probability of holding on to a failing one, in (0, 0.5).
    restarts : bool, default False
        Page's version: the sum starts anew whenever it would fall below 0, so that a source may break later.
    """

    useless_if_failed: float
    useless_if_real: float
    alpha: float = 0.02
    beta: float = 0.05
    restarts: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.useless_if_real < self.useless_if_failed < 1:
            raise ValueError(
                f"useless_if_failed is {self.useless_if_failed} and useless_if_real {self.useless_if_real}, "
                "expected 0 < useless_if_real < useless_if_failed < 1"
            )
        for name in ("alpha", "beta"):
            number(name, getattr(self, name), 0, 0.5, inside=True)

    @property
    def threshold(self) -> float:
        """Sum at which the source is given up."""
        return log((1 - self.beta) / self.alpha)

    @property
    def steps(self) -> tuple[float, float]:
        """What a USELESS, and a USEFUL, adds to the sum."""
        failed, real = self.useless_if_failed, self.useless_if_real
        return log(failed / real), log((1 - failed) / (1 - real))

    @property
    def equivalent_run(self) -> int:
        """Run of USELESS that from nothing reaches the threshold: the k of the cousin."""
        return ceil(self.threshold / self.steps[0] - 1e-12)

    def sums(self, useless: np.ndarray) -> Floats:
        """Return the sum after each judgment, shape (..., t), True for USELESS in `useless`."""
        added = np.where(useless, *self.steps)
        if not self.restarts:
            return np.asarray(added.cumsum(axis=-1))
        sums, before = np.empty(added.shape), np.zeros(added.shape[:-1])
        for t in range(added.shape[-1]):
            before = np.maximum(0.0, before + added[..., t])
            sums[..., t] = before
        return sums

    def answering(self, problem: StoppingProblem) -> tuple[Floats, ...]:
        """Return the policy that answers whenever the sum has reached the threshold."""
        return tuple(
            (self.sums(histories(t))[:, -1] >= self.threshold - 1e-9).astype(np.float64)
            for t in problem.steps
        )


def side_by_side(judgments: Sequence[str], test: WaldTest, *, k: int = 5) -> pd.DataFrame:
    """Return what the run-length rule and both forms of the test make of one history.

    Parameters
    ----------
    judgments : sequence of str
        Judgments in order, as episodes have them; only USELESS adds to the run.
    test : WaldTest
        Its error rates are used for both forms.
    k : int, default 5
        Of the run-length rule.

    Returns
    -------
    pandas.DataFrame
        Index ``t`` from 1; ``judgment``; and ``run``, ``wald``, ``page``: each rule's statistic as a share of
        the threshold at which it gives the source up.
    """
    whole_number("k", k)
    strange = [each for each in judgments if each not in JUDGMENTS]
    if strange or not len(judgments):
        raise ValueError(f"judgments is {shown(judgments)}, expected a list out of {', '.join(JUDGMENTS)}")
    useless = np.array([judgment == "USELESS" for judgment in judgments])
    runs = current_run(np.where(useless, USELESS, USEFUL))
    table = {"judgment": list(judgments), "run": list(runs / k)}
    for name, form in (("wald", replace(test, restarts=False)), ("page", replace(test, restarts=True))):
        table[name] = list(form.sums(useless) / form.threshold)
    return pd.DataFrame(table, index=pd.RangeIndex(1, len(judgments) + 1, name="t"))
