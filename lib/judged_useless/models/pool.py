"""Several servers of one model: spread the load, keep a conversation where its prefix is cached."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from judged_useless._io.seeds import stable_seed
from judged_useless.models.base import TransientModelError

#: Requests that one client carries at once: its pool looks at every connection for each request.
PER_CLIENT = 4
#: Requests that a conversation's server may have in flight beyond the least busy one.
SLACK = 8
#: Seconds for which a server is avoided after a transient failure, while others are well.
REST = 30.0


class Server:
    """One server: its clients, made as they are needed, and how busy it is."""

    def __init__(self, make_client: Callable[[], Any]) -> None:
        self._make = make_client
        self.clients: list[Any] = []
        self._free: list[Any] = []
        self.in_flight = 0
        self.avoided_until = float("-inf")
        # The first one at once: an SDK that finds no key says so.
        self._add()

    def _add(self) -> None:
        self.clients.append(self._make())
        self._free += [self.clients[-1]] * PER_CLIENT

    @contextmanager
    def lease(self) -> Iterator[Any]:
        """Hold a client for one request."""
        if not self._free:
            self._add()
        client = self._free.pop()
        self.in_flight += 1
        try:
            yield client
        except TransientModelError:
            self.avoided_until = time.monotonic() + REST
            raise
        finally:
            self.in_flight -= 1
            self._free.append(client)


def choose(servers: Mapping[str, Server], key: str) -> Server:
    """Return the server of the next request of a key: always the same, so that its prefix is cached there.

    It yields where that server is much busier than the least busy one, or failed a short time ago.
    """
    now = time.monotonic()
    # Where all of them failed lately, none is better than another.
    well = {url: server for url, server in servers.items() if server.avoided_until <= now} or servers
    preferred = well[max(well, key=lambda url: stable_seed(url, key))]
    least = min(well.values(), key=lambda server: server.in_flight)
    return preferred if preferred.in_flight <= least.in_flight + SLACK else least
