"""What a failure means is read off the SDKs' own exception objects."""

import importlib
from email.utils import formatdate
from types import ModuleType
from typing import Any

import httpx
import pydantic
import pytest
from judged_useless.models.base import (
    ContextOverflowError,
    FatalModelError,
    RateLimitError,
    TransientModelError,
    UnreachableError,
)
from judged_useless.models.transport import (
    Redactor,
    classify_sdk_error,
    connection_timeout,
    package_versions,
    prefix_key,
    prompt_bound,
    read_reply,
    retry_after,
    split_credentials,
)

REQUEST = httpx.Request("POST", "http://127.0.0.1/v1")
NOTHING = Redactor([])


@pytest.fixture(params=["openai", "anthropic"])
def sdk(request: pytest.FixtureRequest) -> ModuleType:
    return importlib.import_module(request.param)


def status_error(sdk: ModuleType, code: int, message: str = "m", **headers: str) -> Exception:
    """Return the object that the SDK itself makes of a response."""
    names = {key.replace("_", "-"): value for key, value in headers.items()}
    response = httpx.Response(code, json={"error": {"message": message}}, headers=names, request=REQUEST)
    client = (sdk.AsyncOpenAI if sdk.__name__ == "openai" else sdk.AsyncAnthropic)(
        api_key="k", base_url="http://h"
    )
    error = client._make_status_error_from_response(response)
    assert isinstance(error, sdk.APIStatusError)
    return error  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("code", "meaning"),
    [
        (400, FatalModelError),
        (401, FatalModelError),
        (403, FatalModelError),
        (404, FatalModelError),
        (408, TransientModelError),
        (409, TransientModelError),
        (413, FatalModelError),
        (422, FatalModelError),
        (425, TransientModelError),
        (429, RateLimitError),
        (500, TransientModelError),
        (501, FatalModelError),
        (502, TransientModelError),
        (503, TransientModelError),
        (504, TransientModelError),
        (505, FatalModelError),
        (529, TransientModelError),
    ],
)
def test_statuses(code: int, meaning: type[Exception], sdk: ModuleType) -> None:
    error = classify_sdk_error(status_error(sdk, code), sdk, NOTHING)
    assert type(error) is meaning
    assert str(error).startswith(f"status {code}: ")


def test_a_rate_limit_carries_the_wait_or_none(sdk: ModuleType) -> None:
    without = classify_sdk_error(status_error(sdk, 429), sdk, NOTHING)
    with_wait = classify_sdk_error(status_error(sdk, 429, retry_after="12"), sdk, NOTHING)
    overloaded = classify_sdk_error(status_error(sdk, 529, retry_after="3"), sdk, NOTHING)
    assert isinstance(without, RateLimitError)
    assert isinstance(with_wait, RateLimitError)
    assert isinstance(overloaded, RateLimitError)
    assert (without.wait, with_wait.wait, overloaded.wait) == (None, 12.0, 3.0)


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens. However, your prompt contains 5000 tokens.",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000",
        "the request exceeds the available context size, try increasing it",
        "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    ],
)
def test_context_overflows_of_known_servers(message: str, sdk: ModuleType) -> None:
    error = classify_sdk_error(status_error(sdk, 400, message), sdk, NOTHING)
    assert type(error) is ContextOverflowError


@pytest.mark.parametrize(
    ("code", "message"),
    [(429, "insufficient_quota"), (400, "Your credit balance is too low to access the API.")],
)
def test_an_empty_account_is_final(code: int, message: str, sdk: ModuleType) -> None:
    assert type(classify_sdk_error(status_error(sdk, code, message), sdk, NOTHING)) is FatalModelError


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


def test_lost_connections_are_transient(sdk: ModuleType) -> None:
    timeout = sdk.APITimeoutError(request=REQUEST)
    assert str(classify_sdk_error(timeout, sdk, NOTHING)) == "timed out"
    for cause in (
        httpx.RemoteProtocolError("cut"),
        httpx.ReadError("x"),
        OSError(),
    ):
        error = caused(sdk.APIConnectionError(request=REQUEST), cause)
        assert type(classify_sdk_error(error, sdk, NOTHING)) is TransientModelError


