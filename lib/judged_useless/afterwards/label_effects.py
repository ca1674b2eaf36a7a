"""What labels are good for: what stated judgments are worth by S1, and Δ of stated judgments by S2."""

from typing import Any, Unpack

import pandas as pd

from judged_useless.afterwards.adjudication import checked_labels, stream_of
from judged_useless.afterwards.items import EPISODE, ITEM_KEY
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.schema import missing, require_columns
from judged_useless.estimators.agreement import agreement
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.resampling import Options


def judged_accuracy(
    evidence: "pd.Series[Any]", said: "pd.Series[Any]", key: pd.DataFrame, **options: Unpack[Options]
) -> pd.DataFrame:
    """Return how often what an agent states of a result is what the result was worth.

    Parameters
    ----------
    evidence, said : pandas.Series
        Labels by item id: of S1, what each result is worth; of S2, what the next thought says of it.
    key : pandas.DataFrame
        As `key_table` returns it, of both streams.
    **options
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`; questions are resampled.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with rows ``useless called useless`` and ``useful called useful`` (partly useful
        counts as that). ``n`` counts results whose worth is known and which a thought follows; one that
        states no judgment is not called anything, and so counts against. One without a value is stated as
        undefined.

    Raises
    ------
    ValueError
        If an item has two labels, or one that is none of its stream's.

    References
    ----------
    Paper, Appendix B.2 "Accuracy of stated judgments" (arXiv:2610.06191).
    """
    worth, stated = _judgments(key, evidence, "S1"), _judgments(key, said, "S2")
    table = pd.concat({"worth": worth.dropna(), "stated": stated}, axis=1, join="inner")
    rows: dict[object, Estimate] = {}
    for judgment in ("USELESS", "USEFUL"):
        stated = table.loc[table["worth"] == judgment, "stated"]
        rows[f"{judgment.lower()} called {judgment.lower()}"] = Estimate.attempt(
            agreement, (stated == judgment).tolist(), [True] * len(stated),
            clusters=stated.index.get_level_values("question_id").tolist(), **options,
        )  # fmt: skip
    return estimates_frame(rows, "stated judgments")


def _judgments(key: pd.DataFrame, labels: "pd.Series[Any]", stream: str) -> "pd.Series[Any]":
    """Return the judgments of labelled items by where they belong, so that both streams have one index."""
    rows = key[key["stream"] == stream]
    if rows.empty:
        return pd.Series(index=pd.MultiIndex.from_frame(rows[list(ITEM_KEY)]), dtype=object)
    kind = stream_of(rows)
    given = checked_labels(kind, rows.index, labels, f"labels of {stream}").dropna()
    index = pd.MultiIndex.from_frame(rows.loc[given.index, list(ITEM_KEY)])
    return pd.Series([kind.judgments[label] for label in given], index=index, dtype=object)


def stated_contrasts(
    episodes: pd.DataFrame,
    key: pd.DataFrame,
    readings: dict[str, "pd.Series[Any]"],
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Return Δ of stated judgments, by the keyword reader and by labels.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of the annotated runs, which may be several cells.
    key : pandas.DataFrame
        As `key_table` returns it, of S2, with every thought of the episodes.
    readings : dict of str to pandas.Series
        Name -> label by item id.
    **options
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates, a row a cell and reading, over regimes with failures. One without a value is
        stated as undefined.

    Raises
    ------
    UndefinedEstimateError
        If no episode is of a regime with failures.

    References
    ----------
    Paper, Appendix D.4, Table 23 (arXiv:2610.06191).
    """
    failing = episodes[episodes["regime"].isin(FAIL)]
    if failing.empty:
        raise UndefinedEstimateError("Δ is undefined: no episode of a regime with failures")
    names = ["model", "condition", "split"]
    # Only what tells the cells apart is said of them.
    telling = [name for name in names if len(failing[name].unique()) > 1]
    rows: dict[object, Estimate] = {}
    for _, part in failing.groupby(names, sort=False):
        cell = ", ".join(str(part[name].iloc[0]) for name in telling)
        for reading, labels in {"keyword reader": None, **readings}.items():
            stated = part if labels is None else with_stated(part, key, labels)
            try:
                estimate = time_matched_contrast(stated, judgments="stated", **options)
            except ValueError as error:
                estimate = Estimate.undefined(str(error))
            rows[f"{cell}: {reading}" if cell else reading] = estimate
    return estimates_frame(rows, "Δ of stated judgments")


def with_stated(episodes: pd.DataFrame, key: pd.DataFrame, labels: "pd.Series[Any]") -> pd.DataFrame:
    """Return episodes whose ``stated`` judgments are an annotation's in place of the keyword reader's.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of the annotated runs, with every field of `judged_useless.afterwards.items.EPISODE`.
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
    require_columns(episodes, EPISODE)
    judgments = [kind.judgments.get(str(label)) for label in given]
    found = dict(zip(zip(_places(key), key["t"], strict=True), judgments, strict=True))
    places = _places(episodes)
    if given.notna().any() and not {place for place, _ in found} & set(places):
        raise ValueError("no item is of one of these episodes; expected those of the annotated runs")
    stated = [
        [found.get((place, t)) for t in range(1, sum(action != "finish" for action in actions) + 1)]
        for place, actions in zip(places, episodes["actions"], strict=True)
    ]
    return episodes.assign(stated=pd.Series(stated, index=episodes.index, dtype=object))


def _places(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return what tells the episodes of a table apart; 42 and 42.0 are one seed."""
    columns = (table[name].tolist() for name in EPISODE)
    return [tuple(None if missing(value) else value for value in row) for row in zip(*columns, strict=True)]
