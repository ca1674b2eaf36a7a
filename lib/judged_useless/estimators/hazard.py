"""The hazard of answering: by failed results in a row, the integration index, and the hazard model."""

from functools import partial
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import DecisionPoints
from judged_useless.episodes.frames import UNKNOWN
from judged_useless.episodes.schema import EpisodeError, Episodes

from .estimate import Estimate, UndefinedEstimateError, estimates_frame
from .matching import (
    UNKNOWN_FAILURES,
    Bools,
    Ints,
    Judgments,
    failing_points,
    last_step,
    noted,
    require_judgments,
    with_judgments,
)
from .resampling import Floats, Measure, Options, Resampling, cluster_sums, resampled, share

#: Runs of failed results whose hazards the index subtracts.
LATE, EARLY = (4, 5), (1, 2)
#: The two coefficients of the hazard model, and the names they have in the paper.
COEFFICIENTS = {"run": "β (run)", "earlier_useful": "γ (earlier useful)"}
_RANK_TOLERANCE = 1e-9
_ROUNDING = 1e-12


def _before_last_action(points: DecisionPoints, t_max: int | None) -> Bools:
    """Return which decisions come before the last chance to answer."""
    last = last_step(points, t_max)
    if len(points.t) and (points.failed_run == UNKNOWN).all():
        raise EpisodeError(UNKNOWN_FAILURES)
    return points.t <= last


def _sums_of(points: DecisionPoints, *sets: Bools) -> Floats:
    """Return, of each set of decisions, how many there are and how many answer, by question."""
    columns = np.stack([each for here in sets for each in (here, here & points.answered)], axis=1)
    return cluster_sums(points.question, points.n_questions, columns.astype(np.float64))


def index_measure(points: DecisionPoints, t_max: int | None = None) -> Measure:
    """Return the integration index as a measure, not yet resampled."""
    inside = _before_last_action(points, t_max)
    late, early = (inside & np.isin(points.failed_run, runs) for runs in (LATE, EARLY))
    for runs, chosen in ((LATE, late), (EARLY, early)):
        if not chosen.any():
            lacking = f"no decision after {runs[0]} or {runs[1]} failed results in a row"
            raise UndefinedEstimateError(f"the integration index is undefined: {lacking}")
    sums = _sums_of(points, late, early)
    n_late, x_late, n_early, x_early = sums.sum(axis=0).tolist()
    parts = {
        "h_4_5": x_late / n_late, "h_1_2": x_early / n_early,
        "n_4_5": n_late, "answers_4_5": x_late, "n_1_2": n_early, "answers_1_2": x_early,
    }  # fmt: skip
    n = int(n_late + n_early)
    return Measure("I", sums, lambda each: share(each[..., 0:2]) - share(each[..., 2:4]), n=n, parts=parts)


@resampled
def integration_index(
    episodes: Episodes, *, t_max: int | None = None, **options: Unpack[Options]
) -> Estimate:
    r"""Return the integration index I, the pre-registered (and confounded) stopping measure.

    :math:`I = h(\{4, 5\}) - h(\{1, 2\})`, where h(J) is the share of decisions that answer among those whose
    current run of *failed* results has a length in J. Not a measure of integration by itself: where the
    source fails from the start the run grows with time, so an agent that stops by a clock scores up to +0.5
    (Table 7). Paper §2, Appendix C.2, Tables 9, 13 and 14 (arXiv:2610.06191).

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime`` (or ``failed``), ``actions`` and ``judgments`` (which may be empty).
        The paper pools the regimes in :data:`judged_useless.FAIL`; clean and plausible are left out.
    t_max : int, optional
        Last decision pooled; by default the budget minus 2 (6 of 8 actions).

    Returns
    -------
    Estimate
        A difference of probabilities in [-1, 1]; `n` counts decisions. Its parts hold the two hazards
        ``h_4_5`` and ``h_1_2`` with their counts.

    Raises
    ------
    UndefinedEstimateError, EpisodeError
        If one of the two kinds of decision does not occur, as when an agent always stops earlier; if it is
        unknown which results failed.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> index = integration_index(load_episodes(condition="enforced_rule", regimes=FAIL))
    >>> print(index)
    I = 0.473 [0.454, 0.491]
    >>> round(index["h_4_5"], 2), round(index["h_1_2"], 2)
    (0.48, 0.01)
    """
    plan = Resampling(**options)
    points, left_out = failing_points(episodes, "I")
    return noted(index_measure(points, t_max), points, t_max, left_out, judged=False).estimate(plan)


