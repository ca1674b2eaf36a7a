"""Generated parts of the pages on the paper's numbers: ``python -m paper_book.build generated FOLDER``.

FOLDER is the one that holds ``deviations.md`` and ``published.md``; those pages include ``generated/*.md``.
"""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pandas as pd
from judged_useless._io.files import write_atomically
from judged_useless.sources.readers import Source

from paper_book import consistency
from paper_book.figures.episode_explorer import explorer_data
from paper_book.figures.hands_on import hands_on_data
from paper_book.published.transcribed import (
    check_files,
    count_numbers,
    published_dir,
    read_file,
    tables,
    titles,
)
from paper_book.tables.data_table import Table
from paper_book.tables.html import render
from paper_book.your_runs import first_page

#: Columns of the search, the telling ones first; value, interval and p are put together from several.
_SEARCHED = (
    "table", "model", "condition", "regime", "measure", "value", "interval", "p", "split", "panel", "row",
    "column", "note",
)  # fmt: skip
_DOWNLOADS = "_static/published"
#: Comparisons that hold and look as if they did not: check, quantity, and why they do.
SUSPECTED: tuple[tuple[str, str, str], ...] = (
    ("endings", "claude-haiku-4.5", "an episode may also end in a format failure or a truncated turn"),
    ("explicit-judgments", "qwen2.5-7b", "a stratified sample of 160 decisions, within its error"),
    ("shares-add-up", "search-r1", "three rounded shares need not add up to 100"),
    ("ranges", "unaided · plausible · useless_rate, largest", "the value behind it may round either way"),
    ("ranges", "enforced_rule · mean6 · extra_calls", "rounded to whole calls"),
    (
        "ranges",
        "integration_index: high, largest",
        "one number for both tasks, and both tables agree with it",
    ),
)
_OTHER_FILES = (
    ("released_cells.csv", "Δ, its interval and mean6 of the released cells, at full precision"),
    ("vocabulary.csv", "what every name in the columns means"),
)

#: The contrast that the card prints, as it is called in two checks.
_CARD = ("qwen3-8b · unaided · delta", "qwen3-8b · unaided · delta: delta")


def _raw(html: str) -> str:
    """Return HTML as a MyST block; its fence is longer than any run of backticks inside."""
    fence = "`" * 8
    if fence in html:
        raise ValueError("a generated part holds the fence that should enclose it")
    return f"{fence}{{raw}} html\n{html}\n{fence}\n"


def _table(frame: pd.DataFrame, caption: str, note: str = "") -> str:
    return Table(frame, caption, note)._repr_mimebundle_()["text/html"]


def _comparisons(frame: pd.DataFrame) -> pd.DataFrame:
    """Return comparisons as a page shows them: three columns, which a narrow screen can hold."""
    remark = frame["note"].where(frame["note"].eq(""), " (" + frame["note"] + ")")
    return pd.DataFrame(
        {
            "quantity": frame["what"] + remark,
            "here": frame["left_place"] + ": " + frame["left"],
            "there": frame["right_place"] + ": " + frame["right"],
        }
    )


def _suspected(rows: pd.DataFrame) -> pd.DataFrame:
    found = []
    for check, quantity, reason in SUSPECTED:
        which = (rows["check"] == check) & rows["what"].str.contains(quantity, regex=False) & rows["holds"]
        if not which.any():
            raise LookupError(f"no comparison of {check} that holds is about {quantity}")
        found.append(rows[which].assign(note=reason))
    places = (
        rows[["left_place", "right_place"]].isin(["dataset card", "Table 6", "released cells"]).all(axis=1)
    )
    contrast = places & rows["what"].isin(_CARD) & rows["check"].ne("intervals") & rows["holds"]
    found.append(rows[contrast].assign(note="one number, with three decimals and with two"))
    return _comparisons(pd.concat(found))


