"""What stands below a table with empty cells: whose they are, and the commands that fill them."""

import shlex

from judged_useless import load_episodes
from judged_useless.afterwards.probes import get_probe
from judged_useless.cli import main as cli
from judged_useless.environment.regimes import MEAN4, get_regime
from paper_book.measures.filling import probe_commands, to_fill
from paper_book.measures.recompute import recompute
from paper_book.published.comparing import one_each
from paper_book.published.transcribed import published
from paper_book.tables.data_table import comparison_table


def test_released_models_come_from_the_hub_and_the_others_from_runs() -> None:
    printed = published(measure="answered_after_5", regime="persistent", condition="unaided", split="test300")
    printed = one_each(printed[printed["model"].isin(["qwen3-8b", "qwen3-32b", "claude-haiku-4.5"])])
    held = recompute(printed, load_episodes(condition="unaided"), n_boot=5)
    found = to_fill(held)
    assert found["missing"] == (
        "Empty cells. Released (qwen3-32b): `make data`, then `make book SOURCE=hub`. Not released "
        "(claude-haiku-4.5): runs of your own, by the commands below."
    )
    assert found["commands"] == ["judged-useless run --model anthropic:claude-haiku-4.5 --condition unaided"]
    table = comparison_table(held, {"model": held["model"].tolist()}, caption="c", source="s", **found)
    bundle = table._repr_mimebundle_()
    assert (
        "<pre>judged-useless run --model anthropic:claude-haiku-4.5 --condition unaided</pre>"
        in bundle["text/html"]
    )
    assert bundle["text/plain"].endswith(found["commands"][0])
    filled = held[held["recomputed"].notna()]
    assert to_fill(filled) == {"missing": "", "commands": []}
    whole = comparison_table(filled, {}, caption="c", source="s", missing="m", commands=["x"])
    assert (whole.note, list(whole.commands)) == ("", [])


def test_what_no_released_episode_holds_takes_a_run_and_a_probe() -> None:
    printed = published("text", measure="answered_where_report_favors")
    found = to_fill(recompute(printed, load_episodes(condition="unaided"), n_boot=5))
    assert "In no released episode (llama3.1-8b, qwen2.5-7b)" in found["missing"]
    assert len(found["commands"]) == 4
    assert found["commands"][1] == "judged-useless replay runs/llama3.1-8b-unaided --probe beliefs"


def test_probe_commands_are_what_the_command_line_takes() -> None:
    run, replay = probe_commands("qwen3-8b", ["beliefs", "answer-now", "repair"], split="fresh300")
    given = cli.build_parser("run").parse_args(shlex.split(run)[1:])
    assert (given.model, given.split, tuple(given.regimes)) == ("vllm:qwen3-8b", "fresh300", MEAN4)
    for regime in given.regimes:
        get_regime(regime)
    asked = cli.build_parser("replay").parse_args(shlex.split(replay)[1:])
    assert asked.run == given.out
    for name in asked.probe:
        get_probe(name)
    scripted, _, page = probe_commands("scripted:never", ["beliefs"], section="02b_beliefs")
    assert page == (
        "make section NAME=02b_beliefs SOURCE=runs/never-unaided MODEL=scripted:never SPLIT=test300"
    )
    assert "--model scripted:never " in scripted
    assert scripted.endswith("--out runs/never-unaided")
