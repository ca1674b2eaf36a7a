"""Figures: each function draws a result it is given, computes nothing, and returns the axes."""

from paper_book.figures.best_stopping import run_length_curves, sequential_tests
from paper_book.figures.curves import beliefs, described_beliefs, hazards_by_run, judgments_by_position
from paper_book.figures.dots import answering_actions, contrast_forest, judged_and_answered_by_model
from paper_book.figures.matrix import contrast_heatmap
from paper_book.figures.published_beside import (
    described,
    judged_and_answered,
    published_and_recomputed,
    where_from,
)
from paper_book.figures.strips import contrasted_histories, episode_strips, failure_schedules
from paper_book.figures.style import MODELS, Picture, picture
from paper_book.figures.tradeoff import cost_against_success

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
