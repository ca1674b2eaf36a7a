"""Two annotators made one: agreement, disagreements that matter, and labels that somebody has ruled on."""

from collections.abc import Mapping
from typing import Any, Unpack

import numpy as np
import pandas as pd

from judged_useless._io.messages import listed, shown
from judged_useless.afterwards.items import EPISODE
from judged_useless.afterwards.rubric import STREAMS, Stream, get_stream
from judged_useless.episodes.frames import current_run
from judged_useless.episodes.schema import missing
from judged_useless.estimators.agreement import agreement, cohen_kappa
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.inference import wilson_interval
from judged_useless.estimators.resampling import Options
from judged_useless.protocol.vocabulary import JUDGMENTS


def stream_of(key: pd.DataFrame) -> Stream:
    """Return the stream whose items a key has; ValueError if it is not one, or an item occurs twice."""
    names = key["stream"].unique()
    if len(names) != 1:
        raise ValueError(f"items of {len(names)} streams; expected those of one")
    if not key.index.is_unique:
        raise ValueError(
            f"the key has item {key.index[key.index.duplicated()][0]!r} twice, expected each once"
        )
    return get_stream(str(names[0]))


def checked_labels(
    kind: Stream, items: "pd.Index[Any]", labels: "pd.Series[Any]", whose: str
) -> "pd.Series[Any]":
    """Return the label of each item, None where it has none; ValueError if one is no label."""
    if not labels.index.is_unique:
        repeated = labels.index[labels.index.duplicated()][0]
        raise ValueError(f"{whose}: item {repeated!r} has two labels, expected at most one")
    found = labels.astype(object).reindex(items)
    found = found.where(~found.map(missing), None)
    for name, label in found.items():
        if label not in (*kind.labels, None):
            raise ValueError(
                f"{whose}, item {name!r}: label {shown(label)}, expected one of {', '.join(kind.labels)}"
            )
    return found


def _both(kind: Stream, key: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]") -> pd.DataFrame:
    given = {"first": first, "second": second}
    return pd.DataFrame(
        {
            whose: checked_labels(kind, key.index, labels, f"{whose} annotator")
            for whose, labels in given.items()
        }
    )


def annotator_agreement(
    key: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]", **options: Unpack[Options]
) -> pd.DataFrame:
    """Return how far two annotators agree on the items that both labelled validly.

    Parameters
    ----------
    key : pandas.DataFrame
        As `key_table` returns it, of one stream.
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
        If items are of both streams or one occurs twice, or a label is none of the stream's.

    References
    ----------
    Paper, Appendix B.2 (arXiv:2610.06191).
    """
    kind = stream_of(key)
    valid = _both(kind, key, first, second).dropna()
    if valid.empty:
        raise UndefinedEstimateError("agreement is undefined: no item has a label of both")
    clusters = key.loc[valid.index, "question_id"].tolist()
    given = valid["first"].tolist(), valid["second"].tolist()
    rows: dict[object, Estimate] = {}
    for name, measure, positive in (
        ("five-class κ", cohen_kappa, None),
        ("binary κ", cohen_kappa, kind.positive),
        ("agreement", agreement, None),
    ):
        try:
            rows[name] = measure(*given, clusters=clusters, positive=positive, **options)
        except ValueError as error:
            rows[name] = Estimate.undefined(str(error))
    return estimates_frame(rows, "measure")


