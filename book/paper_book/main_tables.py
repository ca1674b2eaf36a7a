"""Print the paper's main tables with runs of your own beside the paper's agents."""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from judged_useless._io.files import write_atomically
from judged_useless._io.messages import visible
from judged_useless.episodes.schema import DEFAULT_BUDGET
from judged_useless.runs.recorded import Run

from paper_book.page import Page, open_page
from paper_book.published.transcribed import titles
from paper_book.tables.html import render
from paper_book.tables.number_texts import printed_text, recomputed_text
from paper_book.tables.paper_table import headings

#: Success, registered tests, Δ and its strata, the hazard model, and answers after five useless results.
TABLES = (2, 4, 6, 10, 22)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``report``."""
    parser.add_argument("run", metavar="RUN", nargs="+", help="run directory, complete")
    parser.add_argument("--out", metavar="FILE.html", help="write the whole tables, in the paper's layout")
    parser.add_argument("--n-boot", type=int, default=2000, metavar="N", help="resamples (%(default)s)")


def main(arguments: argparse.Namespace) -> int:
    """Print the tables, or write them; return 0."""
    for path in arguments.run:
        Run(path).require_complete()
    page = open_page(arguments.run, n_boot=arguments.n_boot)
    for table in TABLES:  # one by one: each has questions of its own, beside which the runs' stand
        page.fill(table)
    about = f"{page.notice().text} Published numbers are the paper's, on its own questions."
    if arguments.out:
        style = (Path(__file__).parents[1] / "_static" / "book.css").read_text(encoding="utf-8")
        tables = [page.paper_table(each).html for each in TABLES]
        made = render("alone", "The main tables", style, about, tables)
        html = re.sub(r'<a href="07_[^"]*">(.*?)</a>', r"\1", made)  # pages of the book are not beside it
        write_atomically(Path(arguments.out), lambda target: target.write_text(html, encoding="utf-8"))
        sys.stdout.write(f"{arguments.out}: Tables {', '.join(map(str, TABLES))}\n")
        return 0
    sys.stdout.write(f"{visible(about)}\n")
    for title, numbers in main_tables(page):
        sys.stdout.write(f"\n{title}\n{numbers.to_string(na_rep='')}\n")
    return 0


def main_tables(page: Page) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield what is recomputed, measure by measure: a row an agent, a column a condition of the runs."""
    names = headings("panels") | headings("measures")
    for table in sorted(set(TABLES) - {4}):  # whose tests are told apart only in its own layout
        rows = page.rows(table).rows
        for (panel, measure), part in rows.groupby([rows["panel"].fillna(""), "measure"], sort=False):
            conditions = list(part.loc[part["recomputed"].notna(), "condition"].unique())
            if not conditions:
                continue
            cells: dict[str, dict[str, str]] = {}
            for row in part[part["condition"].isin(conditions)].to_dict("records"):
                _add(cells, row)
            heading = names.get(str(measure) if table in (2, 22) else str(panel), str(measure))
            frame = pd.DataFrame.from_dict(cells, orient="index").reindex(columns=conditions)
            yield f"Table {table}, {titles()['name'][str(table)]}: {heading}", frame


def _add(cells: dict[str, dict[str, str]], row: dict[Any, Any]) -> None:
    """Put a number beside those of its agent: the published one, the recomputed one, or either in its row."""
    model, condition = visible(str(row["model"])), row["condition"]
    if printed := printed_text(row):
        cells.setdefault(f"{model}, published", {})[condition] = printed
    if mine := recomputed_text(row | {"counted": row["unit"] == "count"}, bounded=True):
        which = "SIMULATED" if row["simulated"] else "these runs"
        budget = "" if row["budget"] == DEFAULT_BUDGET else f", budget {row['budget']}"
        cells.setdefault(f"{model}, {which} ({row['task']} {row['split']}{budget})", {})[condition] = mine


if __name__ == "__main__":
    command = argparse.ArgumentParser(prog="report", description=__doc__)
    add_arguments(command)
    try:
        sys.exit(main(command.parse_args()))
    except (OSError, ValueError) as error:
        sys.exit(f"report: {visible(str(error))}")
