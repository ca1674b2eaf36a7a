"""What stands on a page for a result that its episodes do not give."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from math import nan
from typing import Any

import pandas as pd
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame


@dataclass(frozen=True)
class Absent:
    """A result without a value; where an estimate is read, it reads as missing.

    Attributes
    ----------
    reason : str
        Why there is none.
    """

    reason: str
    value: float = nan
    low: None = None
    high: None = None
    n: int = 0

    def __getitem__(self, key: str) -> float:
        return nan

    def text(self, digits: int = 3) -> str:
        """Return what is shown in the place of ``value [low, high]``."""
        return "not available"

    def row(self) -> dict[str, object]:
        """Return a table row without numbers."""
        return {"value": nan, "low": nan, "high": nan, "n": 0, "reason": self.reason}

    def excludes_zero(self) -> bool | None:
        """Return None: an interval that does not exist excludes nothing."""
        return None

    def __str__(self) -> str:
        return f"not available: {self.reason}"

    def _repr_html_(self) -> str:
        return f"<p class='estimate'>{escape(str(self))}</p>"


def attempt(estimator: Callable[..., Estimate], *episodes: pd.DataFrame, **options: Any) -> Estimate | Absent:  # noqa: ANN401
    """Return an estimate, or what stands for it when these episodes do not give it.

    Parameters
    ----------
    estimator : callable
        Of one table of episodes or several.
    *episodes : pandas.DataFrame
        The tables.
    **options
        Passed on.

    Returns
    -------
    Estimate or Absent

    Examples
    --------
    >>> from judged_useless import time_matched_contrast
    >>> from judged_useless.episodes import no_episodes
    >>> print(attempt(time_matched_contrast, no_episodes()))
    not available: there are no episodes
    """
    if any(table.empty for table in episodes):
        return Absent("there are no episodes")
    try:
        return estimator(*episodes, **options)
    except UndefinedEstimateError as error:
        return Absent(str(error))


def attempt_by_regime(
    estimator: Callable[..., pd.DataFrame],
    episodes: Episodes,
    *,
    regimes: Sequence[str] = FAIL,
    **options: Any,  # noqa: ANN401
) -> pd.DataFrame:
    """Return an estimator's table of regimes, with a row of missing values for each that has none.

    Parameters
    ----------
    estimator : callable
        Returns a frame of estimates with index ``regime``.
    episodes : pandas.DataFrame or iterable of mappings
        Episodes, possibly none.
    regimes : sequence of str
        Rows wanted, in this order; FAIL by default.
    **options
        Passed on.

    Returns
    -------
    pandas.DataFrame
        As the estimator returns it.
    """
    reason = "there are no episodes"
    if not isinstance(episodes, pd.DataFrame) or not episodes.empty:
        try:
            given = estimator(episodes, **options)
            return given.reindex([*regimes, *given.index.difference(list(regimes))])
        except UndefinedEstimateError as error:
            reason = str(error)
    return estimates_frame(dict.fromkeys(regimes, reason), "regime")
