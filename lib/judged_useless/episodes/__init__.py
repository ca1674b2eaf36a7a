"""Episodes: their schema, where they are read from, and their decision points."""

from .decisions import (
    contrasted_decisions,
    decision_points,
    how_episodes_end,
    judged_by_position,
    observation_table,
)
from .formats import load_jsonl, load_parquet, write_parquet
from .schema import EpisodeError, NoEpisodesError, validate

__all__ = [
    "EpisodeError", "NoEpisodesError", "contrasted_decisions", "decision_points", "how_episodes_end",
    "judged_by_position", "load_jsonl", "load_parquet", "observation_table", "validate", "write_parquet",
]  # fmt: skip
