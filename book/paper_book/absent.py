"""What stands on a page for a result that its episodes do not give."""

from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame


def attempt(estimator: Callable[..., Estimate], *episodes: pd.DataFrame, **options: Any) -> Estimate:  # noqa: ANN401
    """Return an estimate, undefined and with the reason where these episodes do not give it.

    Parameters
    ----------
    estimator : callable
        Of one table of episodes or several.
    *episodes : pandas.DataFrame
        The tables.
    **options
        Passed on.

    Examples
    --------
    >>> from judged_useless import time_matched_contrast
    >>> from paper_book.wanted import no_episodes
    >>> print(attempt(time_matched_contrast, no_episodes()))
    not available: there are no episodes
    """
    if any(table.empty for table in episodes):
        return Estimate.undefined("there are no episodes")
    return Estimate.attempt(estimator, *episodes, **options)


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
    return estimates_frame(dict.fromkeys(regimes, Estimate.undefined(reason)), "regime")
