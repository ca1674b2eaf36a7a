"""What the two HTTP backends share: addresses, secrets, and what a failure of their SDKs means."""

import base64
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from email.utils import parsedate_to_datetime
from importlib.metadata import PackageNotFoundError, version
from types import ModuleType
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import unquote, urlsplit, urlunsplit

import pydantic

from judged_useless.models.base import (
    ContextOverflowError,
    FatalModelError,
    Message,
    ModelError,
    RateLimitError,
    TransientModelError,
    UnreachableError,
)

if TYPE_CHECKING:
    import httpx

R = TypeVar("R", bound=pydantic.BaseModel)

#: Statuses below 500 that another attempt may turn into a success.
_RETRIED = frozenset({408, 409, 425, 429})
#: Statuses from 500 on that it cannot: the server does not know the method or the protocol.
_FINAL = frozenset({501, 505})
_OVERFLOW = re.compile(
    r"context[ _](length|window|size|limit)|maximum context|prompt is too long|longer than the model",
    re.IGNORECASE,
)
#: What a service says with a rate-limit status when waiting does not help.
_NO_CREDIT = re.compile(r"insufficient_quota|billing_hard_limit|credit balance", re.IGNORECASE)
_KEY_LIKE = re.compile(r"\b(?:sk|pk|hf|key)[-_][A-Za-z0-9_\-]{8,}")
_LONGEST_DETAIL = 400
#: Letters from which on a key is taken for no word.
_LONGER_THAN_WORDS = 16
#: In which a connection has to come about; a reply may take much longer.
CONNECT_SECONDS = 5.0


