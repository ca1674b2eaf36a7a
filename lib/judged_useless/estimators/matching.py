"""What several measures share: the cells and steps they pool, and the stratified difference."""

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.episodes.decisions import DecisionPoints, points_of
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import DEFAULT_BUDGET as DEFAULT_BUDGET
from judged_useless.episodes.schema import EpisodeError, Episodes, with_task

from .estimate import UndefinedEstimateError
from .resampling import Floats, Measure, Statistic, cluster_sums, whole_number

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Weights = Literal["mantel_haenszel", "equal", "n"]
Judgments = Literal["recorded", "stated"]
UNKNOWN_FAILURES = (
    "episodes: which results failed is unknown; expected a 'regime' with a schedule, or 'failed'"
)
#: Regimes in which the source does not fail; its pages may help no more than a failed one's (plausible).
WITHOUT_FAILURE = ("clean", "plausible")


def regime_names(name: str, regimes: Sequence[str]) -> tuple[str, ...]:
    """Return an argument that names regimes to pool, each once; one text would be taken letter by letter."""
    if isinstance(regimes, str):
        raise TypeError(f"{name} must be a list of names, not one text; give [{regimes!r}]")
    names = tuple(regimes)
    if not names:
        raise ValueError(f"{name} must name at least one regime")
    if len(set(names)) < len(names):
        raise ValueError(f"{name} names a regime twice: {', '.join(map(str, names))}")
    return names


def with_judgments(episodes: Episodes, which: Judgments) -> Episodes:
    """Return episodes whose ``judgments`` are the recorded ones, or those ``stated`` (Appendix D.4)."""
    if which == "recorded":
        return episodes
    if which != "stated":
        raise ValueError(f"judgments must be 'recorded' or 'stated', not {which!r}")
    frame = as_frame(episodes, ("question_id", "actions", "stated"))
    try:
        return as_frame(frame.assign(judgments=frame["stated"]))
    except EpisodeError as error:
        raise EpisodeError(str(error).replace("'judgments'", "'stated'")) from error


def warn_if_pooled(episodes: pd.DataFrame, measure: str, stacklevel: int = 3) -> None:
    """Warn if episodes come from several cells: a pooled result may even lie outside of theirs."""
    labels = [name for name in ("model", "condition", "split", "task") if name in episodes]
    if all(len(episodes[name].unique()) == 1 for name in labels):
        return
    cells = with_task(episodes[labels]).drop_duplicates()
    mixed = [name for name in labels if len(cells[name].unique()) > 1]
    if mixed:
        named = "; ".join(" × ".join(map(str, cell)) for cell in cells.head(4).to_numpy())
        rest = f" and {len(cells) - 4} more" if len(cells) > 4 else ""
        warnings.warn(
            f"{measure} pools {len(cells)} cells ({named}{rest}); choose one by {', '.join(mixed)}",
            stacklevel=stacklevel,
        )


def failing_points(episodes: Episodes, measure: str) -> tuple[DecisionPoints, str]:
    """Return the decisions where the source may fail, and a note on the episodes that are left out.

    The paper's measures are over failure regimes, so clean and plausible ones beside those do not count.
    """
    frame = as_frame(episodes)
    warn_if_pooled(frame, measure, 4)
    if "regime" not in frame:
        return points_of(frame), ""
    without = frame["regime"].isin(WITHOUT_FAILURE)
    if not without.any() or without.all():
        return points_of(frame), ""
    names = ", ".join(frame["regime"][without].unique())
    note = f"{int(without.sum()):,} episodes of {names} are left out: the source does not fail there"
    return points_of(frame[~without].reset_index(drop=True)), note


def require_one_cell(frame: pd.DataFrame) -> tuple[Ints, "pd.Index[Any]", Ints, "pd.Index[Any]"]:
    """Refuse episodes of more than one model or condition, where pooling them would mean nothing.

    Returned are the codes of their questions and the questions, and the same of their regimes.
    """
    for name in ("model", "condition"):
        values = frame[name].unique().tolist() if name in frame else []
        if len(values) > 1:
            mixed = ", ".join(map(repr, values[:4]))
            raise EpisodeError(
                f"episodes: field {name!r} mixes {mixed}; give one model and condition at a time"
            )
    question, questions = pd.factorize(frame["question_id"])
    regime, regimes = pd.factorize(frame["regime"])
    if len(np.unique(question * len(regimes) + regime)) < len(frame):
        raise EpisodeError("episodes: a question occurs twice in a regime; give one cell at a time")
    return question, questions, regime, regimes


