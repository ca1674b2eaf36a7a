"""One partition into clusters and one stream of resamples, shared by every measure.

The question is the unit of dependence: all decisions of all its episodes are drawn together. A measure hands
over *sums by cluster*; a resample is then a row of weights, and all resamples are one matrix product.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from inspect import Parameter, signature
from math import ceil, floor, inf, isfinite, nan
from numbers import Real
from random import Random
from typing import Any, TypedDict, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from .estimate import Estimate, UndefinedEstimateError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Statistic = Callable[[Floats], Floats]
Estimator = TypeVar("Estimator", bound=Callable[..., Any])
_WORD_BITS = 32
#: Weights that are held at once: 32 MB, however many questions and resamples there are.
_BLOCK = 2**22
#: Resampled values that differ by less are taken for equal: rounding, not sampling.
_SAME = 1e-12


def whole_number(name: str, value: object, least: int = 1, most: float = inf) -> int:
    """Return an argument that is a count, or refuse it: true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    number(name, value, least, most)
    return int(value)


def number(name: str, value: object, least: float, most: float = inf, *, inside: bool = False) -> float:
    """Return an argument that is a finite number within bounds (`inside` them), or refuse it."""
    real = nan if isinstance(value, bool) or not isinstance(value, Real) else float(value)
    if not isfinite(real) or not (least < real < most if inside else least <= real <= most):
        within = f"from {least:g} to {most:g}" if most < inf else f"of at least {least:g}"
        bounds = f"strictly between {least:g} and {most:g}" if inside else within
        raise ValueError(f"{name} is {value!r}, expected a number {bounds}")
    return real


@dataclass(frozen=True)
class Resampling:
    """How an interval is resampled; checked once, before anything is computed.

    Attributes
    ----------
    n_boot : int
        Resamples of the questions (2,000 in the paper's §2).
    seed : int
        Non-negative seed: draws are those of Python's ``random.Random(seed).randrange``; with 0 the published
        intervals come out to the last digit.
    level : float
        Nominal coverage, strictly between 0 and 1.
    """

    n_boot: int = 2000
    seed: int = 0
    level: float = 0.95

    def __post_init__(self) -> None:
        whole_number("n_boot", self.n_boot)
        whole_number("seed", self.seed, 0)
        number("level", self.level, 0, 1, inside=True)


class Options(TypedDict, total=False):
    """Options of the estimators that resample; see :class:`Resampling`."""

    n_boot: int
    seed: int
    level: float


def resampled(estimator: Estimator) -> Estimator:
    """Show an estimator's options of resampling, with their defaults, in its signature and documentation."""
    own = signature(estimator)
    named = [each for each in own.parameters.values() if each.kind != Parameter.VAR_KEYWORD]
    options = [
        each.replace(kind=Parameter.KEYWORD_ONLY) for each in signature(Resampling).parameters.values()
    ]
    vars(estimator)["__signature__"] = own.replace(parameters=[*named, *options])
    there, returns, rest = (estimator.__doc__ or "").partition("\n\n    Returns\n")
    told = "\n    n_boot, seed, level\n        See :class:`Resampling`."
    estimator.__doc__ = f"{there}{told}{returns}{rest}"
    return estimator


