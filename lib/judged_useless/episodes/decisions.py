"""Decision points: the one long table behind every stopping measure."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.environment.regimes import get_regime
from judged_useless.episodes.codes import NONE, code_matrix
from judged_useless.episodes.frames import as_codes
from judged_useless.episodes.frames import as_frame as as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

_USELESS, _USEFUL = JUDGMENTS.index("USELESS"), JUDGMENTS.index("USEFUL")
_BACKUP, _FINISH = ACTIONS.index("backup_search"), ACTIONS.index("finish")
_LOOKUP = ACTIONS.index("lookup")
_LABELS = ("model", "condition", "split", "regime")
#: A run that cannot be known, because a judgment in it is missing.
UNKNOWN = -1


def current_run(judgments: Ints) -> Ints:
    """Return the current run of USELESS after each judgment.

    A judgment other than USELESS ends the run; a missing one makes it unknown until a judgment other than
    USELESS has been given (paper, Appendix D.4).

    Parameters
    ----------
    judgments : numpy.ndarray of int, shape (n, width)
        Codes of :data:`~judged_useless.episodes.schema.JUDGMENTS`; -1 where there is none.

    Returns
    -------
    numpy.ndarray of int, shape (n, width)
        Run length, or :data:`UNKNOWN`.
    """
    run = np.zeros_like(judgments)
    before = np.zeros(len(judgments), dtype=np.int64)
    for t in range(judgments.shape[1]):
        now = judgments[:, t]
        longer = np.where(before == UNKNOWN, UNKNOWN, before + 1)
        before = np.select([now == _USELESS, now == NONE], [longer, UNKNOWN], 0)
        run[:, t] = before
    return run


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
    judged, earlier_useful : numpy.ndarray of bool, shape (n,)
        Whether the latest result has a judgment; whether any result so far was judged USEFUL.
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

    def frame(self) -> pd.DataFrame:
        """Return the long table, with labels in words and unknown runs as missing values."""
        labels = {
            name: self.episodes[name].to_numpy()[self.episode] for name in _LABELS if name in self.episodes
        }
        regime = labels.pop("regime", None)
        table = pd.DataFrame(
            labels | {"question_id": np.asarray(self.questions, dtype=object)[self.question]}
        )
        if regime is not None:
            table["regime"] = regime
        return table.assign(
            t=self.t,
            action=np.asarray(ACTIONS, dtype=object)[self.action],
            answered=self.answered,
            run=_masked(self.run),
            earlier_useful=self.earlier_useful,
            failed_run=_masked(self.failed_run),
            is_last=self.is_last,
        )


def _schedule(name: str, width: int) -> Ints:
    """Return which observations of a regime fail, by its design; -1 throughout for an unknown regime."""
    try:
        regime = get_regime(name)
    except ValueError:
        return np.full(width, NONE, dtype=np.int64)
    return np.array([regime.failed(t) for t in range(1, width + 1)], dtype=np.int64)


def _fails_on_search_only(name: str) -> bool:
    try:
        return get_regime(name).how == "distractor"
    except ValueError:
        return False


def _failed_matrix(frame: pd.DataFrame, actions: Ints) -> Ints:
    """Return which observations failed (1, 0, or -1 for unknown), shape (n, width)."""
    width = actions.shape[1]
    failed = np.full(actions.shape, NONE, dtype=np.int64)
    if "regime" in frame:
        codes, names = pd.factorize(frame["regime"])
        failed = np.array([_schedule(name, width) for name in names])[codes]
        failed[(actions == _BACKUP) & (failed == 1)] = 0  # the backup source never fails
        # Among distractor pages only searches fail: a lookup there is real (paper §6, "plausible").
        searched = np.array([_fails_on_search_only(name) for name in names], dtype=bool)[codes]
        failed[searched[:, None] & (actions == _LOOKUP)] = 0
    if "failed" in frame:
        given = frame["failed"].notna().to_numpy()
        matrix, _ = code_matrix(frame["failed"][given].tolist(), (False, True), width)
        failed[given] = matrix
    return failed


def _run_of_failures(failed: Ints) -> Ints:
    """Return the current run of failed observations: a known success ends it, an unknown one hides it."""
    as_judgments = np.select([failed == 1, failed == 0], [_USELESS, _USEFUL], NONE)
    return current_run(as_judgments)


def build_decision_points(episodes: Episodes) -> DecisionPoints:
    """Return the decision points of episodes as arrays.

    Decision t is the action taken after t results, ``actions[t]``; an episode with n actions has decisions
    1 to n - 1 (paper, Appendix C.1).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        Episodes with at least ``question_id``, ``actions`` and ``judgments``.

    Returns
    -------
    DecisionPoints

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    frame, codes = as_codes(episodes)
    failed = _failed_matrix(frame, codes.actions)
    return points_from_codes(frame, codes.actions, codes.n_actions, codes.judgments, failed)


def points_from_codes(
    frame: pd.DataFrame, actions: Ints, n_actions: Ints, judgments: Ints, failed: Ints
) -> DecisionPoints:
    """Return the decision points of checked episodes from their code matrices.

    Parameters
    ----------
    frame : pandas.DataFrame
        The episodes' labels, one row each; `question_id` at least.
    actions, judgments : numpy.ndarray of int, shape (n, width)
        Codes of :data:`~judged_useless.episodes.schema.ACTIONS` and
        :data:`~judged_useless.episodes.schema.JUDGMENTS`; -1 where there is none.
    n_actions : numpy.ndarray of int, shape (n,)
        Actions taken.
    failed : numpy.ndarray of int, shape (n, width)
        Whether each observation failed by design: 1, 0, or -1 for unknown.

    Returns
    -------
    DecisionPoints
    """
    width = actions.shape[1]
    runs, failed_runs = current_run(judgments), _run_of_failures(failed)
    useful_so_far = np.logical_or.accumulate(judgments == _USEFUL, axis=1)
    question, questions = pd.factorize(frame["question_id"])
    episode, before = np.nonzero(np.arange(1, width) < n_actions[:, None])
    action = actions[episode, before + 1]
    return DecisionPoints(
        episodes=frame,
        questions=tuple(map(str, questions)),
        episode=episode,
        question=question[episode].astype(np.int64),
        t=before + 1,
        action=action,
        answered=action == _FINISH,
        is_last=before + 2 == n_actions[episode],
        run=runs[episode, before],
        judged=judgments[episode, before] != NONE,
        earlier_useful=useful_so_far[episode, before],
        failed_run=failed_runs[episode, before],
    )


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
    frame, codes = as_codes(episodes, ("question_id", "regime", "actions", "judgments"))
    actions, judgments = codes.actions, codes.judgments
    observed = (actions != NONE) & (actions != _FINISH)
    episode, position = np.nonzero(observed)
    failed = _failed_matrix(frame, actions)[episode, position]
    words = np.array([*JUDGMENTS, None], dtype=object)
    table = {
        name: frame[name].to_numpy()[episode]
        for name in (*_LABELS[:3], "question_id", "regime")
        if name in frame
    }
    return (
        pd.DataFrame(table)
        .assign(
            t=position + 1,
            judgment=words[judgments[episode, position]],
            failed=pd.array(failed == 1, dtype="boolean"),
        )
        .assign(failed=lambda rows: rows["failed"].mask(failed == NONE))
    )
