"""Episodes: their schema, where they are read from, and their decision points."""

from judged_useless.episodes.decisions import decision_points, observation_table
from judged_useless.episodes.readers import load_episodes, load_jsonl, load_parquet, write_parquet
from judged_useless.episodes.schema import EpisodeError, validate

__all__ = [
    "EpisodeError",
    "decision_points",
    "load_episodes",
    "load_jsonl",
    "load_parquet",
    "observation_table",
    "validate",
    "write_parquet",
]
