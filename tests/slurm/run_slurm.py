"""Everything ``make test-slurm`` does: a real Slurm on this machine, a sweep through it, and two killed jobs.

Needs root on Debian or Ubuntu (apt installs Slurm and munge if they are missing) and a machine that has no
Slurm of its own. What is started is stopped, and what is written into /etc is removed, whatever happens.
"""

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WORK, PLUGIN = ROOT / "_build" / "slurm", ROOT / ".venv-slurm"
#: The jobs' own srun looks here, whatever the environment says.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
#: Two agents and two conditions, so that a node of two processors always has a job running.
SWEEP = """
out: {out}
retries: 0
minutes: 20
endpoints: {{never: {{provider: scripted}}, own-5: {{provider: scripted}}}}
groups:
  - {{models: [never, own-5], conditions: [unaided, enforced_rule], task: atlas, n_questions: 300}}
"""
CELLS, EPISODES = 4, 6 * 300
LOG = logging.getLogger("slurm")


def sh(*command: str, check: bool = True) -> str:
    """Run a command and return what it prints."""
    return subprocess.run(command, check=check, capture_output=True, text=True).stdout


def configuration(host: str) -> str:
    """Return a cluster of this one machine."""
    lines = {
        "ClusterName": "here", "SlurmctldHost": f"{host}(127.0.0.1)", "AuthType": "auth/munge",
        "SlurmUser": "root", "SlurmdUser": "root", "ProctrackType": "proctrack/linuxproc",
        "TaskPlugin": "task/none", "SelectType": "select/cons_tres",
        "JobAcctGatherType": "jobacct_gather/none", "AccountingStorageType": "accounting_storage/none",
        "StateSaveLocation": f"{WORK}/state", "SlurmdSpoolDir": f"{WORK}/spool", "ReturnToService": "2",
        "SlurmctldPidFile": f"{WORK}/slurmctld.pid", "SlurmdPidFile": f"{WORK}/slurmd.pid",
        "SlurmctldLogFile": f"{WORK}/slurmctld.log", "SlurmdLogFile": f"{WORK}/slurmd.log",
    }  # fmt: skip
    node = f"NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory=8000 State=UNKNOWN"
    partition = f"PartitionName=cpu Nodes={host} Default=YES MaxTime=INFINITE State=UP"
    return "\n".join([*(f"{name}={value}" for name, value in lines.items()), node, partition, ""])


@contextmanager
def cluster() -> Iterator[None]:
    """Set Slurm up on this machine, and take it down."""
    if shutil.which("slurmctld") is None or shutil.which("munged") is None:
        sh("apt-get", "update", "-qq")
        sh("apt-get", "install", "-y", "-qq", "--no-install-recommends", "slurm-wlm", "munge")
    if CONFIGURATION.exists():
        sys.exit(f"{CONFIGURATION} exists: this machine has a Slurm of its own, which is left alone")
    shutil.rmtree(WORK, ignore_errors=True)
    for folder in (WORK / "state", WORK / "spool", CONFIGURATION.parent, Path("/run/munge")):
        folder.mkdir(parents=True, exist_ok=True)
    shutil.chown("/run/munge", "munge", "munge")
    CONFIGURATION.write_text(configuration(socket.gethostname().split(".")[0]), encoding="utf-8")
    munge = subprocess.run(["pgrep", "-x", "munged"], capture_output=True, check=False).returncode != 0
    try:
        if munge:
            sh("runuser", "-u", "munge", "--", "munged")
        sh("slurmctld")
        sh("slurmd")
        for _ in range(60):
            if "idle" in sh("sinfo", "--noheader", "--format=%T", check=False):
                break
            time.sleep(1)
        else:
            sys.exit(f"the node does not come up: {(WORK / 'slurmctld.log').read_text()[-2000:]}")
        LOG.info("Slurm is up: %s", sh("sinfo", "--version").strip())
        yield
    finally:
        sh("scancel", "--user=root", check=False)
        for name in ("slurmd", "slurmctld"):
            pid = WORK / f"{name}.pid"
            if pid.exists():
                os.kill(int(pid.read_text()), signal.SIGTERM)
        if munge:
            sh("pkill", "-x", "munged", check=False)
        CONFIGURATION.unlink()


