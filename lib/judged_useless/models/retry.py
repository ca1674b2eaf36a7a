"""The one place where a failed request is tried again; what a failure means is said by the backend."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import tenacity

from judged_useless.models.base import (
    FatalModelError,
    NoServerError,
    ServiceUnavailableError,
    TransientModelError,
    UnreachableError,
)

T = TypeVar("T")
_log = logging.getLogger(__name__)
#: Attempts to reach a server that has never been heard of: a few seconds. One that has is waited for.
FIRST_CONTACT = 3
#: Seconds below which the first wait is drawn; the bound doubles with every attempt, up to the longest.
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
_backoff = tenacity.wait_random_exponential(multiplier=FIRST_WAIT, max=LONGEST_WAIT)
_jitter = tenacity.wait_random(0, FIRST_WAIT)


def _error(state: tenacity.RetryCallState) -> BaseException | None:
    return state.outcome.exception() if state.outcome else None


def _wait(state: tenacity.RetryCallState) -> float:
    """Return the wait that the service asks for, however long, or one that grows."""
    wait = getattr(_error(state), "wait", None)
    return _backoff(state) if wait is None else wait + _jitter(state)


@dataclass
class Retries:
    """How long and how often to try; an object a model, which remembers whether its service was heard."""

    #: Requests sent at most, the first one included; 1 is no retry.
    attempts: int = 8
    #: A wait that would end later than this after the first request is not begun.
    seconds: float = 900.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    heard: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        if self.attempts < 1 or self.seconds < 0:
            raise ValueError(f"retries: {self.attempts} attempts in {self.seconds} s, expected 1 or more")

    async def call(self, send: Callable[[], Awaitable[T]]) -> T:
        """Send a request until it succeeds, fails for good, or the attempts are used up.

        Only a ``TransientModelError`` leads to another attempt: a bug of our own is never tried again. The
        last one becomes a ``ServiceUnavailableError``, or a ``NoServerError`` if nobody was ever reached.
        """
        retrying = tenacity.AsyncRetrying(
            sleep=self.sleep,
            stop=self._stop,
            wait=_wait,
            retry=tenacity.retry_if_exception_type(TransientModelError),
            before_sleep=self._log,
            reraise=True,
        )
        try:
            result: T = await retrying(send)
        except FatalModelError:
            self.heard = True
            raise
        except UnreachableError as last:
            if not self.heard:
                advice = "is the server running, and is that its address?"
                if "CERTIFICATE_VERIFY_FAILED" in str(last):  # as behind a proxy that opens TLS
                    advice = "name the file with its certificate in the environment variable SSL_CERT_FILE"
                raise NoServerError(f"{last}; {advice}") from last
            raise ServiceUnavailableError(retrying.statistics["attempt_number"], last) from last
        except TransientModelError as last:
            raise ServiceUnavailableError(retrying.statistics["attempt_number"], last) from last
        self.heard = True
        return result

    def _stop(self, state: tenacity.RetryCallState) -> bool:
        unreachable = isinstance(_error(state), UnreachableError)
        self.heard |= not unreachable
        most = self.attempts if self.heard else min(self.attempts, FIRST_CONTACT)
        return state.attempt_number >= most or tenacity.stop_before_delay(self.seconds)(state)

    def _log(self, state: tenacity.RetryCallState) -> None:
        # Where nobody is, every request in flight would say so.
        if self.heard:
            error, wait = _error(state), state.upcoming_sleep
            _log.warning("attempt %d: %s; waiting %.1f s", state.attempt_number, error, wait)
