"""What a published number needs: which measure it is, and of which cells."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

#: What tells cells apart.
CELL = ["model", "condition", "task", "split", "budget"]
#: Splits that stand for several runs of the same questions.
SEVERAL_RUNS = {"test300-three-runs": ("test300", "test300-run2", "test300-run3")}
#: Measures on the answer-now branches of the unaided runs, whose rows name no condition.
_ON_BRANCHES = (
    "answer_now_success", "answer_now_success_repaired", "continue_success", "n_answering_better",
    "n_continuing_better", "best_policy", "utility",
)  # fmt: skip
#: Measures of two cells that rows name only one of: the other differs in this label.
_OTHER: dict[str, tuple[str, object]] = {
    "regret": ("condition", "unaided"),
    "exhausted_where_rule_fired": ("condition", "enforced_rule"),
    "calls_increase": ("budget", 8),
    "median_answer_action_shift": ("budget", 8),
}
#: (condition, measure) -> the measure of the unaided cell that an offline policy's number is.
_OFFLINE = {
    ("answer_now - unaided", "paired_difference"): "answering_minus_continuing",
    ("own_5_policy", "success"): "success_of_own_5",
}
#: Row -> the measure that it holds, where the name alone does not say which.
_BY_ROW = {
    "net-correct-answers-questions-where-the-rule-fired": "net_correct_where_fired",
    "net-correct-answers-questions-the-rule-never-touched": "net_correct_elsewhere",
    "right-when-forced-to-answer-after-five-useless-judgments": "success_where_fired",
}
#: Measure -> condition of the rows that name none: of Amendment 14, and of Search-R1's judgments (D.4),
#: taken from its unaided runs as in the registered test V.
_CONDITION = {
    "backup_share_of_first_exits": "both_exits",
    "useless_rate_real": "unaided",
    "success_where_fired": "enforced_rule",
}
_PRICE = re.compile(r"λ=(\d+(?:\.\d+)?)")

Record = Mapping[Any, Any]
Key = tuple[object, ...]


@dataclass(frozen=True)
class Needed:
    """What a published number needs.

    Attributes
    ----------
    measure : str
        Name in the registries of `paper_book.measures`.
    keys : tuple of tuple
        Its cells: model, condition, task, split, budget of each. One, the two that are compared, or these two
        for each of several runs.
    price : float
        λ, where the row names one.
    scale : int
        100 for a number that is printed in per cent, otherwise 1.
    """

    measure: str
    keys: tuple[Key, ...]
    price: float = 0.0
    scale: int = 1

    @property
    def label(self) -> str:
        """What tells it apart from other numbers under the same names, as text."""
        return f"{self.measure} {self.price:g} {self.scale}"

    @property
    def several_cells(self) -> bool:
        """Whether it is about more cells than it names."""
        return any(not key[0] or not key[1] for key in self.keys)


def needed(record: Record) -> Needed:
    """Return what a published number needs.

    Parameters
    ----------
    record : mapping
        A row of published numbers.

    Returns
    -------
    Needed
    """
    measure, condition = str(record["measure"]), str(record["condition"])
    found = _PRICE.search(str(record["row"])) if str(record["table"]) == "17" else None
    price, scale = float(found[1]) if found else 0.0, _scale(record)
    if (offline := _OFFLINE.get((condition, measure))) is not None:
        return Needed(offline, _keys(record, "unaided"), price, scale)
    measure = _BY_ROW.get(str(record["row"]), measure)
    if not condition and record["model"]:
        condition = _unnamed(record, measure)
    if measure == "utility" and found:
        measure = "utility_of_best_policy"
    keys = _keys(record, condition)
    if measure in _OTHER:
        label, value = _OTHER[measure]
        other = list(keys[0])
        other[CELL.index(label)] = value
        keys = (*keys, tuple(other))
        if measure == "exhausted_where_rule_fired":  # the cell under the rule comes first
            keys = keys[::-1]
    return Needed(measure, keys, price, scale)


def _unnamed(record: Record, measure: str) -> str:
    """Return the condition of a row that names none, or an empty text."""
    if measure in _ON_BRANCHES:
        return "unaided"
    if measure == "useless_rate" and record["model"] == "search-r1":
        return "unaided"
    return _CONDITION.get(measure, "")


def _scale(record: Record) -> int:
    if str(record["unit"]) not in ("percent", "points"):
        return 1
    return 1 if all(pd.isna(record[name]) for name in ("value", "low", "high")) else 100


def _keys(record: Record, condition: str) -> tuple[Key, ...]:
    varied = {"condition": condition.split(" - "), "split": str(record["split"]).split(" - ")}
    n = max(map(len, varied.values()))
    keys = [
        tuple(
            varied[label][min(i, len(varied[label]) - 1)] if label in varied else record[label]
            for label in CELL
        )
        for i in range(n)
    ]
    return tuple(_by_run(keys))


def _by_run(keys: Sequence[Key]) -> list[Key]:
    """Return the same cells run by run, where a split stands for several runs."""
    place = CELL.index("split")
    runs = SEVERAL_RUNS.get(str(keys[0][place]))
    if runs is None:
        return list(keys)
    return [(*key[:place], run, *key[place + 1 :]) for run in runs for key in keys]
