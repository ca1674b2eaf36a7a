"""Whether and when agents answer: shares, the last action, premature answers, the median action."""

from collections.abc import Callable

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import observation_table
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import Bools, budget_of
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Floats, Resampling, Stream, cluster_sums

_FIELDS = ("question_id", "actions")


def of_regime(frame: pd.DataFrame, regime: str, name: str) -> tuple[pd.DataFrame, str]:
    """Return the episodes of a regime (all of them if they have none) and the measure's full name."""
    if "regime" not in frame:
        return frame, name
    name = f"{name} ({regime})"
    chosen = frame[frame["regime"] == regime]
    if chosen.empty:
        there = ", ".join(map(str, frame["regime"].unique()))
        raise UndefinedEstimateError(
            f"{name} is undefined: no episode of regime {regime!r}; there is {there}"
        )
    return chosen.reset_index(drop=True), name


def ends_in_answer(frame: pd.DataFrame) -> Bools:
    """Return which episodes end with finish."""
    return np.array([list(actions)[-1:] == ["finish"] for actions in frame["actions"]], dtype=bool)


def _share_of(name: str, frame: pd.DataFrame, total: Bools, part: Bools, undefined: str) -> Measure:
    codes, questions = pd.factorize(frame["question_id"])
    columns = np.stack([total, total & part], axis=1).astype(np.float64)
    sums = cluster_sums(codes.astype(np.int64), len(questions), columns)
    counts = {"count": float((total & part).sum())}
    return Measure(name, sums, share, n=int(total.sum()), parts=counts, undefined=undefined)


def share_answered(
    episodes: Episodes,
    *,
    regime: str = "persistent",
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the share of episodes that end in an answer.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id`` and ``actions``; one model and condition.
    regime : str, default "persistent"
        Regime the episodes are taken from, when they have a ``regime``.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts episodes, ``parts["count"]`` those answered.

    Raises
    ------
    UndefinedEstimateError
        If the regime has no episode.
    EpisodeError
        If an episode is not what the schema says.

    References
    ----------
    Paper, Tables 16, 21 and 24 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(share_answered(load_episodes(condition="unaided")))
    share answered (persistent) = 0.027 [0.010, 0.047]
    """
    plan = Resampling(n_boot, seed, level, stream)
    frame, name = of_regime(as_frame(episodes, _FIELDS), regime, "share answered")
    everyone = np.ones(len(frame), dtype=bool)
    return _share_of(name, frame, everyone, ends_in_answer(frame), "there is no episode").estimate(plan)


def share_at_last_action(
    episodes: Episodes,
    *,
    regime: str = "persistent",
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the share of answers that are given with the last action of the budget.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id`` and ``actions``, and ``budget`` when it is not 8; one model and condition.
    regime : str, default "persistent"
        Regime the episodes are taken from, when they have a ``regime``.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts answers, ``parts["count"]`` those at the last action.

    Raises
    ------
    UndefinedEstimateError
        If no episode of the regime ends in an answer.
    EpisodeError
        If an episode is not what the schema says, or budgets are mixed.

    References
    ----------
    Paper §4 "A stated budget", Tables 4 (H10) and 16 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> last = share_at_last_action(load_episodes(condition="enforced_rule"))
    >>> int(last["count"]), last.n
    (1, 284)
    """
    plan = Resampling(n_boot, seed, level, stream)
    frame, name = of_regime(as_frame(episodes, _FIELDS), regime, "answers at the last action")
    at_last = np.array([len(actions) for actions in frame["actions"]]) == budget_of(frame)
    return _share_of(name, frame, ends_in_answer(frame), at_last, "no episode ends in an answer").estimate(
        plan
    )


def premature_rate(
    episodes: Episodes,
    *,
    regime: str = "recover_after_3",
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the share of episodes that answer before any real result, where the source would have recovered.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime`` (or ``failed``), ``actions`` and ``judgments`` (which may be empty);
        one model and condition.
    regime : str, default "recover_after_3"
        Regime the episodes are taken from.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts episodes, ``parts["count"]`` the premature answers.

    Raises
    ------
    UndefinedEstimateError
        If the regime has no episode.
    EpisodeError
        If an episode is not what the schema says, or it is not known which results failed.

    References
    ----------
    Paper §4 "Permission", Appendix B.4, Table 24 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(premature_rate(load_episodes(condition="enforced_rule")))
    premature answers (recover_after_3) = 0.010 [0.000, 0.023]
    """
    plan = Resampling(n_boot, seed, level, stream)
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    frame, name = of_regime(frame, regime, "premature answers")
    everyone = np.ones(len(frame), dtype=bool)
    premature = ends_in_answer(frame) & ~_saw_real_result(frame)
    return _share_of(name, frame, everyone, premature, "there is no episode").estimate(plan)


def _saw_real_result(frame: pd.DataFrame) -> Bools:
    observations = observation_table(frame)
    if observations["failed"].isna().any():
        raise EpisodeError(
            "episodes: which results failed is unknown; expected a 'regime' with a failure schedule, or "
            "'failed'"
        )
    lengths = [sum(action != "finish" for action in actions) for actions in frame["actions"]]
    episode = np.repeat(np.arange(len(frame)), lengths)
    real = np.bincount(episode, weights=~observations["failed"].to_numpy(dtype=bool), minlength=len(frame))
    return real > 0


def median_of_counts(width: int) -> Callable[[Floats], Floats]:
    """Return the median of the values 1 .. width from how often each occurs."""

    def median(counts: Floats) -> Floats:
        cumulative = counts.cumsum(axis=-1)
        total = cumulative[..., -1:]
        # The two middle values are equal unless the count is even and they straddle a gap.
        lower = (cumulative < np.floor((total + 1) / 2)).sum(axis=-1) + 1
        upper = (cumulative < np.floor(total / 2) + 1).sum(axis=-1) + 1
        return np.where(total[..., 0] > 0, (lower + upper) / 2, np.nan)

    return median


def median_answer_action(
    episodes: Episodes,
    *,
    regime: str = "persistent",
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the median action at which episodes answer, among those that do.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id`` and ``actions``; one model and condition.
    regime : str, default "persistent"
        Regime the episodes are taken from, when they have a ``regime``.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        In actions, counted from 1; `n` counts answers. A median is coarse: its interval is stated as
        undefined when all resamples agree.

    Raises
    ------
    UndefinedEstimateError
        If no episode of the regime ends in an answer.
    EpisodeError
        If an episode is not what the schema says.

    Notes
    -----
    Of the episodes that answer: an agent that answers twice in 300 episodes has a median too.

    References
    ----------
    Paper §4 Figure 4, Tables 16, 21 and 24 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> median_answer_action(load_episodes(condition="enforced_rule")).value
    6.0
    """
    plan = Resampling(n_boot, seed, level, stream)
    frame, name = of_regime(as_frame(episodes, _FIELDS), regime, "median answering action")
    answered = frame[ends_in_answer(frame)]
    if answered.empty:
        raise UndefinedEstimateError(f"{name} is undefined: no episode ends in an answer")
    lengths = np.array([len(actions) for actions in answered["actions"]])
    codes, questions = pd.factorize(frame["question_id"])
    width = int(lengths.max())
    at = codes[ends_in_answer(frame)] * width + lengths - 1
    counts = np.bincount(at, minlength=len(questions) * width).reshape(len(questions), width)
    sums = counts.astype(np.float64)
    return Measure(name, sums, median_of_counts(width), n=len(answered)).estimate(plan)