def sweep_command() -> list[str]:
    """Return the sweep through Slurm's executor, as the profile has it; there is no accounting database."""
    slurm = ["--executor", "slurm", "--jobs", "2", "--slurm-no-account", "--slurm-status-command", "squeue"]
    slurm += ["--slurm-init-seconds-before-status-checks", "5", "--latency-wait", "5"]
    slurm += ["--default-resources", "slurm_partition=cpu", "mem_mb=1000"]
    files = ["--snakefile", "sweeps/Snakefile", "--config", f"sweep={WORK / 'sweep.yaml'}"]
    ours = ["--keep-going", "--rerun-incomplete", "--nolock", *slurm, *files]
    return [sys.executable, "-m", "snakemake", *ours]


def episodes(out: Path) -> dict[str, list[tuple[str, str]]]:
    """Return run -> (regime, line without what depends on the time) of each episode."""
    found: dict[str, list[tuple[str, str]]] = {}
    for path in sorted(out.glob("*/*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            kept = json.dumps([record[name] for name in ("question_id", "actions", "judgments", "success")])
            found.setdefault(path.parent.name, []).append((path.stem, kept))
    return {run: sorted(lines) for run, lines in found.items()}


def disturb(running: "subprocess.Popen[bytes]") -> None:
    """Cancel one job and kill another's process, each in the middle of its episodes."""
    cancelled = killed = False
    while running.poll() is None and not (cancelled and killed):
        time.sleep(0.3)
        started = [path for path in WORK.glob("runs/*/*.jsonl") if path.stat().st_size > 20_000]
        if not started:
            continue
        jobs = sh("squeue", "--noheader", "--states=RUNNING", "--format=%i", check=False).split()
        if not cancelled and jobs:
            sh("scancel", jobs[0])
            cancelled = True
            LOG.info("cancelled job %s", jobs[0])
            time.sleep(2)
        elif cancelled and (runs := sh("pgrep", "-f", "judged-useless run", check=False).split()):
            os.kill(int(runs[-1]), signal.SIGKILL)
            killed = True
            LOG.info("killed process %s of a job with signal 9", runs[-1])
    if not (cancelled and killed):
        sys.exit("the jobs ended before they could be disturbed")


def main() -> None:
    """Run it all."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    if os.geteuid() != 0:
        sys.exit("make test-slurm sets a Slurm up on this machine, for which it has to be root")
    if not PLUGIN.exists():
        plugins = ["snakemake-executor-plugin-slurm>=2.8,<3", "snakemake-executor-plugin-slurm-jobstep"]
        sh(
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--target",
            str(PLUGIN),
            *plugins,
            "throttler",
        )
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "lib"), str(PLUGIN)])
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with cluster():
        (WORK / "sweep.yaml").write_text(SWEEP.format(out=WORK / "runs"), encoding="utf-8")
        with (WORK / "first.log").open("wb") as log:
            running = subprocess.Popen(sweep_command(), cwd=ROOT, stdout=log, stderr=log)
            disturb(running)
            LOG.info("the first sweep ends with status %s", running.wait(1800))
        done = episodes(WORK / "runs")
        LOG.info("kept: %s", {run: f"{len(lines)} of {EPISODES}" for run, lines in done.items()})
        with (WORK / "second.log").open("wb") as log:
            again = subprocess.run(sweep_command(), cwd=ROOT, stdout=log, stderr=log, check=False)
        if again.returncode:
            sys.exit((WORK / "second.log").read_text(encoding="utf-8")[-3000:])
    (WORK / "plain.yaml").write_text(SWEEP.format(out=WORK / "plain"), encoding="utf-8")
    plain = ["--snakefile", "sweeps/Snakefile", "--cores", "2", "--quiet", "all", "--nolock"]
    sh(sys.executable, "-m", "snakemake", *plain, "--config", f"sweep={WORK / 'plain.yaml'}")
    through, undisturbed = episodes(WORK / "runs"), episodes(WORK / "plain")
    counts = {run: len(set(lines)) for run, lines in through.items()}
    assert counts == dict.fromkeys(undisturbed, EPISODES), counts
    assert len(counts) == CELLS
    assert through == undisturbed, "an episode differs from that of an undisturbed run"
    LOG.info(
        "%d cells of %d episodes: nothing lost, nothing twice, all equal to an undisturbed run",
        CELLS,
        EPISODES,
    )


if __name__ == "__main__":
    main()
