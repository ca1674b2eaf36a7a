"""Agreement of two sets of labels, and the accuracy of a reader against labels."""

from collections.abc import Hashable, Iterable, Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from .estimate import Estimate, UndefinedEstimateError
from .resampling import Floats, Measure, Options, Resampling, Statistic, resampled, share_measure

Labels = Iterable[Hashable]


def _pairs(
    a: Labels, b: Labels, clusters: Labels | None, positive: Sequence[Hashable] | None
) -> pd.DataFrame:
    """Return the codes of both labels of each item (``a``, ``b``), and of its cluster."""
    given = {"a": a, "b": b, "clusters": clusters, "positive": positive}
    if texts := [name for name, values in given.items() if isinstance(values, str)]:
        raise TypeError(f"{texts[0]} must be a list, not one text")
    first, second = list(a), list(b)
    ids = list(range(len(first))) if clusters is None else list(clusters)
    if not len(first) == len(second) == len(ids):
        lengths = f"{len(first)}, {len(second)} and {len(ids)}"
        raise ValueError(f"a, b and clusters must have one length, not {lengths}")
    if not first:
        raise UndefinedEstimateError("agreement is undefined: there is no item")
    pairs = pd.DataFrame({"a": first, "b": second, "clusters": ids}, dtype=object)
    if pairs.isna().any(axis=None):
        item, column = np.argwhere(pairs.isna().to_numpy())[0]
        lacking = "label; leave out items that only one has labelled" if column < 2 else "cluster"
        raise ValueError(f"{pairs.columns[column]}, item {item + 1}: no {lacking}")
    labels = pairs[["a", "b"]]
    if positive is not None:
        labels = labels.isin(list(positive))
        if not labels.any(axis=None):
            there = sorted({*map(str, first), *map(str, second)})
            raise ValueError(f"none of {sorted(map(str, positive))} occurs; there is {there}")
    pairs["clusters"] = pd.factorize(pairs["clusters"])[0]
    pairs[["a", "b"]] = pd.factorize(labels.to_numpy().ravel())[0].reshape(-1, 2)
    return pairs.astype(np.int64)


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
    k = int(pairs[["a", "b"]].to_numpy().max()) + 1
    sums = np.zeros((int(pairs["clusters"].max()) + 1, k, k))
    np.add.at(sums, (pairs["clusters"], pairs["a"], pairs["b"]), 1)
    parts = {"agreement": float((pairs["a"] == pairs["b"]).mean()), "n_classes": float(k)}
    return Measure(
        "κ" if positive is None else "binary κ", sums.reshape(len(sums), -1), _kappa(k), n=len(pairs),
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
    equal = (pairs["a"] == pairs["b"]).to_numpy()
    return share_measure("agreement", pairs["clusters"], equal).estimate(plan)
