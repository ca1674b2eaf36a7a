"""What stopping costs: tool calls, judgment calls, and success at a price a call."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN6
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate
from judged_useless.estimators.measure import Measure
from judged_useless.estimators.resampling import Floats, Resampling, Stream
from judged_useless.estimators.success import mean_measure, value_matrix

#: Actions that call a tool; an invalid action costs a step, but no call.
TOOLS = ("search", "lookup", "backup_search")
#: Conditions that ask for no judgment during the run: theirs, if any, were replayed afterwards.
WITHOUT_JUDGMENT_CALLS = ("unaided", "permit", "budget", "stated_rule", "call_cost", "random", "lexical")
#: Conditions that read the judgment in the agent's reasoning and pay for discarded turns only.
STATED_CONDITIONS = ("stated_judgment_rule", "stated_combo")

_FIELDS = ("question_id", "regime", "actions", "judgments", "success")


def tool_call_counts(frame: pd.DataFrame) -> Floats:
    """Return the number of tool calls of each episode, shape (n,)."""
    return np.array(
        [sum(action in TOOLS for action in actions) for actions in frame["actions"]], dtype=np.float64
    )


def extra_call_counts(frame: pd.DataFrame) -> Floats:
    """Return the number of model calls of each episode beyond its own turns, shape (n,).

    Judgment calls plus discarded turns: ``n_judgment_calls`` and ``n_discarded`` where they are recorded,
    otherwise one call for each recorded judgment, and none in a condition that asks for no judgment.

    Raises
    ------
    EpisodeError
        If neither is recorded for a condition that pays for discarded turns.
    """
    judged = np.array(
        [sum(isinstance(word, str) for word in words) for words in frame["judgments"]], dtype=np.float64
    )
    discarded = np.zeros(len(frame))
    if "condition" in frame:
        stated = frame["condition"].isin(STATED_CONDITIONS).to_numpy()
        judged[frame["condition"].isin([*WITHOUT_JUDGMENT_CALLS, *STATED_CONDITIONS]).to_numpy()] = 0.0
        if stated.any() and ("n_discarded" not in frame or frame["n_discarded"][stated].isna().any()):
            raise EpisodeError(
                "episodes: field 'n_discarded' is missing; a condition that reads stated judgments pays for "
                "its discarded turns"
            )
    for name, counts in (("n_judgment_calls", judged), ("n_discarded", discarded)):
        if name in frame:
            given = frame[name].notna().to_numpy()
            counts[given] = frame[name][given].to_numpy(dtype=np.float64)
    return judged + discarded


def utility_matrix(
    episodes: Episodes, regimes: Sequence[str] | None, price: float, charge_judgments: bool
) -> pd.DataFrame:
    """Return success minus the price of the calls, by question and regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition.
    regimes : sequence of str or None
        Columns wanted; None for those there are.
    price : float
        Price of a call, in units of a correct answer; at 0 this is success.
    charge_judgments : bool
        Charge judgment calls and discarded turns too.

    Returns
    -------
    pandas.DataFrame
        As from :func:`~judged_useless.estimators.success.value_matrix`.

    Raises
    ------
    ValueError
        If `price` is negative or not finite.
    EpisodeError
        If an episode is not what the schema says.
    """
    if not (np.isfinite(price) and price >= 0):
        raise ValueError(f"price must be a finite number of at least 0, not {price}")
    frame = as_frame(episodes, _FIELDS)
    values = frame["success"].to_numpy(dtype=np.float64)
    if price > 0:
        calls = tool_call_counts(frame)
        if charge_judgments:
            calls = calls + extra_call_counts(frame)
        values = values - price * calls
    return value_matrix(frame, values, regimes)


def utility(
    episodes: Episodes,
    *,
    price: float = 0.05,
    charge_judgments: bool = False,
    regimes: Sequence[str] = MEAN6,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return cost-adjusted success: success minus `price` for each tool call, averaged over regimes.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime``, ``actions``, ``judgments`` and ``success``.
    price : float, default 0.05
        λ, the price of a call in units of a correct answer (0.05 in the paper).
    charge_judgments : bool, default False
        Charge each judgment call and discarded turn like a tool call. Without ``n_judgment_calls`` each
        recorded judgment is a call, except in conditions whose judgments were replayed afterwards.
    regimes : sequence of str, default MEAN6
        Regimes averaged with equal weight; each must be there.
    n_boot, seed, level, stream
        Of the question-cluster bootstrap, as in
        :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        In units of a correct answer, at most 1 and possibly negative; `n` counts episodes.

    Raises
    ------
    UndefinedEstimateError
        If a regime has no episode.
    EpisodeError
        If an episode is not what the schema says, models and conditions are mixed, or discarded turns are
        to be charged that were not recorded.
    ValueError
        If `price` is negative or no regime is given.

    Notes
    -----
    Recorded judgments are counted as calls as they are: where a run lost some of them, give
    ``n_judgment_calls``.

    References
    ----------
    Paper, Appendix C.1, Table 6 (last block) and Table 19 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> rule = load_episodes(condition="enforced_rule")
    >>> print(utility(rule, regimes=FAIL))
    utility (λ = 0.05) = 0.226 [0.181, 0.271]
    """
    plan = Resampling(n_boot, seed, level, stream)
    matrix = utility_matrix(episodes, regimes, price, charge_judgments)
    return mean_measure(f"utility (λ = {price:g})", matrix).estimate(plan)


def _mean_calls(name: str, frame: pd.DataFrame, counts: Floats, regimes: Sequence[str] | None) -> Measure:
    return mean_measure(name, value_matrix(frame, counts, regimes))


def tool_calls(
    episodes: Episodes,
    *,
    regimes: Sequence[str] | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the mean number of tool calls (search, lookup, backup_search) an episode.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime`` and ``actions``.
    regimes : sequence of str, optional
        Regimes averaged with equal weight; by default those there are.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        In calls an episode; `n` counts episodes.

    Raises
    ------
    UndefinedEstimateError
        If a regime has no episode.
    EpisodeError
        If an episode is not what the schema says, or models and conditions are mixed.

    References
    ----------
    Paper, Tables 16, 18 and 19 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(tool_calls(load_episodes(condition="enforced_rule"), regimes=["persistent"]))
    tool calls = 5.103 [5.013, 5.193]
    """
    plan = Resampling(n_boot, seed, level, stream)
    frame = as_frame(episodes, ("question_id", "regime", "actions"))
    return _mean_calls("tool calls", frame, tool_call_counts(frame), regimes).estimate(plan)


def extra_calls(
    episodes: Episodes,
    *,
    regimes: Sequence[str] | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> Estimate:
    """Return the mean number of model calls an episode beyond its own turns: judgments and discarded turns.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime``, ``actions`` and ``judgments``.
    regimes : sequence of str, optional
        Regimes averaged with equal weight; by default those there are.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    Estimate
        In calls an episode; `n` counts episodes. Counted as :func:`utility` charges them.

    Raises
    ------
    UndefinedEstimateError
        If a regime has no episode.
    EpisodeError
        If an episode is not what the schema says, or discarded turns were not recorded.

    References
    ----------
    Paper, Appendix D.3, Table 19 (arXiv:2610.06191).
    """
    plan = Resampling(n_boot, seed, level, stream)
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    return _mean_calls("extra calls", frame, extra_call_counts(frame), regimes).estimate(plan)


__all__ = ["extra_calls", "tool_calls", "utility"]
