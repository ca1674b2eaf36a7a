"""The command line: its commands, and how errors end."""

import argparse
import importlib

import pytest
from judged_useless import cli


def test_every_command_has_what_the_parser_asks_for() -> None:
    for name, module_name in cli.COMMANDS.items():
        module = importlib.import_module(module_name)
        assert module.SUMMARY, name
        assert callable(module.add_arguments), name
        assert callable(module.main), name


def test_help_lists_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(["--help"])
    assert caught.value.code == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in cli.COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "required: COMMAND"),
        (["fetsch"], "invalid choice: 'fetsch'"),
        (["fetch", "--split", "../x"], "invalid choice: '../x'"),
    ],
)
def test_a_mistyped_command_line_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        cli.main(arguments)
    assert caught.value.code == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("error", [ValueError("a wrong value"), FileNotFoundError("no such file")])
def test_what_a_user_can_mend_is_one_sentence(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(_: argparse.Namespace) -> int:
        raise error

    monkeypatch.setattr("judged_useless.commands.fetch.main", fail)
    assert cli.main(["fetch"]) == 1
    assert capsys.readouterr().err == f"judged-useless fetch: {error}\n"


def test_a_fault_of_ours_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: argparse.Namespace) -> int:
        raise KeyError("ours")

    monkeypatch.setattr("judged_useless.commands.fetch.main", fail)
    with pytest.raises(KeyError, match="ours"):
        cli.main(["fetch"])
