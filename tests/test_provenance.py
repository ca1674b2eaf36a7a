"""Names of sources, and agents that are no language model."""

from pathlib import Path

import pandas as pd
import pytest
from judged_useless import load_episodes
from judged_useless.provenance import SIMULATED, is_simulated, source_name


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("embedded", "embedded released cells"),
        ("hub", "released cells of the hub"),
        ("runs/2026-01-01/", "2026-01-01"),
        (Path("/somewhere/mine.jsonl.gz"), "mine.jsonl.gz"),
        (["runs/a", Path("b.parquet")], "a, b.parquet"),
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
