"""How much of the paper a source of episodes recomputes, table by table."""

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from paper_book.measures.filling import RELEASED, filling
from paper_book.measures.recompute import recompute
from paper_book.published.transcribed import published
from paper_book.simulated_measures import policy_table
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
#: Standard errors of the difference of two means within which they agree.
_ERRORS = 2


def recompute_everything(
    episodes: pd.DataFrame, *, n_boot: int = 2000, seed: int = 0, level: float = 0.95
) -> pd.DataFrame:
    """Hold every published number against what episodes of any number of cells give."""
    compared = recompute(published(), episodes, n_boot=n_boot, seed=seed, level=level)
    return with_simulated_policies(compared, seed=seed)


def with_simulated_policies(compared: pd.DataFrame, *, seed: int = 0) -> pd.DataFrame:
    """Fill Table 7, whose numbers come from simulated policies and need no episodes.

    Equal means within two standard errors of the difference between a mean of ten simulations, as published,
    and ours, and half a printed unit; what a policy's slope was fitted to is not tested.
    """
    simulated = _policies(seed)
    filled = compared.copy()
    for label, row in compared[compared["table"] == "7"].iterrows():
        mine = simulated.get((row["row"], row["measure"]))
        if mine is None:
            continue
        gap = mine["value"] - row["value"]
        error = np.hypot(mine["error"], mine["published_error"])
        slack = 0.5 * 10.0 ** -int(row["decimals"]) + _ERRORS * error + 1e-9
        filled.loc[label, ["recomputed", "difference"]] = [mine["value"], gap]
        filled.loc[label, "reason"] = ""
        filled.loc[label, "equal"] = pd.NA if mine["fitted"] else bool(abs(gap) <= slack)
    return filled


@cache
def _policies(seed: int) -> dict[tuple[str, str], dict[Any, Any]]:
    """Return the simulated numbers of Table 7, by policy and measure."""
    rows = policy_table(seed=seed).query("reason == ''").to_dict("records")
    return {(row["policy"], _SIMULATED[row["measure"]]): row for row in rows}


def coverage(compared: pd.DataFrame) -> pd.DataFrame:
    """Count what was recomputed, by table and figure, in the paper's order.

    Columns ``where``, ``published`` (numbers it prints), ``recomputed`` (of these), ``equal`` (at the printed
    precision), ``differ``, and ``largest difference`` among those that differ (missing where none does).
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


def counted_here(total: "pd.Series[int]") -> str:
    """Return in words how many numbers are recomputed, and how many of them are equal."""
    if not total["recomputed"]:
        return "none can be recomputed from the episodes used here, which are of other agents or questions"
    return (
        f"{total['recomputed']:,} can be recomputed from the episodes used here, and {total['equal']:,} of "
        "these are equal at the printed precision"
    )


def where_numbers_are_from(compared: pd.DataFrame) -> pd.DataFrame:
    """Count every printed value once, by where it is recomputed from, or could be.

    Columns ``where`` and ``numbers``; a kind without any is left out.
    """
    printed = compared[compared["value"].notna()]
    there, simulated = printed["recomputed"].notna(), printed["table"] == "7"
    equal = printed["equal"].fillna(False).astype(bool)
    lacking = filling(printed[~there]).to_numpy().tolist()
    runs = sum(n for kind, n in lacking if kind.startswith(("runs of", "judged-useless replay")))
    counts = {
        "recomputed, equal": (there & equal & ~simulated).sum(),
        "recomputed, not equal": (there & ~equal & ~simulated).sum(),
        "recomputed by simulation": simulated.sum(),
        "from other released cells": (more := sum(n for kind, n in lacking if kind == RELEASED)),
        "from runs of your own": runs,
        "printed as they are": (~there & ~simulated).sum() - more - runs,
    }
    return pd.DataFrame([(kind, int(n)) for kind, n in counts.items() if n], columns=["where", "numbers"])


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
