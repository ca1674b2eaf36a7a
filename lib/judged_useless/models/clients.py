"""Several servers of one model: spread the load, keep a conversation where its prefix is cached."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Generic, TypeVar

from judged_useless._io.seeds import stable_seed
from judged_useless.models.base import TransientModelError

T = TypeVar("T")


class Pool(Generic[T]):
    """Members that serve the same model.

    A key always prefers the same member, so that the turns of an episode find their prefix cached. The
    preference yields when that member is much busier than the least busy one, or failed a short time ago.

    Parameters
    ----------
    members : mapping of str to object
        URL -> client.
    slack : int, default 8
        Requests that the preferred member may have in flight beyond the least busy one.
    rest : float, default 30
        Seconds for which a member is avoided after a transient failure, while others are well.
    clock : callable, default time.monotonic
        Seconds.

    Raises
    ------
    ValueError
        If there is no member.
    """

    def __init__(
        self,
        members: Mapping[str, T],
        *,
        slack: int = 8,
        rest: float = 30.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not members:
            raise ValueError("pool: no member, expected at least one base URL")
        self.members = dict(members)
        self.in_flight = dict.fromkeys(self.members, 0)
        self._rested = dict.fromkeys(self.members, float("-inf"))
        self._slack, self._rest, self._clock = slack, rest, clock

    def choose(self, key: str) -> str:
        """Return the name of the member that the next request of this key goes to.

        Parameters
        ----------
        key : str
            Equal for requests that share a prefix.

        Returns
        -------
        str
            One of ``members``.
        """
        now = self._clock()
        # Where all of them failed lately, none is better than another.
        well = [name for name in self.members if self._rested[name] <= now] or list(self.members)
        preferred = max(well, key=lambda name: stable_seed(name, key))
        least = min(well, key=lambda name: self.in_flight[name])
        return preferred if self.in_flight[preferred] <= self.in_flight[least] + self._slack else least

    @contextmanager
    def lease(self, key: str) -> Iterator[T]:
        """Hold a member for one request.

        Parameters
        ----------
        key : str
            Equal for requests that share a prefix.

        Yields
        ------
        object
            The member's client.
        """
        name = self.choose(key)
        self.in_flight[name] += 1
        try:
            yield self.members[name]
        except TransientModelError:
            self._rested[name] = self._clock() + self._rest
            raise
        finally:
            self.in_flight[name] -= 1
