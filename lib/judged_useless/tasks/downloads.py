"""Files from the network: cached, resumed where they broke off, and verified."""

import hashlib
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_exponential
from tqdm import tqdm

from judged_useless._io.files import sha256 as sha256_of
from judged_useless._io.paths import cache_dir

#: Files of the authors' public repository, by commit and path.
AUTHORS_FILES = "https://raw.githubusercontent.com/bennidict23/judged-useless-queried-anyway"
#: Tries before giving up, and seconds before the second one, doubled before each further one.
ATTEMPTS, FIRST_WAIT = 5, 1.0


class _BrokenOffError(Exception):
    """The transfer is worth another attempt."""


def download(url: str, *, sha256: str | None = None) -> Path:
    """Fetch a file once and keep it, in ``questions`` in the cache folder.

    A transfer that breaks off is repeated from where it stopped, in this call or a later one, when a checksum
    is there to prove that the pieces fit; without one it starts anew.

    Parameters
    ----------
    url : str
        With ``http`` or ``https``.
    sha256 : str, optional
        Checksum in hexadecimal digits. Without it that of the first transfer is kept beside the file, and
        every later one has to have it too.

    Raises
    ------
    ConnectionError
        If the server is not reached or refuses; a part that came is kept for the next time.
    ValueError
        If the URL is not one to fetch from, or the file is not the expected one (it is deleted then).
    """
    name = Path(urlsplit(url).path).name
    if urlsplit(url).scheme not in ("http", "https") or not name:
        raise ValueError(f"{url!r} is not the http(s) address of a file")
    # Two addresses may end in the same name.
    kept_as = f"{hashlib.sha256(url.encode()).hexdigest()[:8]}-{name}"
    target = cache_dir() / "questions" / kept_as
    pin = target.with_name(f"{kept_as}.sha256")
    if sha256 is None and pin.exists():
        sha256 = pin.read_text(encoding="ascii")
    if target.exists() and sha256_of(target) == sha256:
        return target
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(f".{kept_as}.part")
    if sha256 is None:
        part.unlink(missing_ok=True)
    retrying = Retrying(
        retry=retry_if_exception_type(_BrokenOffError),
        stop=stop_after_attempt(ATTEMPTS),
        wait=wait_exponential(multiplier=FIRST_WAIT, max=30),
        reraise=True,
    )
    try:
        retrying(_transfer, url, part, sha256)
    except _BrokenOffError as error:
        raise ConnectionError(f"{url} could not be fetched ({error}); repeat it with a network.") from error
    found = sha256_of(part)
    if sha256 is None:
        pin.write_text(found, encoding="ascii")
    elif found != sha256:
        part.unlink()
        first = f" as when it first came; {pin} keeps that" if pin.exists() else ""
        raise ValueError(f"{url}: the file has sha256 {found}, expected {sha256}{first}; it was deleted")
    return part.replace(target)


def _transfer(url: str, part: Path, sha256: str | None) -> None:
    """Bring the rest of the file into `part`."""
    start = part.stat().st_size if part.exists() and sha256 is not None else 0
    if start and sha256_of(part) == sha256:
        return
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={start}-"} if start else {})
    try:
        with httpx2.stream("GET", url, headers=headers, follow_redirects=True, timeout=30) as response:
            _receive(url, response, part, start)
    except httpx2.TransportError as error:
        raise _BrokenOffError(str(error) or type(error).__name__) from error


def _receive(url: str, response: httpx2.Response, part: Path, start: int) -> None:
    status = response.status_code
    if status == 416:
        part.unlink(missing_ok=True)
        raise _BrokenOffError("the server's file is shorter than what had come")
    if status == 429 or status >= 500:
        raise _BrokenOffError(f"the server answers {status}")
    if status not in (200, 206):
        raise ConnectionError(f"{url} could not be fetched: the server answers {status}.")
    start = start if status == 206 else 0
    length = response.headers.get("Content-Length")
    total = start + int(length) if length else None
    # disable=None: a progress bar on a terminal, and none in a log.
    bar = tqdm(total=total, initial=start, unit="B", unit_scale=True, desc="download", disable=None)
    with bar, part.open("ab" if start else "wb") as stream:
        for chunk in response.iter_raw():
            stream.write(chunk)
            bar.update(len(chunk))
