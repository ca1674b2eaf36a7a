"""Success by regime and averaged over regimes, what it costs, and success at a price a call."""

from collections.abc import Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.environment.regimes import MEAN3 as MEAN3
from judged_useless.environment.regimes import MEAN4 as MEAN4
from judged_useless.environment.regimes import MEAN6
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import KEY, EpisodeError, Episodes

from .estimate import Estimate, UndefinedEstimateError, estimates_frame
from .matching import require_one_cell
from .resampling import Floats, Measure, Options, Resampling, number, resampled, share

#: Actions that call a tool; an invalid action costs a step, but no call.
TOOLS = ("search", "lookup", "backup_search")
#: Conditions that ask for no judgment during the run: theirs, if any, were replayed afterwards.
WITHOUT_JUDGMENT_CALLS = ("unaided", "permit", "budget", "stated_rule", "call_cost", "random", "lexical")
#: Conditions, and the part of one, that ask for judgments as they go.
_ASKED = frozenset(("decide", "enforced_rule", "combo", "switch_rule", "side_channel_signal"))
#: Conditions that read the judgment in the agent's reasoning and pay for discarded turns only.
STATED_CONDITIONS = ("stated_judgment_rule", "stated_combo")


def value_matrix(frame: pd.DataFrame, values: Floats, regimes: Sequence[str] | None = None) -> pd.DataFrame:
    """Return one value an episode as a table by question and regime, NaN where an episode is missing.

    Rows are questions in order of first appearance, columns the regimes wanted (or those there are), of which
    each must have an episode; models or conditions that are mixed are refused.
    """
    question, questions, regime, names = require_one_cell(frame)
    there = [str(name) for name in names]
    if regimes is not None and not regimes:
        raise ValueError("regimes must name at least one regime")
    wanted = there if regimes is None else list(regimes)
    missing = [name for name in wanted if name not in there]
    if missing:
        lacking = f"no episode of regime {', '.join(missing)}; there is {', '.join(there)}"
        raise UndefinedEstimateError(f"success is undefined: {lacking}")
    column = np.array([wanted.index(name) if name in wanted else len(wanted) for name in there])
    matrix = np.full((len(questions), len(wanted) + 1), np.nan)  # the last one is of regimes not wanted
    matrix[question, column[regime]] = values
    return pd.DataFrame(matrix[:, :-1], index=pd.Index(questions, name="question_id"), columns=wanted)


def success_matrix(episodes: Episodes, regimes: Sequence[str] | None = None) -> pd.DataFrame:
    """Return success by question and regime, as :func:`value_matrix` does."""
    if isinstance(episodes, pd.DataFrame):
        # What an episode did is of no matter here, so it is not checked either.
        episodes = episodes[[name for name in (*KEY, "success") if name in episodes]]
    frame = as_frame(episodes, ("question_id", "regime", "success"))
    return value_matrix(frame, frame["success"].to_numpy(dtype=np.float64), regimes)


def regime_sums(matrix: pd.DataFrame) -> Floats:
    """Return, by question, whether each regime has a value, and the value: shape (n, regimes, 2)."""
    there = matrix.notna().to_numpy(dtype=np.float64)
    return np.stack([there, matrix.fillna(0.0).to_numpy(dtype=np.float64)], axis=2)


def mean_measure(name: str, matrix: pd.DataFrame) -> Measure:
    """Return the equal-weight mean over the columns of a table by question and regime, not yet resampled."""
    sums, n_regimes = regime_sums(matrix), matrix.shape[1]

    def mean(totals: Floats) -> Floats:
        return np.asarray(share(totals.reshape(*totals.shape[:-1], n_regimes, 2)).mean(axis=-1))

    n = int(sums[..., 0].sum())
    return Measure(name, sums.reshape(len(sums), -1), mean, n=n, undefined="a regime has no episode")


@resampled
def success_by_regime(
    episodes: Episodes, *, regimes: Sequence[str] | None = None, **options: Unpack[Options]
) -> pd.DataFrame:
    """Return the share of questions answered correctly in each regime (paper, Table 13).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime`` and ``success``.
    regimes : sequence of str, optional
        Regimes wanted, in this order; by default those there are.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates, one row a regime: shares in [0, 1], ``n`` episodes. An unanswered question is
        not successful, as in the paper.

    Raises
    ------
    EpisodeError, UndefinedEstimateError
        If models or conditions are mixed; if a regime that is asked for has no episode.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> table = success_by_regime(load_episodes(condition="unaided"), regimes=["persistent"])
    >>> table["value"].round(3).to_dict()
    {'persistent': 0.007}
    """
    plan = Resampling(**options)
    matrix = success_matrix(episodes, regimes)
    sums = regime_sums(matrix)
    return estimates_frame(
        {
            name: Measure(f"success ({name})", sums[:, j], share, n=int(sums[:, j, 0].sum())).estimate(plan)
            for j, name in enumerate(matrix.columns)
        },
        "regime",
    )


@resampled
def mean_success(
    episodes: Episodes, *, regimes: Sequence[str] = MEAN6, **options: Unpack[Options]
) -> Estimate:
    """Return success averaged over regimes with equal weight (paper §2, Tables 2 and 13).

    Parameters
    ----------
    episodes
        As in :func:`success_by_regime`, which also raises what this does.
    regimes : sequence of str, default MEAN6
        Regimes averaged; each must be there. MEAN3 and MEAN4 are the paper's other two.

    Returns
    -------
    Estimate
        A share in [0, 1]; ``n`` counts episodes.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> print(mean_success(load_episodes(condition="unaided"), regimes=FAIL))
    mean success over 5 regimes = 0.417 [0.377, 0.456]
    """
    plan = Resampling(**options)
    matrix = success_matrix(episodes, regimes)
    return mean_measure(f"mean success over {len(regimes)} regimes", matrix).estimate(plan)


