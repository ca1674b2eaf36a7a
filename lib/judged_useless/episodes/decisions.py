"""Decision points, the one long table behind every stopping measure, and small tables of episodes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS

from .frames import FINISH, NONE, UNKNOWN, UNPARSED, USEFUL, USELESS, Ints, as_frame, current_run, steps_of
from .schema import EpisodeError, Episodes, missing

Bools = NDArray[np.bool_]

_LABELS = ("model", "condition", "split", "question_id", "regime")


def _masked(run: Ints) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(run, run == UNKNOWN)


@dataclass(frozen=True)
class DecisionPoints:
    """All decision points of some episodes, as arrays of one length.

    Attributes
    ----------
    episodes : pandas.DataFrame
        The episodes, one row each.
    questions : tuple of str
        Question ids in order of first appearance; the clusters of the bootstrap.
    episode, question, t, action : numpy.ndarray of int, shape (n,)
        Row of the episode, index into `questions`, number of results seen, code of the action taken.
    answered, is_last : numpy.ndarray of bool, shape (n,)
        Whether that action is finish; whether it is the episode's last action.
    run : numpy.ndarray of int, shape (n,)
        Results in a row that the agent had judged USELESS; -1 where that cannot be known.
    judged, unparsed, earlier_useful : numpy.ndarray of bool, shape (n,)
        Whether the latest result has a judgment, and whether that is UNPARSED; whether any result so far was
        judged USEFUL.
    failed_run : numpy.ndarray of int, shape (n,)
        Results in a row that failed by design; -1 where the regime is unknown and no ``failed`` is given.
    """

    episodes: pd.DataFrame
    questions: tuple[str, ...]
    episode: Ints
    question: Ints
    t: Ints
    action: Ints
    answered: Bools
    is_last: Bools
    run: Ints
    judged: Bools
    unparsed: Bools
    earlier_useful: Bools
    failed_run: Ints

    @property
    def n_questions(self) -> int:
        """Number of questions, whether or not they have a decision point."""
        return len(self.questions)

    def label_codes(self, name: str) -> tuple[Ints, tuple[str, ...]]:
        """Return the codes of an episode label (such as ``regime``) at each decision, and its values."""
        if name not in self.episodes:
            raise EpisodeError(f"episodes: field {name!r} is missing, and this measure needs it")
        codes, values = pd.factorize(self.episodes[name])
        return codes[self.episode].astype(np.int64), tuple(map(str, values))

    def replies(self, *names: str) -> list[Any]:
        """Return the entry for each decision in the first of these fields of a probe that an episode has."""
        columns = [self.episodes[name] for name in names if name in self.episodes]
        lists = [next((each for each in row if not missing(each)), ()) for row in zip(*columns, strict=True)]
        places = zip(self.episode.tolist(), (self.t - 1).tolist(), strict=True)
        found = [lists[row][at] if columns and at < len(lists[row]) else None for row, at in places]
        return [None if missing(each) else each for each in found]

    def frame(self) -> pd.DataFrame:
        """Return the long table, with labels in words and unknown runs as missing values."""
        there = [name for name in _LABELS if name in self.episodes]
        labels = {name: self.episodes[name].to_numpy()[self.episode] for name in there}
        return pd.DataFrame(labels).assign(
            t=self.t, action=np.asarray(ACTIONS, dtype=object)[self.action], answered=self.answered,
            run=_masked(self.run), earlier_useful=self.earlier_useful, failed_run=_masked(self.failed_run),
            is_last=self.is_last,
        )  # fmt: skip


def build_decision_points(episodes: Episodes) -> DecisionPoints:
    """Return the decision points of episodes as arrays; see :func:`decision_points`."""
    return points_of(as_frame(episodes))


def points_of(frame: pd.DataFrame) -> DecisionPoints:
    """Return the decision points of checked episodes.

    Decision t is the action taken after t results, ``actions[t]``; an episode with n actions has decisions
    1 to n - 1 (paper, Appendix C.1).
    """
    steps = steps_of(frame)
    start = steps.start
    place = np.arange(len(start))
    now = np.flatnonzero(place > start)
    before, episode = now - 1, steps.episode[now]
    useful = np.maximum.accumulate(np.where(steps.judgment == USEFUL, place, -1)) >= start
    # A known success ends the run of failures, an unknown one hides it.
    as_judgments = np.select([steps.failed == 1, steps.failed == 0], [USELESS, USEFUL], NONE)
    question, questions = pd.factorize(frame["question_id"])
    t, action, judgment = (place - start)[now], steps.action[now], steps.judgment[before]
    return DecisionPoints(
        frame, tuple(map(str, questions)), episode, question[episode].astype(np.int64), t, action,
        answered=action == FINISH, is_last=t + 1 == steps.n_actions[episode],
        run=current_run(steps.judgment, start)[before], judged=judgment != NONE,
        unparsed=judgment == UNPARSED, earlier_useful=useful[before],
        failed_run=current_run(as_judgments, start)[before],
    )  # fmt: skip


def decision_points(episodes: Episodes) -> pd.DataFrame:
    """Return the long table of decision points.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Episodes with at least ``question_id``, ``actions`` and ``judgments``.

    Returns
    -------
    pandas.DataFrame
        One row a decision, in the order of the episodes: ``model, condition, split, question_id, regime``
        (as far as the episodes have them), ``t`` (results seen, from 1), ``action``, ``answered``, ``run``
        (results judged USELESS in a row, missing where unknown), ``earlier_useful``, ``failed_run``
        (results failed by design in a row) and ``is_last``.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.

    Examples
    --------
    >>> episode = {"question_id": "q", "actions": ["search", "lookup", "finish"]}
    >>> episode["judgments"] = ["USELESS", "USEFUL"]
    >>> decision_points([episode])[["t", "answered", "run", "earlier_useful"]].values.tolist()
    [[1, False, 1, False], [2, True, 0, True]]
    """
    return build_decision_points(episodes).frame()


def observation_table(episodes: Episodes) -> pd.DataFrame:
    """Return the long table of observations, one row for each action other than finish.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Episodes with at least ``question_id``, ``regime``, ``actions`` and ``judgments``.

    Returns
    -------
    pandas.DataFrame
        In the order of the episodes: ``model, condition, split`` (as far as they are there),
        ``question_id, regime``, ``t`` (index of the observation, from 1), ``judgment`` (missing where there
        is none) and ``failed`` (by design; missing for an unknown regime without a ``failed`` field).

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    return observations_of(frame).reset_index(drop=True)