@resampled
def hazard_by_failed_run(
    episodes: Episodes, *, t_max: int | None = None, **options: Unpack[Options]
) -> pd.DataFrame:
    """Return the probability of answering at a decision, by the number j of failed results just before it.

    h(j) = answers / decisions, over the decisions whose current run of failed results (design labels) has
    length j; the last chance to answer is left out. Paper, Appendix C.2, Figure 5 (arXiv:2610.06191).

    Parameters
    ----------
    episodes, t_max
        As in :func:`integration_index`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with index ``failed_run``, one row for each j >= 1 that occurs; ``n`` counts
        decisions. A rise with j is no sign of integration: j grows with time when the source fails from the
        start, and at a large j are the agents that have not stopped before.

    Raises
    ------
    UndefinedEstimateError, EpisodeError
        If no decision follows a failed result; if it is not known which results failed.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> hazard = hazard_by_failed_run(load_episodes(condition="enforced_rule", regimes=FAIL))
    >>> hazard["value"].round(2).to_dict()
    {1: 0.0, 2: 0.01, 3: 0.05, 4: 0.11, 5: 0.93, 6: 0.24}
    """
    plan = Resampling(**options)
    points, left_out = failing_points(episodes, "the hazard")
    inside = _before_last_action(points, t_max)
    estimates = {}
    for j in np.unique(points.failed_run[inside & (points.failed_run >= 1)]).tolist():
        here = inside & (points.failed_run == j)
        measure = Measure(f"h({j})", _sums_of(points, here), share, n=int(here.sum()))
        estimates[j] = noted(measure, points, t_max, left_out, judged=False).estimate(plan)
    if not estimates:
        raise UndefinedEstimateError("the hazard is undefined: no decision follows a failed result")
    return estimates_frame(estimates, "failed_run")


def design_matrix(points: DecisionPoints, t_max: int | None = None) -> tuple[Floats, Floats, Ints]:
    """Return the hazard model's regressors, outcome and questions, after results judged USELESS.

    Regressors are the run, whether an earlier result was judged USEFUL, and dummies for action and regime,
    collinear with each other, which the fit allows for.
    """
    last = last_step(points, t_max)
    require_judgments("the hazard model", points, points.t <= last)
    used = (points.run >= 1) & (points.t <= last)
    if not used.any():
        raise UndefinedEstimateError("the hazard model is undefined: no decision follows a USELESS result")
    regimes, _ = points.label_codes("regime")
    dummies = [pd.get_dummies(each[used]).to_numpy() for each in (points.t, regimes)]
    regressors = np.column_stack([points.run[used], points.earlier_useful[used], *dummies])
    return regressors.astype(np.float64), points.answered[used].astype(np.float64), points.question[used]


def _coefficient(moments: Floats, wanted: int, k: int) -> Floats:
    """Return one least-squares coefficient from X'X (k × k, flattened) and X'y, or NaN if not identified.

    By Frisch, Waugh and Lovell: the other regressors, which may be collinear, are swept out of the wanted one
    and of the outcome with a pseudo-inverse.
    """
    gram = moments[..., : k * k].reshape(*moments.shape[:-1], k, k)
    with_outcome = moments[..., k * k :]
    scale = np.sqrt(np.maximum(np.diagonal(gram, axis1=-2, axis2=-1), 0.0))
    scale = np.where(scale > 0, scale, 1.0)
    gram, with_outcome = gram / (scale[..., :, None] * scale[..., None, :]), with_outcome / scale
    others = [column for column in range(k) if column != wanted]
    inverse = np.linalg.pinv(gram[..., others, :][..., others], rcond=_RANK_TOLERANCE, hermitian=True)
    link = np.einsum("...i,...ij->...j", gram[..., wanted, others], inverse)
    left = gram[..., wanted, wanted] - np.einsum("...i,...i->...", link, gram[..., others, wanted])
    joint = with_outcome[..., wanted] - np.einsum("...i,...i->...", link, with_outcome[..., others])
    identified = left > _RANK_TOLERANCE
    value = joint / np.where(identified, left, 1.0) / scale[..., wanted]
    return np.where(identified, value, np.nan)


