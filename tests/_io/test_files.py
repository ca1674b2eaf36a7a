"""Files written whole or not at all, and where the project's data lies."""

import gzip
import stat
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from judged_useless._io import paths
from judged_useless._io.files import UnreadableFileError, read_text, text_lines, write_atomically
from judged_useless._io.paths import data_dir


def test_a_file_is_put_in_place_with_ordinary_rights(tmp_path: Path) -> None:
    ordinary = tmp_path / "ordinary"
    ordinary.write_text("")
    path = tmp_path / "new" / "folder" / "file.txt"
    assert write_atomically(path, lambda target: target.write_text("content")) == path
    assert path.read_text() == "content"
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)
    assert list(path.parent.iterdir()) == [path]


def test_the_old_file_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    path.write_text("old")
    seen = []

    def half(target: Path) -> None:
        target.write_text("ha")
        seen.append((target.parent, path.read_text()))
        raise RuntimeError("stopped in the middle")

    with pytest.raises(RuntimeError, match="in the middle"):
        write_atomically(path, half)
    assert seen == [(tmp_path, "old")]  # beside the goal, so that the last step is a rename
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_lines_have_their_numbers_and_end_at_line_feeds_only(
    pack: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = tmp_path / ("lines.gz" if pack is gzip.compress else "lines")
    path.write_bytes(pack("\ufeffone\u2028\x0bstill\n\n \nfour".encode()))
    assert list(text_lines(path)) == [(1, "one\u2028\x0bstill\n"), (4, "four")]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.gz", gzip.compress(b"one\n" * 9, mtime=0)[:-9], r"after line \d: the compressed file is cut off"),
        ("a.gz", b"plain", "after line 0: the compressed file"),
        ("a", b"one\n\xe4\n", "line 2: not UTF-8 text"),
    ],
)
def test_a_damaged_file_is_named_with_its_line(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UnreadableFileError, match=rf"{name}, {message}"):
        list(text_lines(tmp_path / name))


def test_a_small_file_that_unpacks_to_a_huge_one_is_refused_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(300):
            stream.write(b"{%s}\n" % (b" " * 2**20))
    tracemalloc.start()
    try:
        for read in (read_text, lambda path: list(text_lines(path))):
            with pytest.raises(UnreadableFileError, match=r"unpacks to more than 26\d MiB"):
                read(path)
        assert tracemalloc.get_traced_memory()[1] < 10 * 2**20
    finally:
        tracemalloc.stop()


def test_a_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b"short\n" + b"x" * (64 * 2**20 + 1))
    with pytest.raises(UnreadableFileError, match="line 2: longer than 64 MiB"):
        list(text_lines(path))


def test_data_of_a_checkout_and_of_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (data_dir() / "episodes" / "SHA256SUMS").is_file()
    package = tmp_path / "site-packages" / "judged_useless"
    package.mkdir(parents=True)
    monkeypatch.setattr(paths, "_PACKAGE", package)
    with pytest.raises(FileNotFoundError, match=r"pip install -e \."):
        data_dir()
    (package / "_data").mkdir()
    assert data_dir() == package / "_data"
