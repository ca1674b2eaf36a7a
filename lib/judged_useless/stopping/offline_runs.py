"""Recorded runs of an agent, aligned with the answer-now branches replayed from their decisions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError

from judged_useless._io.messages import first_fault
from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.frames import UNKNOWN, as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.matching import regime_names, require_one_cell
from judged_useless.estimators.resampling import Floats
from judged_useless.estimators.success import TOOLS, tool_call_counts

from .stopping_policies import StoppingPolicy

Branches = pd.DataFrame | Iterable[Mapping[str, Any]]

FIELDS = ("question_id", "regime", "actions", "judgments", "success")
NEVER = -1


def _whole(value: object) -> object:
    # A column with a missing value turns whole numbers into floats.
    return int(value) if isinstance(value, float) and value.is_integer() else value


class _Branch(BaseModel):
    """One answer-now branch, as it is given."""

    model_config = ConfigDict(strict=True)

    question_id: str
    regime: str
    t: Annotated[int, BeforeValidator(_whole), Field(ge=1)]
    success: bool


_BRANCHES = TypeAdapter(list[_Branch])


@dataclass(frozen=True)
class OfflineRuns:
    """Recorded runs and their answer-now branches, aligned."""

    frame: pd.DataFrame
    points: DecisionPoints
    branch: Floats  # (decisions,), success of the answer-now branch, NaN where there is none
    calls_before: Floats  # (decisions,), tool calls made before each
    own_success: Floats  # (runs,)
    own_calls: Floats  # (runs,)


def _branch_table(branches: Branches) -> pd.DataFrame:
    rows = branches.to_dict("records") if isinstance(branches, pd.DataFrame) else branches
    if isinstance(rows, str | bytes | Mapping) or not isinstance(rows, Iterable):
        raise TypeError(f"expected branches (a table or mappings), not {type(branches).__name__}")
    try:
        checked = _BRANCHES.validate_python([dict(row) for row in rows])
    except ValidationError as error:
        raise EpisodeError(f"branches{first_fault(error)}") from error
    columns = list(_Branch.model_fields)
    table = pd.DataFrame([tuple(branch.__dict__.values()) for branch in checked], columns=columns)
    repeated = table.duplicated(["question_id", "regime", "t"])
    if repeated.any():
        row = int(repeated.to_numpy().argmax()) + 1
        raise EpisodeError(f"branches, entry {row}: a second branch of the same question, regime and t")
    return table


def aligned_runs(episodes: Episodes, branches: Branches, regimes: Sequence[str]) -> OfflineRuns:
    """Return the runs of some regimes, all of which are there, with their answer-now branches."""
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
    labels = [frame[name].to_numpy()[points.episode] for name in ("question_id", "regime")]
    place = keys.get_indexer(pd.MultiIndex.from_arrays([*labels, points.t]))
    success = np.append(table["success"].to_numpy(dtype=np.float64), np.nan)  # place -1: no branch
    calls = [np.cumsum([action in TOOLS for action in actions]) for actions in frame["actions"]]
    before = [calls[episode][t - 1] for episode, t in zip(points.episode, points.t, strict=True)]
    own = frame["success"].to_numpy(dtype=np.float64)
    calls_before = np.array(before, dtype=np.float64)
    return OfflineRuns(frame, points, success[place], calls_before, own, tool_call_counts(frame))


def first_firing(policy: StoppingPolicy, runs: OfflineRuns) -> NDArray[np.int64]:
    """Return, for each run, the decision point at which a policy fires first, or -1."""
    points = runs.points
    if policy.own is not None:
        unknown = points.run == UNKNOWN
        if unknown.any():
            regime = runs.frame["regime"].iloc[int(points.episode[unknown][0])]
            raise UndefinedEstimateError(f"policy {policy.name!r} is undefined: {regime} has no judgments")
    first = np.full(len(runs.frame), NEVER)
    fired = np.flatnonzero(policy.answers(points.t, points.run))[::-1]
    first[points.episode[fired]] = fired  # the earliest is written last
    return first


def branches_at(name: str, first: NDArray[np.int64], runs: OfflineRuns) -> Floats:
    """Return success of the branches at some decisions, of which none may be missing."""
    branch = runs.branch[first]
    lacking = int(np.isnan(branch).sum())
    if lacking:
        which = f"{lacking} of the {len(first)} decisions at which it answers"
        raise UndefinedEstimateError(f"{name} is undefined: {which} have no answer-now branch")
    return branch
