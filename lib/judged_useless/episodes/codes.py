"""The lists of episodes as matrices of small integers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.protocol.vocabulary import ACTIONS, JUDGMENTS

Ints = NDArray[np.int64]

#: Code of a missing word, and of the place beyond the end of a list; code of a word that is none of these.
NONE, STRANGE = -1, -2

_FINISH = ACTIONS.index("finish")


def _flat(lists: Sequence[Any]) -> NDArray[np.object_]:
    if set(map(type, lists)) == {np.ndarray} and (joined := np.concatenate(lists)).dtype == object:
        return joined
    flat = np.empty(sum(map(len, lists)), dtype=object)
    flat[:] = list(chain.from_iterable(lists))
    return flat


def code_matrix(lists: Sequence[Any], words: Sequence[object], width: int = 0) -> tuple[Ints, Ints]:
    """Return lists of words as a padded matrix of codes, and their lengths.

    Parameters
    ----------
    lists : sequence of lists
        One list an episode.
    words : sequence
        Known words; the code of a word is its place.
    width : int, optional
        Least number of columns (0: as many as the longest list has).

    Returns
    -------
    tuple of numpy.ndarray of int
        Codes of shape (n, columns): -1 for a missing word and beyond the end of a list, -2 for a word that is
        not known. Lengths of shape (n,).

    Raises
    ------
    TypeError
        If an entry is no list, or has an entry that cannot be a word.
    """
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    width = max(width, int(lengths.max(initial=0)))
    place, distinct = pd.factorize(_flat(lists))
    known: Mapping[object, int] = {word: code for code, word in enumerate(words)}
    # The last entry stands for a missing word, whose place is -1.
    codes = np.array([*(known.get(word, STRANGE) for word in distinct), NONE], dtype=np.int64)
    matrix = np.full((len(lists), width), NONE, dtype=np.int64)
    matrix[np.arange(width) < lengths[:, None]] = codes[place]
    return matrix, lengths


@dataclass(frozen=True)
class ListCodes:
    """Actions and judgments of episodes as codes.

    Attributes
    ----------
    actions, judgments : numpy.ndarray of int, shape (n, width)
        Codes; -1 where there is none. `width` is the number of actions of the longest episode, at least 1.
    n_actions, n_judgments : numpy.ndarray of int, shape (n,)
        Lengths of the lists.
    """

    actions: Ints
    judgments: Ints
    n_actions: Ints
    n_judgments: Ints

    @property
    def answered(self) -> NDArray[np.bool_]:
        """Which episodes end with finish."""
        last: Ints = self.actions[np.arange(len(self.actions)), self.n_actions - 1]
        answered: NDArray[np.bool_] = (self.n_actions > 0) & (last == _FINISH)
        return answered

    def sound(self) -> bool:
        """Return whether all words are known, finish comes last only, and no judgment is one too many."""
        if (self.actions == STRANGE).any() or (self.judgments == STRANGE).any():
            return False
        if not np.array_equal((self.actions >= 0).sum(axis=1), self.n_actions):
            return False
        finishes, answered = (self.actions == _FINISH).sum(axis=1), self.answered
        return bool((finishes == answered).all() and (self.n_judgments <= self.n_actions - answered).all())


def list_codes(frame: pd.DataFrame) -> ListCodes:
    """Return the lists of episodes as codes; episodes without ``judgments`` have none.

    Parameters
    ----------
    frame : pandas.DataFrame
        Episodes with ``actions``.

    Returns
    -------
    ListCodes

    Raises
    ------
    TypeError
        If an entry is no list of words.
    """
    n = len(frame)
    actions, n_actions = code_matrix(frame["actions"].tolist(), ACTIONS, 1)
    width = actions.shape[1]
    judgments, n_judgments = np.full((n, width), NONE, dtype=np.int64), np.zeros(n, dtype=np.int64)
    if "judgments" in frame:
        judgments, n_judgments = code_matrix(frame["judgments"].tolist(), JUDGMENTS, width)
    return ListCodes(actions, judgments, n_actions, n_judgments)
