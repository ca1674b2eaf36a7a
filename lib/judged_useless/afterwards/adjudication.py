"""Two annotators made one: agreement, disagreements that matter, and labels that somebody has ruled on."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import pandas as pd

from judged_useless._io.messages import shown
from judged_useless.afterwards.items import EPISODE
from judged_useless.afterwards.rubric import STREAMS, Ruling, Stream, get_stream
from judged_useless.episodes.frames import current_run
from judged_useless.episodes.schema import missing
from judged_useless.estimators.agreement import agreement, cohen_kappa
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.inference import wilson_interval
from judged_useless.estimators.resampling import Stream as Draws
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
    kind: Stream, items: Collection[str], labels: "pd.Series[Any]", whose: str
) -> dict[str, str]:
    """Return the labels that items have, without those that have none; ValueError if one is no label."""
    if not labels.index.is_unique:
        repeated = labels.index[labels.index.duplicated()][0]
        raise ValueError(f"{whose}: item {repeated!r} has two labels, expected at most one")
    found = {name: labels[name] for name in items if name in labels.index and not missing(labels[name])}
    for name, label in found.items():
        if label not in kind.labels:
            raise ValueError(
                f"{whose}, item {name!r}: label {shown(label)}, expected one of {', '.join(kind.labels)}"
            )
    return found


def _both(kind: Stream, key: pd.DataFrame, first: "pd.Series[Any]", second: "pd.Series[Any]") -> pd.DataFrame:
    """Return the labels of both at every item; None where one gave none."""
    columns = {}
    for whose, labels in (("first", first), ("second", second)):
        found = checked_labels(kind, key.index, labels, f"{whose} annotator")
        columns[whose] = pd.Series([found.get(name) for name in key.index], index=key.index, dtype=object)
    return pd.DataFrame(columns)


def annotator_agreement(
    key: pd.DataFrame,
    first: "pd.Series[Any]",
    second: "pd.Series[Any]",
    *,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Draws = "released",
) -> pd.DataFrame:
    """Return how far two annotators agree on the items that both labelled validly.

    Parameters
    ----------
    key : pandas.DataFrame
        As `key_table` returns it, of one stream.
    first, second : pandas.Series
        Label by item id.
    n_boot, seed, level, stream
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
    rows: dict[object, Estimate] = {}
    for name, measure, positive in (
        ("five-class κ", cohen_kappa, None),
        ("binary κ", cohen_kappa, kind.positive),
        ("agreement", agreement, None),
    ):
        try:
            rows[name] = measure(
                valid["first"].tolist(), valid["second"].tolist(), clusters=clusters, positive=positive,
                n_boot=n_boot, seed=seed, level=level, stream=stream,
            )  # fmt: skip
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
    primary = [codes.get(str(label), -1) for label in table["first"]]
    by_item = pd.DataFrame({"code": primary, "place": key["t"].astype(int) - 1}, index=key.index)
    changed = set()
    for items in key.groupby(list(EPISODE), sort=False, dropna=False).groups.values():
        episode = by_item.loc[items]
        row = np.full(int(episode["place"].max()) + 1, -1, dtype=np.int64)
        row[episode["place"]] = episode["code"]
        before = current_run(row)
        for name in found.index.intersection(items):
            other = row.copy()
            other[int(by_item.loc[name, "place"])] = codes[found.loc[name, "second"]]
            if (current_run(other) != before).any():
                changed.add(name)
    return found.assign(changes_count=[name in changed for name in found.index])


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
    others = found.index[~found["changes_count"].astype(bool)]
    draws = np.random.default_rng(seed)
    chosen = draws.choice(len(others), min(n_checked, len(others)), replace=False)
    return found[found["changes_count"].astype(bool) | found.index.isin(others[np.sort(chosen)])]


def _ruled(adjudicated: Mapping[str, str | Ruling]) -> dict[str, str]:
    """Return the labels of rulings, with or without their notes."""
    return {
        name: ruling.label if isinstance(ruling, Ruling) else ruling for name, ruling in adjudicated.items()
    }


def final_labels(
    key: pd.DataFrame,
    first: "pd.Series[Any]",
    second: "pd.Series[Any]",
    adjudicated: Mapping[str, str | Ruling] | None = None,
) -> pd.DataFrame:
    """Return one label an item: where both agree theirs, else the adjudicated, else the primary's.

    Parameters
    ----------
    key : pandas.DataFrame
        As `key_table` returns it, of one stream.
    first, second : pandas.Series
        Label by item id; `first` is the primary annotator.
    adjudicated : mapping of str to (str or Ruling), optional
        Item id -> label, or what :func:`~judged_useless.afterwards.read_sheet` returns; these win, also where
        both agree.

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
    rulings = _ruled(adjudicated or {})
    for name, label in rulings.items():
        if name not in key.index or label not in kind.labels:
            raise ValueError(
                f"adjudicated {name}: label {label!r}; expected an item of {kind.name} and one of "
                f"{', '.join(kind.labels)}"
            )
    rows = []
    for name, one, other in zip(table.index, table["first"], table["second"], strict=True):
        if name in rulings:
            rows.append((rulings[name], "adjudicated"))
        elif one is not None:
            rows.append((one, "both" if one == other else "primary"))
        else:
            rows.append((other, "nobody" if other is None else "second"))
    return pd.DataFrame(rows, columns=["label", "by"], index=table.index, dtype=object)


def primary_accuracy(
    first: "pd.Series[Any]", adjudicated: Mapping[str, str | Ruling], *, level: float = 0.95
) -> Estimate:
    """Return how often the primary annotator's label is the adjudicated one.

    Parameters
    ----------
    first : pandas.Series
        Label of the primary annotator by item id; one that is missing, as its reply was none, is not right.
    adjudicated : mapping of str to (str or Ruling)
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
    rulings = _ruled(adjudicated)
    if unknown := [name for name in rulings if name not in first.index]:
        raise ValueError(f"adjudicated {unknown[0]!r}: no item of the primary annotator")
    # A label can be one of both streams, so all of them together tell which it is.
    given = [*rulings.values(), *first[list(rulings)]]
    kind = max(STREAMS.values(), key=lambda stream: sum(label in stream.labels for label in given))
    labels = checked_labels(kind, rulings, first, "primary annotator")
    checked_labels(kind, rulings, pd.Series(rulings, dtype=object), "adjudicated")
    n, right = len(rulings), sum(labels.get(name) == label for name, label in rulings.items())
    low, high = wilson_interval(right, n, level=level)
    return Estimate(
        "primary label correct", right / n, low, high, level, "Wilson interval", n=n, n_clusters=n,
        parts={"correct": float(right)},
    )  # fmt: skip
