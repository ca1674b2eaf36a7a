"""What the two HTTP backends share: addresses, secrets, and what a failure of their SDKs means."""

import base64
import re
import ssl
import time
from collections.abc import Iterable, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from types import ModuleType
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from judged_useless._io.messages import visible
from judged_useless.models.base import (
    ContextOverflowError,
    EveryRequestFailsError,
    FatalModelError,
    ModelError,
    RateLimitError,
    TransientModelError,
    UnreachableError,
)

#: Statuses below 500 that another attempt may turn into a success.
_RETRIED = frozenset({408, 409, 425, 429})
#: Statuses that concern every request alike: the key, the address, the method, the protocol.
_EVERY_REQUEST = frozenset({401, 402, 403, 404, 405, 501, 505})
_OVERFLOW = re.compile(
    r"context[ _](length|window|size|limit)|maximum context|prompt is too long|longer than the model|"
    r"maximum number of tokens|max_new_tokens` must be|exceeds? .{0,40}\bcontext\b",
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


class Address(NamedTuple):
    """A server's address, parted from the credentials in it."""

    url: str
    headers: dict[str, str]
    secrets: tuple[str, ...]


def read_address(base_url: str) -> Address:
    """Part a base URL from the credentials in it, so that it can be logged and recorded.

    The error for what is no address does not repeat it: it may well be, or hold, a key.
    """
    try:
        parts = urlsplit(base_url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port)
    except ValueError:
        valid = False
    # A second "//" or an "@" in the path is an address in the address.
    if not valid or parts.query or parts.fragment or "//" in parts.path or "@" in parts.path:
        expected = "http://host[:port]/path, without query or fragment; a key goes into api_key"
        raise ValueError(f"base_url: expected {expected}")
    url = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
    if parts.username is None:
        return Address(url, {}, ())
    password = unquote(parts.password or "")
    pair = f"{unquote(parts.username)}:{password}"
    token = base64.b64encode(pair.encode()).decode()
    # A server that repeats its authorization may leave the scheme out, or decode it.
    return Address(url, {"Authorization": f"Basic {token}"}, (pair, password, token, parts.password or ""))


@cache
def trusted(*named: str | None) -> ssl.SSLContext:
    """Return the trusted certificates, read once for what the environment names: each time takes a while."""
    import httpx2

    return httpx2.create_ssl_context()


class Redactor:
    """Removes secrets from text that is shown, logged or recorded."""

    def __init__(self, secrets: Iterable[str | None]) -> None:
        # Longest first, so that no part of a secret that contains another one stays.
        self._secrets = sorted({s for s in secrets if s and len(s) > 3}, key=len, reverse=True)

    def __call__(self, said: object) -> str:
        """Return what a server said, without secrets and whatever looks like one, short and safe to show."""
        text = str(said)
        for secret in self._secrets:
            text = text.replace(secret, "[redacted]")
        text = visible(_KEY_LIKE.sub("[redacted]", text))
        return text if len(text) <= _LONGEST_DETAIL else f"{text[:_LONGEST_DETAIL]}…"

    def generated(self, text: str) -> str:
        """Return generated text without the very secrets: what merely looks like a key may be a model's own.

        So may a word that stands for a key where a server needs none, such as ``EMPTY``.
        """
        for secret in self._secrets:
            if len(secret) >= _LONGER_THAN_WORDS or (len(secret) >= 8 and not secret.isalpha()):
                text = text.replace(secret, "[redacted]")
        return text


def retry_after(headers: Mapping[str, str], *, now: float | None = None) -> float | None:
    """Return the seconds that a response asks to wait for; None if none that can be read."""
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            wait = float(milliseconds) / 1000
            return wait if 0 <= wait < float("inf") else None
        value = headers.get("retry-after", "").strip()
        if re.fullmatch(r"\d+(\.\d*)?", value):
            return float(value)
        return max(0.0, parsedate_to_datetime(value).timestamp() - (time.time() if now is None else now))
    except (ValueError, OverflowError):
        return None


def meaning_of_status(status: int, detail: str, wait: float | None = None) -> ModelError:
    """Return what an HTTP status means, with what the server said of it and the wait it asks for."""
    said = f"status {status}: {detail}"
    if _NO_CREDIT.search(detail) or status in _EVERY_REQUEST or 300 <= status < 400:
        return EveryRequestFailsError(said)
    if status in (400, 413, 422) and _OVERFLOW.search(detail):
        return ContextOverflowError(said)
    if status == 429 or (status >= 500 and wait is not None):
        return RateLimitError(said, wait)
    if status in _RETRIED or status >= 500:
        return TransientModelError(said)
    return FatalModelError(said)


def _said(body: Any) -> str:  # noqa: ANN401 - JSON
    """Return what the body of an error says: its message, and what it names besides."""
    body = body[0] if isinstance(body, list) and len(body) == 1 else body
    error = body.get("error", body) if isinstance(body, dict) else body
    if not isinstance(error, dict):
        return str(error)
    named = ", ".join(f"{name} {error[name]!r}" for name in ("type", "code", "param") if error.get(name))
    return f"{error.get('message', error)}" + (f" ({named})" if named else "")


def meaning_of_error_body(error: Any, redact: Redactor) -> ModelError:  # noqa: ANN401 - JSON
    """Return what an ``error`` means that stands in a reply in place of a text, whatever its status was."""
    detail = redact(_said(error))
    code = str(error.get("code") or error.get("status")) if isinstance(error, dict) else ""
    if re.fullmatch(r"[45]\d\d", code):
        return meaning_of_status(int(code), detail)
    if _OVERFLOW.search(detail):
        return ContextOverflowError(f"the server replied with an error: {detail}")
    passing = re.search(r"overloaded|rate.?limit|too many requests|timed? ?out", detail, re.IGNORECASE)
    kind = TransientModelError if passing else FatalModelError
    return kind(f"the server replied with an error: {detail}")


def meaning_of_sdk_error(error: Any, sdk: ModuleType, redact: Redactor) -> ModelError | None:  # noqa: ANN401
    """Return what an exception of the SDK means; None if it is no failure of the service but a bug."""
    import httpx2

    if isinstance(error, sdk.APIStatusError):
        headers = error.response.headers
        detail = redact(_said(error.body or error.message))
        if location := headers.get("location"):
            detail = f"the server redirects to {redact(location)}; give that address"
        return meaning_of_status(error.status_code, detail, retry_after(headers))
    if not isinstance(error, sdk.APIConnectionError):
        return None
    cause, url = error.__cause__, error.request.url
    # Credentials are no part of where a request was sent to.
    failed = f"{url.scheme}://{url.netloc.decode('ascii', 'replace').rpartition('@')[2]}: connection failed"
    if isinstance(cause, httpx2.ConnectTimeout):
        return UnreachableError(f"{failed}: nobody answers")
    if isinstance(error, sdk.APITimeoutError):
        return TransientModelError("timed out")
    if isinstance(cause, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError):
        return EveryRequestFailsError(f"the request cannot be sent: {redact(cause)}")
    if isinstance(cause, httpx2.ConnectError):
        return UnreachableError(f"{failed}: {redact(cause)}")
    # The SDKs wrap whatever was raised while sending; what is not the network's is a bug.
    if cause is None or isinstance(cause, httpx2.RequestError | OSError):
        return TransientModelError(f"connection failed: {redact(cause or error)}")
    return None
