"""Two annotators made one: agreement, disagreements that matter, and labels that somebody has ruled on."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from judged_useless.afterwards.items import EPISODE
from judged_useless.afterwards.rubric import STREAMS, Stream, checked_labels
from judged_useless.episodes.frames import NONE, current_run
from judged_useless.estimators.agreement import agreement, cohen_kappa
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.inference import wilson_interval
from judged_useless.estimators.resampling import Options
from judged_useless.protocol.vocabulary import JUDGMENTS


def _both(
    items: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]"
) -> tuple[Stream, pd.DataFrame]:
    """Return the stream of items, and what either annotator gave each."""
    (stream,) = items["stream"].unique()
    given = {
        whose: checked_labels(stream, labels.reindex(items.index), f"{whose} annotator")
        for whose, labels in (("first", first), ("second", second))
    }
    return STREAMS[stream], pd.DataFrame(given)


def annotator_agreement(
    items: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]", **options: Unpack[Options]
) -> pd.DataFrame:
    """Return how far two annotators agree on the items that both labelled validly.

    Parameters
    ----------
    items : pandas.DataFrame
        As `annotation_items` returns them, of one stream.
    first, second : pandas.Series
        Label by item id.
    **options
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`; questions are resampled.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with rows ``five-class κ``, ``binary κ`` (useful new or not; says useless or not)
        and ``agreement``; ``n`` counts items. One without a value is stated as undefined.

    Raises
    ------
    UndefinedEstimateError
        If no item has both labels.
    ValueError
        If a label is none of the stream's.

    References
    ----------
    Paper, Appendix B.2 (arXiv:2610.06191).
    """
    kind, table = _both(items, first, second)
    valid = table.dropna()
    if valid.empty:
        raise UndefinedEstimateError("agreement is undefined: no item has a label of both")
    given, binary = valid.T.to_numpy(), valid.isin(kind.positive).T.to_numpy()
    clusters = items.loc[valid.index, "question_id"].tolist()
    rows: dict[object, Estimate] = {
        name: Estimate.attempt(measure, *labels.tolist(), clusters=clusters, **options)
        for name, measure, labels in (
            ("five-class κ", cohen_kappa, given),
            ("binary κ", cohen_kappa, binary),
            ("agreement", agreement, given),
        )
    }
    return estimates_frame(rows, "measure")


def disagreements(items: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]") -> pd.DataFrame:
    """Return the items on which two annotators disagree, and whether that changes a count.

    A disagreement changes a count if, with the second label in place of the first one at this item alone, the
    number of useless results in a row is another one after some result of the episode.

    Parameters
    ----------
    items, first, second
        As for `annotator_agreement`; `first` is the primary annotator.

    Returns
    -------
    pandas.DataFrame
        Index ``id``: ``first``, ``second``, ``changes_count``. Items that only one labelled are not in it.
    """
    kind, table = _both(items, first, second)
    codes = {label: JUDGMENTS.index(judgment) for label, judgment in kind.judgments.items() if judgment}
    coded = table.map(lambda label: codes.get(label, NONE)).join(items[["t", *EPISODE]])
    parts = coded.groupby(list(EPISODE), sort=False, dropna=False)
    changes = pd.concat([pd.Series(_changes(part), part.index) for _, part in parts])
    found = table.dropna().query("first != second")
    return found.assign(changes_count=changes[found.index])


def _changes(episode: pd.DataFrame) -> NDArray[np.bool_]:
    """Return whether the second label in place of the first at one item alone changes any run."""
    t = episode["t"].to_numpy() - 1
    first = np.full((len(t), t.max() + 1), NONE, dtype=np.int64)
    first[:, t] = episode["first"]
    second = first.copy()
    second[np.arange(len(t)), t] = episode["second"]
    start = np.repeat(np.arange(len(t)) * first.shape[1], first.shape[1])
    changed = current_run(first.ravel(), start) != current_run(second.ravel(), start)
    return np.asarray(changed.reshape(first.shape).any(axis=1))


def to_adjudicate(found: pd.DataFrame, n_checked: int, *, seed: int = 0) -> pd.DataFrame:
    """Return the disagreements that a person rules on, as the paper's author did.

    Parameters
    ----------
    found : pandas.DataFrame
        As `disagreements` returns it.
    n_checked : int
        Of those that change no count, a random sample of so many is ruled on too, to see how often the
        primary annotator is right where its label stands; all of them if there are no more.
    seed : int, default 0
        Of the sample.

    Returns
    -------
    pandas.DataFrame
        All that change a count, and the sample, sorted by id.

    References
    ----------
    Paper, Appendix B.2: all 59 that change a count, and a random 40 of the other 328 (arXiv:2610.06191).
    """
    found = found.sort_index()
    changes = found["changes_count"].astype(bool)
    others = found.index[~changes]
    chosen = np.random.default_rng(seed).choice(len(others), min(n_checked, len(others)), replace=False)
    return found[changes | found.index.isin(others[chosen])]


def final_labels(
    items: pd.DataFrame,
    first: "pd.Series[Any]",
    second: "pd.Series[Any]",
    adjudicated: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return one label an item: where both agree theirs, else the adjudicated, else the primary's.

    Parameters
    ----------
    items, first, second
        As for `annotator_agreement`; `first` is the primary annotator.
    adjudicated : mapping of str to str, optional
        Item id -> label, as `read_sheet` returns it; these win, also where both agree.

    Returns
    -------
    pandas.DataFrame
        Index ``id``: ``label`` and ``by`` (``both``, ``adjudicated``, ``primary``, ``second`` if the primary
        gave none, or ``nobody``).
    """
    _, table = _both(items, first, second)
    ruled = pd.Series(adjudicated or {}, dtype=object).reindex(items.index)
    conditions = [ruled.notna(), table["first"].notna() & table["first"].eq(table["second"])]
    conditions += [table["first"].notna(), table["second"].notna()]
    by = np.select(conditions, ["adjudicated", "both", "primary", "second"], "nobody")
    label = ruled.where(ruled.notna(), table["first"].where(table["first"].notna(), table["second"]))
    return pd.DataFrame({"label": label, "by": by}, dtype=object)


def primary_accuracy(
    first: "pd.Series[Any]", adjudicated: Mapping[str, str], *, level: float = 0.95
) -> Estimate:
    """Return how often the primary annotator's label is the adjudicated one.

    Parameters
    ----------
    first : pandas.Series
        Label of the primary annotator by item id; one that is missing, as its reply was none, is not right.
    adjudicated : mapping of str to str
        Item id -> label, of a random sample: on chosen items the share says nothing of the others.
    level : float, default 0.95
        Coverage of the interval (Wilson).

    Returns
    -------
    Estimate
        A share in [0, 1]; `n` counts adjudicated items.

    Raises
    ------
    UndefinedEstimateError
        If nothing is adjudicated.
    KeyError
        If an adjudicated item is none of the primary annotator's.
    """
    n, right = len(adjudicated), sum(first[name] == label for name, label in adjudicated.items())
    low, high = wilson_interval(right, n, level=level)
    return Estimate(
        "primary label correct", right / n, low, high, level, "Wilson interval", n=n, n_clusters=n,
        parts={"correct": float(right)},
    )  # fmt: skip
