"""Where the numbers on a page come from, in words."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

#: Prefixes of models that are no language model; pages must say so wherever they appear.
SIMULATED = ("simulated:", "scripted:")


def source_name(source: str | Path | Sequence[str | Path], episodes: pd.DataFrame | None = None) -> str:
    """Return a short name of a source of episodes, for legends and captions.

    Parameters
    ----------
    source : str, path or list of them
        As given to :func:`judged_useless.load_episodes`.
    episodes : pandas.DataFrame, optional
        What was loaded from it; a simulated or scripted agent in it is named as such.

    Returns
    -------
    str

    Examples
    --------
    >>> source_name("embedded"), source_name(["runs/a", "runs/b"])
    ('embedded released cells', 'a, b')
    """
    if source == "embedded":
        name = "embedded released cells"
    elif source == "hub":
        name = "released cells of the hub"
    else:
        paths = [source] if isinstance(source, str | Path) else list(source)
        name = ", ".join(Path(path).name for path in paths)
    if episodes is not None and is_simulated(episodes):
        name += ", SIMULATED agents"
    return name


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
    marked = "simulated" in episodes and episodes["simulated"].eq(True).any()
    return bool(marked or episodes["model"].str.startswith(SIMULATED).any())