def observations_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the table of :func:`observation_table` of checked episodes; its index is the episode's row."""
    steps = steps_of(frame)
    observed = steps.action != FINISH
    failed, episode = steps.failed[observed], steps.episode[observed]
    labels = {name: frame[name].to_numpy()[episode] for name in _LABELS if name in frame}
    return pd.DataFrame(labels, index=episode).assign(
        t=(np.arange(len(observed)) - steps.start)[observed] + 1,
        judgment=np.array([*JUDGMENTS, None], dtype=object)[steps.judgment[observed]],
        failed=pd.arrays.BooleanArray(failed == 1, failed == NONE),
    )


def how_episodes_end(episodes: Episodes) -> pd.DataFrame:
    """Return how episodes (with a ``regime``) end, one row a regime.

    Columns ``regime``, ``episodes``, ``share answered`` (ended in finish), ``median answering action``
    (1-based, among those; missing without an answer) and ``tool calls`` (mean per episode).
    """
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    length = frame["actions"].map(len)
    answered = frame["actions"].map(lambda actions: list(actions[-1:]) == ["finish"]).astype(bool)
    facts = frame[["regime"]].assign(answered=answered, at=length.where(answered), calls=length - answered)
    shown = {
        "episodes": ("calls", "size"), "share answered": ("answered", "mean"),
        "median answering action": ("at", "median"), "tool calls": ("calls", "mean"),
    }  # fmt: skip
    table = facts.groupby("regime", sort=False).agg(**shown)
    return table.round({"share answered": 3, "tool calls": 2}).reset_index()


def contrasted_decisions(episodes: Episodes, *, t_min: int = 3, t_max: int = 6) -> pd.DataFrame:
    """Return how many decisions and answers each group of Δ holds, from step `t_min` to `t_max`.

    One row a step: ``t``, ``decisions (a)``, ``answers (a)``, ``decisions (b)``, ``answers (b)``.
    """
    points = build_decision_points(episodes)
    table = {"t": np.arange(t_min, t_max + 1)}
    groups = {"a": points.run == points.t, "b": (points.run >= 1) & (points.run <= points.t - 2)}
    for name, member in groups.items():
        for what, counted in (("decisions", member), ("answers", member & points.answered)):
            at = np.bincount(points.t[counted], minlength=t_max + 1)
            table[f"{what} ({name})"] = at[t_min : t_max + 1]
    return pd.DataFrame(table)


def judged_by_position(episodes: Episodes) -> pd.DataFrame:
    """Return how often results are judged useless, by their position in episodes with a ``regime``.

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
