"""The stopping measures on simulated agents: what each of them sees, and what it does not (Table 7)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from judged_useless.estimators.hazard import EARLY, LATE
from judged_useless.estimators.matching import mantel_haenszel
from judged_useless.estimators.resampling import Floats, share, whole_number
from judged_useless.stopping.simulate import FITTED, SIMULATED, Hazard, Simulation, World, simulate_arrays

#: Simulations behind each published number.
PUBLISHED_SIMULATIONS = 10


def simulated_values(
    policy: str | Hazard,
    *,
    n_questions: int = 300,
    n_simulations: int = 10,
    seed: int = 0,
    world: World | None = None,
) -> dict[str, Floats]:
    """Return the stopping measures of several simulations of one policy, NaN where one is undefined.

    All simulations are drawn at once, as blocks of `n_questions` questions of one big one, and their measures
    computed from counts of decisions; each equals what the estimator makes of the block's episodes.
    """
    whole_number("n_simulations", n_simulations)
    drawn = simulate_arrays(policy, n_questions=n_questions * n_simulations, seed=seed, world=world)
    counts = _counts(drawn, n_simulations)
    last, regimes = drawn.world.budget - 2, np.array(drawn.world.regimes)
    total = counts[:, :last].sum(axis=1)
    by_design, by_run = [], []
    for t in range(3, last + 1):
        here = counts[:, t - 1]
        sides = (_group(here[:, :, regimes == name]) for name in ("persistent", "late_onset_from_3"))
        by_design.append(np.hstack([*sides]))
        by_run.append(np.hstack([_group(here[..., t, :]), _group(here[..., 1 : t - 1, :])]))
    return {
        "integration_index": share(_group(total[..., LATE])) - share(_group(total[..., EARLY])),
        "design_label_contrast": mantel_haenszel(np.stack(by_design, axis=1)),
        "time_matched_contrast": mantel_haenszel(np.stack(by_run, axis=1)),
    }


def _counts(drawn: Simulation, n_simulations: int) -> Floats:
    """Return decisions, and answers, by t, simulation, regime, run and failed run."""
    n, budget = drawn.failed.shape
    longest = max(budget, *LATE) + 1
    shape = (n_simulations, len(drawn.world.regimes), longest, longest)
    block, regime = np.arange(n) // (n // n_simulations), np.arange(n) % shape[1]
    counts = np.zeros((2, budget - 1, *shape))
    run = failed_run = np.zeros(n, dtype=np.int64)
    for t in range(1, budget):
        run, failed_run = (run + 1) * drawn.useless[:, t - 1], (failed_run + 1) * drawn.failed[:, t - 1]
        cell = np.ravel_multi_index((block, regime, run, failed_run), shape)
        answers = drawn.answered & (drawn.n_actions == t + 1)
        for which, chosen in enumerate((drawn.n_actions > t, answers)):
            counts[which, t - 1].ravel()[:] = np.bincount(cell[chosen], minlength=counts[0, 0].size)
    return counts


def _group(counts: Floats) -> Floats:
    """Return decisions and answers of all that is left in each simulation, shape (n_simulations, 2)."""
    return np.asarray(counts.reshape(*counts.shape[:2], -1).sum(axis=-1).T)


def policy_table(
    policies: Sequence[str] = tuple(SIMULATED),
    *,
    n_questions: int = 300,
    n_simulations: int = 300,
    seed: int = 0,
    world: World | None = None,
) -> pd.DataFrame:
    """Return the stopping measures of simulated policies in long form: Table 7 (paper, Appendix C.1).

    Columns ``policy, measure, value`` (mean over the simulations that have one), ``error`` (its standard
    error), ``published_error`` (that of a mean of ten simulations, as each published number is), ``fitted``
    (whether the policy's slope was chosen to match the published row), ``n_undefined`` (simulations without a
    value) and ``reason`` (why there is no value at all, otherwise empty).

    Examples
    --------
    >>> table = policy_table(["clock, action 4"], n_questions=50)
    >>> table[["measure", "value", "reason"]].values.tolist()[0]
    ['integration_index', nan, 'undefined in every simulation']
    """
    rows: list[dict[str, object]] = []
    for policy in policies:
        values = simulated_values(
            policy, n_questions=n_questions, n_simulations=n_simulations, seed=seed, world=world
        )
        for measure, each in values.items():
            defined = each[np.isfinite(each)]
            spread = defined.std(ddof=1) if len(defined) > 1 else np.nan
            rows.append(
                {
                    "policy": policy,
                    "measure": measure,
                    "value": defined.mean() if len(defined) else np.nan,
                    "error": spread / np.sqrt(len(defined)) if len(defined) else np.nan,
                    "published_error": spread / np.sqrt(PUBLISHED_SIMULATIONS),
                    "fitted": policy in FITTED,
                    "n_undefined": len(each) - len(defined),
                    "reason": "" if len(defined) else "undefined in every simulation",
                }
            )
    return pd.DataFrame(rows)
