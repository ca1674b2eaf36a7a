"""Episodes: their schema, where they are read from, and their decision points."""

from judged_useless.episodes.beside import answer_now_branches, probe_results
from judged_useless.episodes.chosen import page_model
from judged_useless.episodes.decisions import decision_points, observation_table
from judged_useless.episodes.formats import load_jsonl, load_parquet, write_parquet
from judged_useless.episodes.pairs import episode_steps, first_rescued_question
from judged_useless.episodes.readers import load_episodes
from judged_useless.episodes.schema import EpisodeError, NoEpisodesError, validate
from judged_useless.episodes.summaries import contrasted_decisions, how_episodes_end, judged_by_position
from judged_useless.episodes.wanted import episodes_or_nothing, no_episodes

__all__ = [
    "EpisodeError",
    "NoEpisodesError",
    "answer_now_branches",
    "contrasted_decisions",
    "decision_points",
    "episode_steps",
    "episodes_or_nothing",
    "first_rescued_question",
    "how_episodes_end",
    "judged_by_position",
    "load_episodes",
    "load_jsonl",
    "load_parquet",
    "no_episodes",
    "observation_table",
    "page_model",
    "probe_results",
    "validate",
    "write_parquet",
]
