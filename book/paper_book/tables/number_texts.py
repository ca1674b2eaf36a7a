"""Numbers as text: as the paper prints them, and as they were recomputed."""

import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate

from paper_book.published.comparing import show
from paper_book.tables.html import label

Row = Mapping[Any, Any]
#: What a sentence takes: an estimate, a number, a number with its format, or a text.
Glued = Any
#: Measures whose cells hold words; elsewhere a cell without a number was not run.
IN_WORDS = ("definition", "claim_map", "printed_outcome", "best_policy")
#: Units of whole numbers.
_WHOLE = ("count", "action", "questions")
#: What is left of formulas in the paper's words.
_FORMULAS = {
    "{=}": " = ", r"\geq": " ≥ ", r"\leq": " ≤ ", r"\to": " →", r"\Delta": "Δ ", r"\kappa": "κ ",
    r"^{\ddagger}": "‡",
}  # fmt: skip
#: What the record of published numbers remarks on the print itself.
_REMARKS = re.compile(r" \[(?:the Doc column|no test ID)[^\]]*\]")


def missing(value: object) -> bool:
    """Return whether a value of a row is none."""
    return bool(pd.isna(value))  # type: ignore[call-overload]


def minus(text: str) -> str:
    """Return a text with true minus signs before its numbers; a name such as Qwen3-8B keeps its hyphen."""
    return re.sub(r"(?<![A-Za-z0-9])-(?=\.?\d)", "−", text)


def number(value: float, form: str = ".3f") -> str:
    """Return a number for a sentence, or "n/a" where it is missing.

    Examples
    --------
    >>> number(0.1234, ".1%"), number(-0.5, ".2f"), number(float("nan"))
    ('12.3%', '−0.50', 'n/a')
    """
    return "n/a" if pd.isna(value) else minus(f"{value:{form}}")


def in_words(text: str) -> str:
    """Return words of the paper without marks of formulas, with true minus signs, and without our remarks."""
    text = _REMARKS.sub("", text)
    for mark, shown in _FORMULAS.items():
        text = text.replace(mark, shown)
    text = re.sub(r"\bI([-+])(?=\.?\d)", r"I \1", minus(text))
    return label(re.sub(r"  +", " ", minus(text)).replace("( ", "(").replace(" :", ":"))


def places(row: Row) -> int:
    """Return the places to which a number, or a bound without one, is printed."""
    texts = [str(row[f"{name}_printed"]) for name in ("value", "low", "high")]
    if texts[0]:
        return int(row["decimals"])
    return max((len(text.partition(".")[2]) for text in texts if text), default=int(row["decimals"]))


def printed_text(row: Row) -> str:
    """Return a published number as it is printed, with its interval and p-value; a text for one in words."""
    value, low, high, p = (str(row[f"{name}_printed"]) for name in ("value", "low", "high", "p"))
    per_cent = "\u00a0%" if row["unit"] == "percent" else ""
    if value:
        text = value + per_cent
    elif not missing(row["k"]):
        return f"{int(row['k'])}/{int(row['n'])}"
    elif low and high:
        return minus(f"{low} to {high}{per_cent}")
    elif low or high:
        return minus(f"lower bound {low}" if low else f"at most {high}{per_cent}")
    else:
        return in_words(str(row["note"] or "")) if row["measure"] in IN_WORDS else ""
    if low and high:
        text += f" [{low}, {high}]"
    elif low:
        text += f", lower bound {low}"
    return minus(text) + (f", p {'' if p.startswith('<') else '= '}{p}" if p else "")


def recomputed_text(row: Row, *, bounded: bool | None = None) -> str:
    """Return a recomputed number to one more place than is printed."""
    value = float(row["recomputed"])
    if missing(value):
        return str(row.get("recomputed_words") or "")
    counted = row.get("counted") or (not missing(row["k"]) and not str(row["value_printed"]))
    if counted and not missing(row.get("recomputed_k")):
        return f"{int(row['recomputed_k'])}/{int(row['recomputed_n'])}"
    if row["unit"] in _WHOLE and value == int(value):
        return minus(str(int(value)))
    if bounded is None:
        bounded = bool(not missing(row["low"]) or not missing(row["high"]))
    low, high = (float(row[f"recomputed_{name}"]) if bounded else float("nan") for name in ("low", "high"))
    return show(value, low, high, places(row) + 1)


def number_of(value: Glued) -> float:
    """Return the number of what is glued: an estimate, a pair of number and format, or a number."""
    return float(
        value.value if isinstance(value, Estimate) else value[0] if isinstance(value, tuple) else value
    )


def in_words_of(value: Glued) -> str:
    """Return a value as a sentence shows it."""
    if isinstance(value, Estimate):
        return minus(value.text(2))
    if isinstance(value, tuple):
        return number(*value)
    if isinstance(value, Real):
        return f"{value:,}" if isinstance(value, Integral) else number(float(value))
    return minus(str(value))


def glued(value: Glued) -> str:
    """Return a value for a sentence of prose, or in its place that this source does not give it."""
    text = in_words_of(value)
    return "(not in this source)" if text in ("n/a", "not available", "nan") else text
