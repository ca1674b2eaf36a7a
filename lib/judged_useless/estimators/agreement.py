"""Agreement of two sets of labels, and the accuracy of a reader against labels."""

from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless._io.messages import shown
from judged_useless.episodes.schema import missing

from .estimate import Estimate, UndefinedEstimateError
from .resampling import Floats, Measure, Options, Resampling, Statistic, cluster_sums, resampled, share

Labels = Iterable[Hashable]
Ints = NDArray[np.int64]


def _listed(values: Labels, name: str) -> list[Hashable]:
    if isinstance(values, str):
        raise TypeError(f"{name} must be a list, not one text")
    listed = list(values)
    for item, value in enumerate(listed, 1):
        if not isinstance(value, Hashable):
            raise TypeError(f"{name}, item {item}: {shown(value)}, expected a text, a number or the like")
    return listed


def _factorised(values: list[Hashable]) -> tuple[Ints, int]:
    codes, distinct = pd.factorize(pd.Series(values, dtype=object))
    return codes.astype(np.int64), len(distinct)


class _Pairs(NamedTuple):
    """Both labels of each item as codes, with its cluster."""

    first: Ints
    second: Ints
    n_labels: int
    cluster: Ints
    n_clusters: int


def _pairs(a: Labels, b: Labels, clusters: Labels | None, positive: Sequence[Hashable] | None) -> _Pairs:
    first, second = _listed(a, "a"), _listed(b, "b")
    ids: list[Hashable] = [*range(len(first))] if clusters is None else _listed(clusters, "clusters")
    n = len(first)
    if not n == len(second) == len(ids):
        raise ValueError(f"a, b and clusters must have one length, not {n}, {len(second)} and {len(ids)}")
    if n == 0:
        raise UndefinedEstimateError("agreement is undefined: there is no item")
    for name, values in (("a", first), ("b", second), ("clusters", ids)):
        for item, value in enumerate(values, 1):
            if missing(value):
                what = "label; leave out items that only one has labelled"
                raise ValueError(f"{name}, item {item}: no {'cluster' if name == 'clusters' else what}")
    labels = [*first, *second]
    if positive is not None:
        chosen = set(_listed(positive, "positive"))
        if not chosen & set(labels):
            raise ValueError(
                f"none of {sorted(map(str, chosen))} occurs; there is {sorted({*map(str, labels)})}"
            )
        labels = [label in chosen for label in labels]
    codes, n_labels = _factorised(labels)
    return _Pairs(codes[:n], codes[n:], n_labels, *_factorised(ids))


def _kappa(k: int) -> Statistic:
    """Return Cohen's κ from a flattened confusion matrix of k categories."""

    def kappa(counts: Floats) -> Floats:
        table = counts.reshape(*counts.shape[:-1], k, k)
        n = table.sum(axis=(-2, -1))
        safe = np.where(n > 0, n, 1.0)
        observed = np.trace(table, axis1=-2, axis2=-1) / safe
        expected = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1) / safe**2
        # With one category for everything, agreement by chance is certain and κ says nothing.
        defined = (n > 0) & (expected < 1 - 1e-12)
        return np.where(defined, (observed - expected) / np.where(defined, 1 - expected, 1.0), np.nan)

    return kappa


@resampled
def cohen_kappa(
    a: Labels,
    b: Labels,
    *,
    clusters: Labels | None = None,
    positive: Sequence[Hashable] | None = None,
    **options: Unpack[Options],
) -> Estimate:
    r"""Return Cohen's κ of two sets of labels, unweighted: :math:`(p_o - p_e) / (1 - p_e)`.

    With the observed share of equal labels and the share expected from both margins: with nearly all items in
    one class it is low however often the labels agree. Paper, Appendices B.2 and D.4 (arXiv:2610.06191).

    Parameters
    ----------
    a, b : iterable of hashable, length n
        Labels of the same items, in the same order.
    clusters : iterable of hashable, optional
        Question of each item, resampled whole; by default every item is its own cluster.
    positive : sequence of hashable, optional
        Labels that count as one class against all others (the binary κ); by default every label is a class.

    Returns
    -------
    Estimate
        In [-1, 1]; `n` counts items, ``parts["agreement"]`` is the raw agreement.

    Raises
    ------
    UndefinedEstimateError
        If there is no item, or both sets use one and the same label throughout.
    ValueError, TypeError
        If lengths differ, an item has no label or cluster, or no `positive` label occurs; if a text is given
        in place of a list, or a label is not hashable.

    Examples
    --------
    >>> round(cohen_kappa(list("uuunn"), list("uunnn")).value, 3)
    0.615
    """
    plan = Resampling(**options)
    pairs = _pairs(a, b, clusters, positive)
    k = pairs.n_labels
    place = (pairs.cluster * k + pairs.first) * k + pairs.second
    sums = np.bincount(place, minlength=pairs.n_clusters * k * k).reshape(pairs.n_clusters, k * k)
    parts = {"agreement": float((pairs.first == pairs.second).mean()), "n_classes": float(k)}
    return Measure(
        "κ" if positive is None else "binary κ", sums.astype(np.float64), _kappa(k), n=len(place),
        parts=parts, undefined="both use one and the same label throughout",
    ).estimate(plan)  # fmt: skip


@resampled
def agreement(
    a: Labels,
    b: Labels,
    *,
    clusters: Labels | None = None,
    positive: Sequence[Hashable] | None = None,
    **options: Unpack[Options],
) -> Estimate:
    """Return the share of items to which two sets of labels give the same one (paper §3, Appendix D.4).

    Parameters
    ----------
    a, b, clusters, positive
        As in :func:`cohen_kappa`, which also raises what this does.

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts items.

    Examples
    --------
    >>> agreement(["USELESS", "USEFUL"], ["USELESS", "USELESS"]).value
    0.5
    """
    plan = Resampling(**options)
    pairs = _pairs(a, b, clusters, positive)
    equal = (pairs.first == pairs.second).astype(np.float64)
    sums = cluster_sums(pairs.cluster, pairs.n_clusters, np.stack([np.ones_like(equal), equal], axis=1))
    return Measure("agreement", sums, share, n=len(equal)).estimate(plan)
