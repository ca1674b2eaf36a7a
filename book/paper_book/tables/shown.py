"""Tables of the book: sortable, captioned, and with published and recomputed values side by side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import pandas as pd
from judged_useless._io.messages import listed

from paper_book.provenance import source_name
from paper_book.published.comparing import show
from paper_book.wanted import LEFT_OUT


def with_code(text: str) -> str:
    """Return a text as HTML, with what stands between backticks as code.

    Parameters
    ----------
    text : str
        Any text; nothing in it is markup.

    Returns
    -------
    str
    """
    parts = escape(text).split("`")
    if len(parts) % 2 == 0:  # a backtick without a partner stays as it is
        return escape(text)
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))


def _lines_to_run(commands: Sequence[str]) -> str:
    """Return command lines as HTML, folded where they are many."""
    if not commands:
        return ""
    lines = escape("\n".join(commands))
    opened = " open" if len(commands) <= 3 else ""
    count = "1 command" if len(commands) == 1 else f"{len(commands)} commands"
    return f'<details class="ju-fill"{opened}><summary>{count}</summary><pre>{lines}</pre></details>'


@dataclass(frozen=True)
class Table:
    """A table for a page.

    Attributes
    ----------
    frame : pandas.DataFrame
        What is shown, without its index; missing values are shown empty.
    caption : str
        What the table says and where its numbers come from.
    note : str
        A line below the table, such as what would fill its empty cells.
    commands : sequence of str
        Lines to run, shown below the note.
    """

    frame: pd.DataFrame
    caption: str
    note: str = ""
    commands: Sequence[str] = field(default=(), kw_only=True)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        frame = _without_na(self.frame)
        # pandas escapes every cell and heading, which matters for text from models and data sets.
        body = frame.to_html(index=False, border=0, classes="ju-sortable", escape=True, na_rep="")
        caption = escape(self.caption, quote=True)
        note = f'<p class="ju-note">{with_code(self.note)}</p>' if self.note else ""
        html = (
            f'<figure class="ju-table"><figcaption>{with_code(self.caption)}</figcaption>'
            f'<div class="ju-scroll" tabindex="0" role="region" aria-label="{caption}">'
            f"{body}</div>{note}{_lines_to_run(self.commands)}</figure>"
        )
        parts = [f"Table: {self.caption}", frame.to_string(index=False, na_rep=""), self.note, *self.commands]
        plain = "\n".join(parts).rstrip()
        return {"text/html": html, "text/plain": plain}


@dataclass(frozen=True)
class Notice:
    """A sentence of a page about its own numbers, such as what its source lacks.

    Attributes
    ----------
    text : str
        The sentence.
    warns : bool, default False
        Set it apart, because something is missing.
    commands : sequence of str
        Lines to run, shown below it.
    """

    text: str
    warns: bool = False
    commands: Sequence[str] = field(default=(), kw_only=True)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        kind = "ju-notice" if self.warns else "ju-note"
        return {
            "text/html": f'<p class="{kind}" role="note">{with_code(self.text)}</p>'
            + _lines_to_run(self.commands),
            "text/plain": "\n".join([f"Note: {self.text}", *self.commands]),
        }


def notice(
    episodes: pd.DataFrame,
    name: str,
    missing: str = "",
    said: str = "",
    *,
    compared: pd.DataFrame | None = None,
) -> Notice:
    """Return what a page says of its source: what it holds, or what it lacks.

    Parameters
    ----------
    episodes : pandas.DataFrame
        The page's episodes.
    name : str
        Name of their source.
    missing : str
        What the source lacks, as :func:`judged_useless.episodes.episodes_or_nothing` returns it.
    said : str
        Which model is shown in the place of another, from :func:`judged_useless.episodes.page_model`.
    compared : pandas.DataFrame, optional
        The page's numbers, as `recompute` returns them, where it shows the
        paper's: then the notice counts those that are recomputed instead of calling all episodes used.

    Returns
    -------
    Notice
    """
    if not missing:
        models = listed(dict.fromkeys(episodes["model"]))
        held = f"{len(episodes):,} episodes of {models} ({name})."
        text = f"Recomputed here: {held}" if compared is None else f"Loaded here: {held} {_counted(compared)}"
        parts = (said, text, str(episodes.attrs.get(LEFT_OUT, "")))
        return Notice(" ".join(part for part in parts if part), warns=bool(said))
    fetched = (
        " All released cells come with `make data`, then `SOURCE=hub`."
        if name == source_name("embedded")
        else ""
    )
    return Notice(
        f"Nothing on this page is recomputed, because {missing}. Published numbers are shown as published; "
        f"what would be recomputed stays empty.{fetched} Choose a source or parameters that fit: see 'Rerun "
        "this section'.",
        warns=True,
    )


def _counted(compared: pd.DataFrame) -> str:
    """Return how many of a page's published numbers are recomputed, and what stands beside them."""
    there, printed = compared["recomputed"].notna(), compared["value"].notna()
    mine = int((printed & there).sum())
    text = (
        f"{mine:,} of the {int(printed.sum()):,} published numbers in the tables and figures of this page "
        f"{'is' if mine == 1 else 'are'} recomputed from them"
    )
    own = compared[compared["own"].astype(bool) & there]
    if own.empty:
        return f"{text}."
    models = ", ".join(dict.fromkeys(own["model"]))
    count = "1 more number is" if len(own) == 1 else f"{len(own):,} more numbers are"
    return f"{text}; {count} of {models}, not in the paper."


