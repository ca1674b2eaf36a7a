"""What the contrasts share: the window of decisions, strata, and the Mantel–Haenszel difference."""

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.decisions import DecisionPoints
from judged_useless.episodes.schema import DEFAULT_BUDGET as DEFAULT_BUDGET
from judged_useless.episodes.schema import EpisodeError
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.measure import Measure
from judged_useless.estimators.resampling import Floats, Statistic, cluster_sums

#: Values that a message names.
_NAMED = 4
Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Weights = Literal["mantel_haenszel", "equal", "n"]


def budget_of(episodes: pd.DataFrame) -> int:
    """Return the number of actions an episode may take: the episodes' own ``budget``, or the paper's eight.

    Raises
    ------
    EpisodeError
        If the episodes have more than one budget; those that state none have the paper's.
    """
    if "budget" not in episodes:
        return DEFAULT_BUDGET
    budgets = pd.to_numeric(episodes["budget"]).fillna(DEFAULT_BUDGET).unique()
    if len(budgets) > 1:
        raise EpisodeError(
            f"episodes: field 'budget' mixes {sorted(map(int, budgets))}; contrast them one by one"
        )
    return int(budgets[0])


def require_one_cell(frame: pd.DataFrame) -> None:
    """Refuse episodes of more than one model or condition, where pooling them would mean nothing.

    Raises
    ------
    EpisodeError
        If two models or conditions are mixed, or a question occurs twice in a regime.
    """
    for name in ("model", "condition"):
        values = frame[name].drop_duplicates().tolist() if name in frame else []
        if len(values) > 1:
            mixed = ", ".join(map(repr, values[:_NAMED])) + (" and more" if len(values) > _NAMED else "")
            raise EpisodeError(
                f"episodes: field {name!r} mixes {mixed}; give one model and condition at a time"
            )
    if frame.duplicated(["question_id", "regime"]).any():
        raise EpisodeError(
            "episodes: a question occurs twice in a regime; give one model and condition at a time"
        )


def step_window(points: DecisionPoints, t_min: int, t_max: int | None) -> tuple[int, int]:
    """Return the first and last decision that a contrast pools.

    Parameters
    ----------
    points : DecisionPoints
        Decision points, whose episodes may state a ``budget``.
    t_min : int
        First decision, at least 3: before that no history can have a useless run behind a useful result.
    t_max : int or None
        Last decision; None stands for the budget minus 2, which leaves out the last chance to answer.

    Returns
    -------
    tuple of int

    Raises
    ------
    ValueError
        If the window is empty or starts before 3.
    """
    last = budget_of(points.episodes) - 2 if t_max is None else t_max
    if t_min < 3:
        raise ValueError(
            f"t_min must be at least 3, not {t_min}: earlier decisions have no reference history"
        )
    if last < t_min:
        raise ValueError(f"t_max must be at least t_min = {t_min}, not {last}")
    return t_min, last


def require_judgments(name: str, points: DecisionPoints, inside: Bools) -> None:
    """Refuse a measure on judgments when there are none, or none in one of the regimes pooled.

    Parameters
    ----------
    name : str
        The measure, for the message.
    points : DecisionPoints
        The decisions.
    inside : numpy.ndarray of bool, shape (n,)
        Those that the measure pools.

    Raises
    ------
    UndefinedEstimateError
        If no result has a judgment, or a regime with decisions in the pool has none at all: the pool would
        silently be another one.
    """
    if not points.judged.any():
        raise UndefinedEstimateError(
            f"{name} is undefined: no result of these episodes has a judgment; replay the judgments, or use "
            "design_label_contrast"
        )
    if "regime" not in points.episodes:
        return
    codes, regimes = points.label_codes("regime")
    judged = np.bincount(codes, weights=points.judged, minlength=len(regimes))
    pooled = np.bincount(codes, weights=inside, minlength=len(regimes))
    silent = [regimes[code] for code in np.flatnonzero((judged == 0) & (pooled > 0))]
    if silent:
        raise UndefinedEstimateError(
            f"{name} is undefined over these regimes: no result of {', '.join(silent)} has a judgment; "
            "leave them out (as regimes=FAIL does), or replay their judgments"
        )


