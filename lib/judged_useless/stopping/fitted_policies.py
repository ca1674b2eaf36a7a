"""Stopping policies evaluated offline on recorded runs (paper, Appendix D.2).

A policy that stops at a decision is credited with the answer-now branch replayed from there, or with the
run's own outcome if the agent had answered before the policy fires.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless._io.strict_json import shown
from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.episodes.steps import UNKNOWN
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.matching import DEFAULT_BUDGET, regime_names, require_one_cell
from judged_useless.estimators.resampling import Floats, whole_number
from judged_useless.estimators.success import TOOLS, tool_call_counts

Branches = pd.DataFrame | Iterable[Mapping[str, Any]]

FIELDS = ("question_id", "regime", "actions", "judgments", "success")
_BRANCH_FIELDS = ("question_id", "regime", "t", "success")
NEVER = -1
#: More than any budget has.
_MOST_RESULTS = 1e6
#: Field of a branch -> its check, and what it expects.
_BRANCH_KINDS: dict[str, tuple[Callable[[object], bool], str]] = {
    "question_id": (lambda value: isinstance(value, str), "a text"),
    "regime": (lambda value: isinstance(value, str), "a text"),
    "t": (lambda value: _results_seen(value), "a whole number of results, at least 1"),
    "success": (lambda value: isinstance(value, bool | np.bool_), "true or false"),
}


@dataclass(frozen=True)
class StoppingPolicy:
    """Answer after the `cap`-th observation, after a run of `own` useless judgments, or whichever is first.

    Attributes
    ----------
    cap : int or None
        Observations after which to answer; None for no cap.
    own : int or None
        Consecutive USELESS judgments after which to answer; None to ignore judgments.

    Raises
    ------
    TypeError
        If one is not a whole number.
    ValueError
        If one is below 1, or there is none.
    """

    cap: int | None = None
    own: int | None = None

    def __post_init__(self) -> None:
        if self.cap is None and self.own is None:
            raise ValueError("a policy needs a cap, a run of own judgments, or both")
        for name in ("cap", "own"):
            value = getattr(self, name)
            if value is not None:
                whole_number(name, value)

    @property
    def name(self) -> str:
        """The paper's name: ``cap 3``, ``own 5``, ``own 3 or cap 5``."""
        own = "" if self.own is None else f"own {self.own}"
        cap = "" if self.cap is None else f"cap {self.cap}"
        return " or ".join(filter(None, (own, cap)))

    def fires(self, points: DecisionPoints) -> NDArray[np.bool_]:
        """Return at which decisions the policy answers, shape (n,)."""
        fires = np.zeros(len(points.t), dtype=bool)
        if self.cap is not None:
            fires |= points.t >= self.cap
        if self.own is not None:
            fires |= points.run >= self.own
        return fires


def simple_policies(budget: int = DEFAULT_BUDGET) -> list[StoppingPolicy]:
    """Return every cap, run-length and combined policy that can fire within a budget.

    Parameters
    ----------
    budget : int, default 8
        Actions an episode may take; the last decision comes after budget - 1 observations.

    Returns
    -------
    list of StoppingPolicy
        Caps and runs from 1 to budget - 1, and each run with each longer cap (a cap that is not longer than
        the run always fires first).

    Examples
    --------
    >>> [policy.name for policy in simple_policies(3)]
    ['cap 1', 'cap 2', 'own 1', 'own 2', 'own 1 or cap 2']
    """
    steps = range(1, budget)
    return [
        *(StoppingPolicy(cap=c) for c in steps),
        *(StoppingPolicy(own=k) for k in steps),
        *(StoppingPolicy(cap=c, own=k) for k in steps for c in steps if c > k),
    ]


@dataclass(frozen=True)
class OfflineRuns:
    """Recorded runs and their answer-now branches, aligned.

    Attributes
    ----------
    frame : pandas.DataFrame
        The runs, one row each.
    points : DecisionPoints
        Their decisions.
    branch : numpy.ndarray of float64, shape (decisions,)
        Success of the answer-now branch at each decision; NaN where there is none.
    calls_before : numpy.ndarray of float64, shape (decisions,)
        Tool calls made before each decision.
    own_success, own_calls : numpy.ndarray of float64, shape (runs,)
        What each run itself achieved, and its tool calls.
    """

    frame: pd.DataFrame
    points: DecisionPoints
    branch: Floats
    calls_before: Floats
    own_success: Floats
    own_calls: Floats


