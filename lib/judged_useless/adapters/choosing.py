"""Choosing k and the signal on one's own development episodes."""

from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import pandas as pd

from judged_useless.adapters.auditing import RUNS, decisions_that_go_on, first_fires
from judged_useless.environment.regimes import get_regime
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.inference import paired_contrast
from judged_useless.estimators.resampling import Options, resampled


def _recovers(name: str) -> bool:
    """Tell whether a useful result may follow useless ones; of a regime that is not ours that is assumed."""
    try:
        schedule = [get_regime(name).failed(t) for t in range(1, 33)]
    except ValueError:
        return True
    return True in schedule and False in schedule[schedule.index(True) :]


@resampled
def choose_k(
    episodes: Episodes,
    *,
    ks: Sequence[int] = RUNS,
    signals: Sequence[str] = ("judgments",),
    margin: float = 0.05,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Return what each k and signal would save and cost, and which one to take.

    The rule is played on recorded episodes that ran without it. Where it fires, the episode has the success
    of its ``answer_now`` branch at that step (probe ``answer-now`` of ``judged-useless replay``); without
    such a branch it counts as wrong, so that the loss is the largest possible.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Development episodes of one model and condition, with ``question_id``, ``actions``, ``judgments`` and
        ``success``; with ``regime`` where there are several.
    ks : sequence of int, default 2..8
        Run lengths.
    signals : sequence of str, default ("judgments",)
        Columns of judgments, such as ``"stated"`` and ``"lexical"`` of a log with conversations.
    margin : float, default 0.05
        Loss of success that is still accepted where the source recovers.

    Returns
    -------
    pandas.DataFrame
        One row a signal and k: ``fires`` (share of episodes), ``calls saved`` (an episode), ``difference``,
        ``low`` and ``high`` (of success, paired by question, over all regimes), ``worst low`` (the lowest
        bound in a regime whose source recovers, missing without one), ``non-inferior`` (whether that is above
        ``-margin``) and ``chosen``: of those that are, the one that saves most; none where none is.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or a question occurs twice in a regime.

    Notes
    -----
    A source that recovers after exactly k results is the worst case of a rule with that k, and is seen only
    if it is among the episodes: in the paper k = 5 costs qwen3-8b 0.213 of success where the source recovers
    after exactly five (Table 26). Choose k on episodes that recover as late as your source does.
    """
    frame = as_frame(episodes, ("question_id", "actions", "judgments", "success", *signals))
    frame = frame if "regime" in frame else frame.assign(regime="own")
    regimes = list(dict.fromkeys(frame["regime"]))
    branches: list[Any] = frame["answer_now"].tolist() if "answer_now" in frame else [None] * len(frame)
    rows = []
    for signal in signals:
        words: list[Any] = [[] if each is None else each for each in frame[signal]]
        judged = frame.assign(judgments=words)
        goes_on = decisions_that_go_on(judged)
        for k in ks:
            success, saved = frame["success"].to_numpy(dtype=bool).copy(), 0
            fired = first_fires(goes_on, k)
            for row, t in fired:
                branch = branches[row]
                known = branch is not None and t <= len(branch) and branch[t - 1] is not None
                success[row] = known and bool(branch[t - 1])
                saved += sum(word != "finish" for word in frame["actions"].iloc[row][t:])
            ruled = frame.assign(success=success)
            every = paired_contrast(ruled, frame, regimes=regimes, **options)
            recovering = [[regime] for regime in regimes if _recovers(regime)]
            bounds = [paired_contrast(ruled, frame, regimes=each, **options) for each in recovering]
            lows = [each.value if each.low is None else each.low for each in bounds]
            rows.append({
                "signal": signal, "k": k, "fires": len(fired) / len(frame), "calls saved": saved / len(frame),
                "difference": every.value, "low": every.low, "high": every.high,
                "worst low": min(lows, default=np.nan),
                "non-inferior": min(lows, default=every.value if every.low is None else every.low) > -margin,
            })  # fmt: skip
    table = pd.DataFrame(rows)
    good = table[table["non-inferior"] & (table["fires"] > 0)]
    best = good["calls saved"].idxmax() if len(good) else -1
    return table.assign(chosen=table.index == best)
