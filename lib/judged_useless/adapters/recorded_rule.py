"""The rule played on recorded episodes: what it would have done, and which k and signal to take."""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import decision_points
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.answering import recovers
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.inference import paired_contrast
from judged_useless.estimators.resampling import Options, resampled
from judged_useless.models.base import CHARACTERS_A_TOKEN

#: Run lengths that are tried.
RUNS = range(2, 9)
Fires = list[tuple[int, int]]


def fires_by_k(episodes: pd.DataFrame, ks: Sequence[int]) -> dict[int, Fires]:
    """Return, for each k, where the rule first stops an agent that went on: (row of the episode, t)."""
    points = decision_points(episodes)
    row = np.repeat(np.arange(len(episodes)), [max(len(each) - 1, 0) for each in episodes["actions"]])
    onward = points.assign(row=row)[~points["answered"].to_numpy(dtype=bool)]
    run = onward["run"].fillna(0).to_numpy(dtype=int)
    firsts = {k: onward[run >= k].groupby("row")["t"].first() for k in ks}
    return {k: list(zip(first.index.tolist(), first.tolist(), strict=True)) for k, first in firsts.items()}


def _calls_after(actions: list[Any], fires: Fires) -> int:
    return len([1 for row, t in fires for word in actions[row][t:] if word != "finish"])


def rule_on_trial(episodes: pd.DataFrame, ks: Sequence[int] = RUNS) -> pd.DataFrame:
    """Return what the rule would have done on recorded episodes (a table), had it been there.

    One row a ``k``: ``fires`` (episodes that went on where it would have stopped them), ``episodes``, ``calls
    saved``, ``tokens saved`` (of prompts: each later turn sends all before it; four characters are taken for
    one; missing without texts), ``useful later`` (fires after which a useful result came) and ``right later``
    (fires in episodes that were right in the end; missing where that is unknown).
    """
    judgments, actions = episodes["judgments"].tolist(), episodes["actions"].tolist()
    sizes: list[Any] = episodes["sizes"].tolist() if "sizes" in episodes else [None] * len(episodes)
    table = []
    for k, fires in fires_by_k(episodes, ks).items():
        texts = all(isinstance(sizes[row], list) for row, _ in fires) and "sizes" in episodes
        sent = (
            [int(np.cumsum(sizes[row])[t + 1 : len(actions[row])].sum()) for row, t in fires] if texts else []
        )
        table.append({
            "k": k, "fires": len(fires), "episodes": len(episodes),
            "calls saved": _calls_after(actions, fires),
            "tokens saved": sum(sent) // CHARACTERS_A_TOKEN if texts else None,
            "useful later": len([1 for row, t in fires if "USEFUL" in judgments[row][t:]]),
            "right later": int(episodes["success"].iloc[[row for row, _ in fires]].sum())
            if "success" in episodes else None,
        })  # fmt: skip
    return pd.DataFrame(table).astype(dict.fromkeys(("tokens saved", "right later"), "Int64"))


@resampled
def choose_k(
    episodes: Episodes,
    *,
    ks: Sequence[int] = RUNS,
    signals: Sequence[str] = ("judgments",),
    margin: float = 0.05,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Return what each k and signal would save and cost on development episodes, and which one to take.

    The rule is played on episodes recorded without it. Where it fires, an episode has the success of its
    ``answer_now`` branch there (``judged-useless replay --probe answer-now``); without one it counts as
    wrong, so that the loss is the largest possible.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Of one model and condition, with ``success``, and ``regime`` where there are several.
    ks : sequence of int
        Run lengths.
    signals : sequence of str
        Columns of judgments, such as ``"stated"`` and ``"lexical"`` of a log with conversations.
    margin : float
        Loss of success that is still accepted where the source recovers.

    Returns
    -------
    pandas.DataFrame
        One row a ``signal`` and ``k``: ``fires`` (share of episodes), ``calls saved`` (an episode),
        ``difference``, ``low`` and ``high`` (of success, paired by question), ``worst low`` (the lowest bound
        in a regime whose source recovers), ``non-inferior`` (whether that is above ``-margin``) and
        ``chosen`` (of those that fire and are, the one that saves most).

    Raises
    ------
    UndefinedEstimateError
        If it is not known which episodes were right; `EpisodeError` if a question is twice in a regime.

    Notes
    -----
    A source that recovers after exactly k results is the worst case of a rule with that k: k = 5 costs
    qwen3-8b 0.213 of success where it recovers after five (paper, Table 26). So choose on episodes that
    recover as late as your source does, and confirm on others.
    """
    frame = as_frame(episodes, ("question_id", "actions", "judgments", *signals), beside=True)
    if "success" not in frame:
        raise UndefinedEstimateError("k cannot be chosen: whether the episodes were right is not known")
    frame = frame if "regime" in frame else frame.assign(regime="own")
    regimes = list(dict.fromkeys(frame["regime"]))
    recovering = [each for each in regimes if recovers(each)]
    branches: list[Any] = frame["answer_now"].tolist() if "answer_now" in frame else [None] * len(frame)
    rows = []
    for signal in signals:
        words: list[Any] = [[] if each is None else each for each in frame[signal]]
        for k, fires in fires_by_k(frame.assign(judgments=words), ks).items():
            success = frame["success"].to_numpy(dtype=bool).copy()
            for row, t in fires:
                success[row] = branches[row] is not None and [*branches[row][:t], False][t - 1] is True
            ruled = frame.assign(success=success)
            every = paired_contrast(ruled, frame, regimes=regimes, **options)
            each = [paired_contrast(ruled, frame, regimes=[name], **options) for name in recovering]
            worst = min(one.value if one.low is None else one.low for one in each or [every])
            rows.append({
                "signal": signal, "k": k, "fires": len(fires) / len(frame),
                "calls saved": _calls_after(frame["actions"].tolist(), fires) / len(frame),
                "difference": every.value, "low": every.low, "high": every.high,
                "worst low": worst, "non-inferior": worst > -margin,
            })  # fmt: skip
    table = pd.DataFrame(rows)
    saved = table["calls saved"].where(table["non-inferior"] & (table["fires"] > 0), -1.0)
    return table.assign(chosen=(table.index == saved.idxmax()) & (saved >= 0))
