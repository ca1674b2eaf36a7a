"""Names of sources, and agents that are no language model."""

from pathlib import Path

import pandas as pd
import pytest
from judged_useless import load_episodes
from judged_useless.episodes.formats import write_parquet
from made_up_episodes import MADE_UP, made_up_cell
from paper_book.measures.recompute import recompute
from paper_book.provenance import SIMULATED, is_simulated, source_name
from paper_book.published.transcribed import published
from paper_book.wanted import no_episodes


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("embedded", "embedded released cells"),
        ("hub", "released cells of the hub"),
        ("runs/2026-01-01/", "2026-01-01"),
        (Path("/somewhere/mine.jsonl.gz"), "mine.jsonl.gz"),
        (["runs/a", Path("b.parquet")], "a, b.parquet"),
        (["embedded", "hub", "runs"], "embedded released cells, released cells of the hub, runs"),
        ("embedded released cells", "embedded released cells"),
    ],
)
def test_names(source: str | Path | list[str | Path], name: str) -> None:
    assert source_name(source) == name


@pytest.mark.parametrize("prefix", SIMULATED)
def test_simulated_agents_are_named_as_such(prefix: str) -> None:
    episodes = pd.DataFrame({"model": ["qwen3-8b", f"{prefix}clock"]})
    assert is_simulated(episodes)
    assert source_name("runs/x", episodes) == "x, SIMULATED agents"


def test_language_models_are_not() -> None:
    assert not is_simulated(load_episodes())
    assert source_name("embedded", load_episodes()) == "embedded released cells"
    assert not is_simulated(pd.DataFrame({"model": ["my-scripted:model"]}))


@pytest.fixture
def mixed(tmp_path: Path) -> list[str | Path]:
    made_up = made_up_cell("test300")
    renamed = made_up.assign(model="mine", simulated=False)
    return [
        "embedded",
        write_parquet(made_up, tmp_path / "a.parquet"),
        write_parquet(renamed, tmp_path / "b.parquet"),
    ]


def test_of_several_sources_those_are_named_that_are_used(mixed: list[str | Path]) -> None:
    episodes = load_episodes(mixed)
    assert episodes.groupby("model")["loaded_from"].unique().map(list).to_dict() == {
        "qwen3-8b": ["embedded"],
        MADE_UP: [str(mixed[1])],
        "mine": [str(mixed[2])],
    }
    for models, name in (
        (["qwen3-8b"], "embedded released cells"),
        (["qwen3-8b", "mine"], "embedded released cells, b.parquet"),
        ([MADE_UP], "a.parquet, SIMULATED agents"),
        (
            ["qwen3-8b", MADE_UP, "mine"],
            "embedded released cells, a.parquet, b.parquet, SIMULATED agents in a.parquet",
        ),
    ):
        assert source_name(mixed, episodes[episodes["model"].isin(models)]) == name
        assert source_name(mixed, load_episodes(mixed, model=models)) == name
    # Nothing is from any of them: then all are named, as what was looked in.
    assert source_name(mixed, no_episodes()) == "embedded released cells, a.parquet, b.parquet"


def test_one_source_is_not_noted_down() -> None:
    assert "loaded_from" not in load_episodes()
    assert "loaded_from" not in load_episodes(["embedded"])


def test_a_name_that_was_made_before_is_kept(mixed: list[str | Path]) -> None:
    episodes = load_episodes(mixed[1])
    name = source_name(mixed[1], episodes)
    assert source_name(name, episodes) == name == "a.parquet, SIMULATED agents"


def test_numbers_name_the_sources_of_their_episodes(mixed: list[str | Path]) -> None:
    printed = published(6, panel="delta", condition="unaided", split="test300")
    compared = recompute(printed, load_episodes(mixed), n_boot=20).set_index("model")
    assert compared.loc["qwen3-8b", "loaded_from"] == "embedded"
    assert compared["loaded_from"].isna()["llama3.1-8b"]
    assert compared["simulated"].to_dict() == {
        **dict.fromkeys(printed["model"], False),
        MADE_UP: True,
        "mine": False,
    }
    compared = compared.reset_index()
    for model, name in (
        ("qwen3-8b", "embedded released cells"),
        ("mine", "b.parquet"),
        (MADE_UP, "a.parquet, SIMULATED agents"),
    ):
        assert source_name(mixed, compared[compared["model"] == model]) == name
    # What a simulated agent could not fill does not count as used.
    assert source_name(mixed, compared.assign(recomputed=float("nan"))).endswith("b.parquet")
    alone = recompute(printed, load_episodes(), n_boot=20)
    assert "loaded_from" not in alone


def test_a_difference_of_two_sources_names_both(tmp_path: Path) -> None:
    episodes = load_episodes()
    sources: list[str | Path] = [
        write_parquet(part, tmp_path / f"{arm}.parquet") for arm, part in episodes.groupby("condition")
    ]
    printed = published(
        measure="design_label_contrast", model="qwen3-8b", condition="unaided", split="test300"
    )
    gain = published("text", condition="enforced_rule - unaided", model="qwen3-8b", split="test300")
    compared = recompute(pd.concat([printed, gain]), load_episodes(sources), n_boot=20)
    pair = compared[compared["condition"].str.contains(" - ")]
    assert source_name(sources, compared[compared["condition"] == "unaided"]) == "unaided.parquet"
    assert source_name(sources, pair.assign(recomputed=0.0)) == "enforced_rule.parquet, unaided.parquet"
