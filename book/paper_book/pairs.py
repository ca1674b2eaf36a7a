"""Two episodes of one question: which question is shown, and what happened in each, step by step."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from judged_useless.episodes.decisions import build_decision_points, observation_table
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError

_FIELDS = ("question_id", "regime", "actions", "judgments", "success")


def _in_regime(episodes: pd.DataFrame, regime: str) -> pd.DataFrame:
    """Return the episodes of a regime by question, with how they end and how long their run gets."""
    chosen = episodes[episodes["regime"] == regime]
    if chosen.empty:
        return chosen
    frame = as_frame(chosen, _FIELDS)
    points = build_decision_points(frame)
    longest = np.zeros(len(frame), dtype=np.int64)
    np.maximum.at(longest, points.episode, points.run)
    answered = frame["actions"].map(lambda actions: len(actions) > 0 and actions[-1] == "finish").astype(bool)
    budget = frame.get("budget", pd.Series(8, index=frame.index)).fillna(8)
    spent = ~answered & (frame["actions"].map(len) >= budget)
    frame = frame.assign(longest=longest, answered=answered, spent=spent)
    return frame.drop_duplicates("question_id").set_index("question_id")


def first_rescued_question(
    alone: pd.DataFrame, ruled: pd.DataFrame, *, regime: str = "persistent", k: int = 5
) -> tuple[str, str]:
    """Choose the question that is shown in both arms, by a rule that leaves nothing to choose.

    The first question, in the order of `alone`, on which (1) the agent left alone judges k results in a row
    useless while an action is still to come, and uses up its budget without an answer; (2) in the other arm
    the judgments reach k in a row in the same way, so that the rule fires; (3) the answer there is right.
    This is the rule of the paper's Appendix B.3 and the judgments of the agent left alone, which the paper's
    example does not have.

    Parameters
    ----------
    alone, ruled : pandas.DataFrame
        Episodes of one model: left alone, and with the rule enforced; either may be empty.
    regime : str, default "persistent"
        Regime in which both are looked at.
    k : int, default 5
        Run of useless judgments at which the rule fires.

    Returns
    -------
    question_id : str
        Empty if there is none.
    reason : str
        Why there is none; empty if there is one.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.

    References
    ----------
    Paper, Appendix B.3 (arXiv:2610.06191).
    """
    first, second = _in_regime(alone, regime), _in_regime(ruled, regime)
    for frame, arm in ((first, "agent left alone"), (second, "enforced rule")):
        if frame.empty:
            return "", f"there is no episode of the {arm} in the regime {regime}"
    both = [name for name in first.index if name in second.index]
    if not both:
        return "", "the two arms have no question in common"
    one, other = first.loc[both], second.loc[both]
    spends = one["spent"] & (one["longest"] >= k)
    rescued = other["answered"] & (other["longest"] >= k) & other["success"]
    fits = spends & rescued
    if not fits.any():
        return "", (
            f"none of the {len(both)} questions in both arms fits: on {int(spends.sum())} the agent left "
            f"alone spends its budget after {k} useless results in a row, on {int(rescued.sum())} the rule "
            "fires and the answer is right, on none both"
        )
    return str(fits.idxmax()), ""


def episode_steps(episodes: pd.DataFrame, question_id: str, regime: str = "persistent") -> pd.DataFrame:
    """Return what happened in one episode, action by action.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of one model and condition.
    question_id, regime : str
        Which one; the first, if there are several.

    Returns
    -------
    pandas.DataFrame
        One row an action: ``t`` (from 1), ``action``, ``failed`` (whether its result failed by design),
        ``judgment`` and ``run`` (results in a row judged USELESS, this one included); missing where there is
        no result or nothing is known.

    Raises
    ------
    EpisodeError
        If there is no such episode, or it is not what the schema says.

    Examples
    --------
    >>> import pandas as pd
    >>> row = {"question_id": "q", "regime": "persistent", "actions": ["search", "finish"]}
    >>> episode_steps(pd.DataFrame([row | {"judgments": ["USELESS"]}]), "q").to_dict("records")[0]
    {'t': 1, 'action': 'search', 'failed': True, 'judgment': 'USELESS', 'run': 1}
    """
    chosen = episodes[(episodes["question_id"] == question_id) & (episodes["regime"] == regime)].head(1)
    if chosen.empty:
        raise EpisodeError(f"episodes: none of question {question_id!r} in the regime {regime!r}")
    seen = {row["t"]: row for row in observation_table(chosen).to_dict("records")}
    return pd.DataFrame(
        _steps(list(chosen["actions"].iloc[0]), seen),
        columns=["t", "action", "failed", "judgment", "run"],
        dtype=object,
    )


def _steps(actions: list[str], seen: dict[Any, dict[Any, Any]]) -> Iterator[tuple[object, ...]]:
    run: int | None = 0
    for t, action in enumerate(actions, 1):
        if action == "finish":
            yield t, action, None, None, None
            continue
        judgment, failed = (seen[t][name] if t in seen else None for name in ("judgment", "failed"))
        judgment = None if pd.isna(judgment) else judgment
        failed = None if pd.isna(failed) else bool(failed)
        if judgment is None:
            run = None  # nothing is known of a run with a gap
        elif judgment == "USELESS":
            run = None if run is None else run + 1
        else:
            run = 0
        yield t, action, failed, judgment, run