def test_a_connection_that_does_not_come_about_names_the_address(sdk: ModuleType) -> None:
    request = httpx.Request("POST", "http://me:secret@server.example:8000/v1/chat")
    refused = caused(sdk.APIConnectionError(request=request), httpx.ConnectError("refused"))
    hanging = caused(sdk.APITimeoutError(request=request), httpx.ConnectTimeout(""))
    for error, why in ((refused, "refused"), (hanging, "nobody answers")):
        meaning = classify_sdk_error(error, sdk, NOTHING)
        assert type(meaning) is UnreachableError
        assert str(meaning) == f"http://server.example:8000: connection failed: {why}"


def test_a_connection_is_waited_for_shorter_than_a_reply() -> None:
    assert (connection_timeout(600.0).connect, connection_timeout(600.0).read) == (5.0, 600.0)
    assert connection_timeout(0.5).connect == 0.5


def test_an_unreadable_response_is_transient(sdk: ModuleType) -> None:
    response = httpx.Response(200, text="x", request=REQUEST)
    error = sdk.APIResponseValidationError(response=response, body=None)
    assert type(classify_sdk_error(error, sdk, NOTHING)) is TransientModelError


def test_a_bug_of_ours_stays_one_even_where_the_sdk_wraps_it(sdk: ModuleType) -> None:
    assert classify_sdk_error(TypeError("a bug"), sdk, NOTHING) is None
    wrapped = caused(sdk.APIConnectionError(request=REQUEST), TypeError("a bug"))
    assert classify_sdk_error(wrapped, sdk, NOTHING) is None
    unsendable = caused(sdk.APIConnectionError(request=REQUEST), httpx.LocalProtocolError("header"))
    assert type(classify_sdk_error(unsendable, sdk, NOTHING)) is FatalModelError


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
    assert split_credentials("http://127.0.0.1:8000/v1/") == ("http://127.0.0.1:8000/v1", {})
    url, headers = split_credentials("https://user:pass%20word@host:1/v1")
    assert url == "https://host:1/v1"
    assert headers == {"Authorization": "Basic dXNlcjpwYXNzIHdvcmQ="}


@pytest.mark.parametrize(
    "url",
    [
        "localhost/v1",
        "ftp://host",
        "http://",
        "sk-abcdefg",
        "http://h:x/v1",
        "http://[h",
        "http://h/?k=abcdefg",
    ],
)
def test_what_is_no_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(ValueError, match="base_url: expected http://host") as caught:
        split_credentials(url)
    assert "abcdefg" not in str(caught.value)


def test_redaction_removes_secrets_and_what_looks_like_one() -> None:
    redact = Redactor(["topsecret", "topsecret-longer", None, ""])
    assert redact("a topsecret-longer b topsecret") == "a [redacted] b [redacted]"
    assert redact("wrong key sk-proj-0123456789ab.") == "wrong key [redacted]."
    assert redact("a plain message with skills") == "a plain message with skills"
    assert "topsecret" not in repr(redact)


class Small(pydantic.BaseModel):
    number: int


@pytest.mark.parametrize("text", ["", '{"number": 1', '{"number": "x"}', "[]", "null"])
def test_a_body_that_is_not_complete_is_transient(text: str) -> None:
    with pytest.raises(TransientModelError, match="unreadable response"):
        read_reply(Small, text, NOTHING)
    assert read_reply(Small, '{"number": 1, "more": 2}', NOTHING) == Small(number=1)


def test_the_prefix_of_an_episode_is_its_question() -> None:
    turns: list[Any] = [{"role": "user", "content": "Q"}, {"role": "assistant", "content": "A"}]
    assert prefix_key([{"role": "system", "content": "S"}, *turns]) == "Q"
    assert prefix_key([{"role": "system", "content": "S, extended"}, *turns]) == "Q"


def test_the_bound_of_a_prompt_counts_bytes() -> None:
    assert prompt_bound([{"role": "user", "content": "é"}]) == 2 + 32 + 64


def test_versions_are_those_installed() -> None:
    assert package_versions("httpx", "no-such-package") == {"httpx": httpx.__version__}
