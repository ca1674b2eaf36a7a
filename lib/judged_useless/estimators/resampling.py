"""One partition into clusters and one set of resampling weights, shared by every measure.

The question is the unit of dependence: all decisions of all its episodes are drawn together. A measure
hands over *sums by cluster*; a resample is then a row of weights, and all resamples are one matrix product.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import floor
from random import Random
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from judged_useless.estimators.estimate import UndefinedEstimateError

Stream = Literal["released", "numpy"]
Floats = NDArray[np.float64]
Statistic = Callable[[Floats], Floats]
_WORD_BITS = 32
#: Most resamples of an interval: with 300 questions their weights alone take 240 MB.
MAX_N_BOOT = 100_000


@dataclass(frozen=True)
class Resampling:
    """How an interval is resampled; checked once, before anything is computed.

    Attributes
    ----------
    n_boot : int
        Number of resamples (default 2,000, as in the paper's §2), 1 to 100,000.
    seed : int
        Non-negative seed of the stream (default 0, the released one).
    level : float
        Nominal coverage, strictly between 0 and 1 (default 0.95).
    stream : {"released", "numpy"}
        "released" draws what Python's ``random.Random(seed).randrange`` draws, so that the published
        intervals come out to the last digit; "numpy" draws from NumPy's default generator.
    """

    n_boot: int = 2000
    seed: int = 0
    level: float = 0.95
    stream: Stream = "released"

    def __post_init__(self) -> None:
        for name in ("n_boot", "seed"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise TypeError(f"{name} must be a whole number, not {value!r}")
        if self.n_boot < 1:
            raise ValueError(f"n_boot must be at least 1, not {self.n_boot}: an interval needs resamples")
        if self.n_boot > MAX_N_BOOT:
            raise ValueError(
                f"n_boot must be at most {MAX_N_BOOT:,}, not {self.n_boot}: resamples are held in memory"
            )
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, not {self.seed}")
        if not 0 < self.level < 1:
            raise ValueError(f"level must lie strictly between 0 and 1, not {self.level}")
        if self.stream not in ("released", "numpy"):
            raise ValueError(f"stream must be 'released' or 'numpy', not {self.stream!r}")


def released_draws(n_clusters: int, n_boot: int, seed: int = 0, size: int | None = None) -> NDArray[np.int64]:
    """Return the released bootstrap's cluster indices.

    Equal to ``[rng.randrange(n_clusters) for _ in range(n_boot * size)]`` with
    ``rng = random.Random(seed)``, at NumPy speed: the same Mersenne Twister state is handed to NumPy, a draw
    keeps the top ``n_clusters.bit_length()`` bits of a word, and a draw that is too large is dropped.

    Parameters
    ----------
    n_clusters : int
        Number of clusters, 1 to 2**31.
    n_boot : int
        Number of resamples.
    seed : int, default 0
        Seed of the stream.
    size : int, optional
        Clusters drawn in a resample; by default as many as there are.

    Returns
    -------
    numpy.ndarray of int64, shape (n_boot, size)
        Drawn cluster indices, resample after resample.

    Raises
    ------
    ValueError
        If `n_clusters`, `n_boot` or `size` is not positive.

    Examples
    --------
    >>> released_draws(300, 2, size=4).tolist()
    [[197, 215, 20, 132], [261, 248, 207, 155]]
    """
    size = n_clusters if size is None else size
    if n_clusters < 1 or n_boot < 1 or size < 1:
        raise ValueError(
            f"need at least one cluster, resample and draw, not {n_clusters}, {n_boot} and {size}"
        )
    _, state, _ = Random(seed).getstate()
    twister = np.random.MT19937()
    twister.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(state[:-1], dtype=np.uint32), "pos": state[-1]},
    }
    wanted, kept, bits = n_boot * size, [], n_clusters.bit_length()
    missing = wanted
    while missing > 0:
        words = twister.random_raw(int(missing * 2**bits / n_clusters) + 64)
        draws = words >> (_WORD_BITS - bits)
        kept.append(draws[draws < n_clusters])
        missing -= len(kept[-1])
    return np.concatenate(kept)[:wanted].astype(np.int64).reshape(n_boot, size)


@lru_cache(maxsize=32)
def resampling_weights(
    n_clusters: int, n_boot: int, seed: int, stream: Stream = "released", size: int | None = None
) -> Floats:
    """Return how often each resample draws each cluster.

    Parameters
    ----------
    n_clusters, n_boot, seed, size : int
        As in :func:`released_draws`.
    stream : {"released", "numpy"}
        As in :class:`Resampling`.

    Returns
    -------
    numpy.ndarray of float64, shape (n_boot, n_clusters)
        Counts; each row sums to `size`. Cached and read-only, so that all measures on the same
        questions share it.
    """
    if stream == "released":
        draws = released_draws(n_clusters, n_boot, seed, size)
    else:
        draws = np.random.default_rng(seed).integers(n_clusters, size=(n_boot, size or n_clusters))
    flat = draws + np.arange(n_boot)[:, None] * n_clusters
    counts = np.bincount(flat.ravel(), minlength=n_boot * n_clusters)
    weights: Floats = counts.reshape(n_boot, n_clusters).astype(np.float64)
    weights.flags.writeable = False
    return weights


def cluster_sums(codes: NDArray[np.int64], n_clusters: int, columns: Floats) -> Floats:
    """Sum rows by cluster.

    Parameters
    ----------
    codes : numpy.ndarray of int64, shape (n,)
        Cluster of each row.
    n_clusters : int
        Number of clusters.
    columns : numpy.ndarray of float64, shape (n, m)
        Values to add up.

    Returns
    -------
    numpy.ndarray of float64, shape (n_clusters, m)
    """
    sums = [np.bincount(codes, weights=column, minlength=n_clusters) for column in columns.T]
    return np.stack(sums, axis=1) if sums else np.empty((n_clusters, 0))


def percentile_interval(values: Floats, level: float) -> tuple[float, float]:
    """Return the released percentile interval of resampled values.

    With B sorted values the bounds are element ``floor(a B)`` and element ``floor((1 - a) B) - 1``, counting
    from 0, with ``a = (1 - level) / 2``; no interpolation.

    Parameters
    ----------
    values : numpy.ndarray of float64, shape (B,)
        Finite resampled values.
    level : float
        Nominal coverage.

    Returns
    -------
    tuple of float
        Lower and upper bound.

    Raises
    ------
    UndefinedEstimateError
        If there are too few values for the two bounds to be in order.
    """
    ordered, tail = np.sort(values), (1 - level) / 2
    # Rounding first: 2000 * (1 - 0.025) is 1949.9999999999998 in floating point.
    first = floor(round(tail * len(ordered), 9))
    last = floor(round((1 - tail) * len(ordered), 9)) - 1
    if last < first:
        raise UndefinedEstimateError(
            f"{len(ordered)} resampled values are too few for a {level:.0%} percentile interval"
        )
    return float(ordered[first]), float(ordered[last])
