"""Whether episodes are of one cell: stopping measures pool whatever they are given."""

import warnings

from judged_useless.episodes.decisions import DecisionPoints

_CELL = ("model", "condition", "split")
#: Cells that a warning names.
_NAMED = 4


def warn_if_pooled(points: DecisionPoints, measure: str) -> DecisionPoints:
    """Return decision points as they are, with a warning if they come from several cells.

    Pooling two models or conditions is rarely meant, and its result lies between theirs or, as the cells
    weigh differently at each step, outside.

    Parameters
    ----------
    points : DecisionPoints
        Whose episodes may state ``model``, ``condition`` and ``split``.
    measure : str
        What is measured.

    Returns
    -------
    DecisionPoints
        The same object.

    Warns
    -----
    UserWarning
        Naming the cells, on behalf of the caller's caller.
    """
    episodes = points.episodes
    labels = [name for name in _CELL if name in episodes]
    mixed = [name for name in labels if episodes[name].nunique(dropna=False) > 1]
    if not mixed:
        return points
    cells = [" × ".join(map(str, cell)) for cell in episodes[labels].drop_duplicates().to_numpy()]
    rest = f" and {len(cells) - _NAMED} more" if len(cells) > _NAMED else ""
    warnings.warn(
        f"{measure} pools {len(cells)} cells ({'; '.join(cells[:_NAMED])}{rest}); choose one by "
        f"{', '.join(mixed)}",
        stacklevel=3,
    )
    return points
