"""How much of the paper a source of episodes recomputes, table by table."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from paper_book.simulated_measures import policy_table
from paper_book.tables.compared import Comparison
from paper_book.tables.data_table import Table, comparison_table

#: Table 7's columns by the name of the simulated measure.
_SIMULATED = {
    "integration_index": "integration_index",
    "design_label_contrast": "design_label_contrast",
    "time_matched_contrast": "delta",
}
#: What the paper says outside its tables, by the name of the file of published numbers.
_OUTSIDE = {"text": "text", "card": "data card"}
#: Standard errors of the difference of two means within which they agree.
_ERRORS = 3


def recompute_everything(
    episodes: pd.DataFrame, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Hold every published number against what episodes of any number of cells give."""
    compared = recompute(published(), episodes, n_boot=n_boot, seed=seed, level=level)
    return with_simulated_policies(compared, seed=seed)


def with_simulated_policies(compared: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """Fill Table 7, whose numbers come from simulated policies and need no episodes."""
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
        name = str(table)
        rows.append(
            {
                "where": f"Table {name}" if name.isdigit() else _OUTSIDE.get(name, name.capitalize()),
                "published": len(printed),
                "recomputed": int(printed["recomputed"].notna().sum()),
                "equal": int(printed["equal"].fillna(False).sum()),
                "differ": len(differing),
                "largest difference": differing["difference"].abs().max() if len(differing) else np.nan,
            }
        )
    return pd.DataFrame(rows)


def coverage_table(counts: pd.DataFrame, *, caption: str, note: str = "") -> Table:
    """Return the counts of :func:`coverage` for a page, each table linked to its place in the book."""
    frame = counts.round({"largest difference": 4})
    if frame["largest difference"].isna().all():
        frame = frame.drop(columns="largest difference")
    links = [[(name, _address(name))] for name in frame["where"]]
    return Table(frame.assign(where=pd.Series(links, index=frame.index, dtype=object)), caption, note)


def _address(name: str) -> str:
    # From the folder above, so that it holds on the book's first page too.
    words = name.lower().replace(" ", "-") if name.startswith("Table ") else "numbers-outside-the-tables"
    return f"../notebooks/08_full_tables.html#{words}"


def outside_the_tables(rows: Comparison) -> Table:
    """Return the recomputed numbers that the paper prints in none of its tables, with where it does."""
    others = rows.recomputed.rows
    others = others[~others["table"].str.isdigit()].reset_index(drop=True)
    several = ["task", "split"] if others["own"].any() else []
    names = ["measure", "model", *several, "condition", "regime"]
    where = [_place(str(row["table"]), str(row["panel"])) for row in others.to_dict("records")]
    return comparison_table(
        others,
        {"where": where} | {name: others[name].tolist() for name in names},
        caption="Recomputed numbers that the paper prints in its text (with the section), in its figures "
        "(with the section that states them) and on the card of its data",
        source=replace(rows, rows=others).source,
    )


def _place(table: str, panel: str) -> str:
    name = _OUTSIDE.get(table, table.capitalize())
    if panel.startswith("caption:"):
        return f"{name}, caption of {panel.removeprefix('caption:').strip().capitalize()}"
    section = f"§ {panel}" if re.fullmatch(r"\d|[A-Z](\.\d)?", panel) else panel
    return f"{name}, {section}" if section else name
