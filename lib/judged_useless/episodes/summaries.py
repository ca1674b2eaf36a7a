"""Small descriptive tables of episodes, for pages."""

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import build_decision_points, observation_table
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import Episodes


def how_episodes_end(episodes: Episodes) -> pd.DataFrame:
    """Return how episodes end, by regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``.

    Returns
    -------
    pandas.DataFrame
        Columns ``regime``, ``episodes``, ``share answered`` (ended in finish), ``median answering action``
        (1-based, among those; missing without an answer) and ``tool calls`` (mean per episode).
    """
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    length = frame["actions"].map(len)
    answered = frame["actions"].map(lambda actions: len(actions) > 0 and actions[-1] == "finish").astype(bool)
    facts = pd.DataFrame(
        {
            "regime": frame["regime"],
            "answered": answered,
            "answering action": length.where(answered),
            "calls": length - answered,
        }
    )
    grouped = facts.groupby("regime", sort=False)
    return pd.DataFrame(
        {
            "episodes": grouped.size(),
            "share answered": grouped["answered"].mean().round(3),
            "median answering action": grouped["answering action"].median(),
            "tool calls": grouped["calls"].mean().round(2),
        }
    ).reset_index()


def contrasted_decisions(episodes: Episodes, *, t_min: int = 3, t_max: int = 6) -> pd.DataFrame:
    """Return how many decisions and answers each group of Δ holds, by step.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``actions`` and ``judgments``.
    t_min, t_max : int, default 3 and 6
        First and last step.

    Returns
    -------
    pandas.DataFrame
        One row a step: ``t``, ``decisions (a)``, ``answers (a)``, ``decisions (b)``, ``answers (b)``.
    """
    points = build_decision_points(episodes)
    steps = np.arange(t_min, t_max + 1)
    at = points.t == steps[:, None]
    table = {"t": steps}
    groups = {"a": points.run == points.t, "b": (points.run >= 1) & (points.run <= points.t - 2)}
    for name, member in groups.items():
        table[f"decisions ({name})"] = (at & member).sum(axis=1)
        table[f"answers ({name})"] = (at & member & points.answered).sum(axis=1)
    return pd.DataFrame(table)


def judged_by_position(episodes: Episodes) -> pd.DataFrame:
    """Return how often results are judged useless, by their position in the episode.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``.

    Returns
    -------
    pandas.DataFrame
        One row a kind of result and position: ``failed`` (by design), ``t`` (position, from 1), ``useless``
        (share judged USELESS, of the judged ones) and ``n`` (judgments). Results without a judgment, or of an
        unknown kind, are left out.

    Examples
    --------
    >>> episode = {"question_id": "q", "regime": "recover_after_1", "actions": ["search", "search", "finish"]}
    >>> judged_by_position([episode | {"judgments": ["USELESS", "USEFUL"]}]).values.tolist()
    [[False, 2, 0.0, 1], [True, 1, 1.0, 1]]
    """
    table = observation_table(episodes)
    judged = table[table["judgment"].notna() & table["failed"].notna()]
    useless = (judged["judgment"] == "USELESS").groupby([judged["failed"].astype(bool), judged["t"]])
    return useless.agg(useless="mean", n="size").reset_index()
