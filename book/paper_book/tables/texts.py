"""Cells of the paper's tables as text: a number as it is printed, and as it was recomputed."""

import re
from collections.abc import Mapping
from typing import Any

import pandas as pd

from paper_book.published.comparing import show
from paper_book.tables.layout import IN_WORDS, WHOLE

Record = Mapping[Any, Any]


def missing(value: object) -> bool:
    """Return whether a value of a record is none."""
    return bool(pd.isna(value))  # type: ignore[call-overload]


def minus(text: str) -> str:
    """Return a number's text with a true minus sign."""
    return text.replace("-", "−")


def label(text: str) -> str:
    """Return a heading of the paper with a true minus sign before what it subtracts."""
    return re.sub(r"(^| )- ", r"\1− ", text)


#: What is left of formulas in the paper's words.
_FORMULAS = {
    "{=}": " = ", r"\geq": " ≥ ", r"\leq": " ≤ ", r"\to": " →", r"\Delta": "Δ ", r"\kappa": "κ ",
    r"^{\ddagger}": "‡",
}  # fmt: skip
#: What the record of published numbers remarks on the print itself.
_REMARKS = re.compile(r" \[(?:the Doc column|no test ID)[^\]]*\]")


def in_words(text: str) -> str:
    """Return words of the paper without marks of formulas, with true minus signs, and without our remarks."""
    text = _REMARKS.sub("", text)
    for mark, shown in _FORMULAS.items():
        text = text.replace(mark, shown)
    # Not between a letter or digit and a number, which is a name: test L-C3, Llama-3.1-8B.
    text = re.sub(r"(?<![A-Za-z0-9])-(?=\.?\d)", "−", text)
    text = re.sub(r"\bI-(?=\.?\d)", "I −", text)
    text = re.sub(r"\bI\+(?=\.?\d)", "I +", text)
    return label(re.sub(r"  +", " ", text).replace("( ", "(").replace(" :", ":"))


def places(record: Record) -> int:
    """Return the places to which a number, or a bound without one, is printed."""
    texts = [str(record[f"{name}_printed"]) for name in ("value", "low", "high")]
    if texts[0]:
        return int(record["decimals"])
    return max((len(text.partition(".")[2]) for text in texts if text), default=int(record["decimals"]))


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
    elif not missing(record["k"]):
        return f"{int(record['k'])}/{int(record['n'])}"
    elif low and high:
        return minus(f"{low} to {high}{per_cent}")
    elif low or high:
        return minus(f"lower bound {low}" if low else f"at most {high}{per_cent}")
    else:
        return in_words(str(record["note"] or "")) if record["measure"] in IN_WORDS else ""
    if low and high:
        text += f" [{low}, {high}]"
    elif low:
        text += f", lower bound {low}"
    return minus(text) + (f", p {'' if p.startswith('<') else '= '}{p}" if p else "")


def recomputed_text(record: Record) -> str:
    """Return a recomputed number to one more place than is printed, with its interval if one is printed.

    Parameters
    ----------
    record : mapping
        A row of :func:`paper_book.measures.recompute.recompute`.

    Returns
    -------
    str
        Empty where it was not recomputed; words where the result is no number.
    """
    value = float(record["recomputed"])
    if missing(value):
        return str(record.get("recomputed_words") or "")
    if not missing(record["k"]) and not str(record["value_printed"]) and not missing(record["recomputed_k"]):
        return f"{int(record['recomputed_k'])}/{int(record['recomputed_n'])}"
    if record["unit"] in WHOLE and value == int(value):
        return minus(str(int(value)))
    bounded = not (missing(record["low"]) and missing(record["high"]))
    nan = float("nan")
    low, high = (float(record[f"recomputed_{name}"]) if bounded else nan for name in ("low", "high"))
    return show(value, low, high, places(record) + 1)
