"""Tell whether a tool-using agent stops on its own judgments.

The library behind the reproducible book of *Judged Useless, Queried Anyway* (Zhang et al. 2026,
arXiv:2610.06191): episodes in, stopping measures out.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged_useless.environment.regimes import FAIL, MEAN6
    from judged_useless.episodes.decisions import decision_points
    from judged_useless.episodes.formats import load_jsonl
    from judged_useless.estimators import answer_rate_after_run, time_matched_contrast
    from judged_useless.protocol.rule import IntegrationRule
    from judged_useless.protocol.signals import parse_side_channel
    from judged_useless.protocol.stated import stated_judgment
    from judged_useless.runs.cell import run_cell
    from judged_useless.sources.readers import load_episodes

#: Public names and the module of each, imported when first used: the command line answers at once.
_PUBLIC = {
    "FAIL": "environment.regimes",
    "MEAN6": "environment.regimes",
    "IntegrationRule": "protocol.rule",
    "answer_rate_after_run": "estimators",
    "decision_points": "episodes.decisions",
    "load_episodes": "sources.readers",
    "load_jsonl": "episodes.formats",
    "parse_side_channel": "protocol.signals",
    "run_cell": "runs.cell",
    "stated_judgment": "protocol.stated",
    "time_matched_contrast": "estimators",
}

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


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module holds under that name
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
