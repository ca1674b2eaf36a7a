"""What labels are good for: what stated judgments are worth by S1, and Δ of stated judgments by S2."""

from collections.abc import Sequence
from typing import Any

import pandas as pd

from judged_useless.afterwards.adjudication import checked_labels, stream_of
from judged_useless.afterwards.items import EPISODE, ITEM_KEY
from judged_useless.afterwards.rubric import get_stream
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.schema import EpisodeError, missing
from judged_useless.estimators.agreement import agreement
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame


def judged_accuracy(
    evidence: "pd.Series[Any]",
    said: "pd.Series[Any]",
    key: pd.DataFrame,
    *,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> pd.DataFrame:
    """Return how often what an agent states of a result is what the result was worth.

    Parameters
    ----------
    evidence, said : pandas.Series
        Labels by item id: of S1, what each result is worth; of S2, what the next thought says of it.
    key : pandas.DataFrame
        As `key_table` returns it, of both streams.
    n_boot, seed, level
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
    worth = _judgments(key, evidence, "S1").dropna()
    stated = _judgments(key, said, "S2")
    labelled = worth.index.intersection(stated.index)
    worth, stated = worth.loc[labelled], stated.loc[labelled]
    questions = worth.index.get_level_values("question_id")
    rows: dict[object, Estimate] = {}
    for judgment in ("USELESS", "USEFUL"):
        chosen = (worth == judgment).to_numpy()
        right = [one == judgment for one in stated[chosen]]
        name = f"{judgment.lower()} called {judgment.lower()}"
        rows[name] = Estimate.attempt(
            agreement, right, [True] * len(right), clusters=questions[chosen].tolist(),
            n_boot=n_boot, seed=seed, level=level,
        )  # fmt: skip
    return estimates_frame(rows, "stated judgments")


def _judgments(key: pd.DataFrame, labels: "pd.Series[Any]", stream: str) -> "pd.Series[Any]":
    """Return the judgments of labelled items by where they belong, so that both streams have one index."""
    rows, kind = key[key["stream"] == stream], get_stream(stream)
    given = checked_labels(kind, rows.index, labels, f"labels of {stream}")
    index = pd.MultiIndex.from_frame(rows.loc[list(given), list(ITEM_KEY)])
    return pd.Series([kind.judgments[label] for label in given.values()], index=index, dtype=object)


def stated_contrasts(
    episodes: pd.DataFrame,
    key: pd.DataFrame,
    readings: dict[str, "pd.Series[Any]"],
    *,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
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
    n_boot, seed, level
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
    for cell, part in failing.groupby(names, sort=False):
        said = ", ".join(str(value) for name, value in zip(names, cell, strict=True) if name in telling)
        for reading, labels in {"keyword reader": None, **readings}.items():
            stated = part if labels is None else with_stated(part, key, labels)
            row = f"{said}: {reading}" if said else reading
            try:
                rows[row] = time_matched_contrast(
                    stated, judgments="stated", n_boot=n_boot, seed=seed, level=level
                )
            except ValueError as error:
                rows[row] = Estimate.undefined(str(error))
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
    if lacking := [name for name in EPISODE if name not in episodes]:
        raise EpisodeError(
            f"episodes: field {lacking[0]!r} is missing, and labels are put in their place by it"
        )
    found: dict[tuple[Any, ...], dict[int, str | None]] = {}
    for name, place, t in zip(key.index, _places(key), key["t"], strict=True):
        found.setdefault(place, {})[int(t)] = kind.judgments[given[name]] if name in given else None
    places = _places(episodes)
    if given and not set(found) & set(places):
        raise ValueError("no item is of one of these episodes; expected those of the annotated runs")
    stated: Sequence[Any] = [
        [found.get(place, {}).get(t) for t in range(1, sum(action != "finish" for action in actions) + 1)]
        for place, actions in zip(places, episodes["actions"], strict=True)
    ]
    return episodes.assign(stated=pd.Series(stated, index=episodes.index, dtype=object))


def _places(table: pd.DataFrame) -> list[tuple[Any, ...]]:
    """Return what tells the episodes of a table, however it holds numbers where one is missing."""
    columns = [
        [
            None if missing(value) else int(value) if name in ("budget", "seed") else value
            for value in table[name]
        ]
        for name in EPISODE
    ]
    return list(zip(*columns, strict=True))
