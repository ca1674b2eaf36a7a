"""Tell whether a tool-using agent stops on its own judgments.

The library behind the reproducible book of *Judged Useless, Queried Anyway* (Zhang et al. 2026,
arXiv:2610.06191): episodes in, stopping measures out.
"""

from judged_useless.episodes import decision_points, load_episodes, load_jsonl
from judged_useless.estimators import answer_rate_after_run, time_matched_contrast
from judged_useless.regimes import FAIL, MEAN6

__all__ = [
    "FAIL",
    "MEAN6",
    "answer_rate_after_run",
    "decision_points",
    "load_episodes",
    "load_jsonl",
    "time_matched_contrast",
]
