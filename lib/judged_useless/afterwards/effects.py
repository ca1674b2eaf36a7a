"""What labels are good for: which go on the sheet, what judgments are worth by S1, and Δ by S2."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from judged_useless.afterwards.items import KEY
from judged_useless.afterwards.label_checks import checked_labels
from judged_useless.afterwards.labels import get_stream
from judged_useless.afterwards.resolving import with_stated
from judged_useless.environment.regimes import FAIL
from judged_useless.estimators.agreement import agreement
from judged_useless.estimators.contrast import time_matched_contrast
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame


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
    stated = _judgments(key, said, "S2").reindex(worth.index)
    labelled = stated.index.intersection(_places(key, said.dropna(), "S2"))
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


def _places(key: pd.DataFrame, labels: "pd.Series[Any]", stream: str) -> pd.MultiIndex:
    rows = key[(key["stream"] == stream) & key.index.isin(labels.index)]
    return pd.MultiIndex.from_frame(rows[list(KEY)])


def _judgments(key: pd.DataFrame, labels: "pd.Series[Any]", stream: str) -> "pd.Series[Any]":
    """Return judgments by where they belong, so that both streams have one index."""
    rows, kind = key[key["stream"] == stream], get_stream(stream)
    given = checked_labels(kind, rows.index, labels, f"labels of {stream}")
    values = [kind.judgments[given[name]] if name in given else None for name in rows.index]
    return pd.Series(values, index=pd.MultiIndex.from_frame(rows[list(KEY)]), dtype=object)


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
    rows: dict[object, Estimate] = {}
    for cell, part in _cells(failing):
        for name, labels in {"keyword reader": None, **readings}.items():
            stated = part if labels is None else with_stated(part, key, labels)
            try:
                rows[f"{cell}{name}"] = time_matched_contrast(
                    stated, judgments="stated", n_boot=n_boot, seed=seed, level=level
                )
            except ValueError as error:
                rows[f"{cell}{name}"] = Estimate.undefined(str(error))
    if not rows:
        raise UndefinedEstimateError("Δ is undefined: no episode of a regime with failures")
    return estimates_frame(rows, "Δ of stated judgments")


def _cells(episodes: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    names = [name for name in ("model", "condition", "split") if len(episodes[name].unique()) > 1]
    if not names:
        yield from [("", episodes)] if len(episodes) else []
        return
    for cell in episodes[names].drop_duplicates().itertuples(index=False, name=None):
        here = (episodes[names] == list(cell)).all(axis=1)
        yield f"{', '.join(map(str, cell))}: ", episodes[here]
