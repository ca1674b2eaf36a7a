"""Whether the hub can be reached, and what to do with its client where it cannot."""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: Classes of requests that did not get through, in the HTTP libraries that the hub's client has used. They
#: share no base class, so their names decide.
_TRANSPORT = {
    "TransportError", "ConnectionError", "Timeout", "ChunkedEncodingError", "ClientConnectionError",
    "OfflineModeIsEnabled",
}  # fmt: skip


def is_transport(error: BaseException | None) -> bool:
    """Return whether an error is, or was raised because of, a request that did not get through.

    An OSError alone is none: a full disk or a folder without write permission has its own message.

    Parameters
    ----------
    error : BaseException or None
        What the hub's client raised.

    Returns
    -------
    bool
    """
    while error is not None:
        names = {cls.__name__ for cls in type(error).__mro__}
        if isinstance(error, ConnectionError | TimeoutError | socket.gaierror | ssl.SSLError):
            return True
        if names & _TRANSPORT:
            return True
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return False


def is_reachable(repository: str, timeout: float = 20.0) -> bool:
    """Ask the hub for a data set once, where loading it would try for half a minute.

    Parameters
    ----------
    repository : str
        Data set on the hub, or a local folder in its layout.
    timeout : float, default 20
        Seconds to wait.

    Returns
    -------
    bool
        False only if the request does not get through: what a hub answers is for whoever loads to see.
    """
    if Path(repository).is_dir():
        return True
    from huggingface_hub import HfApi

    try:
        HfApi().dataset_info(repository, timeout=timeout)
    except Exception as error:  # noqa: BLE001 - an answer, whichever
        return not is_transport(error)
    return True


@contextmanager
def cache_alone_unless_reachable(repository: str) -> Iterator[None]:
    """Let ``datasets`` look into its cache at once, and nowhere else, while the hub cannot be reached.

    Parameters
    ----------
    repository : str
        Data set on the hub, or a local folder in its layout.

    Yields
    ------
    None
    """
    import datasets

    before = datasets.config.HF_HUB_OFFLINE
    datasets.config.HF_HUB_OFFLINE = before or not is_reachable(repository)
    try:
        yield
    finally:
        datasets.config.HF_HUB_OFFLINE = before
