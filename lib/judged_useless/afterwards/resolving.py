"""Two annotators made one: agreement, disagreements that matter, adjudicated labels."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.afterwards.label_checks import EPISODE, checked_labels, episode_of, n_right, stream_of
from judged_useless.afterwards.labels import Ruling, Stream
from judged_useless.episodes.schema import EpisodeError
from judged_useless.episodes.steps import current_run
from judged_useless.estimators.agreement import agreement, cohen_kappa
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.inference import wilson_interval
from judged_useless.estimators.resampling import Stream as Draws
from judged_useless.protocol.vocabulary import JUDGMENTS


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
    table = _both(kind, key, first, second)
    valid = table[table.notna().all(axis=1)]
    if valid.empty:
        raise UndefinedEstimateError("agreement is undefined: no item has a label of both")
    a, b = valid["first"].tolist(), valid["second"].tolist()
    clusters = key.loc[valid.index, "question_id"].tolist()
    rows: dict[object, Estimate] = {}
    for name, measure, positive in (
        ("five-class κ", cohen_kappa, None),
        ("binary κ", cohen_kappa, kind.positive),
        ("agreement", agreement, None),
    ):
        try:
            rows[name] = measure(
                a, b, clusters=clusters, positive=positive, n_boot=n_boot, seed=seed, level=level,
                stream=stream,
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
    valid = table[table.notna().all(axis=1)]
    found = valid[valid["first"] != valid["second"]].copy()
    changed = _changing(key, kind, table["first"], found)
    return found.assign(changes_count=[name in changed for name in found.index])


def _changing(
    key: pd.DataFrame, kind: Stream, primary: "pd.Series[Any]", found: pd.DataFrame
) -> frozenset[str]:
    codes = {label: _code(judgment) for label, judgment in kind.judgments.items()}
    first = {str(name): str(label) for name, label in primary.dropna().items()}
    second = {str(name): str(label) for name, label in found["second"].items()}
    changed = set()
    for _, episode in key.groupby(list(EPISODE), sort=False, dropna=False):
        place: dict[str, int] = {str(name): int(t) - 1 for name, t in episode["t"].items()}
        row = np.full(max(place.values()) + 1, _code(None), dtype=np.int64)
        for name, t in place.items():
            row[t] = codes[first[name]] if name in first else _code(None)
        before = current_run(row)
        for name, t in place.items():
            if name in second:
                other = row.copy()
                other[t] = codes[second[name]]
                if (current_run(other) != before).any():
                    changed.add(name)
    return frozenset(changed)


def _code(judgment: str | None) -> int:
    return -1 if judgment is None else JUDGMENTS.index(judgment)


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
    chosen = pd.Series([label for label, _ in rows], index=table.index, dtype=object)
    return pd.DataFrame({"label": chosen, "by": [by for _, by in rows]}, index=table.index)


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
    n, right = len(rulings), n_right(first, rulings)
    low, high = wilson_interval(right, n, level=level)
    return Estimate(
        "primary label correct", right / n, low, high, level, "Wilson interval", n=n, n_clusters=n,
        parts={"correct": float(right)},
    )  # fmt: skip


def with_stated(episodes: pd.DataFrame, key: pd.DataFrame, labels: "pd.Series[Any]") -> pd.DataFrame:
    """Return episodes whose ``stated`` judgments are an annotation's in place of the keyword reader's.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of the annotated runs, with every field of `judged_useless.afterwards.items.KEY`.
    key : pandas.DataFrame
        As `key_table` returns it, of S2.
    labels : pandas.Series
        Label by item id.

    Returns
    -------
    pandas.DataFrame
        Useful and partly useful are USEFUL; no judgment, unclear and unlabelled are None (paper, D.4).

    Raises
    ------
    ValueError
        If the items are not of S2 or one occurs twice, a label is none of S2's, or no item is of these
        episodes.
    EpisodeError
        If episodes lack a field by which labels are put in their place.
    """
    kind = stream_of(key)
    if kind.name != "S2":
        raise ValueError(f"items of {kind.name}; stated judgments are S2")
    given = checked_labels(kind, key.index, labels, "labels")
    found = {
        (*episode_of(row[:-1]), int(row[-1])): kind.judgments[given[name]] if name in given else None
        for name, row in zip(key.index, key[[*EPISODE, "t"]].itertuples(index=False, name=None), strict=True)
    }
    for name in EPISODE:
        if name not in episodes:
            raise EpisodeError(
                f"episodes: field {name!r} is missing, and labels are put in their place by it"
            )
    places = [episode_of(row) for row in episodes[list(EPISODE)].itertuples(index=False, name=None)]
    if given and not {row[:-1] for row in found} & set(places):
        raise ValueError("no item is of one of these episodes; expected those of the annotated runs")
    stated = [
        [found.get((*place, t)) for t in range(1, sum(action != "finish" for action in actions) + 1)]
        for place, actions in zip(places, episodes["actions"], strict=True)
    ]
    return episodes.assign(stated=pd.Series(stated, index=episodes.index, dtype=object))
