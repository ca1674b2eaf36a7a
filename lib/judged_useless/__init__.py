"""Tell whether a tool-using agent stops on its own judgments.

The library behind the reproducible book of *Judged Useless, Queried Anyway* (Zhang et al. 2026,
arXiv:2610.06191): episodes in, stopping measures out.
"""

from judged_useless.episodes import decision_points, load_episodes, load_jsonl
from judged_useless.estimators import answer_rate_after_run, time_matched_contrast
from judged_useless.judgments import IntegrationRule, parse_side_channel, stated_judgment
from judged_useless.regimes import FAIL, MEAN6
from judged_useless.runs import run_cell

__all__ = [
    "FAIL",
    "MEAN6",
    "IntegrationRule",
    "answer_rate_after_run",
    "decision_points",
    "load_episodes",
    "load_jsonl",
    "parse_side_channel",
    "run_cell",
    "stated_judgment",
    "time_matched_contrast",
]
