"""Figures: each function draws a result it is given, computes nothing, and returns the axes."""

from judged_useless.figures.base import Picture, picture
from judged_useless.figures.beliefs import belief_panels
from judged_useless.figures.comparison import judged_and_answered, published_and_recomputed
from judged_useless.figures.episodes import contrasted_histories, episode_strips, failure_schedules
from judged_useless.figures.optimal import run_length_curves, sequential_tests

__all__ = [
    "Picture",
    "belief_panels",
    "contrasted_histories",
    "episode_strips",
    "failure_schedules",
    "judged_and_answered",
    "picture",
    "published_and_recomputed",
    "run_length_curves",
    "sequential_tests",
]
