"""The hub's failures: each cause has a sentence of its own, found however the client wraps it."""

import ssl
from collections.abc import Callable

import datasets
import httpx2
import huggingface_hub
import pytest
from huggingface_hub.errors import GatedRepoError, HfHubHTTPError, OfflineModeIsEnabled
from judged_useless._io.hub_access import HubError, ask_hub, cache_alone, hub_error, hub_errors


def answered(status: int, kind: type[HfHubHTTPError] = HfHubHTTPError) -> HfHubHTTPError:
    request = httpx2.Request("GET", "https://huggingface.co/api/datasets/someone/data")
    return kind("an answer", response=httpx2.Response(status, request=request))


def wrapped(inner: Exception) -> Exception:
    try:
        try:
            raise inner
        except Exception as error:
            raise OSError("the client's own words") from error
    except OSError as outer:
        return outer


CAUSES: dict[str, tuple[Exception, str]] = {
    "token": (answered(401), "access token .*hf auth login.*HF_TOKEN"),
    "rate": (answered(429), "too many requests .*wait"),
    "gated": (answered(403, GatedRepoError), "someone/data is gated: accept its conditions"),
    "offline": (OfflineModeIsEnabled("off"), "offline mode is set .*HF_HUB_OFFLINE.*unset"),
    "certificate": (ssl.SSLCertVerificationError("self-signed"), "certificate is not .*SSL_CERT_FILE"),
    "certificate in words": (httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED]"), "SSL_CERT_FILE"),
    "network": (httpx2.ConnectError("refused"), "could not be reached"),
    "timeout": (TimeoutError(), "could not be reached"),
    "server": (answered(503), "the hub answers 503 .*try again later"),
}


@pytest.mark.parametrize("name", CAUSES)
def test_each_cause_is_said_with_what_to_do(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_expired")
    error, sentence = CAUSES[name]
    for raised in (error, wrapped(error)):
        with pytest.raises(HubError, match=sentence), hub_errors("someone/data"):
            raise raised


def test_what_the_hub_does_not_have_is_no_matter_of_the_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huggingface_hub, "get_token", lambda: None)
    for status in (401, 404):
        said = hub_error(answered(status), "someone/data", "v9")
        assert isinstance(said, FileNotFoundError)
        assert str(said) == "the hub has no public data set 'someone/data' at revision 'v9'"


def test_what_is_not_about_the_hub_stays_as_it_is() -> None:
    for error in (PermissionError("the cache"), ValueError("a damaged file")):
        assert hub_error(error, "someone/data") is None
        with pytest.raises(type(error), match=str(error)), hub_errors("someone/data"):
            raise error


def test_the_hub_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuse(*_: object, **__: object) -> None:
        asked.append(1)
        raise ConnectionResetError

    monkeypatch.setattr(huggingface_hub.HfApi, "dataset_info", refuse)
    with pytest.raises(HubError):
        ask_hub("someone/data")
    assert asked == [1]


@pytest.mark.parametrize("before", [True, False])
def test_datasets_is_left_as_it_was(before: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_HUB_OFFLINE", before)
    settings: list[Callable[[], bool]] = [lambda: datasets.config.HF_HUB_OFFLINE]
    with cache_alone():
        assert settings[0]()
    with cache_alone(only=False):
        assert settings[0]() is before
    assert settings[0]() is before