def budget_of(episodes: pd.DataFrame) -> int:
    """Return the actions an episode may take: ``budget``, or the paper's eight, or the longest episode's.

    The last where it took more than eight and none is stated; :func:`budget_note` says so.
    """
    stated = episodes.get("budget", pd.Series(np.nan, episodes.index))
    if len(same := stated.unique()) == 1 and pd.notna(same[0]):
        return int(same[0])
    stated = pd.to_numeric(stated)
    taken = episodes["actions"][stated.isna()].map(len) if "actions" in episodes else stated[:0]
    budgets = sorted(map(int, stated.fillna(max([DEFAULT_BUDGET, *taken])).unique()))
    if len(budgets) > 1:
        raise EpisodeError(f"episodes: field 'budget' mixes {budgets}; contrast them one by one")
    return budgets[0]


def budget_note(episodes: pd.DataFrame) -> str:
    """Return what is to be said of the budget: empty unless it was taken from the data."""
    budget = budget_of(episodes)
    if budget == DEFAULT_BUDGET or ("budget" in episodes and episodes["budget"].notna().any()):
        return ""
    return f"no budget is stated, so it is taken to be the {budget} actions of the longest episode"


def last_step(points: DecisionPoints, t_max: int | None, least: int = 1) -> int:
    """Return the last decision pooled: `t_max`, or the budget minus 2, before the last chance to answer."""
    return whole_number("t_max", budget_of(points.episodes) - 2 if t_max is None else t_max, least)


def noted(measure: Measure, points: DecisionPoints, t_max: int | None, said: str, judged: bool) -> Measure:
    """Return a measure with what is to be said of its episodes: `said`, their budget, and unread judgments.

    A budget is of no matter where the reader gave `t_max`; judgments are counted if it reads them (`judged`).
    """
    notes, parts = [said], dict(measure.parts)
    if t_max is None:
        notes.append(budget_note(points.episodes))
    if judged:
        inside = points.t <= last_step(points, t_max)
        n_judged, n_unparsed = (int((each & inside).sum()) for each in (points.judged, points.unparsed))
        parts |= {"n_judged": n_judged, "n_unparsed": n_unparsed}
        if n_unparsed:
            notes.append(f"{n_unparsed:,} of {n_judged:,} judgments could not be read, and ended the run")
    return replace(measure, parts=parts, note="; ".join(filter(None, notes)))


def step_window(points: DecisionPoints, t_min: int, t_max: int | None) -> tuple[int, int]:
    """Return the first and last decision pooled: before t = 3, no useless run follows a useful one."""
    return whole_number("t_min", t_min, 3), last_step(points, t_max, t_min)


def require_judgments(name: str, points: DecisionPoints, inside: Bools) -> None:
    """Refuse a measure on judgments when there are none, or none in one of the regimes pooled (`inside`)."""
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
    """Return the difference of two risks pooled over strata, ``sum(w (p_a - p_b)) / sum(w)``.

    `sums`, shape (..., strata, 4), holds decisions in (a), answers in (a), decisions in (b), answers in (b);
    strata with an empty side drop out. w is ``n_a n_b / (n_a + n_b)``, 1 ("equal") or ``n_a + n_b`` ("n").

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


def _pooled(width: int, weights: Weights) -> Statistic:
    return lambda sums: mantel_haenszel(sums.reshape(*sums.shape[:-1], width, 4), weights)


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
    """Return the pooled difference of an event between two disjoint sets of decisions, not yet resampled.

    Strata (from 0) are those of `stratum`, within a question if `within_question`; the parts hold counts and
    crude rates; `sides` name the two sets where one is empty, which is undefined.
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
