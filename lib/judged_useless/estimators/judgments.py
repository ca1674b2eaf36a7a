"""What the judgments say: how often a result is called useless, and real pages useful."""

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import observation_table
from judged_useless.episodes.frames import as_frame
from judged_useless.episodes.schema import EpisodeError, Episodes
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.measure import Measure, share
from judged_useless.estimators.resampling import Resampling, Stream, cluster_sums


def _share_of_judgments(name: str, part: pd.DataFrame, word: str) -> Measure:
    codes, questions = pd.factorize(part["question_id"])
    says = (part["judgment"] == word).to_numpy(dtype=bool)
    columns = np.stack([np.ones_like(says), says], axis=1).astype(np.float64)
    sums = cluster_sums(codes.astype(np.int64), len(questions), columns)
    return Measure(name, sums, share, n=len(part))


def useless_rate(
    episodes: Episodes,
    *,
    failed: bool | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> pd.DataFrame:
    """Return the share of judgments that say USELESS, by regime.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``; one model and condition.
    failed : bool, optional
        Count only results that failed by design (True) or that did not (False); by default both.
    n_boot, seed, level, stream
        Of the question-cluster bootstrap, as in
        :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates, one row a regime that has such results, in order of appearance; ``value`` is
        a share in [0, 1] and ``n`` counts judgments: the unparsed ones are in it, the missing ones are not.
        A regime whose results have no judgment is stated as undefined, with its ``reason``.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    UndefinedEstimateError
        If no result that is asked for has a judgment.

    References
    ----------
    Paper §3 "Judgments are accurate", Figure 1 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import load_episodes
    >>> rates = useless_rate(load_episodes(condition="unaided"), failed=True)
    >>> rates["value"].round(3).to_dict()["persistent"]
    0.996
    """
    plan = Resampling(n_boot, seed, level, stream)
    table = observation_table(episodes)
    if failed is not None:
        table = table[(table["failed"] == failed).fillna(False)]
    if not table["judgment"].notna().any():
        kind = {None: "", True: "failed ", False: "real "}[failed]
        raise UndefinedEstimateError(
            f"the share of useless judgments is undefined: no {kind}result has a judgment"
        )
    estimates: dict[object, Estimate] = {}
    for regime, part in table.groupby("regime", sort=False, observed=True):
        judged = part[part["judgment"].notna()]
        name = f"judged useless ({regime})"
        estimates[str(regime)] = (
            Estimate.undefined("no result has a judgment")
            if judged.empty
            else _share_of_judgments(name, judged, "USELESS").estimate(plan)
        )
    return estimates_frame(estimates, "regime")


def page_table(episodes: Episodes) -> pd.DataFrame:
    """Return the judged observations that show a page, and what kind of page it is.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        As for :func:`specificity`.

    Returns
    -------
    pandas.DataFrame
        One row a judged observation with a page: ``question_id, judgment, page``, ``kind`` (gold or
        distractor) and ``seen`` (first or repeat).

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or its ``pages`` do not fit its observations.
    """
    frame = as_frame(episodes, ("question_id", "regime", "actions", "judgments", "pages", "gold_titles"))
    rows: list[tuple[str, object, str, str, str]] = []
    columns = ("question_id", "actions", "judgments", "pages", "gold_titles")
    for number, (question, actions, judgments, pages, gold) in enumerate(
        zip(*(frame[name].tolist() for name in columns), strict=True), 1
    ):
        observations = sum(action != "finish" for action in actions)
        if len(pages) != observations:
            raise EpisodeError(
                f"episodes, row {number}: field 'pages': {len(pages)} entries for {observations} observations"
            )
        before: set[str] = set()
        judged = [*judgments, *[None] * (observations - len(judgments))]
        for page, judgment in zip(pages, judged, strict=True):
            if page is None:
                continue
            if judgment is not None:
                kind = "gold" if page in gold else "distractor"
                rows.append((question, judgment, page, kind, "repeat" if page in before else "first"))
            before.add(page)
    return pd.DataFrame(rows, columns=["question_id", "judgment", "page", "kind", "seen"])


def specificity(
    episodes: Episodes,
    *,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
    stream: Stream = "released",
) -> pd.DataFrame:
    """Return the share of real pages that are judged USEFUL, by gold or distractor and first or repeated.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, with ``question_id``, ``regime``, ``actions``, ``judgments`` and two more
        lists that a run's log gives: ``pages``, for each observation the title of the question's own page
        that a real search returned, null for anything else (a failed result, a lookup, no hit); and
        ``gold_titles``, the titles of the question's gold paragraphs.
    n_boot, seed, level, stream
        Of the question-cluster bootstrap, as in
        :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with index ``(kind, seen)``, four rows; ``value`` is a share in [0, 1], ``n``
        counts judgments (the unparsed ones are in it). A kind that does not occur is stated as undefined.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says, or lacks the two lists.
    UndefinedEstimateError
        If no real page has a judgment.

    Notes
    -----
    A low share is right for distractors and for repeats: they add nothing to the question.

    References
    ----------
    Paper, Appendix C.3, Table 11 (arXiv:2610.06191).

    Examples
    --------
    >>> episode = {
    ...     "question_id": "q", "regime": "clean", "actions": ["search", "search", "finish"],
    ...     "judgments": ["USEFUL", "USELESS"], "pages": ["Ada", "Ada"], "gold_titles": ["Ada", "Bob"],
    ... }
    >>> specificity([episode])["value"].tolist()
    [1.0, 0.0, nan, nan]
    """
    plan = Resampling(n_boot, seed, level, stream)
    table = page_table(episodes)
    if table.empty:
        raise UndefinedEstimateError("the specificity of judgments is undefined: no real page has a judgment")
    estimates: dict[object, Estimate] = {}
    for kind in ("gold", "distractor"):
        for seen in ("first", "repeat"):
            part = table[(table["kind"] == kind) & (table["seen"] == seen)]
            estimates[f"{kind} {seen}"] = (
                Estimate.undefined(f"no {seen} {kind} page has a judgment")
                if part.empty
                else _share_of_judgments(f"judged useful ({kind}, {seen})", part, "USEFUL").estimate(plan)
            )
    frame = estimates_frame(estimates, "page")
    frame.index = pd.MultiIndex.from_tuples([key.split() for key in frame.index], names=["kind", "seen"])
    return frame
