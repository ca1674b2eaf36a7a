import itertools
from collections.abc import Iterator

import pytest
from http_models import Waits
from judged_useless.models.base import (
    FatalModelError,
    NoServerError,
    RateLimitError,
    ServiceUnavailableError,
    TransientModelError,
    UnreachableError,
)
from judged_useless.models.retry import Retries


class Service:
    """Raises what it is given, then returns the number of requests."""

    def __init__(self, *errors: Exception) -> None:
        self.errors: Iterator[Exception] = iter(errors)
        self.requests = 0

    async def __call__(self) -> int:
        self.requests += 1
        for error in self.errors:
            raise error
        return self.requests


async def test_waits_grow_exponentially_up_to_their_bound_with_jitter() -> None:
    waits = Waits()
    service = Service(*itertools.repeat(TransientModelError("x"), 299))
    assert await Retries(attempts=300, seconds=1e9, sleep=waits).call(service) == 300
    bounds = [min(60.0, 2.0**n) for n in range(299)]
    assert all(0 <= wait <= bound for wait, bound in zip(waits, bounds, strict=True))
    assert max(waits) > 48
    assert len(set(waits)) > 290


async def test_time_is_bounded() -> None:
    service = Service(RateLimitError("x", wait=11.0))
    with pytest.raises(ServiceUnavailableError, match="1 attempts; the last: x") as caught:
        await Retries(seconds=10.0, sleep=Waits()).call(service)
    assert (caught.value.attempts, service.requests) == (1, 1)


async def test_a_server_that_was_never_heard_of_is_given_up_after_a_few_seconds(
    caplog: pytest.LogCaptureFixture,
) -> None:
    waits = Waits()
    service = Service(*itertools.repeat(UnreachableError("http://x: connection failed"), 50))
    with pytest.raises(NoServerError, match=r"^http://x: connection failed; is the server running"):
        await Retries(sleep=waits).call(service)
    assert service.requests == 3
    assert sum(waits) <= 3
    assert not caplog.records


async def test_a_certificate_that_is_not_trusted_is_named_as_such() -> None:
    error = UnreachableError("https://x: connection failed: [SSL: CERTIFICATE_VERIFY_FAILED] self-signed")
    with pytest.raises(NoServerError, match="SSL_CERT_FILE"):
        await Retries(sleep=Waits()).call(Service(*itertools.repeat(error, 50)))


@pytest.mark.parametrize("heard", [None, RateLimitError("busy"), FatalModelError("no such model")])
async def test_a_server_that_was_heard_of_once_is_waited_for(heard: Exception | None) -> None:
    retries = Retries(attempts=6, sleep=Waits())
    if isinstance(heard, FatalModelError):
        with pytest.raises(FatalModelError):
            await retries.call(Service(heard))
    else:
        await retries.call(Service(*filter(None, [heard])))
    gone = Service(*itertools.repeat(UnreachableError("gone"), 50))
    with pytest.raises(ServiceUnavailableError, match="6 attempts; the last: gone") as caught:
        await retries.call(gone)
    assert type(caught.value) is ServiceUnavailableError
    assert gone.requests == 6


@pytest.mark.parametrize("error", [FatalModelError("no"), ZeroDivisionError("a bug"), KeyError("a bug")])
async def test_what_is_not_transient_is_raised_at_once_and_as_it_is(error: Exception) -> None:
    service = Service(error)
    with pytest.raises(type(error)) as caught:
        await Retries(sleep=Waits()).call(service)
    assert caught.value is error
    assert service.requests == 1
