"""Where the harness's rule fired, and what came of it."""

import numpy as np
import pandas as pd
from judged_useless import estimators
from judged_useless.episodes.decisions import build_decision_points
from judged_useless.estimators.answering import ends_in_answer
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.success import STATED_CONDITIONS
from numpy.typing import NDArray

from paper_book.measures.definitions import Contrast, Measure, Options, chosen, plain
from paper_book.measures.ending import exhausted, share_of

#: Results in a row that were judged USELESS before the rule fires (paper §2).
K = 5


def fired(part: pd.DataFrame) -> NDArray[np.bool_]:
    """Return in which episodes the rule fired.

    Parameters
    ----------
    part : pandas.DataFrame
        Episodes of one cell under a rule.

    Returns
    -------
    numpy.ndarray of bool, shape (n,)
        For a rule on stated judgments, whether a turn was discarded; for others, whether the judgments of
        the run reached five USELESS in a row before an action.

    Raises
    ------
    UndefinedEstimateError
        If the episodes do not tell.
    """
    if part["condition"].isin(STATED_CONDITIONS).any():
        if "n_discarded" not in part or part["n_discarded"].isna().any():
            raise UndefinedEstimateError("the episodes do not say how many turns were discarded")
        return part["n_discarded"].to_numpy(dtype=np.int64) > 0
    points = build_decision_points(part)
    if not points.judged.any():
        raise UndefinedEstimateError("no result has a judgment, so where the rule fired cannot be told")
    where = np.zeros(len(part), dtype=bool)
    where[points.episode[points.run >= K]] = True
    return where


def _firing_rate(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    return share_of("rule fired", fired(part), part, options)


def _n_fired(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    return plain("rule fired", fired(part).sum(), len(part), part, options)


def _answered(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    part = part[fired(part)]
    return share_of("answered after the rule fired", ends_in_answer(part), part, options)


def _right(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    part = part[fired(part)]
    return share_of("right after the rule fired", part["success"].to_numpy(dtype=bool), part, options)


def _median(cell: pd.DataFrame, regime: str, options: Options) -> Estimate:
    part = chosen(cell, regime)
    part = part[fired(part)]
    if part.empty:
        raise UndefinedEstimateError("the rule fired nowhere")
    return estimators.median_answer_action(part, regime=regime, **options.keywords())


def _exhausted(rule: pd.DataFrame, other: pd.DataFrame, regime: str, options: Options) -> Estimate:
    """Return how often the second cell uses its budget up where the first one's rule fired."""
    part = chosen(rule, regime)
    touched = set(part.loc[fired(part), "question_id"])
    there = chosen(other, regime)
    there = there[there["question_id"].isin(touched)]
    return share_of("budget exhausted where the rule fired", exhausted(there), there, options)


def _net_correct(*, where_fired: bool) -> Contrast:
    """How many more questions the rule has right, among those where it fired or among the others."""

    def contrast(rule: pd.DataFrame, other: pd.DataFrame, regime: str, options: Options) -> Estimate:
        part = chosen(rule, regime)
        right = part.set_index("question_id")["success"].astype(int)
        before = chosen(other, regime).set_index("question_id")["success"].astype(int)
        gain = (right - before).dropna()
        touched = pd.Series(fired(part), index=right.index).loc[gain.index]
        value = gain[touched == where_fired].sum()
        return plain("net correct answers", value, len(gain), part, options)

    return contrast


#: Measures of one cell under a rule.
MEASURES: dict[str, Measure] = {
    "firing_rate": _firing_rate,
    "n_fired": _n_fired,
    "answered_after_firing": _answered,
    "success_where_fired": _right,
    "median_answer_action_fired": _median,
}

#: Measures of a cell under a rule, the first, and another on the same questions.
CONTRASTS: dict[str, Contrast] = {
    "exhausted_where_rule_fired": _exhausted,
    "net_correct_where_fired": _net_correct(where_fired=True),
    "net_correct_elsewhere": _net_correct(where_fired=False),
}
