"""The result of an estimator: one number, its interval, and where both come from; or why there is none."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from html import escape
from math import isfinite, nan
from typing import Any

import pandas as pd

_ALIASES = {"delta": "value", "estimate": "value", "ci_low": "low", "ci_high": "high"}


class UndefinedEstimateError(ValueError):
    """The quantity has no value on these episodes; the message names what is missing."""


@dataclass(frozen=True, eq=False)
class Estimate(Mapping[str, object]):
    """A frozen estimate, readable as attributes, as a mapping and as a table row.

    Attributes
    ----------
    name : str
        What was estimated, as shown before the number.
    value : float
        Point estimate, in the unit its estimator documents; NaN where it is undefined.
    low, high : float or None
        Interval bounds; ``None`` when the interval is undefined.
    level, method
        Nominal coverage of the interval, and how it was made.
    n, n_clusters : int
        Observations it rests on (the estimator says which), and questions among them, which are resampled.
    n_boot, n_failed : int
        Resamples drawn, and those in which the quantity was undefined, which the interval leaves out.
    seed : int or None
        Seed of the resampling; None without resampling.
    reason : str
        Why the value or the interval is undefined; empty when both are defined.
    parts : mapping of str to float
        Quantities the value was made from, such as counts and the rates that were contrasted.
    note : str
        What a reader of the number should know, such as a budget that was taken from the data.
    """

    name: str
    value: float
    low: float | None
    high: float | None
    level: float
    method: str
    n: int
    n_clusters: int
    n_boot: int = 0
    n_failed: int = 0
    seed: int | None = None
    reason: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    def __post_init__(self) -> None:
        if not self.reason and not self.defined:
            raise UndefinedEstimateError(f"{self.name} is undefined on these episodes")
        if not self.reason and (self.low is None or self.high is None):
            raise ValueError(f"{self.name}: an undefined interval needs a reason")

    @classmethod
    def undefined(cls, reason: str, name: str = "") -> "Estimate":
        """Return what stands in a table or on a page where there is no value, and why."""
        return cls(name, nan, None, None, nan, "", n=0, n_clusters=0, reason=reason)

    @classmethod
    def attempt(cls, estimator: "Callable[..., Estimate]", *given: Any, **options: Any) -> "Estimate":  # noqa: ANN401
        """Return what an estimator gives, or the undefined estimate that says why it gives none."""
        try:
            return estimator(*given, **options)
        except UndefinedEstimateError as error:
            return cls.undefined(str(error))

    @property
    def defined(self) -> bool:
        """Whether there is a value."""
        return isfinite(self.value)

    def __getitem__(self, key: str) -> object:
        key = _ALIASES.get(key, key)
        if key in _NAMES:
            return getattr(self, key)
        if key in self.parts:
            return self.parts[key]
        if not self.defined:
            return nan
        raise KeyError(f"{key!r} is not part of this estimate; it has {', '.join((*_NAMES, *self.parts))}")

    def __iter__(self) -> Iterator[str]:
        return iter(_NAMES)

    def __len__(self) -> int:
        return len(_NAMES)

    def text(self, digits: int = 3) -> str:
        """Return ``value [low, high]`` with `digits` decimals, or what of it is missing."""
        if not self.defined:
            return "not available"
        value = f"{self.value:.{digits}f}"
        if self.low is None or self.high is None:
            return f"{value} [interval undefined: {self.reason}]"
        return f"{value} [{self.low:.{digits}f}, {self.high:.{digits}f}]"

    @classmethod
    def from_row(cls, row: Mapping[Any, Any]) -> "Estimate":
        """Return the estimate of a row of a frame of estimates, without `parts`, or raise why it has none."""
        values = {name: row[name] for name in _NAMES if name in row}
        if values["value"] != values["value"]:
            # A row made of an error already says what is undefined.
            reason, prefix = str(values["reason"]), f"{values['name']} is undefined: "
            raise UndefinedEstimateError(prefix + reason.removeprefix(prefix))
        values = {name: None if pd.isna(each) else each for name, each in values.items()}
        whole = ("n", "n_clusters", "n_boot", "n_failed", "seed")
        return cls(**values | {name: int(values[name]) for name in whole if values[name] is not None})

    def row(self) -> dict[str, object]:
        """Return the estimate as a flat table row, without `parts`."""
        return {name: getattr(self, name) for name in _NAMES if name != "parts"}

    def __str__(self) -> str:
        if not self.defined:
            return f"not available: {self.reason}"
        return f"{self.name} = {self.text()}{f'; {self.note}' if self.note else ''}"

    def __repr__(self) -> str:
        if not self.defined:
            return str(self)
        method = f"{100 * self.level:.6g}% {self.method}"
        return f"{self}  ({method}; n = {self.n:,}, {self.n_clusters:,} questions)"

    def _repr_html_(self) -> str:
        return f"<p class='estimate'>{escape(repr(self))}</p>"


_NAMES = tuple(f.name for f in fields(Estimate))


def estimates_frame(estimates: Mapping[Any, Estimate], index: str) -> pd.DataFrame:
    """Return estimates, one row each under their key, with the columns of :meth:`Estimate.row`.

    Of one that is undefined the numbers are missing, and its ``reason`` says why.
    """
    rows = [
        each.row() if each.defined else {"name": each.name or str(key), "n": 0, "reason": each.reason}
        for key, each in estimates.items()
    ]
    names = [name for name in _NAMES if name != "parts"]
    table = pd.DataFrame(rows, columns=names, index=pd.Index(list(estimates), name=index))
    return table.astype({"value": "float64", "low": "float64", "high": "float64"})