def consistency_page() -> str:
    """Return the part of the page of deviations that is computed from the paper's numbers."""
    checks, rows = consistency.summary(), consistency.table()
    failing, rounded = rows[~rows["holds"]], rows[rows["rounded"]]
    clean = int((checks["comparisons"] == checks["hold"]).sum())
    listed = checks[["rule", "tables", "comparisons", "hold"]].set_axis(
        ["what should hold", "where", "comparisons", "hold"], axis=1
    )
    parts = [
        f"{len(checks)} checks make {len(rows):,} comparisons; {len(rows) - len(failing):,} hold, "
        f"{len(failing)} do not. {clean} checks hold throughout.",
        "### What does not hold",
        _raw(_table(_comparisons(failing), "Each comparison that does not hold, with both numbers")),
        "### What only looks like a contradiction",
        _raw(_table(_suspected(rows), "Comparisons that hold although the printed numbers differ")),
        "### What was compared",
        _raw(_table(listed, "How many comparisons of each check hold")),
        "### Mere rounding",
        f"In {len(rounded)} of the comparisons that hold, the printed numbers lead to another last digit or "
        "to a tie, and the rounding of the numbers behind them explains it.",
        _raw(
            "<details><summary>Show them</summary>\n"
            + _table(_comparisons(rounded), "Differences that rounding explains")
            + "\n</details>"
        ),
    ]
    return "\n\n".join(parts) + "\n"


def published_index() -> str:
    """Return as MyST the search over all numbers, and the list of tables with their counts and downloads."""
    counted, names = count_numbers(), titles()["name"]
    rows, numbers = int(counted["rows"].sum()), int(counted["numbers"].sum())
    files = [
        {**row, "name": f"Table {table}" if table.isdigit() else table.capitalize(), "title": names[table]}
        for row in counted.to_dict("records")
        for table in [str(row["table"])]
    ]
    caption = f"{len(files)} files, {rows:,} rows, {numbers:,} numbers"
    listing = render("downloads", files, _OTHER_FILES, caption)
    return "\n\n".join(["## Search", _raw(render("search")), "## Tables", _raw(listing)]) + "\n"


def _data(name: str, value: object) -> str:
    """Return what a page's script reads: JSON in an element of its own, in which no text is markup."""
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    return _raw(f'<script type="application/json" id="{name}">{text}</script>')


def _computed(name: str, value: object) -> str:
    """Return the data of a page that computes in the browser, and its script."""
    script = f'<script defer src="../_static/{name}.js"></script>'
    return _data(f"ju-{name.replace('_', '-')}-data", value) + _raw(script)


def search_data() -> str:
    """Return all published numbers as a script, which also works where a page cannot fetch files."""
    rows = []
    for path in tables().values():
        for entry in read_file(path).to_dict("records"):
            fraction = f"{entry['k']}/{entry['n']}" if entry["k"] and entry["n"] else ""
            made = {
                "value": entry["value"] or fraction,
                "interval": f"[{entry['low']}, {entry['high']}]" if entry["low"] or entry["high"] else "",
            }
            rows.append([(entry | made)[name] for name in _SEARCHED])
    text = json.dumps({"columns": _SEARCHED, "rows": rows}, ensure_ascii=True, separators=(",", ":"))
    escaped = text.replace("<", "\\u003c")
    return f"window.publishedNumbers = {escaped};\n"


#: Generated parts, by the file that a page includes.
PARTS: dict[str, Callable[[], str]] = {
    "consistency.md": consistency_page,
    "hands_on.md": lambda: _computed("hands_on", hands_on_data()),
    "published.md": published_index,
}


def write(folder: Path, source: Source = "embedded") -> None:
    """Write what is generated: parts, the search's data, the downloads, and a first page for own runs."""
    check_files()
    texts = {f"generated/{name}": part() for name, part in PARTS.items()}
    texts["generated/explorer.md"] = _computed("explorer", explorer_data(source))
    if own := first_page(source, _raw):
        texts["index.md"] = own
    texts[f"{_DOWNLOADS}/numbers.js"] = search_data()
    for name, text in texts.items():
        write_atomically(folder / name, partial(Path.write_text, data=text, encoding="utf-8"))
    for path in sorted(published_dir().glob("*.csv")):
        write_atomically(folder / _DOWNLOADS / path.name, partial(shutil.copyfile, path))
