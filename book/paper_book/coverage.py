"""How much of the paper a source of episodes recomputes, table by table."""

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from judged_useless.stopping.simulated_measures import policy_table

from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from paper_book.tables.compared import Comparison
from paper_book.tables.data_table import Table, comparison_table

if TYPE_CHECKING:
    from paper_book.page import Page

#: Table 7's columns by the name of the simulated measure.
_SIMULATED = {
    "integration_index": "integration_index",
    "design_label_contrast": "design_label_contrast",
    "time_matched_contrast": "delta",
}
#: What the paper says outside its tables, by the name of the file of published numbers.
_OUTSIDE = {"text": "text", "card": "data card"}
#: Simulations behind a number of Table 7: the paper's, and ours of a policy whose numbers vary at all.
_THEIRS, _OURS = 10, 300
#: Policies of which the paper does not say how fast they rise: their slopes were fitted to its row.
FITTED = ("hazard rising with time", "hazard rising with own count")


def recompute_everything(
    episodes: pd.DataFrame, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Hold every published number against what episodes of any number of cells give.

    Returns
    -------
    pandas.DataFrame
        As :func:`paper_book.measures.recompute.recompute` returns it, for all tables, text and figures.
    """
    compared = recompute(published(), episodes, n_boot=n_boot, seed=seed, level=level)
    return with_simulated_policies(compared, seed=seed)


@cache
def _simulated(seed: int) -> dict[tuple[str, str], tuple[float, float]]:
    """Return by policy and measure the mean over simulations, and how far one of them strays from it."""
    few = policy_table(n_simulations=_THEIRS, seed=seed)
    varying = list(dict.fromkeys(few["policy"][few["error"] > 0]))
    many = policy_table(varying, n_simulations=_OURS, seed=seed)
    return {
        (str(row["policy"]), _SIMULATED[str(row["measure"])]): (
            float(row["value"]),
            float(row["error"]) * np.sqrt(n - row["n_undefined"]),
        )
        for n, table in ((_THEIRS, few), (_OURS, many))
        for row in table.to_dict("records")
    }


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
        to the last digit: here equal means within two standard errors of the difference between the paper's
        mean over 10 simulations and ours over 300, and half a printed unit. Numbers that a policy's slope was
        fitted to are not tested.
    """
    values, filled = _simulated(seed), compared.copy()
    for label, row in compared[compared["table"] == "7"].iterrows():
        value, spread = values.get((row["row"], row["measure"]), (np.nan, np.nan))
        if np.isnan(value):
            continue
        slack = 0.5 * 10.0 ** -int(row["decimals"]) + 1e-9
        slack += 2 * np.nan_to_num(spread) * np.sqrt(1 / _THEIRS + 1 / _OURS)
        filled.loc[label, ["recomputed", "difference"]] = [value, value - row["value"]]
        filled.loc[label, "reason"] = ""
        fitted = row["row"] in FITTED
        filled.loc[label, "equal"] = pd.NA if fitted else bool(abs(value - row["value"]) <= slack)
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


def coverage_table(page: "Page") -> Table:
    """Return the counts of :func:`coverage` for a filled page, each table linked to its place in the book."""
    frame = coverage(page.rows().rows).round({"largest difference": 4})
    if frame["largest difference"].isna().all():
        frame = frame.drop(columns="largest difference")
    links = [[(name, _address(name))] for name in frame["where"]]
    mine = page.rows(own=False).recomputed.rows.query("table != '7'")
    return Table(
        frame.assign(where=pd.Series(links, index=frame.index, dtype=object)),
        "Each table and figure of the paper: numbers it prints, how many of them were recomputed "
        f"({page.name_of(mine) if len(mine) else page.name}), and how many of those are equal at the printed "
        "precision; in Table 7, which is simulated anew, within two standard errors, but for six that "
        "nothing tests.",
    )


def _address(name: str) -> str:
    # From the folder above, so that it holds on the book's first page too.
    words = name.lower().replace(" ", "-") if name.startswith("Table ") else "numbers-outside-the-tables"
    return f"../notebooks/08_full_tables.html#{words}"


def outside_the_tables(rows: Comparison) -> Table:
    """Return the recomputed numbers that the paper prints in none of its tables, with where it does."""
    others = rows.recomputed.rows
    others = others[~others["table"].str.isdigit()].reset_index(drop=True)
    several = ["task", "split"] if others["own"].any() else []
    names = ["model", *several, "condition", "regime"]
    where = [_place(str(row["table"]), str(row["panel"])) for row in others.to_dict("records")]
    return comparison_table(
        others,
        {"where": where, "what": others["row"].str.replace("-", " ").tolist()}
        | {name: others[name].tolist() for name in names},
        caption="Recomputed numbers that the paper prints in its text (with the section), in its figures "
        "(with the section that states them) and on the card of its data.",
        source=replace(rows, rows=others).source,
    )


def _place(table: str, panel: str) -> str:
    name = _OUTSIDE.get(table, table.capitalize())
    if panel.startswith("caption:"):
        return f"{name}, caption of {panel.removeprefix('caption:').strip().capitalize()}"
    section = f"§ {panel}" if re.fullmatch(r"\d|[A-Z](\.\d)?", panel) else panel
    return f"{name}, {section}" if section else name
