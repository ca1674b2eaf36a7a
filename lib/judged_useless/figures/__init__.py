"""Figures: each function draws a result it is given, computes nothing, and returns the axes."""

from judged_useless.figures.base import MODELS, Picture, picture
from judged_useless.figures.comparison import (
    described,
    judged_and_answered,
    published_and_recomputed,
    where_from,
)
from judged_useless.figures.curves import beliefs, described_beliefs, hazards_by_run, judgments_by_position
from judged_useless.figures.episodes import contrasted_histories, episode_strips, failure_schedules
from judged_useless.figures.matrix import contrast_heatmap
from judged_useless.figures.optimal import run_length_curves, sequential_tests
from judged_useless.figures.rows import answering_actions, contrast_forest, judged_and_answered_by_model
from judged_useless.figures.tradeoff import cost_against_success

__all__ = [
    "MODELS",
    "Picture",
    "answering_actions",
    "beliefs",
    "contrast_forest",
    "contrast_heatmap",
    "contrasted_histories",
    "cost_against_success",
    "described",
    "described_beliefs",
    "episode_strips",
    "failure_schedules",
    "hazards_by_run",
    "judged_and_answered",
    "judged_and_answered_by_model",
    "judgments_by_position",
    "picture",
    "published_and_recomputed",
    "run_length_curves",
    "sequential_tests",
    "where_from",
]
