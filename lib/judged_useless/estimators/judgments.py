"""What the judgments say of results and of real pages, and whether agents state what they judge."""

from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import observations_of
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes

from .agreement import agreement, cohen_kappa
from .estimate import Estimate, UndefinedEstimateError, estimates_frame
from .matching import require_one_cell, warn_if_pooled, with_judgments
from .resampling import Options, Resampling, resampled, share_measure, whole_number


def _share_of_judgments(
    name: str, part: pd.DataFrame, word: str, plan: Resampling, otherwise: str
) -> Estimate:
    """Return the share of the judgments in a table that say a word; undefined if there is none."""
    judged = part[part["judgment"].notna()]
    if judged.empty:
        return Estimate.undefined(otherwise)
    says = (judged["judgment"] == word).to_numpy(dtype=bool)
    return share_measure(name, judged["question_id"], says).estimate(plan)


@resampled
def useless_rate(
    episodes: Episodes, *, failed: bool | None = None, **options: Unpack[Options]
) -> pd.DataFrame:
    """Return the share of judgments that say USELESS, by regime (paper §3, Figure 1).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``; one model and condition.
    failed : bool, optional
        Count only results that failed by design (True) or that did not (False); by default both.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates, one row a regime that has such results: shares in [0, 1], ``n`` judgments (the
        unparsed ones are in it, the missing ones not). One without a judgment is stated as undefined.

    Raises
    ------
    UndefinedEstimateError
        If no result that is asked for has a judgment.

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> rates = useless_rate(load_episodes(condition="unaided"), failed=True)
    >>> rates["value"].round(3).to_dict()["persistent"]
    0.996
    """
    plan = Resampling(**options)
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments"))
    warn_if_pooled(frame, "the share of useless judgments")
    table = observations_of(frame)
    if failed is not None:
        table = table[(table["failed"] == failed).fillna(False)]
    if not table["judgment"].notna().any():
        kind = {None: "", True: "failed ", False: "real "}[failed]
        raise UndefinedEstimateError(f"the useless rate is undefined: no {kind}result has a judgment")
    estimates = {
        str(regime): _share_of_judgments(
            f"judged useless ({regime})", part, "USELESS", plan, "no result has a judgment"
        )
        for regime, part in table.groupby("regime", sort=False, observed=True)
    }
    return estimates_frame(estimates, "regime")


def page_table(episodes: Episodes) -> pd.DataFrame:
    """Return ``question_id, judgment, kind`` (gold, distractor), ``seen`` of what shows a page."""
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments", "pages", "gold_titles"))
    # Beside a run that logs its pages, one that does not has none.
    frame = frame[frame["pages"].notna() & frame["gold_titles"].notna()].reset_index(drop=True)
    table = observations_of(frame)  # with just one entry of pages for each
    table["page"] = [page for pages in frame["pages"] for page in pages]
    table = table[table["page"].notna()].rename_axis("episode").reset_index()
    titles = frame["gold_titles"].loc[table["episode"]]
    gold = [page in those for page, those in zip(table["page"], titles, strict=True)]
    repeated = table.duplicated(["episode", "page"])
    kinds = {"kind": np.where(gold, "gold", "distractor"), "seen": np.where(repeated, "repeat", "first")}
    return table[["question_id", "judgment"]].assign(**kinds)


