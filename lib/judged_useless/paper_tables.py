"""The paper's tables in their own layout: each printed number, and below it the recomputed one."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from judged_useless.filling import RUN, commands_to_fill, filling
from judged_useless.published import show

#: What each table says, in words of our own.
TITLES = {
    "1": "The conditions, and the measures of what stopping responds to.",
    "2": "Mean success over six regimes (mean6), by condition and model.",
    "3": "Where each claim of the paper is tested.",
    "4": "Every registered test, first part: the original registration and its amendments 3 to 9.",
    "5": "Every registered test, second part: amendments 10 to 20.",
    "6": "Stopping measures and cost of the arms that have judgments of their own.",
    "7": "The stopping measures on simulated policies whose behaviour is known.",
    "8": "The plausible regime, whose failed results are on topic.",
    "9": "Integration index I and time-matched contrast Δ, in this order in each cell.",
    "10": "The hazard model: change in the probability of answering with each further useless judgment (β), "
    "and after an earlier useful one (γ).",
    "11": "Share of real search results that are judged useful, by kind of page.",
    "12": "The main contrasts in mean6, raw and after answer repair.",
    "13": "HotpotQA: success by regime, mean6, and the integration index with its two parts.",
    "14": "FEVER: success by regime, mean6, and the integration index with its two parts.",
    "15": "Paired contrasts in mean6 between arms, with one-sided p-values.",
    "16": "The same arms with a budget of 8 and of 16 actions.",
    "17": "Distance of the arms from the best simple stopping policy.",
    "18": "Tool calls a trajectory, with 8 and with 16 actions, in this order in each cell.",
    "19": "Stopping on the judgment that the agent states in its reasoning: success and cost.",
    "20": "The registered tests of the rule on stated judgments.",
    "21": "Claude Haiku 4.5 with the stopping rule or the price of a call in its prompt.",
    "22": "The registered replication on 300 fresh questions.",
    "23": "Δ and answers after five useless results, from judgments stated in the reasoning.",
    "24": "Qwen3-32B with and without its reasoning mode.",
    "25": "Two sources: success, when agents switch to the backup, and the contrast for leaving.",
    "26": "Answerless pages, and sources that recover late.",
    "27": "The second run, with new seeds and other failed observations.",
    "28": "The third run, and the rule's gain over all three.",
}  # fmt: skip
_PANELS = {
    "conditions": "Conditions",
    "measures": "Measures",
    "open_models": "Open models",
    "other_agents": "Agents run unaided and with the enforced rule only",
    "original": "Original registration",
    "delta": "Δ on the agent's own judgments",
    "delta_by_question": "Δ within a question and action",
    "delta_by_regime": "Δ within a regime and action",
    "design_label": "Design-label contrast",
    "cost_adjusted": "Cost-adjusted success: mean6 minus 0.05 per tool call",
    "cost_adjusted_judgments_charged": "The same, with judgment calls charged as well",
    "beta_test300_pooled": "β, test300, pooled",
    "beta_test300_question": "β, test300, with question effects",
    "beta_fresh300_pooled": "β, fresh300, pooled",
    "beta_fresh300_question": "β, fresh300, with question effects",
    "gamma_test300_pooled": "γ, test300, pooled",
    "budget_8": "Budget of 8 actions",
    "budget_16": "Budget of 16 actions",
    "success": "Success",
    "rule_minus_none": "Enforced rule minus unaided",
    "replicate": "Second run",
    "replicate_minus_original": "Second run minus first, paired by question",
}
_TASKS = {"hotpotqa": "HotpotQA", "fever": "FEVER"}
_REGISTERED = ("4", "5")
#: Measures whose cells hold words; elsewhere a cell without a number was not run.
_IN_WORDS = ("definition", "claim_map", "printed_outcome", "best_policy")
_WHOLE = ("count", "action", "questions")

Record = Mapping[Any, Any]


@dataclass(frozen=True)
class PaperTable:
    """A table of the paper, for a page.

    Attributes
    ----------
    number : str
        Number of the table.
    html : str
        The table with its caption and note.
    published, recomputed, differing : int
        Numbers it prints, those that were recomputed, and those of them that differ at the printed precision.
    """

    number: str
    html: str
    published: int
    recomputed: int
    differing: int

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        plain = (
            f"Table {self.number}: {self.published} published numbers, {self.recomputed} recomputed, "
            f"{self.differing} of them differ"
        )
        return {"text/html": self.html, "text/plain": plain}


def _missing(value: object) -> bool:
    return bool(pd.isna(value))  # type: ignore[call-overload]


def _minus(text: str) -> str:
    return text.replace("-", "−")


def printed_text(record: Record) -> str:
    """Return a published number as it is printed, with its interval and p-value; a text for one in words.

    Parameters
    ----------
    record : mapping
        A row of published numbers.

    Returns
    -------
    str
        Empty for a cell without anything.
    """
    value, low, high, p = (str(record[f"{name}_printed"]) for name in ("value", "low", "high", "p"))
    per_cent = "\u00a0%" if record["unit"] == "percent" else ""
    if value:
        text = value + per_cent
    elif not _missing(record["k"]):
        return f"{int(record['k'])}/{int(record['n'])}"
    elif low and high:
        return _minus(f"{low} to {high}{per_cent}")
    elif low or high:
        return _minus(f"lower bound {low}" if low else f"at most {high}{per_cent}")
    else:
        return str(record["note"] or "") if record["measure"] in _IN_WORDS else ""
    if low and high:
        text += f" [{low}, {high}]"
    elif low:
        text += f" [{low}, …"
    return _minus(text) + (f", p {'' if p.startswith('<') else '= '}{p}" if p else "")


def recomputed_text(record: Record) -> str:
    """Return a recomputed number to one more place than is printed, with its interval if one is printed.

    Parameters
    ----------
    record : mapping
        A row of :func:`judged_useless.recompute.recompute`.

    Returns
    -------
    str
        Empty where it was not recomputed.
    """
    value = float(record["recomputed"])
    if _missing(value):
        return ""
    if (
        not _missing(record["k"])
        and not str(record["value_printed"])
        and not _missing(record["recomputed_k"])
    ):
        return f"{int(record['recomputed_k'])}/{int(record['recomputed_n'])}"
    if record["unit"] in _WHOLE and value == int(value):
        return _minus(str(int(value)))
    bounded = not (_missing(record["low"]) and _missing(record["high"]))
    nan = float("nan")
    low, high = (float(record[f"recomputed_{name}"]) if bounded else nan for name in ("low", "high"))
    return show(value, low, high, int(record["decimals"]) + 1)


def _mark(record: Record) -> str:
    """Return the recomputed number as HTML, marked equal or with its difference."""
    text = recomputed_text(record)
    if not text:
        return ""
    equal = record["equal"]
    if _missing(equal):
        return f'<span class="ju-mine">{escape(text)}</span>'
    if equal:
        sign = "≈" if record["task"] == "simulated" else "="
        return f'<span class="ju-mine ju-equal">{escape(text)} {sign}</span>'
    difference = float(record["difference"])
    gap = "interval" if _missing(difference) else _minus(f"{difference:+.{int(record['decimals']) + 1}f}")
    return f'<span class="ju-mine ju-differs">{escape(text)} ≠ ({escape(gap)})</span>'


def _cell(records: list[Record]) -> str:
    """Return what a cell holds: what is printed, and on the next line what was recomputed."""
    texts = [printed_text(record) or "–" for record in records]
    printed = " / ".join(texts) if set(texts) != {"–"} else "–"
    mine = [mark for record in records if (mark := _mark(record))]
    return escape(printed) + ("<br/>" + " / ".join(mine) if mine else "")


def _registered_cell(records: list[Record]) -> str:
    """Return a cell of Tables 4 and 5: the outcome in the paper's words, and what was recomputed of it."""
    lines = [escape(str(record["note"])) for record in records if record["measure"] == "printed_outcome"]
    for record in records:
        column = str(record["column"])
        if column.startswith("prediction: "):
            text = printed_text(record)
            lines.append(escape(f"{column.removeprefix('prediction: ')} {text}"))
        elif mark := _mark(record):
            about = ", ".join(str(record[name]) for name in ("model", "condition") if record[name])
            lines.append(f"{escape(about)}: {escape(printed_text(record))} {mark}")
    return "<br/>".join(lines)