def number(value: float, form: str) -> str:
    """Return a number for a sentence: formatted, with a true minus sign, or "n/a" where it is missing.

    Parameters
    ----------
    value : float
        Number; NaN for a missing one.
    form : str
        Format, such as ``".1%"`` or ``"+.2f"``.

    Returns
    -------
    str

    Examples
    --------
    >>> number(0.1234, ".1%"), number(-0.5, ".2f"), number(float("nan"), ".2f")
    ('12.3%', '−0.50', 'n/a')
    """
    return "n/a" if pd.isna(value) else f"{value:{form}}".replace("-", "−")


def _without_na(frame: pd.DataFrame) -> pd.DataFrame:
    """Empty the missing values of nullable columns, which pandas shows as <NA> whatever it is told."""
    shown = frame.copy()
    for position, (_, column) in enumerate(frame.items()):
        if isinstance(column.dtype, pd.api.extensions.ExtensionDtype) and column.isna().any():
            shown.isetitem(position, column.astype(object).where(column.notna(), "").to_numpy())
    return shown


def _unbroken(text: str) -> str:
    """Keep a number and its interval on one line."""
    return text.replace(" ", "\u00a0")


def _verdict(equal: object) -> str:
    # A missing verdict may be None, NA or, after a join, NaN, which counts as true.
    missing = equal is None or equal is pd.NA or equal != equal
    return "" if missing else "equal" if equal else "differs"


def _published(row: Mapping[str, Any]) -> str:
    """Return a published number as printed: a value with its interval, or a bound alone; a dash for none."""
    text = show(row["value"], row["low"], row["high"], int(row["decimals"]))
    bounds = [name for name in ("low", "high") if pd.notna(row[name])]
    if not text and len(bounds) == 1:
        name = "lower" if bounds == ["low"] else "upper"
        text = f"{name} bound {row[f'{bounds[0]}_printed']}".replace("-", "−")
    return _unbroken(text) or "–"


def comparison_table(
    comparison: pd.DataFrame,
    labels: Mapping[str, Sequence[object]],
    *,
    caption: str,
    source: str,
    missing: str,
    commands: Sequence[str] = (),
) -> Table:
    """Return published and recomputed values side by side, with their difference.

    Parameters
    ----------
    comparison : pandas.DataFrame
        Result of :func:`paper_book.published.compare`.
    labels : mapping of str to sequence
        Columns in front of the numbers, such as ``{"condition": […]}``.
    caption : str
        What the table says, and which table of the paper the published column is from.
    source : str
        Name of the source of the recomputed column.
    missing : str
        What would fill the empty cells, shown below the table when there are any.
    commands : sequence of str
        Lines to run for that, shown below it.

    Returns
    -------
    Table
        Columns: the labels, ``published``, ``recomputed``, ``difference`` (recomputed minus published) and
        ``at printed precision`` ("equal", "differs", or empty). A dash is what the paper did not run.
    """
    digits = comparison["decimals"]
    one_more = digits + 1
    published = [
        _published({str(name): each for name, each in row.items()}) for row in comparison.to_dict("records")
    ]
    recomputed = [
        _unbroken(show(value, low, high, place))
        for value, low, high, place in zip(
            comparison["recomputed"],
            comparison["recomputed_low"].where(comparison["low"].notna()),
            comparison["recomputed_high"].where(comparison["low"].notna()),
            one_more,
            strict=True,
        )
    ]
    if "recomputed_k" in comparison:
        # Where the paper prints k of n, counts are compared, so counts are shown.
        counted = comparison["value_printed"].eq("") & comparison["k"].notna() & comparison["n"].notna()
        published = [
            _unbroken(f"{k} of {n}") if count else text
            for count, k, n, text in zip(counted, comparison["k"], comparison["n"], published, strict=True)
        ]
        # A model that the paper does not have is shown as those are that it has.
        counted |= comparison["value"].isna() & comparison["measure"].isin(comparison["measure"][counted])
        recomputed = [
            _unbroken(f"{k:.0f} of {n:.0f}") if count and pd.notna(k) else text
            for count, k, n, text in zip(
                counted, comparison["recomputed_k"], comparison["recomputed_n"], recomputed, strict=True
            )
        ]
    nothing = [float("nan")] * len(comparison)
    difference = [
        show(value, low, low, place)
        for value, low, place in zip(comparison["difference"], nothing, one_more, strict=True)
    ]
    frame = pd.DataFrame(
        {
            **labels,
            "published": published,
            f"recomputed ({source})": recomputed,
            "difference": difference,
            "at printed precision": [_verdict(equal) for equal in comparison["equal"]],
        }
    )
    empty = comparison["recomputed"].isna() & comparison["value"].notna()
    return Table(frame, caption, missing, commands=commands) if empty.any() else Table(frame, caption)