def draw_blocks(n_clusters: int, plan: "Resampling", size: int | None = None) -> Iterator[Ints]:
    """Yield the cluster indices of all resamples in blocks of shape (resamples, size), none of them large.

    A resample draws `size` clusters (as many as there are) as ``random.Random(seed).randrange``, at NumPy's
    speed: the same Mersenne Twister's words, of which the top bits are kept unless they are too large.

    Examples
    --------
    >>> next(draw_blocks(300, Resampling(2), 4)).tolist()
    [[197, 215, 20, 132], [261, 248, 207, 155]]
    """
    _, state, _ = Random(plan.seed).getstate()
    twister = np.random.MT19937()
    words = np.array(state[:-1], dtype=np.uint32)
    twister.state = {"bit_generator": "MT19937", "state": {"key": words, "pos": state[-1]}}
    rng, bits, ahead = np.random.Generator(twister), n_clusters.bit_length(), np.empty(0, dtype=np.int64)
    size = size or n_clusters
    rows = max(1, _BLOCK // max(size, n_clusters))
    for first in range(0, plan.n_boot, rows):
        count = min(rows, plan.n_boot - first) * size
        while (lacking := count - len(ahead)) > 0:
            words = rng.integers(2**32, size=int(lacking * 2**bits / n_clusters) + 64, dtype=np.uint32)
            words >>= _WORD_BITS - bits
            ahead = np.concatenate([ahead, words.compress(words < n_clusters)])
        yield ahead[:count].reshape(-1, size)
        ahead = ahead[count:]


def weight_blocks(n_clusters: int, plan: "Resampling", size: int | None = None) -> Iterator[Floats]:
    """Yield how often each resample draws each cluster, in blocks of shape (resamples, n_clusters)."""
    if plan.n_boot * max(size or 0, n_clusters) <= _BLOCK:
        yield _one_block(n_clusters, replace(plan, level=0.95), size)
    else:
        yield from map(partial(_counted, n_clusters), draw_blocks(n_clusters, plan, size))


def _counted(n_clusters: int, draws: Ints) -> Floats:
    weights = np.empty((len(draws), n_clusters))
    for row, drawn in zip(weights, draws, strict=True):
        row[:] = np.bincount(drawn, minlength=n_clusters)
    return weights


@lru_cache(maxsize=8)
def _one_block(n_clusters: int, plan: "Resampling", size: int | None) -> Floats:
    """Return the weights of all resamples, which all measures on the same questions share."""
    weights = _counted(n_clusters, next(draw_blocks(n_clusters, plan, size)))
    weights.flags.writeable = False
    return weights


def cluster_sums(codes: Ints, n_clusters: int, columns: Floats) -> Floats:
    """Sum rows of shape (n, m) by their cluster: shape (n_clusters, m)."""
    sums = [np.bincount(codes, weights=column, minlength=n_clusters) for column in columns.T]
    return np.stack(sums, axis=1)


def percentile_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the released percentile interval of resampled values, or refuse where a tail holds none of them.

    With B sorted values the bounds are element ``floor(a B)`` and element ``floor((1 - a) B) - 1``, counting
    from 0, with ``a = (1 - level) / 2``; no interpolation.
    """
    ordered, tail = np.sort(values), (1 - level) / 2
    # Rounding first: 2000 * (1 - 0.025) is 1949.9999999999998 in floating point.
    first = floor(round(tail * len(ordered), 9))
    last = floor(round((1 - tail) * len(ordered), 9)) - 1
    if first < 1:
        raise UndefinedEstimateError(
            f"{len(ordered)} resampled values are too few for a {100 * level:.6g}% percentile interval; "
            f"it takes at least {ceil(round(1 / tail, 6))}"
        )
    return float(ordered[first]), float(ordered[last])


def share(sums: Floats) -> Floats:
    """Return the share of a total: sums of shape (..., 2) hold the total and the part; NaN for no total."""
    total, part = sums[..., 0], sums[..., 1]
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), np.nan)


@dataclass(frozen=True)
class Measure:
    """Sums by question, and the statistic of their total: all that a point estimate and its resamples need.

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
    parts, note
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
    note: str = ""

    @property
    def n_clusters(self) -> int:
        """Number of questions."""
        return len(self.sums)

    def value(self) -> float:
        """Return the point estimate, or raise :class:`UndefinedEstimateError`."""
        value = float(self.statistic(self.sums.sum(axis=0)))
        if not np.isfinite(value):
            raise UndefinedEstimateError(f"{self.name} is undefined: {self.undefined}")
        return value

    def resampled(self, plan: Resampling, size: int | None = None) -> Floats:
        """Return the value in every resample of `size` questions (by default as many as there are).

        NaN where it is undefined; none at all of one question, which cannot be resampled.
        """
        if self.n_clusters < 2:
            return np.empty(0)
        blocks = weight_blocks(self.n_clusters, plan, size)
        return np.concatenate([self.statistic(weights @ self.sums) for weights in blocks])

    def estimate(self, plan: Resampling, values: Floats | None = None) -> Estimate:
        """Return the value with its question-cluster percentile interval, or why that is undefined.

        As it is with one question only, resamples that are all the same, and too few that have a value.
        `values` are the resampled ones, if they were drawn before.
        """
        value = self.value()
        values = self.resampled(plan) if values is None else values
        defined = values[np.isfinite(values)]
        low, high, reason = _bounds(defined, plan.level, self.n_clusters)
        n_boot = plan.n_boot if self.n_clusters > 1 else 0
        return Estimate(
            self.name, value, low, high, plan.level, "question-cluster bootstrap, percentile", self.n,
            self.n_clusters, n_boot, len(values) - len(defined), plan.seed, reason, dict(self.parts),
            self.note,
        )  # fmt: skip


def share_measure(
    name: str,
    clusters: "pd.Series[Any]",
    part: NDArray[Any],
    among: NDArray[np.bool_] | None = None,
    undefined: str = "",
) -> Measure:
    """Return the share of what is marked as part, or the mean of a number, among some of all (or all)."""
    codes, distinct = pd.factorize(clusters)
    there = np.ones(len(codes)) if among is None else among.astype(np.float64)
    columns = np.stack([there, np.where(there > 0, part, 0.0)], axis=1)
    sums = cluster_sums(codes.astype(np.int64), len(distinct), columns)
    return Measure(name, sums, share, n=int(there.sum()), undefined=undefined)


def _bounds(defined: Floats, level: float, n_clusters: int) -> tuple[float | None, float | None, str]:
    if n_clusters < 2:
        return None, None, "one question cannot be resampled"
    if not len(defined):
        return None, None, "no resample has a value"
    if np.ptp(defined) < _SAME:
        return None, None, "every resample gives the same value"
    try:
        low, high = percentile_interval(defined, level)
    except UndefinedEstimateError as error:
        return None, None, str(error)
    if high - low < _SAME:
        return None, None, f"all but a few resamples give the same value, {low:.3g}"
    return low, high, ""