def _grid(rows: pd.DataFrame, table: str) -> tuple[list[str], list[tuple[str, dict[str, str]]]]:
    """Return the columns of a panel, and its rows with their cells."""
    records: list[Record] = list(rows.to_dict("records"))
    columns: dict[str, None] = {}
    cells: dict[str, dict[str, list[Record]]] = {}
    for record in records:
        column = str(record["column"])
        if table in _REGISTERED and column.startswith("prediction: "):
            column = "prediction, bounds"
        columns[column] = None
        cells.setdefault(str(record["row"]), {}).setdefault(column, []).append(record)
    fill = _registered_cell if table in _REGISTERED else _cell
    names = sorted(columns, key=lambda name: name == "Outcome") if table in _REGISTERED else list(columns)
    return names, [
        (label, {name: fill(given[name]) for name in names if name in given})
        for label, given in cells.items()
    ]


def _body(rows: Iterable[tuple[str, dict[str, str]]], columns: list[str]) -> str:
    return "".join(
        f'<tr><th scope="row">{escape(label)}</th>'
        + "".join(f"<td>{cells.get(name, '–')}</td>" for name in columns)
        + "</tr>"
        for label, cells in rows
    )


def _tables(rows: pd.DataFrame, table: str, caption: str) -> str:
    """Return the panels: below each other in one table if their columns are the same, else in one each."""
    keys = rows["panel"]
    if table == "12":  # the two tasks stand side by side in the paper, under columns of the same names
        keys = rows["task"].map(_TASKS) + ", " + rows["panel"]
    panels = [
        (_PANELS.get(str(name), str(name)), *_grid(part, table))
        for name, part in rows.groupby(keys, sort=False)
    ]
    blocks: list[tuple[list[str], list[str]]] = []
    for name, columns, lines in panels:
        span = len(columns) + 1
        heading = f'<tr><th class="ju-panel" colspan="{span}" scope="rowgroup">{escape(name)}</th></tr>'
        body = f"<tbody>{heading if name else ''}{_body(lines, columns)}</tbody>"
        if blocks and blocks[-1][0] == columns:
            blocks[-1][1].append(body)
        else:
            blocks.append((columns, [body]))
    label = escape(caption, quote=True)
    wide = "" if set(rows["measure"]) & set(_IN_WORDS[:3]) else " ju-numbers"
    return "".join(
        f'<div class="ju-scroll" tabindex="0" role="region" aria-label="{label}">'
        f'<table class="ju-paper{wide}"><thead><tr>'
        f"<td></td>{''.join(f'<th scope=col>{escape(name)}</th>' for name in columns)}</tr></thead>"
        f"{''.join(bodies)}</table></div>"
        for columns, bodies in blocks
    )


