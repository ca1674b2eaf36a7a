"""Which server a request goes to; several servers behind one model are in `test_faults`."""

from contextlib import ExitStack

import pytest
from judged_useless.models.base import FatalModelError, TransientModelError
from judged_useless.models.pool import PER_CLIENT, REST, SLACK, Server, choose


def servers() -> dict[str, Server]:
    return {name: Server(object) for name in "abc"}


def test_a_conversation_keeps_its_server_until_that_is_busy() -> None:
    pool = servers()
    preferred = choose(pool, "q")
    with ExitStack() as leases:
        chosen = [
            choose(pool, "q") for _ in range(SLACK + 4) if leases.enter_context(choose(pool, "q").lease())
        ]
        assert all(server is preferred for server in chosen[:SLACK])
        assert sorted(server.in_flight for server in pool.values()) == [1, 1, SLACK + 2]
    assert {server.in_flight for server in pool.values()} == {0}


def test_a_client_carries_only_so_many_requests_and_is_used_again() -> None:
    server = Server(object)
    with ExitStack() as leases:
        for _ in range(2 * PER_CLIENT + 1):
            leases.enter_context(server.lease())
    with server.lease():
        assert len(server.clients) == 3


def test_a_server_that_failed_rests_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("judged_useless.models.pool.time.monotonic", lambda: now[0])
    pool = servers()
    preferred = choose(pool, "q")
    for error, kept in ((FatalModelError("x"), True), (TransientModelError("x"), False)):
        with pytest.raises(type(error)), choose(pool, "q").lease():
            raise error
        assert (choose(pool, "q") is preferred) == kept
    now[0] = REST
    assert choose(pool, "q") is preferred
