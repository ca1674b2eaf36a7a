"""The run directory: what a crash leaves behind, and what is refused."""

import asyncio
import errno
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from judged_useless.runs.manifests import write_manifest
from judged_useless.runs.run_files import (
    RunError,
    Writer,
    locked,
    read_records,
    recover,
    rewrite_sorted,
    to_line,
)
from run_children import hold, hold_and_die

pytest_plugins = ("run_fixtures",)


def record(question_id: str, **more: Any) -> dict[str, Any]:
    return {"question_id": question_id, **more}


LINES = [to_line(record(f"q{n}", text='ä\n"x"')) for n in range(3)]


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(cut=st.integers(0, sum(map(len, LINES))), torn=st.sampled_from([b"", b'{"te\n']))
def test_whatever_a_crash_leaves_is_whole_records_after_recovery(
    tmp_path: Path, cut: int, torn: bytes
) -> None:
    file = tmp_path / "persistent.jsonl"
    file.write_bytes(b"".join(LINES)[:cut] + torn)
    whole = sum(len(b"".join(LINES[: n + 1])) <= cut for n in range(3))
    assert [found["question_id"] for found in read_records(file)] == [f"q{n}" for n in range(whole)]
    assert list(recover(file)) == [f"q{n}" for n in range(whole)]
    assert file.read_bytes() == b"".join(LINES[:whole])


def test_brackets_too_deep_to_be_read_are_refused_with_their_line(tmp_path: Path) -> None:
    file = tmp_path / "persistent.jsonl"
    deep = b'{"question_id": "q1", "text": ' + b"[" * 3000 + b"]" * 3000 + b"}\n"
    # Neither in the middle nor at the end: nothing of the kind is torn, and nothing of it is cut off.
    for content in (LINES[0] + deep + LINES[2], LINES[0] + deep):
        file.write_bytes(content)
        with pytest.raises(RunError, match=r"persistent\.jsonl, line 2: brackets too deep to be read"):
            recover(file)
        assert file.read_bytes() == content


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (b"[1]\n" + LINES[1], "not a JSON object"),
        (LINES[0], "question 'q0' occurs twice"),
        (b'{"question_id": "q1", "a": {"b": 1, "b": 2}}\n', "key 'b' is"),
    ],
)
def test_damage_is_refused_with_its_line(second: bytes, message: str, tmp_path: Path) -> None:
    file = tmp_path / "persistent.jsonl"
    file.write_bytes(LINES[0] + second)
    with pytest.raises(RunError, match=rf"persistent\.jsonl, line 2: {message}"):
        recover(file)


async def test_what_is_appended_is_on_the_disk_when_append_returns(tmp_path: Path) -> None:
    writer = Writer(tmp_path)

    async def one(n: int) -> None:
        await writer.append(f"{n % 2}.jsonl", record(f"q{n}"))
        assert to_line(record(f"q{n}")) in (tmp_path / f"{n % 2}.jsonl").read_bytes()

    await asyncio.gather(*(one(n) for n in range(50)))
    await writer.aclose()
    found = [found["question_id"] for n in range(2) for found in read_records(tmp_path / f"{n}.jsonl")]
    assert sorted(found) == sorted(f"q{n}" for n in range(50))


@pytest.mark.parametrize("refused", ["write", "fsync"])
async def test_nothing_is_written_behind_a_line_that_the_disk_refused(
    refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, real = Writer(tmp_path), os.write
    await writer.append("0.jsonl", record("q0"))
    await writer.append("1.jsonl", record("q0"))

    def torn(handle: int, content: Any) -> int:
        if os.path.sameopenfile(handle, there):
            if len(content) < 20:
                raise OSError(errno.ENOSPC, "No space left on device")
            return real(handle, content[:10])
        return real(handle, content)

    def unsaved(handle: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    there = os.open(tmp_path / "0.jsonl", os.O_RDONLY)
    monkeypatch.setattr(os, refused, torn if refused == "write" else unsaved)
    with pytest.raises(RunError, match=r"0\.jsonl: cannot be written: \[Errno \d+\]") as first:
        await writer.append("0.jsonl", record("q1"))
    monkeypatch.undo()
    os.close(there)
    # The disk would take it now, but what is on it is known no more.
    with pytest.raises(RunError) as second:
        await writer.append("0.jsonl", record("q2"))
    assert str(second.value) == str(first.value)
    await writer.append("1.jsonl", record("q1"))
    await writer.aclose()
    whole = ["q0"] if refused == "write" else ["q0", "q1"]
    assert list(recover(tmp_path / "0.jsonl")) == whole
    assert (tmp_path / "0.jsonl").read_bytes() == b"".join(to_line(record(name)) for name in whole)
    assert list(recover(tmp_path / "1.jsonl")) == ["q0", "q1"]


def test_a_manifest_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(RunError, match=r"manifest\.json: cannot be written: \[Errno 28\]"):
        write_manifest(tmp_path, {})


def test_a_finished_file_is_put_in_the_order_of_the_questions(tmp_path: Path) -> None:
    file = tmp_path / "persistent.jsonl"
    file.write_bytes(LINES[2] + LINES[0] + LINES[1])
    rewrite_sorted(file, ["q0", "q1", "q2"])
    assert file.read_bytes() == b"".join(LINES)
    assert [path.name for path in tmp_path.iterdir()] == ["persistent.jsonl"]


def test_a_second_process_is_refused_with_the_pid_of_the_first(tmp_path: Path, processes: Any) -> None:
    held, released = processes.Event(), processes.Event()
    process = processes.Process(target=hold, args=(tmp_path, held, released))
    process.start()
    assert held.wait(20)
    with pytest.raises(RunError, match=rf"another process \(pid {process.pid}\)"), locked(tmp_path):
        pass
    released.set()
    process.join(20)
    assert process.exitcode == 0
    with locked(tmp_path):
        pass


def test_the_lock_of_a_dead_process_is_taken_over(tmp_path: Path, processes: Any) -> None:
    process = processes.Process(target=hold_and_die, args=(tmp_path,))
    process.start()
    process.join(20)
    assert process.exitcode == -signal.SIGKILL
    assert (tmp_path / "run.pid").read_text() == f"{process.pid}\n"
    with locked(tmp_path):
        assert (tmp_path / "run.pid").read_text() != f"{process.pid}\n"
        with pytest.raises(RunError, match="another process"), locked(tmp_path):
            pass
    assert not (tmp_path / "run.pid").exists()