def _what_would_fill(rows: pd.DataFrame) -> str:
    """Return the note below a table: what would fill its empty cells, with the commands."""
    kinds = filling(rows)
    if kinds.empty:
        return ""
    lines = "".join(
        f"<li>{row.numbers}: {escape(str(row.what))}</li>"
        for row in kinds.rename(columns={"what would fill them": "what"}).itertuples()
    )
    commands = commands_to_fill(rows)
    block = f"<pre>{escape(chr(10).join(commands))}</pre>" if RUN in set(kinds.iloc[:, 0]) else ""
    total = int(kinds["numbers"].sum())
    return (
        f'<details class="ju-fill"><summary>{total} numbers are not recomputed here: what would fill them'
        f"</summary>"
        f"<ul>{lines}</ul>{block}</details>"
    )


def paper_table(compared: pd.DataFrame, table: str | int, *, source: str) -> PaperTable:
    """Return a table of the paper in its own layout, with the recomputed numbers beside the printed ones.

    Parameters
    ----------
    compared : pandas.DataFrame
        Result of :func:`judged_useless.coverage.recompute_everything`.
    table : str or int
        Number of the table, 1 to 28.
    source : str
        Name of the source of the recomputed numbers.

    Returns
    -------
    PaperTable
        The upper line of a cell is printed, the lower one recomputed, to one more place: "=" where it is
        equal at the printed precision, "≠" with the difference (recomputed minus printed) where it is not.

    Raises
    ------
    KeyError
        If there is no such table; the message lists those there are.
    """
    number = str(table)
    rows = compared[compared["table"] == number]
    if rows.empty or number not in TITLES:
        raise KeyError(f"there is no table {number!r}; there are {', '.join(TITLES)}")
    printed = rows[rows["value"].notna()]
    n_recomputed = int(printed["recomputed"].notna().sum())
    differing = int(printed["equal"].fillna(True).eq(False).sum())
    if number == "7":
        source = "policies simulated anew, within three standard errors where marked ≈"
    caption = f"Table {number}. {TITLES[number]}" + (
        f" Upper line: published; lower line: recomputed ({source})."
        if rows["recomputed"].notna().any()
        else ""
    )
    html = (
        f'<figure class="ju-table"><figcaption>{escape(caption)}</figcaption>'
        f"{_tables(rows, number, caption)}{_what_would_fill(rows)}</figure>"
    )
    return PaperTable(number, html, len(printed), n_recomputed, differing)
