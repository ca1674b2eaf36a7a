"""How much of the paper a source of episodes recomputes, table by table."""

import re

import numpy as np
import pandas as pd
from judged_useless.stopping.simulated_measures import policy_table

from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from paper_book.tables.linked import LinkedTable

#: Table 7's columns by the name of the simulated measure.
_SIMULATED = {
    "integration_index": "integration_index",
    "design_label_contrast": "design_label_contrast",
    "time_matched_contrast": "delta",
}
#: What the paper says outside its tables, by the name of the file of published numbers.
_OUTSIDE = {"text": "text", "card": "data card"}
#: The page that holds every table.
_TABLES = "08_full_tables.html"
#: Standard errors of the difference of two means within which they agree.
_ERRORS = 3


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
        As :func:`paper_book.measures.recompute.recompute` returns it, for all tables, text and figures.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    compared = recompute(published(), episodes, n_boot=n_boot, seed=seed, level=level)
    return with_simulated_policies(compared, seed=seed)


def with_simulated_policies(compared: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """Fill Table 7, whose numbers come from simulated policies and need no episodes.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`paper_book.measures.recompute.recompute`.
    seed : int
        Seed of the simulations.

    Returns
    -------
    pandas.DataFrame
        With ``recomputed``, ``difference`` and ``equal`` in the rows of Table 7. Two simulations never agree
        to the last digit: here equal means within three standard errors of the difference between a mean of
        ten simulations, as published, and ours, and half a printed unit.
    """
    table = policy_table(seed=seed)
    values = {
        (str(row["policy"]), _SIMULATED[str(row["measure"])]): (
            float(row["value"]),
            float(np.hypot(row["error"], row["published_error"])),
        )
        for row in table[table["reason"] == ""].to_dict("records")
    }
    filled = compared.copy()
    for label, row in compared[compared["table"] == "7"].iterrows():
        value, error = values.get((row["row"], row["measure"]), (np.nan, np.nan))
        if np.isnan(value):
            continue
        slack = 0.5 * 10.0 ** -int(row["decimals"]) + _ERRORS * error + 1e-9
        filled.loc[label, ["recomputed", "difference"]] = [value, value - row["value"]]
        filled.loc[label, "reason"] = ""
        filled.loc[label, "equal"] = bool(abs(value - row["value"]) <= slack)
    return filled


def _name(table: str) -> str:
    return f"Table {table}" if table.isdigit() else _OUTSIDE.get(table, table.capitalize())


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


def coverage_table(counts: pd.DataFrame, *, caption: str, note: str = "") -> LinkedTable:
    """Return the counts for a page, each table linked to its place in the book.

    Parameters
    ----------
    counts : pandas.DataFrame
        Result of :func:`coverage`.
    caption, note : str
        What the table says, and a line below it.

    Returns
    -------
    LinkedTable
        Without the column of largest differences if nothing differs.
    """
    frame = counts.round({"largest difference": 4})
    if frame["largest difference"].isna().all():
        frame = frame.drop(columns="largest difference")
    links = pd.Series([[(name, _address(name))] for name in frame["where"]], index=frame.index, dtype=object)
    return LinkedTable(frame.assign(where=links), caption, note)


def _address(name: str) -> str:
    # From the folder above, so that it holds on the book's first page too.
    words = name.lower().replace(" ", "-") if name.startswith("Table ") else "numbers-outside-the-tables"
    return f"../notebooks/{_TABLES}#{words}"


def places_outside(compared: pd.DataFrame) -> list[str]:
    """Return where the paper prints numbers that are in none of its tables, in words.

    Parameters
    ----------
    compared : pandas.DataFrame
        Rows of the text, of figures and of the data card.

    Returns
    -------
    list of str
        With the section that states them: "text, § C.1", "text, caption of Table 12", "Figure 1, § 3",
        "data card, example".
    """
    return [
        _place(str(table), str(panel))
        for table, panel in zip(compared["table"], compared["panel"], strict=True)
    ]


def _place(table: str, panel: str) -> str:
    name = _OUTSIDE.get(table, table.capitalize())
    if panel.startswith("caption:"):
        return f"{name}, caption of {panel.removeprefix('caption:').strip().capitalize()}"
    section = f"§ {panel}" if re.fullmatch(r"\d|[A-Z](\.\d)?", panel) else panel
    return f"{name}, {section}" if section else name