def tool_call_counts(frame: pd.DataFrame) -> Floats:
    """Return the number of tool calls of each episode, shape (n,)."""
    return np.array(
        [sum(action in TOOLS for action in actions) for actions in frame["actions"]], dtype=np.float64
    )


def _extra_call_counts(frame: pd.DataFrame) -> Floats:
    """Return the number of model calls of each episode beyond its own turns, shape (n,).

    Judgment calls plus discarded turns as recorded; otherwise one call for each judgment, none where the
    condition asks for none.
    """
    conditions = frame["condition"] if "condition" in frame else pd.Series("", index=frame.index)
    parts = conditions.str.split("+")
    n_judged, n_discarded = (
        pd.to_numeric(frame[name]).astype(np.float64)
        if name in frame
        else pd.Series(np.nan, index=frame.index)
        for name in ("n_judgment_calls", "n_discarded")
    )
    stated = conditions.isin(STATED_CONDITIONS)
    judged = frame["judgments"].map(lambda words: sum(isinstance(word, str) for word in words))
    judged = judged.where(~stated & ~conditions.isin(WITHOUT_JUDGMENT_CALLS), 0)
    if ((judged > 0) & parts.map(_ASKED.isdisjoint) & n_judged.isna()).any():
        unknown = "whether the judgments were asked for during the run or replayed is not known"
        raise EpisodeError(f"episodes: field 'n_judgment_calls' is missing; {unknown}")
    if n_discarded[stated].isna().any():
        raise EpisodeError("episodes: field 'n_discarded' is missing; discarded turns have a price")
    calls = n_judged.fillna(judged)
    weighed = calls.where(parts.map(lambda names: "decide" in names), 0)  # it weighs after each judgment
    return np.asarray(calls + weighed + n_discarded.fillna(0), dtype=np.float64)


def utility_matrix(
    episodes: Episodes, regimes: Sequence[str] | None, price: float, charge_judgments: bool
) -> pd.DataFrame:
    """Return success minus the price of the calls, by question and regime, as :func:`value_matrix` does."""
    number("price", price, 0)
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments", "success"))
    values = frame["success"].to_numpy(dtype=np.float64)
    if price > 0:
        calls = tool_call_counts(frame)
        if charge_judgments:
            calls = calls + _extra_call_counts(frame)
        values = values - price * calls
    return value_matrix(frame, values, regimes)


@resampled
def utility(
    episodes: Episodes,
    *,
    price: float = 0.05,
    charge_judgments: bool = False,
    regimes: Sequence[str] = MEAN6,
    **options: Unpack[Options],
) -> Estimate:
    """Return success minus `price` for each tool call, averaged over regimes (paper, Tables 6 and 19).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime``, ``actions``, ``judgments`` and ``success``.
    price : float, default 0.05
        λ, the price of a call in units of a correct answer.
    charge_judgments : bool, default False
        Charge each judgment call, weighing call of decide, and discarded turn like a tool call. Without
        ``n_judgment_calls`` each recorded judgment is a call, except where they were replayed afterwards.
    regimes
        As in :func:`mean_success`.

    Returns
    -------
    Estimate
        In units of a correct answer, at most 1 and possibly negative; `n` counts episodes.

    Raises
    ------
    UndefinedEstimateError, EpisodeError
        If a regime has no episode; if cells are mixed, or calls are to be charged that were not recorded.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> print(utility(load_episodes(condition="enforced_rule"), regimes=FAIL))
    utility (λ = 0.05) = 0.226 [0.181, 0.271]
    """
    plan = Resampling(**options)
    matrix = utility_matrix(episodes, regimes, price, charge_judgments)
    return mean_measure(f"utility (λ = {price:g})", matrix).estimate(plan)


@resampled
def tool_calls(
    episodes: Episodes, *, regimes: Sequence[str] | None = None, **options: Unpack[Options]
) -> Estimate:
    """Return the mean number of search, lookup and backup_search an episode (paper, Tables 16, 18 and 19).

    Parameters
    ----------
    episodes, regimes
        As in :func:`success_by_regime`, with ``actions`` in place of ``success``.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> print(tool_calls(load_episodes(condition="enforced_rule"), regimes=["persistent"]))
    tool calls = 5.103 [5.013, 5.193]
    """
    plan = Resampling(**options)
    frame = as_frame(episodes, ("question_id", "regime", "actions"))
    return mean_measure("tool calls", value_matrix(frame, tool_call_counts(frame), regimes)).estimate(plan)


@resampled
def extra_calls(
    episodes: Episodes, *, regimes: Sequence[str] | None = None, **options: Unpack[Options]
) -> Estimate:
    """Return the mean number of model calls an episode beyond its own turns, as :func:`utility` charges them.

    Parameters
    ----------
    episodes, regimes
        As in :func:`tool_calls`, with ``judgments``; paper, Table 19.
    """
    plan = Resampling(**options)
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    matrix = value_matrix(frame, _extra_call_counts(frame), regimes)
    return mean_measure("extra calls", matrix).estimate(plan)
