"""Episodes: their schema, where they are read from, and their decision points."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judged_useless.episodes.decisions import (
        contrasted_decisions,
        decision_points,
        how_episodes_end,
        judged_by_position,
        observation_table,
    )
    from judged_useless.episodes.formats import load_jsonl, load_parquet, write_parquet
    from judged_useless.episodes.schema import EpisodeError, NoEpisodesError, validate

#: Public names and the module of each, imported when first used: a run needs the schema alone.
_PUBLIC = {
    **dict.fromkeys(("EpisodeError", "NoEpisodesError", "validate"), "schema"),
    **dict.fromkeys(("load_jsonl", "load_parquet", "write_parquet"), "formats"),
}

__all__ = [
    "EpisodeError", "NoEpisodesError", "contrasted_decisions", "decision_points", "how_episodes_end",
    "judged_by_position", "load_jsonl", "load_parquet", "observation_table", "validate", "write_parquet",
]  # fmt: skip


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module holds under that name
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PUBLIC.get(name, 'decisions')}"), name)
