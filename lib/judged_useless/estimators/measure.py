"""A measure ready to be resampled: its sums by question, and what turns sums into a value."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.resampling import (
    Floats,
    Resampling,
    Statistic,
    percentile_interval,
    resampling_weights,
)

#: Resampled values that differ by less are taken for equal: rounding, not sampling.
_SAME = 1e-12


def share(sums: Floats) -> Floats:
    """Return the share of a total: sums of shape (..., 2) hold the total and the part; NaN for no total."""
    total, part = sums[..., 0], sums[..., 1]
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), np.nan)


@dataclass(frozen=True)
class Measure:
    """Sums by question, and the statistic of their total.

    Every measure of the library is made of these two; the point estimate, the bootstrap, and the planning
    of other sample sizes then need no code of their own.

    Attributes
    ----------
    name : str
        Shown before the number.
    sums : numpy.ndarray of float64, shape (n_clusters, m)
        Sums by question, in order of first appearance.
    statistic : callable
        Maps sums of shape (..., m) to values of shape (...); NaN where it is undefined.
    n : int
        Observations the value rests on.
    parts : mapping of str to float
        Passed on to the estimate.
    undefined : str
        What is missing when the value is undefined.
    """

    name: str
    sums: Floats
    statistic: Statistic
    n: int
    parts: Mapping[str, float] = field(default_factory=dict)
    undefined: str = "nothing to compute it from"

    @property
    def n_clusters(self) -> int:
        """Number of questions."""
        return len(self.sums)

    def value(self) -> float:
        """Return the point estimate.

        Raises
        ------
        UndefinedEstimateError
            If it is undefined.
        """
        value = float(self.statistic(self.sums.sum(axis=0)))
        if not np.isfinite(value):
            raise UndefinedEstimateError(f"{self.name} is undefined: {self.undefined}")
        return value

    def resampled(self, plan: Resampling, size: int | None = None) -> Floats:
        """Return the value in every resample of `size` questions (by default as many as there are).

        Parameters
        ----------
        plan : Resampling
            Number of resamples, seed and stream.
        size : int, optional
            Questions drawn in each resample.

        Returns
        -------
        numpy.ndarray of float64, shape (n_boot,)
            NaN where the value is undefined.
        """
        weights = resampling_weights(self.n_clusters, plan.n_boot, plan.seed, plan.stream, size)
        return self.statistic(weights @ self.sums)

    def estimate(self, plan: Resampling) -> Estimate:
        """Return the value with its question-cluster percentile interval.

        Parameters
        ----------
        plan : Resampling
            How to resample.

        Returns
        -------
        Estimate
            Its interval is stated as undefined, with the reason, when there is one question only, when every
            resample gives the same value, or when too few resamples have a value.

        Raises
        ------
        UndefinedEstimateError
            If the value itself is undefined.
        """
        value = self.value()
        values = self.resampled(plan) if self.n_clusters > 1 else np.empty(0)
        return with_interval(
            self.name, value, values, plan, n=self.n, n_clusters=self.n_clusters, parts=self.parts
        )


def with_interval(
    name: str,
    value: float,
    values: Floats,
    plan: Resampling,
    *,
    n: int,
    n_clusters: int,
    parts: Mapping[str, float] | None = None,
) -> Estimate:
    """Return an estimate from a value and its resampled values.

    Parameters
    ----------
    name : str
        Shown before the number.
    value : float
        Point estimate.
    values : numpy.ndarray of float64, shape (n_boot,)
        Resampled values, NaN where undefined; not looked at when there is one cluster only.
    plan : Resampling
        Where they come from.
    n, n_clusters : int
        Observations and questions the value rests on.
    parts : mapping, optional
        Passed on to the estimate.

    Returns
    -------
    Estimate
    """
    low = high = None
    drawn, failed, reason = 0, 0, ""
    if n_clusters < 2:
        reason = "one question cannot be resampled"
    else:
        defined = values[np.isfinite(values)]
        drawn, failed = plan.n_boot, len(values) - len(defined)
        low, high, reason = _bounds(defined, plan.level)
    return Estimate(
        name, value, low, high, plan.level, "question-cluster bootstrap, percentile",
        n=n, n_clusters=n_clusters, n_boot=drawn, n_failed=failed, seed=plan.seed, reason=reason,
        parts=dict(parts or {}),
    )  # fmt: skip


def _bounds(defined: Floats, level: float) -> tuple[float | None, float | None, str]:
    if not len(defined):
        return None, None, "no resample has a value"
    if len(defined) == 1:
        return None, None, "one resample has no spread"
    if np.ptp(defined) < _SAME:
        return None, None, "every resample gives the same value"
    try:
        low, high = percentile_interval(defined, level)
    except UndefinedEstimateError as error:
        return None, None, str(error)
    if high - low < _SAME:
        return None, None, f"all but a few resamples give the same value, {low:.3g}"
    return low, high, ""