def split_credentials(base_url: str) -> tuple[str, dict[str, str]]:
    """Part a base URL from the credentials in it, so that the URL can be logged and recorded.

    Parameters
    ----------
    base_url : str
        Such as ``http://127.0.0.1:8000/v1`` or ``https://user:password@host/v1``.

    Returns
    -------
    tuple of str and dict
        The URL without them, and the header that carries them.

    Raises
    ------
    ValueError
        If it is no HTTP address, or carries a query, where services put keys.
    """
    problem = "base_url: expected http://host[:port]/path, without query or fragment; a key goes into api_key"
    # What is wrong is not repeated: it may well be, or hold, a key.
    try:
        parts = urlsplit(base_url)
        valid = (
            parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        valid = False
    if not valid or parts.query or parts.fragment:
        raise ValueError(problem)
    host = parts.netloc.rpartition("@")[2]
    clean = urlunsplit((parts.scheme, host, parts.path.rstrip("/"), "", ""))
    if parts.username is None:
        return clean, {}
    user, password = unquote(parts.username), unquote(parts.password or "")
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    return clean, {"Authorization": f"Basic {token}"}


class Redactor:
    """Removes secrets from text that is shown, logged or recorded.

    Parameters
    ----------
    secrets : iterable of str or None
        Values to remove wherever they occur; what only looks like a key is removed too.
    """

    def __init__(self, secrets: Iterable[str | None]) -> None:
        # Longest first, so that no part of a secret that contains another one stays.
        self._secrets = sorted({s for s in secrets if s and len(s) > 3}, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """Return the text with every secret replaced by ``[redacted]``."""
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        return _KEY_LIKE.sub("[redacted]", text)

    def generated(self, text: str) -> str:
        """Return generated text without a secret that a server put there.

        Parameters
        ----------
        text : str
            As generated. Only the very secrets are removed: text that merely looks like a key may be a
            model's own, and so may a word that stands for a key where a server needs none, such as ``EMPTY``.

        Returns
        -------
        str
        """
        for secret in self._secrets:
            if len(secret) >= _LONGER_THAN_WORDS or (len(secret) >= 8 and not secret.isalpha()):
                text = text.replace(secret, "[redacted]")
        return text

    def __repr__(self) -> str:
        return "Redactor()"


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the wait that a response asks for.

    Parameters
    ----------
    headers : mapping of str to str
        ``retry-after-ms`` in milliseconds, or ``retry-after`` in seconds or as a date.
    now : float, optional
        Seconds since the epoch; by default the clock's.

    Returns
    -------
    float or None
        Seconds >= 0; ``None`` if there is no wait or none that can be read.
    """
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            wait = float(milliseconds) / 1000
            return wait if 0 <= wait < float("inf") else None
        if (value := headers.get("retry-after")) is None:
            return None
        if re.fullmatch(r"\s*\d+(\.\d*)?\s*", value):
            return float(value)
        at = parsedate_to_datetime(value).timestamp()
        return max(0.0, at - (time.time() if now is None else now))
    except (ValueError, OverflowError):
        return None


def _from_status(status: int, detail: str, wait: float | None) -> ModelError:
    said = f"status {status}: {detail}"
    if _NO_CREDIT.search(detail):
        return FatalModelError(said)
    if status in (400, 413, 422) and _OVERFLOW.search(detail):
        return ContextOverflowError(said)
    if status == 429 or (status >= 500 and status not in _FINAL and wait is not None):
        return RateLimitError(said, wait)
    if status in _RETRIED or (status >= 500 and status not in _FINAL):
        return TransientModelError(said)
    return FatalModelError(said)


def _address(error: Exception) -> str:
    """Return where a request was sent to, as it was given: credentials are no part of it."""
    url = getattr(error, "request").url  # noqa: B009 - only the SDKs' errors have it
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace').rpartition('@')[2]}"


def connection_timeout(seconds: float) -> "httpx.Timeout":
    """Return the SDKs' timeout: as given for a reply, short for a connection.

    Parameters
    ----------
    seconds : float
        In which a request must be answered.

    Returns
    -------
    httpx.Timeout
    """
    import httpx

    return httpx.Timeout(seconds, connect=min(seconds, CONNECT_SECONDS))


def classify_sdk_error(error: Exception, sdk: ModuleType, redact: Redactor) -> ModelError | None:
    """Say what an exception of the ``openai`` or ``anthropic`` package means.

    Parameters
    ----------
    error : Exception
        What the SDK raised.
    sdk : module
        ``openai`` or ``anthropic``; their exceptions have the same names.
    redact : Redactor
        Applied to what the service said.

    Returns
    -------
    ModelError or None
        ``None`` for anything that is no failure of the service.
    """
    import httpx

    if isinstance(error, sdk.APIStatusError):
        body = error.body if isinstance(error.body, str) else str(error.body or error.message)
        detail = redact(body)[:_LONGEST_DETAIL]
        return _from_status(error.status_code, detail, retry_after(error.response.headers))
    if isinstance(error, sdk.APITimeoutError):
        if isinstance(error.__cause__, httpx.ConnectTimeout):
            return UnreachableError(f"{_address(error)}: connection failed: nobody answers")
        return TransientModelError("timed out")
    if isinstance(error, sdk.APIConnectionError):
        cause = error.__cause__
        if isinstance(cause, httpx.UnsupportedProtocol | httpx.LocalProtocolError):
            return FatalModelError(f"the request cannot be sent: {redact(str(cause))}")
        if isinstance(cause, httpx.ConnectError):
            return UnreachableError(f"{_address(error)}: connection failed: {redact(str(cause))}")
        # The SDKs wrap whatever was raised while sending; what is not the network's is a bug.
        if cause is None or isinstance(cause, httpx.RequestError | OSError):
            return TransientModelError(f"connection failed: {redact(str(cause or error))}")
        return None
    if isinstance(error, sdk.APIResponseValidationError):
        return TransientModelError(f"unreadable response: {redact(str(error))[:_LONGEST_DETAIL]}")
    return None


def read_reply(model: type[R], text: str, redact: Redactor) -> R:
    """Read a response body strictly.

    Parameters
    ----------
    model : type of pydantic.BaseModel
        What a complete response holds.
    text : str
        The body.
    redact : Redactor
        Applied to the part of the body that the error shows.

    Raises
    ------
    TransientModelError
        If it is cut off, not JSON, or without what a complete response holds.
    """
    try:
        return model.model_validate_json(text)
    except pydantic.ValidationError as error:
        first = error.errors(include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "body"
        problem = f"unreadable response, {place}: {first['msg']}; it begins {redact(text[:120])!r}"
    raise TransientModelError(problem)


def prefix_key(messages: Sequence[Message]) -> str:
    """Return what an episode's requests share: their first user message.

    Parameters
    ----------
    messages : sequence of Message
        The conversation; the system message is left out, since a rule may extend it in mid-episode.
    """
    return next((m["content"] for m in messages if m["role"] == "user"), "")


def prompt_bound(messages: Sequence[Message]) -> int:
    """Return an upper bound of a conversation's tokens.

    Parameters
    ----------
    messages : sequence of Message
        The conversation. A token stands for at least one byte; a turn's frame is allowed 32 tokens.
    """
    return sum(len(m["content"].encode()) + 32 for m in messages) + 64


def package_versions(*names: str) -> dict[str, str]:
    """Return the installed versions of packages, without those that are not installed.

    Parameters
    ----------
    *names : str
        Distribution names.
    """
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
