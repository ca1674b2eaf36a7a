"""The live server's process ends with the one that started it, also when that is killed."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

PARENT = """
import subprocess, sys, time
from run_live import die_with_parent
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True,
                         preexec_fn=die_with_parent)
print(child.pid, flush=True)
time.sleep(60)
"""


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="the server is built for Linux")
def test_a_killed_parent_takes_the_server_along() -> None:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, cwd=Path(__file__).parent, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_running(child)
        parent.kill()
    deadline = time.monotonic() + 10
    while is_running(child):
        assert time.monotonic() < deadline
        time.sleep(0.02)