def mantel_haenszel(sums: Floats, weights: Weights = "mantel_haenszel") -> Floats:
    """Return the risk difference pooled over strata.

    ``sum w (p_a - p_b) / sum w``, by default with ``w = n_a n_b / (n_a + n_b)``; strata with an empty side
    drop out.

    Parameters
    ----------
    sums : numpy.ndarray of float64, shape (..., strata, 4)
        Of each stratum: decisions in (a), answers in (a), decisions in (b), answers in (b).
    weights : {"mantel_haenszel", "equal", "n"}
        w as above; 1; n_a + n_b.

    Returns
    -------
    numpy.ndarray of float64, shape (...)
        NaN where no stratum has both sides.

    Examples
    --------
    >>> import numpy as np
    >>> float(mantel_haenszel(np.array([[10.0, 5, 10, 2], [4.0, 4, 0, 0]])))
    0.3
    """
    return _ratio(_weighted(sums, weights))


def _weighted(sums: Floats, weights: Weights) -> Floats:
    """Return sums over strata, shape (..., 2): of w (p_a - p_b), and of w."""
    n_a, x_a, n_b, x_b = np.moveaxis(sums, -1, 0)
    pairs, total = n_a * n_b, np.where(n_a + n_b > 0, n_a + n_b, 1.0)
    divisor = {"mantel_haenszel": total, "equal": pairs, "n": pairs / total}[weights]
    divisor = np.where(divisor > 0, divisor, 1.0)
    # w (p_a - p_b) = (x_a n_b - x_b n_a) / divisor, which is 0 / 1 where a side is empty.
    return np.stack(
        [((x_a * n_b - x_b * n_a) / divisor).sum(axis=-1), (pairs / divisor).sum(axis=-1)], axis=-1
    )


def _ratio(pair: Floats) -> Floats:
    weight = pair[..., 1]
    return np.where(weight > 0, pair[..., 0] / np.where(weight > 0, weight, 1.0), np.nan)


def stratified_difference(
    name: str,
    points: DecisionPoints,
    event: Bools,
    a: Bools,
    b: Bools,
    stratum: Ints,
    *,
    within_question: bool = False,
    weights: Weights = "mantel_haenszel",
    sides: tuple[str, str] = ("(a), the long run", "(b), the short run"),
) -> Measure:
    """Return the Mantel–Haenszel difference of an event between two sets of decisions.

    Parameters
    ----------
    name : str
        Shown before the number.
    points : DecisionPoints
        The decisions.
    event, a, b : numpy.ndarray of bool, shape (n,)
        What is counted, and the two (disjoint) sets compared.
    stratum : numpy.ndarray of int, shape (n,)
        Stratum of each decision, from 0.
    within_question : bool, default False
        Compare only within a question: strata are question × `stratum`.
    weights : {"mantel_haenszel", "equal", "n"}
        Weights of the strata.
    sides : tuple of str
        What the two sets are called when one is empty.

    Returns
    -------
    Measure
        With the counts and the crude rates of both sets as parts.

    Raises
    ------
    UndefinedEstimateError
        If a set is empty.
    """
    for side, chosen in zip(sides, (a, b), strict=True):
        if not chosen.any():
            raise UndefinedEstimateError(f"{name} is undefined: no decision in group {side}")
    used = a | b
    columns = np.stack([a, a & event, b, b & event], axis=1)[used].astype(np.float64)
    strata, code = np.unique(stratum[used], return_inverse=True)
    question, width = points.question[used], len(strata)
    cells = cluster_sums(question * width + code, points.n_questions * width, columns)
    by_stratum = cells.reshape(points.n_questions, width, 4)
    sums, statistic = by_stratum.reshape(len(by_stratum), -1), _pooled(width, weights)
    if within_question:  # its own strata are resampled with it, so two sums a question are enough
        sums, statistic = _weighted(by_stratum, weights), _ratio
    counts = dict(zip(("n_a", "answers_a", "n_b", "answers_b"), columns.sum(axis=0).tolist(), strict=True))
    rates = {"rate_a": counts["answers_a"] / counts["n_a"], "rate_b": counts["answers_b"] / counts["n_b"]}
    return Measure(
        name, sums, statistic,
        n=int(used.sum()), parts=counts | rates, undefined="no stratum holds decisions of both groups",
    )  # fmt: skip


def _pooled(width: int, weights: Weights) -> Statistic:
    return lambda sums: mantel_haenszel(sums.reshape(*sums.shape[:-1], width, 4), weights)
