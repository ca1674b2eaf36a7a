"""Numbers of the paper that episodes give and no estimator has under one name.

Each function gets the episodes of one cell, or of two, in the regimes that are read.
"""

from collections.abc import Callable

import numpy as np
import pandas as pd
from judged_useless import estimators
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.estimators.answering import ends_in_answer
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.matching import budget_of
from judged_useless.estimators.success import tool_call_counts
from numpy.typing import NDArray

from paper_book.measures.calculator import plain

Bools = NDArray[np.bool_]
#: Results in a row that were judged USELESS before the rule fires (paper §2).
K = 5


def share(name: str, which: Bools, part: pd.DataFrame, level: float) -> Estimate:
    """Return a share of episodes, with the count behind it."""
    if part.empty:
        raise UndefinedEstimateError(f"{name} is undefined: there is no such episode")
    return plain(name, which.mean(), len(part), part, level, count=float(which.sum()))


def exhausted(part: pd.DataFrame) -> Bools:
    """Return which episodes took all actions of their budget, and none of them to answer."""
    taken = part["actions"].map(len).to_numpy()
    return np.asarray(~ends_in_answer(part) & (taken >= budget_of(part)), dtype=bool)


def backup_share_of_first_exits(part: pd.DataFrame, *, level: float) -> Estimate:
    """Return the share of episodes that leave by the backup, among those that leave their source."""
    summary = estimators.switch_summary(part)
    exits = float(summary["ever_switched"] + summary["answered_first"])
    if exits == 0:
        raise UndefinedEstimateError("no episode leaves the primary source")
    n = round(exits * summary["n"])
    return plain("backup among first exits", summary["ever_switched"] / exits, n, part, level)


def useless_share(
    part: pd.DataFrame, *, failed: bool, regimes: tuple[str, ...], n_boot: int, seed: int, level: float
) -> Estimate:
    """Return the share of judgments that say USELESS; of several regimes pooled, without an interval."""
    rates = estimators.useless_rate(part, failed=failed, n_boot=n_boot, seed=seed, level=level)
    if len(regimes) == 1:
        return Estimate.from_row(rates.iloc[0].to_dict())
    known = rates.dropna(subset=["value"])
    n = int(known["n"].sum())
    return plain("judged useless", (known["value"] * known["n"]).sum() / n, n, part, level)


def hazard_coefficients(
    part: pd.DataFrame, *, question_effects: bool = False, n_boot: int, seed: int, level: float
) -> pd.DataFrame:
    """Return the hazard model with the paper's 1,000 resamples when 2,000 are asked for."""
    half = max(1, n_boot // 2)
    return estimators.hazard_model(
        part, question_effects=question_effects, n_boot=half, seed=seed, level=level
    )


def tool_call_difference(
    a: pd.DataFrame, b: pd.DataFrame, *, regimes: tuple[str, ...], level: float
) -> Estimate:
    """Return how many more tool calls a question the first cell makes."""
    first, second = (estimators.tool_calls(each, regimes=regimes, n_boot=1) for each in (a, b))
    return plain("more tool calls", first.value - second.value, first.n, a, level)


def calls_increase(a: pd.DataFrame, b: pd.DataFrame, *, regimes: tuple[str, ...], level: float) -> Estimate:
    """Return by which part of the second cell's tool calls the first cell makes more."""
    first, second = (estimators.tool_calls(each, regimes=regimes, n_boot=1) for each in (a, b))
    if second.value == 0:
        raise UndefinedEstimateError("the increase of calls is undefined: there was no call before")
    return plain("increase of calls", first.value / second.value - 1, first.n, a, level)


def median_shift(a: pd.DataFrame, b: pd.DataFrame, *, regime: str, level: float) -> Estimate:
    """Return by how many actions later the first cell answers in the median."""
    first, second = (estimators.median_answer_action(each, regime=regime, n_boot=1) for each in (a, b))
    return plain("shift of the median answering action", first.value - second.value, first.n, a, level)


# --- where the rule fired ---------------------------------------------------------------------------


def fired(part: pd.DataFrame) -> Bools:
    """Return in which episodes the judgments reached five USELESS in a row before an action."""
    points = build_decision_points(part)
    if not points.judged.any():
        raise UndefinedEstimateError("no result has a judgment, so where the rule fired cannot be told")
    where = np.zeros(len(part), dtype=bool)
    where[points.episode[points.run >= K]] = True
    return where


def where_fired(part: pd.DataFrame) -> pd.DataFrame:
    """Return the episodes in which the rule fired."""
    there = part[fired(part)]
    if there.empty:
        raise UndefinedEstimateError("the rule fired nowhere")
    return there


#: Kinds of episodes whose share the paper prints. One without an answer ended otherwise than by an exhausted
#: budget (§7); an early one answers after one or two tool calls; a rule on stated judgments discards turns.
KINDS: dict[str, Callable[[pd.DataFrame], Bools]] = {
    "answered": ends_in_answer,
    "right": lambda part: part["success"].to_numpy(dtype=bool),
    "exhausted": exhausted,
    "without_an_answer": lambda part: ~ends_in_answer(part) & ~exhausted(part),
    "early": lambda part: ends_in_answer(part) & np.isin(tool_call_counts(part), (1, 2)),
    "fired": fired,
    "discarding": lambda part: part["n_discarded"].to_numpy(dtype=np.int64) > 0,
}


def share_of(part: pd.DataFrame, *, kind: str, level: float) -> Estimate:
    """Return the share of episodes of a kind."""
    return share(f"share {kind.replace('_', ' ')}", KINDS[kind](part), part, level)


def exhausted_where_rule_fired(other: pd.DataFrame, rule: pd.DataFrame, *, level: float) -> Estimate:
    """Return how often a cell uses its budget up on the questions where the second one's rule fired."""
    touched = set(rule.loc[fired(rule), "question_id"])
    there = other[other["question_id"].isin(touched)]
    return share("budget exhausted where the rule fired", exhausted(there), there, level)


def net_correct(rule: pd.DataFrame, other: pd.DataFrame, *, where_fired: bool, level: float) -> Estimate:
    """Return how many more questions the rule has right, of those where it fired or of the others."""
    right = rule.set_index("question_id")["success"].astype(int)
    before = other.set_index("question_id")["success"].astype(int)
    gain = (right - before).dropna()
    touched = pd.Series(fired(rule), index=right.index).loc[gain.index]
    return plain("net correct answers", gain[touched == where_fired].sum(), len(gain), rule, level)


def won_by_firing(rule: pd.DataFrame, other: pd.DataFrame) -> pd.DataFrame:
    """Return, by regime, how often the rule fired and what it won there, and the same of the other episodes.

    ``other actions`` counts the episodes that it did not touch and that took other actions all the same.
    """
    both = rule.assign(fired=fired(rule)).merge(other, on=["regime", "question_id"], suffixes=("", "_other"))
    mine, theirs = (both[name].map(tuple) for name in ("actions", "actions_other"))
    gained = both["success"].astype(int) - both["success_other"].astype(int)
    counted = pd.DataFrame(
        {
            "regime": both["regime"],
            "fired": both["fired"],
            "net correct where fired": gained.where(both["fired"], 0),
            "untouched": ~both["fired"],
            "net correct elsewhere": gained.mask(both["fired"], 0),
            "other actions": ~both["fired"] & (mine != theirs),
        }
    )
    return counted.groupby("regime", sort=False).sum()