def disagreements(key: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]") -> pd.DataFrame:
    """Return the items on which two annotators disagree, and whether that changes a count.

    A disagreement changes a count if, with the second label in place of the first one at this item alone, the
    number of useless results in a row is another one after some result of the episode.

    Parameters
    ----------
    key : pandas.DataFrame
        As `key_table` returns it, of one stream.
    first, second : pandas.Series
        Label by item id; `first` is the primary annotator.

    Returns
    -------
    pandas.DataFrame
        Index ``id``: ``first``, ``second``, ``changes_count``. Items that only one labelled are not in it.

    Raises
    ------
    ValueError
        If items are of both streams or one occurs twice, or a label is none of the stream's.
    """
    kind = stream_of(key)
    table = _both(kind, key, first, second)
    valid = table.dropna()
    found = valid[valid["first"] != valid["second"]]
    codes = {
        label: -1 if judgment is None else JUDGMENTS.index(judgment)
        for label, judgment in kind.judgments.items()
    }
    by_item = pd.DataFrame({"code": table["first"].map(lambda label: codes.get(label, -1)), "t": key["t"]})
    changed = set()
    for items in key.groupby(list(EPISODE), sort=False, dropna=False).groups.values():
        episode = by_item.loc[items].astype(int)
        row = np.full(episode["t"].max(), -1, dtype=np.int64)
        row[episode["t"] - 1] = episode["code"]
        before = current_run(row)
        for name in found.index.intersection(items):
            other = row.copy()
            other[episode.loc[name, "t"] - 1] = codes[found.loc[name, "second"]]
            if (current_run(other) != before).any():
                changed.add(name)
    return found.assign(changes_count=found.index.isin(changed))


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
    key: pd.DataFrame,
    first: "pd.Series[Any]",
    second: "pd.Series[Any]",
    adjudicated: Mapping[str, str] | None = None,
) -> pd.DataFrame:
    """Return one label an item: where both agree theirs, else the adjudicated, else the primary's.

    Parameters
    ----------
    key : pandas.DataFrame
        As `key_table` returns it, of one stream.
    first, second : pandas.Series
        Label by item id; `first` is the primary annotator.
    adjudicated : mapping of str to str, optional
        Item id -> label, as `read_sheet` returns it; these win, also where both agree.

    Returns
    -------
    pandas.DataFrame
        Index ``id``: ``label`` and ``by`` (``both``, ``adjudicated``, ``primary``, ``second`` if the primary
        gave none, or ``nobody``).

    Raises
    ------
    ValueError
        If items are of both streams or one occurs twice, a label is none of the stream's, or an adjudicated
        one is of an item that is not here.
    """
    kind = stream_of(key)
    table = _both(kind, key, first, second)
    rulings = pd.Series(adjudicated or {}, dtype=object)
    if unknown := [name for name in rulings.index if name not in key.index]:
        raise ValueError(f"adjudicated {unknown[0]}: expected an item of {kind.name}")
    ruled = checked_labels(kind, key.index, rulings, "adjudicated")
    has_ruling, has_first, has_second = (
        labels.notna() for labels in (ruled, table["first"], table["second"])
    )
    conditions = [has_ruling, has_first & (table["first"] == table["second"]), has_first, has_second]
    by = np.select(conditions, ["adjudicated", "both", "primary", "second"], "nobody").astype(object)
    label = ruled.where(has_ruling, table["first"].where(has_first, table["second"]))
    return pd.DataFrame({"label": label, "by": by}, index=table.index, dtype=object)


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
    ValueError
        If an adjudicated item is none of the primary annotator's, or labels are not those of one stream.
    """
    if unknown := [name for name in adjudicated if name not in first.index]:
        raise ValueError(f"adjudicated {unknown[0]!r}: no item of the primary annotator")
    said = {label for label in (*first[list(adjudicated)], *adjudicated.values()) if not missing(label)}
    if not any(said <= set(stream.labels) for stream in STREAMS.values()):
        raise ValueError(f"labels {listed(sorted(said, key=str))}: expected those of one stream, S1 or S2")
    n, right = len(adjudicated), sum(first[name] == label for name, label in adjudicated.items())
    low, high = wilson_interval(right, n, level=level)
    return Estimate(
        "primary label correct", right / n, low, high, level, "Wilson interval", n=n, n_clusters=n,
        parts={"correct": float(right)},
    )  # fmt: skip