@resampled
def specificity(episodes: Episodes, **options: Unpack[Options]) -> pd.DataFrame:
    """Return the share of real pages judged USEFUL, by gold or distractor and first or repeated (Table 11).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime``, ``actions``, ``judgments`` and what a run's
        log gives: ``pages``, for each observation the title that a real search returned, else null; and
        ``gold_titles``, those of the question's gold paragraphs.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with index ``(kind, seen)``, four rows: shares in [0, 1], ``n`` judgments. A kind
        that does not occur is stated as undefined. A low share is right for distractors and repeats.

    Raises
    ------
    UndefinedEstimateError
        If no real page has a judgment.

    Examples
    --------
    >>> episode = {
    ...     "question_id": "q", "regime": "clean", "actions": ["search", "search", "finish"],
    ...     "judgments": ["USEFUL", "USELESS"], "pages": ["Ada", "Ada"], "gold_titles": ["Ada", "Bob"],
    ... }
    >>> specificity([episode])["value"].tolist()
    [1.0, 0.0, nan, nan]
    """
    plan = Resampling(**options)
    table = page_table(episodes)
    if table["judgment"].isna().all():
        raise UndefinedEstimateError("the specificity of judgments is undefined: no real page has a judgment")
    kinds = pd.MultiIndex.from_product([("gold", "distractor"), ("first", "repeat")], names=["kind", "seen"])
    estimates = {}
    for kind, seen in kinds:
        part = table[(table["kind"] == kind) & (table["seen"] == seen)]
        name, otherwise = f"judged useful ({kind}, {seen})", f"no {seen} {kind} page has a judgment"
        estimates[f"{kind} {seen}"] = _share_of_judgments(name, part, "USEFUL", plan, otherwise)
    return estimates_frame(estimates, "page").set_index(kinds)


def stated_points(episodes: Episodes) -> pd.DataFrame:
    """Return the decisions whose result has a judgment: ``question_id, regime, t, failed, judgment, stated``.

    ``stated`` is missing where the next thought says nothing of the result, or ``stated`` ends before it.
    """
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments", "stated", "failed"))
    require_one_cell(frame)
    for name in ("stated", "failed"):
        if frame[name].isna().any():
            row = int(frame[name].isna().to_numpy().argmax()) + 1
            raise EpisodeError(
                f"episodes, row {row}: field {name!r} is null, expected a list with one entry an observation"
            )
    table, said = observations_of(frame), observations_of(as_frame(with_judgments(frame, "stated")))
    table["stated"] = said["judgment"]
    # An observation after which there is another action: a decision.
    asked = table["judgment"].notna() & (table["t"] < frame["actions"].map(len).loc[table.index])
    return table.loc[asked, ["question_id", "regime", "t", "failed", "judgment", "stated"]]


@resampled
def stated_agreement(
    episodes: Episodes, *, per_stratum: int | None = None, **options: Unpack[Options]
) -> pd.DataFrame:
    """Return how often a judgment is stated, and how well it agrees with the side channel's (Appendix D.4).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``judgments`` (recorded or replayed), ``stated`` (by the keyword reader,
        or an annotator's) and ``failed``.
    per_stratum : int, optional
        Draw so many decisions after a failed and so many after a real result, as the paper's 80 and
        80; all decisions by default.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with rows ``explicit`` (share of decisions with a stated judgment), ``agreement``
        and ``kappa`` (of those, USELESS against any other reply); undefined ones say why.

    Raises
    ------
    UndefinedEstimateError
        If there is no decision, or fewer in a stratum than are to be drawn.
    """
    if per_stratum is not None:
        whole_number("per_stratum", per_stratum)
    plan = Resampling(**options)
    points = stated_points(episodes)
    if per_stratum is not None:
        draws, drawn = np.random.default_rng(plan.seed), []
        for kind, failed in (("failed", True), ("real", False)):
            stratum = points[points["failed"] == failed]
            if len(stratum) < per_stratum:
                raise UndefinedEstimateError(
                    f"{per_stratum} decisions after a {kind} result are to be drawn; there are {len(stratum)}"
                )
            drawn.append(stratum.iloc[np.sort(draws.choice(len(stratum), per_stratum, replace=False))])
        points = pd.concat(drawn)
    if points.empty:
        raise UndefinedEstimateError("agreement is undefined: no decision follows a judged result")
    states = points["stated"].notna()
    said = points[states]
    questions, of_those = points["question_id"].tolist(), said["question_id"].tolist()
    pair = (said["stated"] == "USELESS").tolist(), (said["judgment"] == "USELESS").tolist()
    return estimates_frame(
        {
            "explicit": agreement(states.tolist(), [True] * len(points), clusters=questions, **options),
            "agreement": Estimate.attempt(agreement, *pair, clusters=of_those, **options),
            "kappa": Estimate.attempt(cohen_kappa, *pair, clusters=of_those, **options),
        },
        "measure",
    )
