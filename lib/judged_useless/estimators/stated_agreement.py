"""Whether the judgments that agents state agree with those they give when asked (paper, Appendix D.4)."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from judged_useless._io.strict_json import shown
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes, missing
from judged_useless.estimators.agreement import agreement, cohen_kappa
from judged_useless.estimators.arguments import whole_number
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.matching import require_one_cell
from judged_useless.estimators.resampling import Stream
from judged_useless.protocol.vocabulary import JUDGMENTS

_FIELDS = ("question_id", "regime", "actions", "judgments", "stated", "failed")


def stated_points(episodes: Episodes) -> pd.DataFrame:
    """Return the decisions at which a result has a side-channel judgment.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``judgments``, ``stated`` and ``failed``.

    Returns
    -------
    pandas.DataFrame
        ``question_id, regime, t, failed, judgment, stated``; ``stated`` is None where the next thought says
        nothing of the result, as where ``stated`` ends before it.

    Raises
    ------
    EpisodeError
        If ``stated`` or ``failed`` is missing or not what the schema says, or models or conditions are mixed.
    """
    frame = as_frame(episodes, _FIELDS)
    require_one_cell(frame)
    rows = []
    for row, record in enumerate(frame[list(_FIELDS)].to_dict("records"), 1):
        words = _stated(row, record)
        for t in range(1, len(record["actions"])):
            judgment = record["judgments"][t - 1] if t <= len(record["judgments"]) else None
            if not missing(judgment):
                said = words[t - 1] if t <= len(words) else None
                rows.append(
                    (record["question_id"], record["regime"], t, record["failed"][t - 1], judgment, said)
                )
    columns = ["question_id", "regime", "t", "failed", "judgment", "stated"]
    table = pd.DataFrame(rows, columns=columns)
    # Set as objects, or a table would hold what is not stated as NaN.
    stated = pd.Series([row[-1] for row in rows], index=table.index, dtype=object)
    return table.astype({"judgment": object}).assign(stated=stated)


def _stated(row: int, record: Mapping[Hashable, Any]) -> list[str | None]:
    for name in ("stated", "failed"):
        if missing(record[name]):
            raise EpisodeError(
                f"episodes, row {row}: field {name!r} is null, expected a list with one entry an observation"
            )
    for place, word in enumerate(record["stated"], 1):
        if not (missing(word) or word in JUDGMENTS):
            raise EpisodeError(
                f"episodes, row {row}: field 'stated': entry {place} is {shown(word)}, expected one of "
                f"{', '.join(JUDGMENTS)} or null"
            )
    return [None if missing(word) else word for word in record["stated"]]


def stated_agreement(
    episodes: Episodes,
    *,
    per_stratum: int | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> pd.DataFrame:
    """Return how often a stated judgment is made, and how well it agrees with the side channel's.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``judgments`` (recorded or replayed), ``stated`` (by the keyword reader,
        or an annotator's) and ``failed``.
    per_stratum : int, optional
        Draw so many decisions after a failed and so many after a real result, as the paper's 80 and 80; all
        decisions by default.
    n_boot, seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`; the seed also draws the
        sample.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with rows ``explicit`` (share of decisions with a stated judgment), ``agreement``
        and ``kappa`` (of those, USELESS against any other reply). One that has no value is stated as
        undefined, with its ``reason``.

    Raises
    ------
    UndefinedEstimateError
        If there is no decision, or fewer in a stratum than are to be drawn.
    EpisodeError
        As for :func:`stated_points`.
    TypeError, ValueError
        If `per_stratum` is not a whole number of at least 1.

    References
    ----------
    Paper, Appendix D.4 "Stated and side-channel judgments" (arXiv:2610.06191).
    """
    if per_stratum is not None:
        whole_number("per_stratum", per_stratum)
    points = stated_points(episodes)
    if per_stratum is not None:
        draws = np.random.default_rng(seed)
        strata = [points[points["failed"] == failed] for failed in (True, False)]
        for kind, stratum in zip(("failed", "real"), strata, strict=True):
            if len(stratum) < per_stratum:
                raise UndefinedEstimateError(
                    f"{per_stratum} decisions after a {kind} result are to be drawn; there are {len(stratum)}"
                )
        points = pd.concat(
            [each.iloc[np.sort(draws.choice(len(each), per_stratum, replace=False))] for each in strata]
        )
    if points.empty:
        raise UndefinedEstimateError("agreement is undefined: no decision follows a judged result")
    options = {"n_boot": n_boot, "seed": seed, "level": level, "stream": stream}
    states = points["stated"].notna()
    explicit = agreement(
        states.tolist(),
        [True] * len(points),
        clusters=points["question_id"].tolist(),
        **options,  # type: ignore[arg-type]
    )
    estimates: dict[object, Estimate] = {"explicit": explicit}
    said = points[states]
    pair = (said["stated"] == "USELESS").tolist(), (said["judgment"] == "USELESS").tolist()
    for name, measure in (("agreement", agreement), ("kappa", cohen_kappa)):
        try:
            estimates[name] = measure(*pair, clusters=said["question_id"].tolist(), **options)  # type: ignore[arg-type]
        except UndefinedEstimateError as error:
            estimates[name] = Estimate.undefined(str(error))
    return estimates_frame(estimates, "measure")
