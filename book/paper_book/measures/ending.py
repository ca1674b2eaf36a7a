"""How episodes end: answered early, out of budget, or without an answer; and what more actions change."""

import numpy as np
import pandas as pd
from judged_useless import estimators
from judged_useless.estimators.answering import ends_in_answer
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import budget_of
from judged_useless.estimators.success import tool_call_counts
from numpy.typing import NDArray

from paper_book.measures.definitions import Contrast, Measure, Options, chosen, plain, regimes_of

Bools = NDArray[np.bool_]


def exhausted(part: pd.DataFrame) -> Bools:
    """Return which episodes took all actions of their budget, and none of them to answer.

    Parameters
    ----------
    part : pandas.DataFrame
        Episodes of one budget.

    Returns
    -------
    numpy.ndarray of bool, shape (n,)
    """
    taken = part["actions"].map(len).to_numpy()
    return np.asarray(~ends_in_answer(part) & (taken >= budget_of(part)), dtype=bool)


def share_of(name: str, which: Bools, part: pd.DataFrame, options: Options) -> Estimate:
    """Return a share of episodes, with the count behind it.

    Parameters
    ----------
    name : str
        Of the share.
    which : numpy.ndarray of bool, shape (n,)
        The episodes that are counted.
    part : pandas.DataFrame
        All n of them.
    options : Options
        For the level.

    Returns
    -------
    Estimate

    Raises
    ------
    UndefinedEstimateError
        If there is no episode.
    """
    if part.empty:
        raise UndefinedEstimateError(f"{name} is undefined: there is no such episode")
    return plain(name, which.mean(), len(part), part, options, count=float(which.sum()))


def _share_exhausted(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    return share_of("share exhausted", exhausted(part), part, options)


def _no_answer(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    # Search-R1's answers and exhausted budgets add up to the rest (§7), so a budget that is used up is none.
    part = chosen(cell, regime)
    return share_of("no answer", ~ends_in_answer(part) & ~exhausted(part), part, options)


def _after_1_or_2(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    calls = tool_call_counts(part)
    early = ends_in_answer(part) & (calls >= 1) & (calls <= 2)
    return share_of("answered after one or two searches", early, part, options)


def _backup_share(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    summary = estimators.switch_summary(part)
    exits = float(summary["ever_switched"] + summary["answered_first"])
    if exits == 0:
        raise UndefinedEstimateError("no episode leaves the primary source")
    n = round(exits * summary["n"])
    return plain("backup among first exits", summary["ever_switched"] / exits, n, part, options)


def _calls_increase(a: pd.DataFrame, b: pd.DataFrame, regime: str, options: Options) -> Estimate:
    """Return by which part of the second cell's tool calls the first cell makes more."""
    first, second = (
        estimators.tool_calls(cell, regimes=regimes_of(regime, cell), **options.keywords()) for cell in (a, b)
    )
    if second.value == 0:
        raise UndefinedEstimateError("the increase of calls is undefined: there was no call before")
    return plain("increase of calls", first.value / second.value - 1, first.n, a, options)


def _median_shift(a: pd.DataFrame, b: pd.DataFrame, regime: str, options: Options) -> Estimate:
    first, second = (
        estimators.median_answer_action(chosen(cell, regime), regime=regime, **options.keywords())
        for cell in (a, b)
    )
    return plain("shift of the median answering action", first.value - second.value, first.n, a, options)


#: Measures of one cell.
MEASURES: dict[str, Measure] = {
    "share_exhausted": _share_exhausted,
    "no_answer_rate": _no_answer,
    "answered_after_1_or_2": _after_1_or_2,
    "backup_share_of_first_exits": _backup_share,
}

#: Measures of one cell at two budgets, the larger one first.
CONTRASTS: dict[str, Contrast] = {
    "calls_increase": _calls_increase,
    "median_answer_action_shift": _median_shift,
}
