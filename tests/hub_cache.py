"""A cache of one test's own, so that no test reads or writes the user's."""

from pathlib import Path

import datasets
import pytest


def own_cache(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Path:
    """Point the library's cache and that of ``datasets`` into a folder; return where episodes go."""
    monkeypatch.setenv("JUDGED_USELESS_CACHE", str(folder / "cache"))
    monkeypatch.setattr(datasets.config, "HF_DATASETS_CACHE", folder / "datasets")
    return folder / "cache" / "episodes"


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file below a folder with its bytes."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }
