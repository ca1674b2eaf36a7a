"""Figures: each draws a result it is given, and returns it with its caption and alternative text."""

from paper_book.figures.bars import bars_of_numbers
from paper_book.figures.best_stopping import WORLD, run_length_curves, sequential_tests
from paper_book.figures.curves import beliefs, hazards_by_run, judgments_by_position
from paper_book.figures.dots import (
    answering_actions,
    forest,
    judged_and_answered,
)
from paper_book.figures.ladder import ladder
from paper_book.figures.maps import contrast_heatmap, cost_against_success
from paper_book.figures.rates_by_step import rates_by_step
from paper_book.figures.specification_curve import specification_curve, study_sizes
from paper_book.figures.strips import archetypes, contrasted_histories, episode_strips, failure_schedules
from paper_book.figures.style import MODELS, Picture

__all__ = [
    "MODELS",
    "WORLD",
    "Picture",
    "answering_actions",
    "archetypes",
    "bars_of_numbers",
    "beliefs",
    "contrast_heatmap",
    "contrasted_histories",
    "cost_against_success",
    "episode_strips",
    "failure_schedules",
    "forest",
    "hazards_by_run",
    "judged_and_answered",
    "judgments_by_position",
    "ladder",
    "rates_by_step",
    "run_length_curves",
    "sequential_tests",
    "specification_curve",
    "study_sizes",
]
