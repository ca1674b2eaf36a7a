"""What labels are good for: what stated judgments are worth by S1, and Δ of stated judgments by S2."""

from typing import Any, Unpack

import pandas as pd

from judged_useless.afterwards.items import EPISODE, ITEM_KEY, item_id
from judged_useless.afterwards.rubric import STREAMS, checked_labels
from judged_useless.environment.regimes import FAIL
from judged_useless.episodes.schema import require_columns
from judged_useless.estimators.agreement import agreement
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.resampling import Options


def judged_accuracy(
    items: pd.DataFrame, labels: "pd.Series[Any]", **options: Unpack[Options]
) -> pd.DataFrame:
    """Return how often what an agent states of a result is what the result was worth.

    Parameters
    ----------
    items : pandas.DataFrame
        As `annotation_items` returns them, of both streams.
    labels : pandas.Series
        Label by item id: of S1, what each result is worth; of S2, what the next thought says of it.
    **options
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`; questions are resampled.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with rows ``useless called useless`` and ``useful called useful`` (partly useful
        counts as that). ``n`` counts results whose worth is known and which a thought follows; one that
        states no judgment is not called anything, and so counts against. One without a value is stated as
        undefined.

    References
    ----------
    Paper, Appendix B.2 "Accuracy of stated judgments" (arXiv:2610.06191).
    """
    judged = items.assign(label=labels.reindex(items.index)).dropna(subset="label")
    pairs = zip(judged["stream"], judged["label"], strict=True)
    judged["judgment"] = pd.Series([STREAMS[name].judgments[label] for name, label in pairs], judged.index)
    worth, said = (judged[judged["stream"] == name] for name in ("S1", "S2"))
    table = worth.dropna(subset="judgment").merge(said, on=list(ITEM_KEY), suffixes=("", "_said"))
    rows: dict[object, Estimate] = {}
    for judgment in ("USELESS", "USEFUL"):
        part = table[table["judgment"] == judgment]
        rows[f"{judgment.lower()} called {judgment.lower()}"] = Estimate.attempt(
            agreement, (part["judgment_said"] == judgment).tolist(), [True] * len(part),
            clusters=part["question_id"].tolist(), **options,
        )  # fmt: skip
    return estimates_frame(rows, "stated judgments")


def stated_contrasts(
    episodes: pd.DataFrame, readings: dict[str, "pd.Series[Any]"], **options: Unpack[Options]
) -> pd.DataFrame:
    """Return Δ of stated judgments, by the keyword reader and by labels.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of the annotated runs, which may be several cells.
    readings : dict of str to pandas.Series
        Name -> label of every thought (S2), by item id.
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
        cell = "".join(f"{part[name].iloc[0]}, " for name in telling).removesuffix(", ")
        for reading, labels in {"keyword reader": None, **readings}.items():
            stated = part if labels is None else with_stated(part, labels)
            estimate = Estimate.attempt(time_matched_contrast, stated, judgments="stated", **options)
            rows[f"{cell}: {reading}" if cell else reading] = estimate
    return estimates_frame(rows, "Δ of stated judgments")


def with_stated(episodes: pd.DataFrame, labels: "pd.Series[Any]") -> pd.DataFrame:
    """Return episodes whose ``stated`` judgments are an annotation's in place of the keyword reader's.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of the annotated runs.
    labels : pandas.Series
        Label of thoughts (S2) by item id.

    Returns
    -------
    pandas.DataFrame
        Useful and partly useful are USEFUL; no judgment, unclear and unlabelled are None (paper, D.4).

    Raises
    ------
    ValueError
        If a label is none of S2's, or no item is of these episodes.
    EpisodeError
        If episodes lack a field by which labels are put in their place.
    """
    require_columns(episodes, EPISODE)
    given = checked_labels("S2", labels, "labels").dropna()
    judgments = {item: STREAMS["S2"].judgments[label] for item, label in given.items()}
    places = [
        [item_id("S2", row, t) for t in range(1, sum(action != "finish" for action in row["actions"]) + 1)]
        for row in episodes[[*EPISODE, "actions"]].to_dict("records")
    ]
    if judgments and judgments.keys().isdisjoint(name for row in places for name in row):
        raise ValueError("no label is of a thought in one of these episodes; expected those annotated")
    stated = [[judgments.get(name) for name in row] for row in places]
    return episodes.assign(stated=pd.Series(stated, index=episodes.index, dtype=object))
