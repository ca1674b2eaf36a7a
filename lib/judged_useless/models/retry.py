"""The one place where a failed request is tried again.

A backend says what a failure means: :class:`~judged_useless.models.base.TransientModelError`,
:class:`~judged_useless.models.base.RateLimitError` with its wait, or anything else, which is final. This
module waits.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

import tenacity

from judged_useless.models.base import (
    ModelError,
    NoServerError,
    RateLimitError,
    ServiceUnavailableError,
    TransientModelError,
    UnreachableError,
)

T = TypeVar("T")
_log = logging.getLogger(__name__)
#: Attempts to reach a server that has never been heard of: a few seconds. One that has is waited for.
FIRST_CONTACT = 3


@dataclass
class Contact:
    """Whether a service has ever said anything, be it an error."""

    made: bool = False


@dataclass(frozen=True, kw_only=True)
class RetryPolicy:
    """How long and how often to try.

    Attributes
    ----------
    attempts : int, default 8
        Requests sent at most, the first one included; 1 is no retry.
    seconds : float, default 900
        A wait that would end later than this after the first request is not begun.
    first_wait : float, default 1
        Upper bound of the first wait in seconds; it doubles with every attempt. The wait itself is drawn
        uniformly below the bound, so that many requests do not return at once.
    max_wait : float, default 60
        Where the bound stops doubling, in seconds. A wait that the service asks for is not shortened.
    sleep : callable, default asyncio.sleep
        Called with the seconds to wait.
    contact : Contact
        Shared by the requests of a model: until something was heard, a service that cannot be reached is
        tried no more than `FIRST_CONTACT` times.
    """

    attempts: int = 8
    seconds: float = 900.0
    first_wait: float = 1.0
    max_wait: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    contact: Contact = field(default_factory=Contact, compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.attempts < 1:
            raise ValueError(f"retry: attempts is {self.attempts!r}, expected an integer >= 1")
        for name in ("seconds", "first_wait", "max_wait"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"retry: {name} is {getattr(self, name)!r}, expected a number >= 0")


def _wait(policy: RetryPolicy) -> Callable[[tenacity.RetryCallState], float]:
    backoff = tenacity.wait_random_exponential(multiplier=policy.first_wait, max=policy.max_wait)
    jitter = tenacity.wait_random(0, policy.first_wait)

    def wait(state: tenacity.RetryCallState) -> float:
        error = state.outcome.exception() if state.outcome else None
        if isinstance(error, RateLimitError) and error.wait is not None:
            return error.wait + jitter(state)
        return backoff(state)

    return wait


def _unheard(policy: RetryPolicy, state: tenacity.RetryCallState) -> bool:
    error = state.outcome.exception() if state.outcome else None
    return isinstance(error, UnreachableError) and not policy.contact.made


def _stop(policy: RetryPolicy) -> Callable[[tenacity.RetryCallState], bool]:
    bounds = tenacity.stop_after_attempt(policy.attempts) | tenacity.stop_before_delay(policy.seconds)

    def stop(state: tenacity.RetryCallState) -> bool:
        return bounds(state) or (_unheard(policy, state) and state.attempt_number >= FIRST_CONTACT)

    return stop


def _log_wait(policy: RetryPolicy) -> Callable[[tenacity.RetryCallState], None]:
    def log(state: tenacity.RetryCallState) -> None:
        error = state.outcome.exception() if state.outcome else None
        # Where nobody is, every request in flight would say so.
        level = logging.INFO if _unheard(policy, state) else logging.WARNING
        wait = state.upcoming_sleep
        _log.log(level, "attempt %d: %s; waiting %.1f s", state.attempt_number, error, wait)

    return log


async def with_retries(send: Callable[[], Awaitable[T]], policy: RetryPolicy) -> T:
    """Send a request until it succeeds, fails for good, or the policy is exhausted.

    Parameters
    ----------
    send : callable
        Sends the request once. Only a ``TransientModelError`` leads to another attempt; whatever else it
        raises is raised at once, so that a bug of our own is never tried again.
    policy : RetryPolicy
        Bounds and waits.

    Returns
    -------
    object
        Result of the first attempt that succeeded.

    Raises
    ------
    ServiceUnavailableError
        If the last attempt allowed failed transiently.
    NoServerError
        If the service could not be reached, and never has been.
    """
    attempts = 0

    async def attempt() -> T:
        nonlocal attempts
        attempts += 1
        try:
            result = await send()
        except ModelError as error:
            policy.contact.made |= not isinstance(error, UnreachableError)
            raise
        policy.contact.made = True
        return result

    retrying = tenacity.AsyncRetrying(
        sleep=policy.sleep,
        stop=_stop(policy),
        wait=_wait(policy),
        retry=tenacity.retry_if_exception_type(TransientModelError),
        before_sleep=_log_wait(policy),
        reraise=True,
    )
    try:
        return await retrying(attempt)
    except UnreachableError as last:
        gone = ServiceUnavailableError if policy.contact.made else NoServerError
        raise gone(attempts, last) from last
    except TransientModelError as last:
        raise ServiceUnavailableError(attempts, last) from last
