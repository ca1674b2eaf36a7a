"""The command line: its commands, and how errors end."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest
from judged_useless._io.messages import visible
from judged_useless.cli import main as cli


@pytest.mark.parametrize("command", [[], *([name] for name in cli.COMMANDS)])
def test_help_is_plain_text_and_lists_every_command(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main([*command, "--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert command or all(name in shown for name in cli.COMMANDS)
    assert "`" not in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: COMMAND"),
        (["fetsch"], "invalid choice: 'fetsch'"),
        (["fetch", "--split", "../x"], "invalid choice: '../x'"),
        (
            ["run", "--model", "scripted:own-5", "--budget", "0"],
            "--budget: '0': expected a whole number of at",
        ),
    ],
)
def test_a_mistyped_command_line_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    "error",
    [
        ValueError("a wrong value"),
        ValueError("a server's \x1b[31mred\x07 words"),
        FileNotFoundError("no such file"),
        ImportError("no vllm: install it"),
    ],
)
def test_what_a_user_can_mend_is_one_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr("judged_useless.cli.fetch.main", fail)
    assert cli.main(["fetch"]) == 1
    assert capsys.readouterr().err == f"judged-useless fetch: {visible(str(error))}\n"


@pytest.mark.parametrize("place", ["run.main", "main.import_module"])
def test_an_interruption_is_one_line(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"judged_useless.cli.{place}", interrupt)
    assert cli.main(["run", "--model", "scripted:own-5"]) == 130
    assert capsys.readouterr().err == "judged-useless run: interrupted; the same command resumes\n"


def test_a_fault_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: argparse.Namespace) -> int:
        raise KeyError("ours")

    monkeypatch.setattr("judged_useless.cli.fetch.main", fail)
    with pytest.raises(KeyError, match="ours"):
        cli.main(["fetch"])


PRINTS = """
import sys
from judged_useless._io.messages import visible
from judged_useless.cli import main as cli
from judged_useless.cli import {command}
{command}.main = lambda arguments: print("x" * {size}) or print("progress", file=sys.stderr) or 0
sys.exit(cli.main({arguments!r}))
"""

COMMAND = "import sys; from judged_useless.cli.main import main; sys.exit(main())"


def without_a_reader(
    command: list[str], folder: Path, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """Run a command whose output nothing reads any more, as before ``| head`` that has ended."""
    read, write = os.pipe()
    os.close(read)
    paths = {"PYTHONPATH": os.pathsep.join(sys.path)}
    try:
        return subprocess.run(
            [sys.executable, *command], stdout=write, stderr=subprocess.PIPE, text=True, cwd=folder,
            env={**os.environ, **paths, **environment},
        )  # fmt: skip
    finally:
        os.close(write)


@pytest.mark.parametrize(
    ("command", "arguments", "size", "unbuffered"),
    [
        ("fetch", ["fetch"], 5, ""),
        ("run", ["run", "--model", "x"], 500_000, ""),
        ("replay", ["replay", "r", "--probe", "beliefs"], 5, "1"),
    ],
)
def test_output_that_nobody_reads_ends_it_quietly(
    command: str, arguments: list[str], size: int, unbuffered: str, tmp_path: Path
) -> None:
    script = PRINTS.format(command=command, size=size, arguments=arguments)
    ended = without_a_reader(["-c", script], tmp_path, PYTHONUNBUFFERED=unbuffered)
    assert ended.returncode == 141
    assert ended.stderr in ("", "progress\n")


def test_a_run_whose_output_nobody_reads_is_complete_all_the_same(tmp_path: Path) -> None:
    cell = ["run", "--model", "scripted:never", "--task", "atlas", "--n-questions", "1", "--out", "cell"]
    ended = without_a_reader(["-c", COMMAND, *cell, "--quiet"], tmp_path)
    assert (ended.returncode, ended.stderr) == (141, "")
    assert '"status": "complete"' in (tmp_path / "cell" / "manifest.json").read_text(encoding="utf-8")
