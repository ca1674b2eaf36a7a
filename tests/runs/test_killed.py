"""Kill -9 at twelve random moments, resume each time: nothing lost, nothing twice."""

import json
import random
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from judged_useless.runs.recorded import Run
from run_children import CELL, work
from validate_run import validate_run

pytest_plugins = ("run_fixtures",)

KILLS = 12


def lines(path: Path) -> int:
    return sum(file.read_bytes().count(b"\n") for file in path.glob("*.jsonl"))


def kill_at_a_random_moment(path: Path, processes: Any, moments: random.Random) -> None:
    """Kill the run after up to six more episodes and up to 30 ms, however fast this machine is."""
    begun = processes.Event()
    process = processes.Process(target=work, args=(path, begun))
    process.start()
    assert begun.wait(30)
    wanted = lines(path) + moments.randint(0, 6)
    while lines(path) < wanted and process.is_alive():
        time.sleep(0.002)
    time.sleep(moments.uniform(0, 0.03))
    process.kill()
    process.join(30)
    assert process.exitcode in (0, -signal.SIGKILL)


@pytest.mark.usefixtures("hamlet_tasks")
def test_a_run_survives_being_killed_at_random_moments(tmp_path: Path, processes: Any) -> None:
    moments, progress = random.Random(7), [0]
    for _ in range(KILLS):
        kill_at_a_random_moment(tmp_path / "killed", processes, moments)
        progress.append(lines(tmp_path / "killed"))
    assert progress == sorted(progress)
    # The moments were spread over the run: not all before it had begun, not all after it had ended.
    assert len(set(progress)) >= 6
    work(tmp_path / "killed")
    work(tmp_path / "straight")
    for file in (tmp_path / "straight").glob("*.jsonl"):
        killed = tmp_path / "killed" / file.name
        assert killed.read_bytes() == file.read_bytes()
        counts = Counter(json.loads(line)["question_id"] for line in killed.read_text().splitlines())
        assert set(counts.values()) == {1}
        assert len(counts) == CELL["n_questions"]
    episodes = [Run(tmp_path / name).episodes() for name in ("killed", "straight")]
    assert episodes[0].equals(episodes[1])
    assert validate_run(tmp_path / "killed") == []
