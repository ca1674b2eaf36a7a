"""The live server's process ends with the one that started it, also when that is killed."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

PARENT = """
import subprocess, sys, time
from run_live import die_with_parent
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], preexec_fn=die_with_parent)
print("up", flush=True)
time.sleep(60)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the server is built for Linux")
def test_a_killed_parent_takes_the_server_along() -> None:
    command = [sys.executable, "-c", PARENT]
    with subprocess.Popen(command, cwd=Path(__file__).parent, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        assert parent.stdout.readline() == b"up\n"
        started = time.monotonic()
        parent.kill()
        # Ends when the child has let go of it too.
        parent.stdout.read()
    assert time.monotonic() - started < 30
