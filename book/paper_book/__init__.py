"""What the book of *Judged Useless, Queried Anyway* needs beside the library."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from paper_book import figures, real_runs
    from paper_book.audited import open_log
    from paper_book.claims import claim
    from paper_book.figures.two_episodes import two_episodes
    from paper_book.page import open_page
    from paper_book.reading import run_folder
    from paper_book.registered.load import equivalence_bound

#: What notebooks use, and the module of each, imported when first used.
_PUBLIC = {
    "claim": "claims",
    "equivalence_bound": "registered.load",
    "open_log": "audited",
    "open_page": "page",
    "run_folder": "reading",
    "two_episodes": "figures.two_episodes",
}

__all__ = [
    "claim", "equivalence_bound", "figures", "open_log", "open_page", "real_runs", "run_folder",
    "two_episodes",
]  # fmt: skip


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever the module holds under that name
    if name in ("figures", "real_runs"):
        return import_module(f"paper_book.{name}")
    if name not in _PUBLIC:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_PUBLIC[name]}"), name)
    return value
