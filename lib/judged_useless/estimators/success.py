"""Success: the share of questions answered correctly, by regime and averaged over regimes."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN3, MEAN4, MEAN6
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import KEY, EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Floats, Resampling, Statistic, Stream

_FIELDS = ("question_id", "regime", "success")


def value_matrix(frame: pd.DataFrame, values: Floats, regimes: Sequence[str] | None = None) -> pd.DataFrame:
    """Return one value an episode as a table by question and regime.

    Parameters
    ----------
    frame : pandas.DataFrame
        Episodes of one model and condition.
    values : numpy.ndarray of float64, shape (n,)
        The value of each.
    regimes : sequence of str, optional
        Columns wanted; by default those there are, in order of appearance.

    Returns
    -------
    pandas.DataFrame
        Rows are questions in order of first appearance, columns regimes; NaN where an episode is missing.

    Raises
    ------
    EpisodeError
        If a question has two episodes in a regime: models or conditions are mixed.
    UndefinedEstimateError
        If a regime that is wanted has no episode.
    ValueError
        If `regimes` is empty.
    """
    question, questions = pd.factorize(frame["question_id"])
    regime, names = pd.factorize(frame["regime"])
    there = [str(name) for name in names]
    if regimes is not None and not regimes:
        raise ValueError("regimes must name at least one regime")
    wanted = there if regimes is None else list(regimes)
    missing = [name for name in wanted if name not in there]
    if missing:
        raise UndefinedEstimateError(
            f"success is undefined: no episode of regime {', '.join(missing)}; there is {', '.join(there)}"
        )
    if len(np.unique(question * len(there) + regime)) < len(frame):
        raise EpisodeError(
            "episodes: a question occurs twice in a regime; give one model and condition at a time"
        )
    matrix = np.full((len(questions), len(there)), np.nan)
    matrix[question, regime] = values
    return pd.DataFrame(matrix, index=pd.Index(questions, name="question_id"), columns=there)[wanted]


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
        If an episode is not what the schema says, or models and conditions are mixed.
    UndefinedEstimateError
        If a regime that is wanted has no episode.
    """
    if isinstance(episodes, pd.DataFrame):
        # What an episode did is of no matter here, so it is not checked either.
        episodes = episodes[[name for name in (*KEY, "success") if name in episodes]]
    frame = as_frame(episodes, _FIELDS)
    return value_matrix(frame, frame["success"].to_numpy(dtype=np.float64), regimes)


def regime_sums(matrix: pd.DataFrame) -> Floats:
    """Return, by question, whether each regime has a value, and the value: shape (n, regimes, 2)."""
    there = matrix.notna().to_numpy(dtype=np.float64)
    return np.stack([there, matrix.fillna(0.0).to_numpy(dtype=np.float64)], axis=2)


def mean_over_regimes(n_regimes: int) -> Statistic:
    """Return the statistic that averages regimes with equal weight, from flattened regime sums."""

    def mean(totals: Floats) -> Floats:
        return np.asarray(share(totals.reshape(*totals.shape[:-1], n_regimes, 2)).mean(axis=-1))

    return mean


def mean_measure(name: str, matrix: pd.DataFrame) -> Measure:
    """Return the equal-weight mean over the columns of a table by question and regime, not yet resampled."""
    sums = regime_sums(matrix)
    return Measure(
        name,
        sums.reshape(len(sums), -1),
        mean_over_regimes(matrix.shape[1]),
        n=int(sums[..., 0].sum()),
        undefined="a regime has no episode",
    )


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
        One model and condition, with ``question_id``, ``regime`` and ``success``.
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

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> table = success_by_regime(load_episodes(condition="unaided"), regimes=["persistent"])
    >>> table["value"].round(3).to_dict()
    {'persistent': 0.007}
    """
    plan = Resampling(n_boot, seed, level, stream)
    matrix = success_matrix(episodes, regimes)
    sums = regime_sums(matrix)
    return estimates_frame(
        {
            name: Measure(f"success ({name})", sums[:, j], share, n=int(sums[:, j, 0].sum())).estimate(plan)
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
        One model and condition, with ``question_id``, ``regime`` and ``success``.
    regimes : sequence of str, default MEAN6
        Regimes averaged; each must be there. :data:`~judged_useless.environment.regimes.MEAN3`
        and :data:`~judged_useless.environment.regimes.MEAN4` are the paper's other two.
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

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> print(mean_success(load_episodes(condition="unaided"), regimes=FAIL))
    mean success over 5 regimes = 0.417 [0.377, 0.456]
    """
    if not regimes:
        raise ValueError("regimes must name at least one regime")
    plan = Resampling(n_boot, seed, level, stream)
    matrix = success_matrix(episodes, regimes)
    return mean_measure(f"mean success over {len(regimes)} regimes", matrix).estimate(plan)


__all__ = ["MEAN3", "MEAN4", "mean_success", "success_by_regime", "success_matrix"]
