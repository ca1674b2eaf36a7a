"""Where the numbers on a page come from, in words."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

#: Prefixes of models that are no language model; pages must say so wherever they appear.
SIMULATED = ("simulated:", "scripted:")
#: Between the entries of ``loaded_from`` of a number that rests on cells of several; no path holds it.
SEPARATOR = "\0"


#: What is appended to the name of a source with such agents.
_MARK = ", SIMULATED agents"
_NAMES = {"embedded": "embedded released cells", "hub": "released cells of the hub"}


def source_name(source: str | Path | Sequence[str | Path], used: pd.DataFrame | None = None) -> str:
    """Return a short name of where numbers come from, for legends and captions.

    Parameters
    ----------
    source : str, path or list of them
        As given to :func:`judged_useless.load_episodes`, or a name that this function returned.
    used : pandas.DataFrame, optional
        What the numbers rest on: episodes, or rows of `recompute`, of which
        those without a recomputed number are passed over. Of a list of sources only those are named that
        these are from (all of them where these are from none), and simulated or scripted agents among these
        are named as such.

    Returns
    -------
    str

    Examples
    --------
    >>> source_name("embedded"), source_name(["embedded", "runs/b"])
    ('embedded released cells', 'embedded released cells, b')
    """
    parts = [source] if isinstance(source, str | Path) else list(source)
    rows = None if used is None else _recomputed(used)
    if rows is not None and len(parts) > 1 and "loaded_from" in rows:
        there = _entries(rows)
        parts = [part for part in parts if str(part) in there] or parts
    name = ", ".join(dict.fromkeys(_NAMES.get(str(part)) or Path(part).name for part in parts))
    if rows is None or _MARK in name or not is_simulated(rows):
        return name
    marked = _entries(rows[_simulated(rows)]) if "loaded_from" in rows else set()
    which = [Path(part).name for part in parts if str(part) in marked]
    return name + _MARK + (f" in {', '.join(which)}" if 0 < len(which) < len(parts) else "")


def _entries(rows: pd.DataFrame) -> set[str]:
    """Return the entries of a list of sources that rows are from; a compared one may be from several."""
    return {entry for each in rows["loaded_from"].dropna().unique() for entry in str(each).split(SEPARATOR)}


def _recomputed(rows: pd.DataFrame) -> pd.DataFrame:
    """Return rows with a result, of compared numbers; episodes are returned as they are."""
    if "recomputed" not in rows:
        return rows
    there = rows["recomputed"].notna()
    if "recomputed_words" in rows:
        there |= rows["recomputed_words"].ne("")
    return rows[there]


def _simulated(rows: pd.DataFrame) -> "pd.Series[bool]":
    """Return which rows are of an agent that is no language model."""
    named = rows["model"].str.startswith(SIMULATED).astype(bool)
    return named | rows["simulated"].eq(True).fillna(False).astype(bool) if "simulated" in rows else named


def is_simulated(episodes: pd.DataFrame) -> bool:
    """Return whether any episode comes from a simulated or scripted agent instead of a language model.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes with ``model``, and possibly ``simulated``, which marks such agents under any name.

    Returns
    -------
    bool
    """
    return bool(_simulated(episodes).any())
