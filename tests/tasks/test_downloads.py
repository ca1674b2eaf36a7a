import hashlib
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from judged_useless.tasks import downloads
from judged_useless.tasks.downloads import download

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


class Server(ThreadingHTTPServer):
    """Serves `content`; `script` says what goes wrong with each request in turn."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = CONTENT
        self.script: list[str | int] = []
        self.ranges: list[str | None] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/data/claims.json"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def log_message(self, *args: Any) -> None:
        """Keep quiet."""

    def do_GET(self) -> None:
        server = self.server
        server.ranges.append(self.headers["Range"])
        trouble = server.script.pop(0) if server.script else "none"
        if isinstance(trouble, int):
            self.send_error(trouble)
            return
        match = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
        start = int(match[1]) if match and trouble != "ignores ranges" else 0
        if start >= len(server.content):
            self.send_error(416)
            return
        body = server.content[start:]
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if trouble == "breaks off" else body)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where files are kept; nothing is waited for."""
    monkeypatch.setenv("JUDGED_USELESS_CACHE", str(tmp_path))
    monkeypatch.setattr(downloads, "FIRST_WAIT", 0)
    return tmp_path / "questions"


@pytest.fixture
def server(folder: Path) -> Iterator[Server]:
    with Server() as running:
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def test_a_file_is_fetched_once(server: Server, folder: Path) -> None:
    for _ in range(2):
        path = download(server.url, sha256=SHA256)
        assert path.read_bytes() == CONTENT
    assert path.name.endswith("-claims.json")
    assert server.ranges == [None]
    assert list(folder.iterdir()) == [path]


@pytest.fixture
def broken_off(server: Server, monkeypatch: pytest.MonkeyPatch) -> Server:
    """A server that broke one transfer off in an earlier call, which had one try."""
    server.script = ["breaks off"]
    with monkeypatch.context() as patch:
        patch.setattr(downloads, "ATTEMPTS", 1)
        with pytest.raises(ConnectionError, match=r"not be fetched \(.*\); repeat it with a network\.$"):
            download(server.url, sha256=SHA256)
    return server


@pytest.mark.parametrize(
    ("script", "sha256", "ranges"),
    [
        (["breaks off"] * 2, SHA256, [None, len(CONTENT) // 2, len(CONTENT) * 3 // 4]),
        (["breaks off"], None, [None, None]),  # without a checksum pieces are never joined
        (["breaks off", "ignores ranges"], SHA256, [None, len(CONTENT) // 2]),
        *(([busy], SHA256, [None, None]) for busy in (500, 503, 429)),
    ],
)
def test_a_transfer_that_fails_is_repeated_from_where_it_stopped(
    server: Server, script: list[str | int], sha256: str | None, ranges: list[int | None]
) -> None:
    server.script = [*script]
    assert download(server.url, sha256=sha256).read_bytes() == CONTENT
    assert server.ranges == [start and f"bytes={start}-" for start in ranges]


@pytest.mark.parametrize(
    ("content", "requests"), [(CONTENT, 1), (CONTENT + b"too much", 3)], ids=["whole", "does not fit"]
)
def test_a_part_is_finished_or_dropped(
    broken_off: Server, folder: Path, content: bytes, requests: int
) -> None:
    next(folder.iterdir()).write_bytes(content)
    assert download(broken_off.url, sha256=SHA256).read_bytes() == CONTENT
    assert len(broken_off.ranges) == requests


@pytest.mark.parametrize(("status", "requests"), [(503, downloads.ATTEMPTS), (404, 1)])
def test_a_server_that_stays_busy_is_given_up_and_a_refusal_is_final(
    server: Server, status: int, requests: int
) -> None:
    server.script = [status] * 9
    with pytest.raises(ConnectionError, match=f"the server answers {status}"):
        download(server.url)
    assert len(server.ranges) == requests


def test_a_wrong_file_is_deleted_and_named(server: Server, folder: Path) -> None:
    server.content = b"another"
    with pytest.raises(ValueError, match=f"expected {SHA256}; it was deleted"):
        download(server.url, sha256=SHA256)
    assert list(folder.iterdir()) == []


def test_addresses_with_one_name_are_kept_apart(server: Server, folder: Path) -> None:
    first = download(server.url)
    server.content = b"another"
    second = download(server.url.replace("data", "more"))
    assert (first.read_bytes(), second.read_bytes()) == (CONTENT, b"another")


@pytest.mark.parametrize("url", ["ftp://x/file", "file:///data/file", "claims.json", "https://host/"])
def test_only_files_on_the_web_are_fetched(url: str) -> None:
    with pytest.raises(ValueError, match=r"is not the http\(s\) address of a file"):
        download(url)


def test_a_damaged_cached_file_is_fetched_again(server: Server, folder: Path) -> None:
    path = download(server.url, sha256=SHA256)
    path.write_bytes(CONTENT[:-1])
    assert download(server.url, sha256=SHA256).read_bytes() == CONTENT


def test_without_a_checksum_the_first_file_is_the_one_that_is_expected(server: Server, folder: Path) -> None:
    path = download(server.url)
    server.content = CONTENT[:-1]
    path.write_bytes(b"changed here")
    with pytest.raises(
        ValueError, match=f"has sha256 .*, expected {SHA256} as when it first came; .*deleted"
    ):
        download(server.url)
    server.content = CONTENT
    assert download(server.url).read_bytes() == CONTENT
    assert len(server.ranges) == 3
