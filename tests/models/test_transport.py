"""What a failure means is read off the SDKs' own exception objects."""

import importlib
from email.utils import formatdate
from functools import cache
from types import ModuleType
from typing import Any

import httpx2
import pytest
from judged_useless.models.base import (
    ContextOverflowError,
    EveryRequestFailsError,
    FatalModelError,
    RateLimitError,
    TransientModelError,
    UnreachableError,
)
from judged_useless.models.transport import Redactor, meaning_of_sdk_error, read_address, retry_after

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1")
NOTHING = Redactor([])


@pytest.fixture(params=["openai", "anthropic"])
def sdk(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


@cache
def client(sdk: ModuleType) -> Any:
    kind = sdk.AsyncOpenAI if sdk.__name__ == "openai" else sdk.AsyncAnthropic
    return kind(api_key="k", base_url="http://h")


def status_error(sdk: ModuleType, code: int, message: str = "m", **headers: str) -> Exception:
    """Return the object that the SDK itself makes of a response."""
    names = {key.replace("_", "-"): value for key, value in headers.items()}
    response = httpx2.Response(code, json={"error": {"message": message}}, headers=names, request=REQUEST)
    error = client(sdk)._make_status_error_from_response(response)
    assert isinstance(error, sdk.APIStatusError)
    return error  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("meaning", "codes"),
    [
        (FatalModelError, (400, 413, 422)),
        (EveryRequestFailsError, (301, 307, 401, 403, 404, 405, 501, 505)),
        (TransientModelError, (408, 409, 425, 500, 502, 503, 504, 529)),
        (RateLimitError, (429,)),
    ],
)
def test_statuses(meaning: type[Exception], codes: tuple[int, ...], sdk: ModuleType) -> None:
    for code in codes:
        error = meaning_of_sdk_error(status_error(sdk, code), sdk, NOTHING)
        assert type(error) is meaning
        assert str(error).startswith(f"status {code}: ")


@pytest.mark.parametrize(
    "message",
    [
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
        "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
    ],
)
def test_context_overflows_of_known_servers(message: str, sdk: ModuleType) -> None:
    error = meaning_of_sdk_error(status_error(sdk, 400, message), sdk, NOTHING)
    assert type(error) is ContextOverflowError


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_lost_connections_are_transient(sdk: ModuleType) -> None:
    timeout = sdk.APITimeoutError(request=REQUEST)
    assert str(meaning_of_sdk_error(timeout, sdk, NOTHING)) == "timed out"
    for cause in (httpx2.RemoteProtocolError("cut"), httpx2.ReadError("x"), OSError()):
        error = caused(sdk.APIConnectionError(request=REQUEST), cause)
        assert type(meaning_of_sdk_error(error, sdk, NOTHING)) is TransientModelError


def test_a_connection_that_does_not_come_about_names_the_address(sdk: ModuleType) -> None:
    request = httpx2.Request("POST", "http://me:secret@server.example:8000/v1/chat")
    refused = caused(sdk.APIConnectionError(request=request), httpx2.ConnectError("refused"))
    hanging = caused(sdk.APITimeoutError(request=request), httpx2.ConnectTimeout(""))
    for error, why in ((refused, "refused"), (hanging, "nobody answers")):
        meaning = meaning_of_sdk_error(error, sdk, NOTHING)
        assert type(meaning) is UnreachableError
        assert str(meaning) == f"http://server.example:8000: connection failed: {why}"


def test_a_bug_of_ours_stays_one_even_where_the_sdk_wraps_it(sdk: ModuleType) -> None:
    assert meaning_of_sdk_error(TypeError("a bug"), sdk, NOTHING) is None
    wrapped = caused(sdk.APIConnectionError(request=REQUEST), TypeError("a bug"))
    assert meaning_of_sdk_error(wrapped, sdk, NOTHING) is None
    unsendable = caused(sdk.APIConnectionError(request=REQUEST), httpx2.LocalProtocolError("header"))
    assert type(meaning_of_sdk_error(unsendable, sdk, NOTHING)) is EveryRequestFailsError


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"retry-after": "30"}, 30.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "retry-after": "30"}, 0.25),
        ({"retry-after": formatdate(1_000_060, usegmt=True)}, 60.0),
        ({"retry-after": formatdate(999_000, usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after-ms": "nan"}, None),
        ({"retry-after-ms": "inf"}, None),
    ],
)
def test_waits(headers: dict[str, str], wait: float | None) -> None:
    assert retry_after(headers, now=1_000_000) == wait


def test_credentials_leave_the_url() -> None:
    assert read_address("http://127.0.0.1:8000/v1/") == ("http://127.0.0.1:8000/v1", {}, ())
    address = read_address("https://user:pass%20word@host:1/v1")
    assert address.url == "https://host:1/v1"
    assert address.headers == {"Authorization": "Basic dXNlcjpwYXNzIHdvcmQ="}
    assert {"pass word", "pass%20word", "user:pass word", "dXNlcjpwYXNzIHdvcmQ="} == set(address.secrets)


@pytest.mark.parametrize(
    "url",
    [
        *("localhost/v1", "ftp://host", "http://", "sk-abcdefg", "http://h:x/v1", "http://[h"),
        *("http://h/?k=abcdefg", "http://http://user:abcdefg@host/v1", "http://host/user:abcdefg@host/v1"),
    ],
)
def test_what_is_no_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="base_url: expected http://host") as caught:
        read_address(url)
    assert "abcdefg" not in str(caught.value)


def test_what_a_server_says_is_shown_short_without_secrets_and_without_control() -> None:
    redact = Redactor(["topsecret", "topsecret-longer", None, ""])
    assert redact("a topsecret-longer b topsecret") == "a [redacted] b [redacted]"
    assert redact("wrong key sk-proj-0123456789ab.") == "wrong key [redacted]."
    assert redact("a plain message with skills") == "a plain message with skills"
    assert redact("\x1b[2J\x07\u202eabc") == "␛[2J␇<U+202E>abc"
    assert len(redact("x" * 5_000_000)) < 500
    assert "topsecret" not in repr(redact)
