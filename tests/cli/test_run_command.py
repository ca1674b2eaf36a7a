"""``judged-useless run``: its options reach the run, and what goes wrong is one sentence."""

import argparse
import socket
from pathlib import Path

import pytest
from judged_useless.cli import run as command
from judged_useless.cli.main import main as command_line
from judged_useless.runs.recorded import Run

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


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--regimes", "persistent", "--no-judge"), "Δ is undefined: "),
        (("--regimes", "recover_after_99"), "no Δ: it is of the regimes persistent, recover_after_1"),
        (("--regimes", "persistent", "--budget", "4"), "no Δ: it needs a budget of at least 5 actions"),
    ],
)
def test_why_there_is_no_contrast_is_one_sentence(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main("--model", "scripted:clock-2", "--out", str(tmp_path / "run"), *options) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith(said)


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
        main("--model", "openai:never", "--prices", str(prices))


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--base-url", "http://x"), "base_url"),
        (("--cost-cap-usd", "1"), "cost_cap_usd"),
        (("--context", "4096"), "context"),
        (("--served-name", "x"), "served_name"),
        (("--prices", "prices.yaml"), "prices"),
        (("--condition", "unaided+thinking"), "thinking"),
    ],
)
def test_a_scripted_agent_has_no_option_of_a_server(
    options: tuple[str, ...], named: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=f"provider 'scripted' has no option {named}$"):
        main("--model", "scripted:own-5", "--out", str(tmp_path / "run"), *options)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("inside", ["", "run"])
def test_a_file_in_the_place_of_the_folder_is_refused(inside: str, tmp_path: Path) -> None:
    there = tmp_path / "file"
    there.write_text("mine")
    with pytest.raises(ValueError, match=r"file.*: a file is in the way, and a run needs a folder"):
        main("--model", "scripted:own-5", "--out", str(there / inside))
    assert there.read_text() == "mine"


def test_help_lists_what_can_be_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    from judged_useless.environment.regimes import PARAMETRIC, REGIMES
    from judged_useless.models import PROVIDERS
    from judged_useless.models.presets import load_presets
    from judged_useless.models.scripted_policies import POLICIES
    from judged_useless.protocol.conditions import CONDITIONS, PARTS

    with pytest.raises(SystemExit):
        main("--help")
    told = capsys.readouterr().out.partition("providers:")[2]
    for name in (*PROVIDERS, *CONDITIONS, *PARTS, *POLICIES, *load_presets(), *REGIMES):
        assert name in told
    assert len(command._PATTERNS.split(", ")) == len(PARAMETRIC)


def test_a_server_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    given = ("--model", "openai:Qwen/Qwen3-8B", "--base-url", f"{url}/v1", "--out", str(tmp_path / "run"))
    assert main(*given) == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"judged-useless run: {url}: connection failed: ")
    assert line.endswith("is the server running, and is that its address?")
    # What never had an episode is in nobody's way.
    assert main("--model", "scripted:own-5", "--out", str(tmp_path / "run"), "--regimes", "clean") == 0


def test_every_option_of_a_cell_is_an_option_of_the_command() -> None:
    import inspect

    from judged_useless.runs.cell import run_cell

    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    options = set(vars(parser.parse_args(["--model", "m"])))
    assert set(inspect.signature(run_cell).parameters) - {"model_options"} <= options


def test_no_agent_labels_its_own_thoughts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main("--model", "scripted:clock-2", "--out", str(tmp_path), "--regimes", "clean") == 0
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"simulated": true', '"simulated": false'))
    assert command_line(["replay", str(tmp_path), "--probe", "stated"]) == 1
    assert "with --model provider:name --other-model" in capsys.readouterr().err
