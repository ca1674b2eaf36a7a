"""The Hugging Face hub: what went wrong with it, in a sentence that says what to do about it."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import huggingface_hub
from huggingface_hub.errors import GatedRepoError

#: Classes of requests that did not get through, in the HTTP libraries that the hub's client has used. They
#: share no base class, so their names decide.
_TRANSPORT = {
    "TransportError", "ConnectionError", "Timeout", "TimeoutError", "ChunkedEncodingError",
    "ClientConnectionError", "gaierror", "SSLError",
}  # fmt: skip


class HubError(ConnectionError):
    """The hub did not give a data set; the message says why, and what to do about it."""


def hub_error(error: BaseException, repository: str, revision: str | None = None) -> OSError | None:
    """Return what an error that the hub's client raised, or was raised from, comes to.

    `HubError` for an access token that is refused, too many requests, a gated data set, offline mode, an
    unknown certificate, another refusal, or no network; FileNotFoundError if the hub has no such data set;
    None if it is not about the hub (a full disk, a damaged file).
    """
    chain = list(_chain(error))
    for each in chain:
        status = getattr(getattr(each, "response", None), "status_code", None)
        if isinstance(status, int) and status >= 400:
            return _answer(each, status, repository, revision)
    names = {cls.__name__ for each in chain for cls in type(each).__mro__}
    if "OfflineModeIsEnabled" in names:
        return HubError(
            "the hub is not asked for anything, since offline mode is set (HF_HUB_OFFLINE or "
            f"HF_DATASETS_OFFLINE); unset it to fetch {repository}"
        )
    # Some HTTP libraries keep only the text of what ssl raised.
    if any(
        isinstance(each, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(each)
        for each in chain
    ):
        return HubError(
            "the hub's certificate is not one that is trusted here, as behind a proxy that opens TLS; name "
            "the file with the proxy's certificate in the environment variable SSL_CERT_FILE"
        )
    if names & _TRANSPORT:
        return HubError("the hub could not be reached; repeat it with a network")
    return None


def _answer(error: BaseException, status: int, repository: str, revision: str | None) -> OSError:
    if isinstance(error, GatedRepoError):
        return HubError(
            f"{repository} is gated: accept its conditions on its page at the hub, then log in with "
            "`hf auth login` or set HF_TOKEN"
        )
    # Without a token the hub answers 401 also for what does not exist.
    if status == 401 and huggingface_hub.get_token():
        return HubError(
            "the hub refuses the access token that was sent along (expired, revoked or mistyped); log in "
            f"anew with `hf auth login`, or unset HF_TOKEN: {repository} may be public"
        )
    if status == 429:
        return HubError(
            "the hub has had too many requests from here (429); wait some minutes, or log in with "
            "`hf auth login` to be allowed more"
        )
    if status in (401, 403, 404):
        at = f" at revision {revision!r}" if revision else ""
        return FileNotFoundError(f"the hub has no public data set {repository!r}{at}")
    return HubError(f"the hub answers {status} when asked for {repository}; try again later")


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def ask_hub(repository: str, revision: str | None = None) -> str | None:
    """Return the commit of a data set, None for a local folder; asked once, errors as for `hub_error`."""
    if repository and Path(repository).is_dir():
        return None
    if not repository or Path(repository).exists():
        what = "is a file" if repository else "names nothing"
        raise NotADirectoryError(
            f"{repository!r} {what}; expected a data set on the hub, or a local folder in its layout"
        )
    with hub_errors(repository, revision):
        return str(huggingface_hub.HfApi().dataset_info(repository, revision=revision, timeout=20).sha)


@contextmanager
def hub_errors(repository: str, revision: str | None = None) -> Iterator[None]:
    """Raise what the hub's client raises as `hub_error` says, and anything else as it is."""
    try:
        yield
    except Exception as error:
        said = hub_error(error, repository, revision)
        if said is None:
            raise
        raise said from error


@contextmanager
def cache_alone(only: bool = True) -> Iterator[None]:
    """Let ``datasets`` look into its cache at once, and nowhere else, if `only` is true."""
    import datasets

    before = datasets.config.HF_HUB_OFFLINE
    datasets.config.HF_HUB_OFFLINE = before or only
    try:
        yield
    finally:
        datasets.config.HF_HUB_OFFLINE = before
