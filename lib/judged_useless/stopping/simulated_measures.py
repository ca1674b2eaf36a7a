"""The stopping measures on simulated agents: what each of them sees, and what it does not (Table 7)."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.decisions import DecisionPoints
from judged_useless.estimators.contrast import contrast_measure, design_label_measure
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.hazard import index_measure
from judged_useless.estimators.resampling import Measure
from judged_useless.stopping.simulate import (
    POLICIES,
    Policy,
    World,
    rising_with_run,
    rising_with_time,
    simulate_arrays,
)

Floats = NDArray[np.float64]

#: The measures of Table 7, by the name of its column.
MEASURES: dict[str, Callable[[DecisionPoints], Measure]] = {
    "integration_index": index_measure,
    "design_label_contrast": design_label_measure,
    "time_matched_contrast": contrast_measure,
}


def simulated_values(
    policy: str | Policy,
    *,
    n_questions: int = 300,
    n_simulations: int = 10,
    seed: int = 0,
    world: World | None = None,
) -> dict[str, Floats]:
    """Return the stopping measures of several simulations of one policy.

    All simulations are drawn and measured at once, as blocks of `n_questions` questions of one big one.

    Parameters
    ----------
    policy, n_questions, seed, world
        As in :func:`simulate`.
    n_simulations : int, default 10
        Independent simulations.

    Returns
    -------
    dict of str to numpy.ndarray of float64, shape (n_simulations,)
        By measure; NaN in the simulations in which it is undefined.

    Raises
    ------
    ValueError
        If an option is out of range.
    """
    if n_simulations < 1:
        raise ValueError(f"n_simulations must be at least 1, not {n_simulations}")
    points = simulate_arrays(policy, n_questions=n_questions * n_simulations, seed=seed, world=world).points()
    values = {}
    for name, measure_of in MEASURES.items():
        try:
            measure = measure_of(points)
        except UndefinedEstimateError:
            values[name] = np.full(n_simulations, np.nan)
            continue
        blocks = measure.sums.reshape(n_simulations, n_questions, -1).sum(axis=1)
        values[name] = measure.statistic(blocks)
    return values


def policy_table(
    policies: Sequence[str] = tuple(POLICIES),
    *,
    n_questions: int = 300,
    n_simulations: int = 10,
    seed: int = 0,
    world: World | None = None,
) -> pd.DataFrame:
    """Return the stopping measures of simulated policies: Table 7.

    Parameters
    ----------
    policies : sequence of str
        Names in :data:`POLICIES`; all eleven by default.
    n_questions, seed, world
        As in :func:`simulate`.
    n_simulations : int, default 10
        Independent simulations averaged.

    Returns
    -------
    pandas.DataFrame
        Long form, one row a policy and measure: ``policy, measure, value`` (mean over the simulations that
        have one), ``error`` (its standard error), ``n_undefined`` (simulations without a value) and
        ``reason`` (why there is no value at all, otherwise empty).

    Raises
    ------
    ValueError
        If a policy is unknown or an option is out of range.

    References
    ----------
    Paper, Appendix C.1, Table 7 (arXiv:2610.06191).

    Examples
    --------
    >>> table = policy_table(["clock, action 4"], n_questions=50)
    >>> table[["measure", "value", "reason"]].values.tolist()[0]
    ['integration_index', nan, 'undefined in every simulation']
    """
    rows = []
    for policy in policies:
        values = simulated_values(
            policy, n_questions=n_questions, n_simulations=n_simulations, seed=seed, world=world
        )
        for measure, each in values.items():
            defined = each[np.isfinite(each)]
            error = defined.std(ddof=1) / np.sqrt(len(defined)) if len(defined) > 1 else np.nan
            rows.append(
                {
                    "policy": policy,
                    "measure": measure,
                    "value": defined.mean() if len(defined) else np.nan,
                    "error": error,
                    "n_undefined": len(each) - len(defined),
                    "reason": "" if len(defined) else "undefined in every simulation",
                }
            )
    return pd.DataFrame(rows)


#: The two families whose slope the paper does not give.
RISING: dict[str, Callable[[float], Policy]] = {"time": rising_with_time, "own count": rising_with_run}


def slope_grid(
    family: str,
    slopes: Sequence[float] = (0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.14, 0.16),
    *,
    n_questions: int = 300,
    n_simulations: int = 100,
    seed: int = 0,
) -> pd.DataFrame:
    """Return the measures of a rising hazard at several slopes.

    The paper names two policies, "hazard rising with time" and "hazard rising with own count", but not how
    fast they rise. The simplest form is taken for both: a probability of answering that is proportional to
    the number of results seen, or to the run of own useless judgments. With the published row as the target,
    the slopes chosen are 0.06 and 0.12 (means of 300 simulations):

    ========== ===== ======= ========= =====
    family     slope I       design Δ  own Δ
    ========== ===== ======= ========= =====
    time       0.05  +0.15   0.00      0.00
    time       0.06  +0.18   0.00      0.00
    time       0.07  +0.21   0.00      0.00
    published        +0.18   -0.02     0.00
    own count  0.11  +0.30   +0.14     +0.28
    own count  0.12  +0.32   +0.15     +0.30
    own count  0.13  +0.35   +0.17     +0.32
    own count  0.14  +0.37   +0.18     +0.34
    published        +0.32   +0.18     +0.31
    ========== ===== ======= ========= =====

    No slope through zero meets all three of the second row exactly; 0.12 has the least sum of squared
    differences. The design-label contrast of a hazard that rises with time is zero in expectation, so the
    published -0.02 is noise (standard error of a mean of 10 simulations: 0.008).

    Parameters
    ----------
    family : {"time", "own count"}
        What the hazard rises with.
    slopes : sequence of float
        Increase of the probability of answering with each result.
    n_questions, n_simulations, seed
        As in :func:`policy_table`.

    Returns
    -------
    pandas.DataFrame
        Index ``slope``, one column a measure: the mean over the simulations in which it is defined.

    Raises
    ------
    ValueError
        If the family is unknown or an option is out of range.

    References
    ----------
    Paper, Appendix C.1, Table 7 (arXiv:2610.06191).

    Examples
    --------
    >>> slope_grid("time", [0.06], n_simulations=20)["integration_index"].round(2).tolist()
    [0.18]
    """
    if family not in RISING:
        raise ValueError(f"unknown family {family!r}; known: {', '.join(RISING)}")
    rows = [
        {
            name: float(np.nanmean(values))
            for name, values in simulated_values(
                RISING[family](slope), n_questions=n_questions, n_simulations=n_simulations, seed=seed
            ).items()
        }
        for slope in slopes
    ]
    return pd.DataFrame(rows, index=pd.Index(list(slopes), name="slope"))
