"""One contrast from several runs of the same questions."""

from collections.abc import Sequence

import numpy as np

from judged_useless.environment.regimes import MEAN6
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.measure import with_interval
from judged_useless.estimators.resampling import Resampling, Stream, resampling_weights
from judged_useless.estimators.success import success_matrix


def pooled_contrast(
    pairs: Sequence[tuple[Episodes, Episodes]],
    *,
    regimes: Sequence[str] = MEAN6,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the difference of two conditions in mean success, pooled over several runs.

    The mean over runs of the question-paired difference a - b. Each resample draws runs, and independently
    questions, with replacement; a question is drawn with its episodes of all runs, which are not independent.

    Parameters
    ----------
    pairs : sequence of (episodes, episodes)
        For each run the two cells that are compared, as in
        :func:`~judged_useless.estimators.inference.paired_contrast`.
    regimes : sequence of str, default MEAN6
        Regimes averaged with equal weight; each must be in every cell.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`; runs are drawn with the seed
        that follows, so that they do not go with the questions.

    Returns
    -------
    Estimate
        A difference of success in [-1, 1]; `n` counts pairs of episodes. Its parts hold ``n_runs``,
        ``n_unpaired`` (questions that are not complete in every cell, left out) and ``p_one_sided``, the
        share of resampled differences that are 0 or less.

    Raises
    ------
    UndefinedEstimateError
        If there is no run, or no question is complete in every cell.
    EpisodeError
        If an episode is not what the schema says, or models and conditions are mixed.
    ValueError
        If an option is out of range.

    Notes
    -----
    Three runs say little about the variation between runs: the interval is mostly one over questions. The
    paper does not say how runs and questions are drawn together; this is the simplest way.

    References
    ----------
    Paper, Appendix D.6, Table 28 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> run = tuple(load_episodes(condition=name) for name in ("enforced_rule", "unaided"))
    >>> print(pooled_contrast([run], regimes=FAIL))
    pooled difference in mean success = 0.028 [0.013, 0.044]
    """
    plan = Resampling(n_boot, seed, level, stream)
    if not pairs:
        raise UndefinedEstimateError("the pooled difference is undefined: there is no run")
    tables = [[success_matrix(each, regimes).dropna() for each in pair] for pair in pairs]
    flat = [table for pair in tables for table in pair]
    common = flat[0].index
    for table in flat[1:]:
        common = common[common.isin(table.index)]
    if common.empty:
        raise UndefinedEstimateError(
            "the pooled difference is undefined: no question is complete in every cell"
        )
    differences = np.array([(a.loc[common] - b.loc[common]).mean(axis=1) for a, b in tables])
    n_runs, n_questions = differences.shape
    questions = resampling_weights(n_questions, n_boot, seed, stream, None) / n_questions
    runs = resampling_weights(n_runs, n_boot, seed + 1, stream, None) / n_runs
    values = ((runs @ differences) * questions).sum(axis=1)
    parts = {
        "n_runs": float(n_runs),
        "n_unpaired": float(len({question for table in flat for question in table.index}) - n_questions),
        "p_one_sided": float((values <= 0).mean()),
    }
    return with_interval(
        "pooled difference in mean success", float(differences.mean()), values, plan,
        n=n_runs * n_questions * len(regimes), n_clusters=n_questions, parts=parts,
    )  # fmt: skip
