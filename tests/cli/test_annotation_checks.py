"""What ``annotate`` refuses, and that it does so before anybody was asked."""

import argparse
import shutil
from pathlib import Path

import pytest
from judged_useless.cli import annotate as command
from judged_useless.cli import annotation as checks
from judged_useless.cli.main import main
from judged_useless.models import get_model
from judged_useless.models.scripted_annotator import ScriptedAnnotator

pytest_plugins = ("run_fixtures",)
pytestmark = pytest.mark.usefixtures("hamlet_tasks")
BOTH = ("--annotator", "scripted:annotator-5", "--annotator", "scripted:annotator-20")
URL = ("--base-url", "http://127.0.0.1:1/v1")


def run_at(path: Path, model: str = "scripted:own-5") -> Path:
    cell = ["--task", "hamlets", "--split", "all", "--n-questions", "2", "--quiet", "--out", str(path)]
    assert main(["run", "--model", model, "--regimes", "clean", "persistent", *cell]) == 0
    return path


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, hamlets_of_module: None) -> Path:
    return run_at(tmp_path_factory.mktemp("recorded") / "run")


@pytest.fixture
def run(tmp_path: Path, recorded: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "my-run"))


@pytest.fixture
def unasked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a scripted annotator that is asked fail the test."""

    async def refuse(self: object, *_: object, **__: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(ScriptedAnnotator, "generate", refuse)


def refused(run: Path, capsys: pytest.CaptureFixture[str], *options: str) -> str:
    """Return the message, having made sure that nothing was written."""
    before = sorted(run.parent.rglob("*"))
    assert main(["annotate", str(run), "--quiet", *options]) == 1
    assert sorted(run.parent.rglob("*")) == before
    return capsys.readouterr().err


def parsed(*options: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    command.add_arguments(parser)
    return parser.parse_args(["run", *options])


def test_servers_are_told_apart_by_annotator() -> None:
    given = parsed("--annotator", "openai:a", "--annotator", "anthropic:b", "--base-url", "http://one/v1",
                   "--base-url", "anthropic:b=http://two", "--cost-cap-usd", "3")  # fmt: skip
    assert checks.options_of(given, "openai:a") == {"base_url": ["http://one/v1"], "cost_cap_usd": 3.0}
    assert checks.options_of(given, "anthropic:b")["base_url"] == ["http://one/v1", "http://two"]
    assert checks.options_of(given, "scripted:annotator-5") == {}


def test_an_annotator_decodes_greedily_if_it_is_to() -> None:
    names = ("openai:qwen3-32b", "openai:qwen3-8b")
    given = parsed("--annotator", names[0], "--annotator", names[1], "--greedy", names[0], *URL)
    greedy, other = (get_model(name, **checks.options_of(given, name)) for name in names)
    assert (greedy.name, greedy.decoding.temperature, greedy.decoding.thinking) == ("qwen3-32b", 0.0, False)
    assert other.decoding.temperature == 0.7
    given.greedy = ["openai:qwen3"]
    with pytest.raises(ValueError, match="--greedy openai:qwen3: expected a model given with --annotator"):
        checks.check_options(given)


@pytest.mark.parametrize(
    "pair",
    [
        ("openai:qwen3-8b", "openai:Qwen/Qwen3-8B"),
        ("openai:some/model", "openai:some/Model"),
        ("anthropic:claude-haiku-4.5", "anthropic:claude-haiku-4-5"),
        ("openai:other", "anthropic:other"),
    ],
)
def test_one_model_under_two_names_is_one_annotator(
    pair: tuple[str, str], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(run, capsys, "--annotator", pair[0], "--annotator", pair[1], *URL)
    assert f"--annotator {pair[0]} and {pair[1]} are one model; agreement needs" in said


@pytest.mark.usefixtures("unasked")
def test_a_sheet_that_cannot_be_read_costs_nothing(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(run, capsys, *BOTH, "--adjudicated", "disagreements-S1.csv")
    assert "No such file or directory: 'disagreements-S1.csv'" in said
    empty = run.with_name("empty.csv")
    empty.touch()
    assert f"{empty}: no row in it" in refused(run, capsys, *BOTH, "--adjudicated", str(empty))


@pytest.mark.usefixtures("unasked")
def test_a_run_without_a_result_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_at(tmp_path / "at-once", "scripted:clock-1")
    for options in (("--stream", "S1"), (), ("--n", "3")):
        said = refused(run, capsys, *BOTH, *options)
        assert f"{run}: no result in it, so there is nothing to label" in said
    said = refused(run, capsys, *BOTH, "--stream", "S2")
    assert f"{run}: no thought after a result in it, so there is nothing to label" in said
