"""What stands on a page for a result that its episodes do not give."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from inspect import signature
from math import nan
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate, estimates_frame

#: An episode that every descriptive table can be made of: what its columns are where there is none.
_ANY_EPISODE = {
    "model": "none", "condition": "none", "split": "none", "question_id": "none", "regime": "recover_after_1",
    "actions": ["search", "search", "search", "finish"], "judgments": ["USELESS", "USEFUL", "USELESS"],
    "success": True,
}  # fmt: skip


class Undefined(Estimate):
    """An estimate without a value; wherever it is read, it reads as missing, and it shows why."""

    def __init__(self, name: str, reason: str) -> None:
        given: dict[str, Any] = {
            "name": name,
            "reason": reason,
            "value": nan,
            "level": nan,
            "method": "none",
            "parts": {},
        }
        for each in fields(Estimate):
            object.__setattr__(
                self, each.name, given.get(each.name, 0 if each.name.startswith("n") else None)
            )

    def __getitem__(self, key: str) -> object:
        return super().__getitem__(key) if key in self._names() else nan

    def text(self, digits: int = 3) -> str:
        """Return what is shown in the place of ``value [low, high]``."""
        return "not available"

    def __str__(self) -> str:
        return f"not available: {self.reason}"

    __repr__ = __str__


def undefined(
    estimator: Callable[..., Any], reason: str, regimes: Sequence[str], options: Mapping[str, Any]
) -> Any:  # noqa: ANN401 - as the estimator returns it
    """Return what stands for a result that there is none of: of the same kind, without a number, with why."""
    returned = str(signature(estimator).return_annotation)
    if "DataFrame" not in returned:
        return Undefined(getattr(estimator, "__name__", "estimate").replace("_", " "), reason)
    if returned.startswith("dict"):
        return {}
    if "n_boot" in options:
        return estimates_frame(dict.fromkeys(regimes, reason), "regime")
    table = estimator(pd.DataFrame([_ANY_EPISODE])).iloc[:0]
    table.attrs["reason"] = reason
    return table