def hazard_measures(
    points: DecisionPoints, *, question_effects: bool = False, t_max: int | None = None
) -> dict[str, Measure]:
    """Return β and γ of the hazard model as measures, not yet resampled: keys ``run``, ``earlier_useful``.

    Their sums by question are X'X and X'y; demeaned within questions, one that is drawn twice counts twice.
    """
    regressors, answered, question = design_matrix(points, t_max)
    columns = np.column_stack([regressors, answered])
    if question_effects:
        counts = np.bincount(question, minlength=points.n_questions)
        means = cluster_sums(question, points.n_questions, columns) / np.maximum(counts, 1)[:, None]
        columns = columns - means[question]
        # A column that is constant within questions leaves rounding behind, which is no variation.
        columns = np.where(np.abs(columns) < _ROUNDING, 0.0, columns)
    x, k, parts = columns[:, :-1], regressors.shape[1], {"earlier_useful": float(regressors[:, 1].mean())}
    products = np.column_stack([(x[:, :, None] * x[:, None, :]).reshape(len(x), -1), x * columns[:, -1:]])
    sums = cluster_sums(question, points.n_questions, products)

    return {
        key: Measure(
            name, sums, partial(_coefficient, wanted=wanted, k=k), n=len(x), parts=parts,
            undefined="it cannot be told apart from the action, regime and the other effect",
        )
        for wanted, (key, name) in enumerate(COEFFICIENTS.items())
    }  # fmt: skip


def hazard_model(
    episodes: Episodes,
    *,
    question_effects: bool = False,
    judgments: Judgments = "recorded",
    t_max: int | None = None,
    n_boot: int = 1000,
    seed: int = 0,
    level: float = 0.95,
) -> pd.DataFrame:
    r"""Return the discrete-time hazard model's β (run) and γ (earlier useful): paper §3, Table 10.

    Least squares over every decision t = 1 .. `t_max` after a result judged USELESS:

    .. math::

        \text{answers} = \alpha_{\text{action}} + \alpha_{\text{regime}} (+ \alpha_{\text{question}})
        + \beta \cdot \text{run} + \gamma \cdot \text{earlier useful} + \varepsilon

    where run is the number of results in a row judged USELESS and earlier useful is 1 when any result so far
    was judged USEFUL. β > 0: stopping rises with accumulated useless evidence. γ > 0: it follows earlier
    useful evidence. A linear probability: fitted values may leave [0, 1], and a step at k = 5 is averaged
    into a slope.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``; the paper uses the five regimes in
        :data:`judged_useless.FAIL`.
    question_effects : bool, default False
        Add question fixed effects (the within-question estimator).
    judgments, t_max
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.
    n_boot, seed, level
        See :class:`~judged_useless.estimators.resampling.Resampling`; 1,000 resamples as in the paper.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with rows ``run`` (β, in probability for each further useless judgment) and
        ``earlier_useful`` (γ, in probability); ``n`` counts decisions. One that is not identified is stated
        as undefined, with its ``reason``.

    Raises
    ------
    UndefinedEstimateError, EpisodeError
        If no decision follows a useless result, a regime has no judgments, or neither coefficient is
        identified: without any earlier judgment other than USELESS the run equals the step; without a regime.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> model = hazard_model(load_episodes(condition="enforced_rule", regimes=FAIL))
    >>> model[["value", "low", "high"]].round(2).values.tolist()
    [[0.15, 0.13, 0.17], [0.06, 0.01, 0.11]]
    """
    plan = Resampling(n_boot, seed, level)
    points, left_out = failing_points(with_judgments(episodes, judgments), "the hazard model")
    measures = hazard_measures(points, question_effects=question_effects, t_max=t_max)
    estimates = {
        key: Estimate.attempt(noted(measure, points, t_max, left_out, judged=True).estimate, plan)
        for key, measure in measures.items()
    }
    if not any(each.defined for each in estimates.values()):
        reasons = "; ".join(each.reason for each in estimates.values())
        raise UndefinedEstimateError(f"the hazard model: {reasons}")
    return estimates_frame(estimates, "coefficient")
