"""``judged-useless run``: its options reach the run, and what goes wrong is one sentence."""

import argparse
from pathlib import Path

import pytest
from judged_useless.commands import run as command
from judged_useless.runs import Run

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")


def main(*arguments: str) -> int:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return command.main(parser.parse_args(["--quiet", "--task", "hamlets", "--split", "all", *arguments]))


def test_it_runs_a_cell_and_prints_success_and_delta(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--condition", "combo", "--k", "3", "--budget", "9", "--n-questions", "12", "--seed", "7")
    assert main("--model", "scripted:never", "--out", str(tmp_path / "run"), *options) == 0
    printed = capsys.readouterr().out
    assert "72 episodes, simulated" in printed
    assert "persistent" in printed
    assert "Δ = " in printed
    spec = Run(tmp_path / "run").manifest["spec"]
    assert (spec["options"]["k"], spec["budget"], spec["n_questions"], spec["model"]["seed"]) == (3, 9, 12, 7)
    assert spec["condition"]["name"] == "combo"


def test_an_undefined_contrast_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main("--model", "scripted:clock-2", "--out", str(tmp_path), "--regimes", "persistent", "--no-judge")
        == 0
    )
    assert "Δ is undefined" in capsys.readouterr().out


def test_no_failing_regime_means_no_contrast(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("--model", "scripted:clock-2", "--out", str(tmp_path), "--regimes", "clean") == 0
    assert "Δ is undefined" in capsys.readouterr().out


def test_requests_that_fail_are_status_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from judged_useless.models.base import FatalModelError
    from judged_useless.models.scripted import ScriptedModel

    async def refuse(self: object, *_: object, **__: object) -> None:
        raise FatalModelError("no such model")

    monkeypatch.setattr(ScriptedModel, "generate", refuse)
    assert main("--model", "scripted:never", "--out", str(tmp_path)) == 1
    assert "no such model" in capsys.readouterr().err


def test_prices_need_the_model(tmp_path: Path) -> None:
    prices = tmp_path / "prices.yaml"
    prices.write_text("other: {input: 1, output: 2, source: a page, as_of: 2026-01-01}\n")
    with pytest.raises(ValueError, match=r"no price of 'never'; it has other"):
        main("--model", "scripted:never", "--prices", str(prices))


def test_every_option_of_a_cell_is_an_option_of_the_command() -> None:
    import inspect

    from judged_useless.runs import run_cell

    arguments = set(inspect.signature(run_cell).parameters) - {"model_options"}
    assert arguments == set(command._CELL)
