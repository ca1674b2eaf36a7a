"""Episodes: their schema, where they are read from, and their decision points."""

from judged_useless.episodes.decisions import decision_points, observation_table
from judged_useless.episodes.readers import load_episodes, load_jsonl, load_parquet, write_parquet
from judged_useless.episodes.schema import EpisodeError, validate
from judged_useless.episodes.summaries import contrasted_decisions, how_episodes_end

__all__ = [
    "EpisodeError",
    "contrasted_decisions",
    "decision_points",
    "how_episodes_end",
    "load_episodes",
    "load_jsonl",
    "load_parquet",
    "observation_table",
    "validate",
    "write_parquet",
]