def _branch_table(branches: Branches) -> pd.DataFrame:
    if isinstance(branches, str | bytes | Mapping) or not isinstance(branches, Iterable):
        raise TypeError(f"expected branches (a table or mappings), not {type(branches).__name__}")
    table = branches if isinstance(branches, pd.DataFrame) else pd.DataFrame.from_records(list(branches))
    missing = [name for name in _BRANCH_FIELDS if name not in table]
    if missing:
        raise EpisodeError(f"branches: field {missing[0]!r} is missing; expected {', '.join(_BRANCH_FIELDS)}")
    for name, (sound, expected) in _BRANCH_KINDS.items():
        for row, value in enumerate(table[name].tolist(), 1):
            if not sound(value):
                raise EpisodeError(
                    f"branches, row {row}: field {name!r}: expected {expected}, found {shown(value)}"
                )
    table = table.astype({"t": np.int64})
    repeated = table.duplicated(["question_id", "regime", "t"])
    if repeated.any():
        row = int(repeated.to_numpy().argmax())
        raise EpisodeError(f"branches, row {row + 1}: a second branch of the same question, regime and t")
    return table


def _results_seen(value: object) -> bool:
    whole = isinstance(value, int | np.integer) or (isinstance(value, float) and value.is_integer())
    return whole and not isinstance(value, bool) and 1 <= float(str(value)) < _MOST_RESULTS


def aligned_runs(episodes: Episodes, branches: Branches, regimes: Sequence[str]) -> OfflineRuns:
    """Return the runs of some regimes with their answer-now branches.

    Raises
    ------
    UndefinedEstimateError
        If a regime has no episode.
    EpisodeError
        If an episode or a branch is not what is expected, or models and conditions are mixed.
    TypeError, ValueError
        If `regimes` is one text, empty, or has one twice.
    """
    names = regime_names("regimes", regimes)
    frame = as_frame(episodes, FIELDS)
    frame = frame[frame["regime"].isin(names)].reset_index(drop=True)
    missing = [name for name in names if name not in set(frame["regime"])]
    if missing:
        raise UndefinedEstimateError(f"the policies are undefined: no episode of regime {', '.join(missing)}")
    require_one_cell(frame)
    points = build_decision_points(frame)
    table = _branch_table(branches)
    keys = pd.MultiIndex.from_frame(table[["question_id", "regime", "t"]])
    place = keys.get_indexer(
        pd.MultiIndex.from_arrays(
            [
                frame["question_id"].to_numpy()[points.episode],
                frame["regime"].to_numpy()[points.episode],
                points.t,
            ]
        )
    )
    success = table["success"].to_numpy(dtype=np.float64)
    tool = [[action in TOOLS for action in actions] for actions in frame["actions"]]
    before = np.array(
        [
            sum(tool[episode][:t])
            for episode, t in zip(points.episode.tolist(), points.t.tolist(), strict=True)
        ],
        dtype=np.float64,
    )
    return OfflineRuns(
        frame, points, np.where(place >= 0, success[place], np.nan), before,
        frame["success"].to_numpy(dtype=np.float64), tool_call_counts(frame),
    )  # fmt: skip


def first_firing(policy: StoppingPolicy, data: OfflineRuns) -> NDArray[np.int64]:
    """Return, for each run, the decision point at which a policy fires first, or -1.

    Raises
    ------
    UndefinedEstimateError
        If the policy asks for judgments that are missing.
    """
    points = data.points
    if policy.own is not None:
        unknown = points.run == UNKNOWN
        if unknown.any():
            regime = data.frame["regime"].iloc[int(points.episode[unknown][0])]
            raise UndefinedEstimateError(
                f"policy {policy.name!r} is undefined: results of regime {regime} have no judgment"
            )
    first = np.full(len(data.frame), NEVER)
    fired = np.flatnonzero(policy.fires(points))[::-1]
    first[points.episode[fired]] = fired  # the earliest is written last
    return first


def outcome(policy: StoppingPolicy, data: OfflineRuns) -> tuple[Floats, Floats]:
    """Return success and tool calls of each run under a policy, both of shape (runs,).

    Raises
    ------
    UndefinedEstimateError
        If judgments are missing for an own-judgment policy, or a branch is missing where the policy fires.
    """
    first = first_firing(policy, data)
    fires = first != NEVER
    branch = data.branch[first]
    if np.isnan(branch[fires]).any():
        lacking = int(np.isnan(branch[fires]).sum())
        raise UndefinedEstimateError(
            f"policy {policy.name!r} is undefined: {lacking} of the {int(fires.sum())} decisions at which it "
            "fires have no answer-now branch"
        )
    success = np.where(fires, branch, data.own_success)
    return success, np.where(fires, data.calls_before[first], data.own_calls)
