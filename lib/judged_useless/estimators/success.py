"""Success: the share of questions answered correctly, by regime and averaged over regimes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.judgments import estimates_frame, share
from judged_useless.estimators.resampling import Floats, Resampling, Stream, estimate
from judged_useless.regimes import MEAN6

_FIELDS = ("question_id", "regime", "actions", "judgments", "success")


def success_matrix(episodes: Episodes, regimes: Sequence[str] | None = None) -> pd.DataFrame:
    """Return success by question and regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime`` and ``success``.
    regimes : sequence of str, optional
        Columns wanted; by default those there are, in order of appearance.

    Returns
    -------
    pandas.DataFrame
        Rows are questions in order of first appearance, columns regimes; 1.0, 0.0, or NaN where an episode
        is missing.

    Raises
    ------
    EpisodeError
        If a question has two episodes in a regime: models or conditions are mixed.
    UndefinedEstimateError
        If a regime that is wanted has no episode.
    """
    frame = as_frame(episodes, _FIELDS)
    if frame.duplicated(["question_id", "regime"]).any():
        raise EpisodeError(
            "episodes: a question occurs twice in a regime; give one model and condition at a time"
        )
    wanted = list(frame["regime"].unique()) if regimes is None else list(regimes)
    missing = [name for name in wanted if name not in set(frame["regime"])]
    if missing:
        raise UndefinedEstimateError(f"success is undefined: no episode of regime {', '.join(missing)}")
    matrix = frame.assign(success=frame["success"].astype(np.float64)).pivot_table(
        index="question_id", columns="regime", values="success", sort=False, observed=True
    )
    return matrix.reindex(index=frame["question_id"].unique(), columns=wanted)


def _sums(matrix: pd.DataFrame) -> Floats:
    """Return, by question, whether each regime was run and whether it succeeded: shape (n, regimes, 2)."""
    run = matrix.notna().to_numpy(dtype=np.float64)
    return np.stack([run, matrix.fillna(0.0).to_numpy(dtype=np.float64)], axis=2)


def success_by_regime(
    episodes: Episodes,
    *,
    regimes: Sequence[str] | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> pd.DataFrame:
    """Return the share of questions answered correctly in each regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime``, ``actions``, ``judgments`` and ``success``.
    regimes : sequence of str, optional
        Regimes wanted, in this order; by default those there are.
    n_boot, seed, level, stream
        Of the question-cluster bootstrap, as in
        :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates, one row a regime; ``value`` is a share in [0, 1], ``n`` counts episodes. An
        unanswered question counts as not successful, as in the paper.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or models and conditions are mixed.
    UndefinedEstimateError
        If a regime that is asked for has no episode.

    References
    ----------
    Paper, Table 13 (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    matrix = success_matrix(episodes, regimes)
    sums = _sums(matrix)
    return estimates_frame(
        {
            name: estimate(f"success ({name})", sums[:, j], share, plan, n=int(sums[:, j, 0].sum()))
            for j, name in enumerate(matrix.columns)
        },
        "regime",
    )


def mean_success(
    episodes: Episodes,
    *,
    regimes: Sequence[str] = MEAN6,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return success averaged over regimes with equal weight (mean6 by default).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime``, ``actions``, ``judgments`` and ``success``.
    regimes : sequence of str, default MEAN6
        Regimes averaged; each must be there.
    n_boot, seed, level, stream
        Of the question-cluster bootstrap, as in
        :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A share in [0, 1]; ``n`` counts episodes.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or models and conditions are mixed.
    UndefinedEstimateError
        If a regime has no episode: a mean over fewer regimes would be another measure.
    ValueError
        If no regime is given.

    References
    ----------
    Paper §2 "Source failures", Tables 2 and 13 (arXiv:2610.06191).
    """
    if not regimes:
        raise ValueError("regimes must name at least one regime")
    plan = Resampling(n_boot, seed, level, stream)
    sums = _sums(success_matrix(episodes, regimes))

    shape = sums.shape[1:]

    def mean(totals: Floats) -> Floats:
        return np.asarray(share(totals.reshape(*totals.shape[:-1], *shape)).mean(axis=-1))

    return estimate(
        f"mean success over {len(regimes)} regimes",
        sums.reshape(len(sums), -1),
        mean,
        plan,
        n=int(sums[..., 0].sum()),
    )


__all__ = ["UndefinedEstimateError", "mean_success", "success_by_regime", "success_matrix"]
