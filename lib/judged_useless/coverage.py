"""How much of the paper a source of episodes recomputes, table by table."""

import pandas as pd

from judged_useless.published import published
from judged_useless.recompute import recompute


def recompute_everything(
    episodes: pd.DataFrame, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Hold every published number against what episodes give.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells.
    n_boot, seed, level
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
        As :func:`judged_useless.recompute.recompute` returns it, for all tables, text and figures.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    return recompute(published(), episodes, n_boot=n_boot, seed=seed, level=level)


def _name(table: str) -> str:
    special = {"text": "running text", "card": "data card"}
    return f"Table {table}" if table.isdigit() else special.get(table, table.capitalize())


def coverage(compared: pd.DataFrame) -> pd.DataFrame:
    """Count what was recomputed, by table and figure.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`recompute_everything`.

    Returns
    -------
    pandas.DataFrame
        One row a table or figure, in the paper's order: ``where``, ``published`` (numbers it prints),
        ``recomputed`` (of these, from the given episodes), ``equal`` (at the printed precision), ``differ``,
        and ``largest difference`` among those that differ (missing where none does).
    """
    rows = []
    for table, part in compared.groupby("table", sort=False):
        printed = part[part["value"].notna()]
        differing = printed[printed["equal"].fillna(True).eq(False)]
        rows.append(
            {
                "where": _name(str(table)),
                "published": len(printed),
                "recomputed": int(printed["recomputed"].notna().sum()),
                "equal": int(printed["equal"].fillna(False).sum()),
                "differ": len(differing),
                "largest difference": differing["difference"].abs().max() if len(differing) else float("nan"),
            }
        )
    return pd.DataFrame(rows)
