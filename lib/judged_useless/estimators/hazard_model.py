"""The linear-probability hazard model, which separates the useless run from earlier useful evidence."""

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.schema import Episodes
from judged_useless.estimators.cells import warn_if_pooled
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError, estimates_frame
from judged_useless.estimators.matching import Ints, budget_of, require_judgments
from judged_useless.estimators.measure import Measure
from judged_useless.estimators.resampling import Floats, Resampling, Statistic, Stream, cluster_sums
from judged_useless.estimators.stated_runs import Judgments, with_judgments

#: The two coefficients reported, and the names they have in the paper.
COEFFICIENTS = {"run": "β (run)", "earlier_useful": "γ (earlier useful)"}
_RANK_TOLERANCE = 1e-9
_ROUNDING = 1e-12


def _dummies(codes: Ints) -> Floats:
    _, position = np.unique(codes, return_inverse=True)
    return np.eye(int(position.max()) + 1)[position]


def _demeaned(columns: Floats, question: Ints, n_questions: int) -> Floats:
    """Take the question's mean out of each column: the within-question estimator."""
    counts = np.bincount(question, minlength=n_questions)
    means = cluster_sums(question, n_questions, columns) / np.maximum(counts, 1)[:, None]
    within = columns - means[question]
    # A column that is constant within questions leaves rounding behind, which must not pass for variation.
    return np.where(np.abs(within) < _ROUNDING, 0.0, within)


def design_matrix(points: DecisionPoints, t_max: int | None = None) -> tuple[Floats, Floats, Ints]:
    """Return the hazard model's regressors, outcome and questions.

    Parameters
    ----------
    points : DecisionPoints
        The decisions; those after a result judged USELESS, with t up to `t_max`, are used.
    t_max : int, optional
        Last decision used; by default the budget minus 2.

    Returns
    -------
    regressors : numpy.ndarray of float64, shape (n, k)
        The run; whether an earlier result was judged USEFUL; a dummy for each action; a dummy for each
        regime. The dummies are collinear with each other, which the fit allows for.
    answered : numpy.ndarray of float64, shape (n,)
        1 where the decision answers.
    question : numpy.ndarray of int, shape (n,)
        Cluster of each row.

    Raises
    ------
    UndefinedEstimateError
        If no decision follows a result judged USELESS, or judgments are missing.
    EpisodeError
        If the episodes have no regime.
    ValueError
        If `t_max` is below 1.
    """
    last = budget_of(points.episodes) - 2 if t_max is None else t_max
    if last < 1:
        raise ValueError(f"t_max must be at least 1, not {last}")
    require_judgments("the hazard model", points, points.t <= last)
    used = (points.run >= 1) & (points.t <= last)
    if not used.any():
        raise UndefinedEstimateError(
            "the hazard model is undefined: no decision follows a result judged USELESS"
        )
    regimes, _ = points.label_codes("regime")
    run, earlier = points.run[used], points.earlier_useful[used]
    regressors = np.column_stack([run, earlier, _dummies(points.t[used]), _dummies(regimes[used])])
    return regressors.astype(np.float64), points.answered[used].astype(np.float64), points.question[used]


def coefficient(moments: Floats, wanted: int, n_regressors: int) -> Floats:
    """Return one least-squares coefficient from cross-products, or NaN where it is not identified.

    By Frisch, Waugh and Lovell: the other regressors, which may be collinear, are swept out of the wanted
    one and of the outcome with a pseudo-inverse; what is left of the wanted one must not be nothing.

    Parameters
    ----------
    moments : numpy.ndarray of float64, shape (..., k * k + k)
        X'X, flattened, and X'y.
    wanted : int
        Column of X.
    n_regressors : int
        k.

    Returns
    -------
    numpy.ndarray of float64, shape (...)
    """
    k = n_regressors
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
    """Return β and γ of the hazard model as measures, not yet resampled.

    Parameters
    ----------
    points : DecisionPoints
        The decisions.
    question_effects, t_max
        As in :func:`hazard_model`.

    Returns
    -------
    dict of str to Measure
        Keys ``run`` and ``earlier_useful``. Their sums by question are the cross-products X'X and X'y, so a
        resample is a weighted sum of small matrices; demeaned within questions, a question that is drawn
        twice counts twice.

    Raises
    ------
    UndefinedEstimateError
        As for :func:`design_matrix`.
    """
    regressors, answered, question = design_matrix(points, t_max)
    columns = np.column_stack([regressors, answered])
    if question_effects:
        columns = _demeaned(columns, question, points.n_questions)
    x, k = columns[:, :-1], regressors.shape[1]
    products = np.column_stack([(x[:, :, None] * x[:, None, :]).reshape(len(x), -1), x * columns[:, -1:]])
    sums = cluster_sums(question, points.n_questions, products)

    def statistic(wanted: int) -> Statistic:
        return lambda moments: coefficient(moments, wanted, k)

    return {
        key: Measure(
            name, sums, statistic(wanted), n=len(x), parts={"earlier_useful": float(regressors[:, 1].mean())},
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
    stream: Stream = "released",
) -> pd.DataFrame:
    r"""Return the discrete-time hazard model's β (run) and γ (earlier useful).

    Least squares over every decision t = 1 .. `t_max` after a result judged USELESS:

    .. math::

        \text{answers} = \alpha_{\text{action}} + \alpha_{\text{regime}} (+ \alpha_{\text{question}})
        + \beta \cdot \text{run} + \gamma \cdot \text{earlier useful} + \varepsilon

    where run is the number of results in a row judged USELESS and earlier useful is 1 when any result so far
    was judged USEFUL. β > 0: stopping rises with accumulated useless evidence. γ > 0: it follows earlier
    useful evidence.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        With ``question_id``, ``regime``, ``actions`` and ``judgments``; the paper uses the five regimes in
        :data:`judged_useless.FAIL`.
    question_effects : bool, default False
        Add question fixed effects (the within-question estimator).
    judgments : {"recorded", "stated"}, default "recorded"
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.
    t_max : int, optional
        Last decision used; by default the budget minus 2 (6 of 8 actions).
    n_boot : int, default 1000
        Question-cluster resamples (1,000 in the paper).
    seed, level, stream
        As in :func:`~judged_useless.estimators.contrast.time_matched_contrast`.

    Returns
    -------
    pandas.DataFrame
        A frame of estimates with rows ``run`` (β, in probability for each further useless judgment) and
        ``earlier_useful`` (γ, in probability); ``n`` counts decisions. One that is not identified is stated
        as undefined, with its ``reason``.

    Raises
    ------
    UndefinedEstimateError
        If no decision follows a useless result, a regime has no judgments, or neither coefficient is
        identified: without any earlier judgment other than USELESS the run equals the step.
    EpisodeError
        If an episode is not what the schema says, or has no regime.
    ValueError
        If an option is out of range.

    Notes
    -----
    A linear probability: fitted values may leave [0, 1], and a step at k = 5 is averaged into a slope. β
    rests on histories with an earlier judgment other than USELESS, 5 to 31 % of the paper's decisions.

    References
    ----------
    Paper §3, Appendix C.2, Table 10 (arXiv:2610.06191).

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> model = hazard_model(load_episodes(condition="enforced_rule", regimes=FAIL))
    >>> model[["value", "low", "high"]].round(2).values.tolist()
    [[0.15, 0.13, 0.17], [0.06, 0.01, 0.11]]
    """
    plan = Resampling(n_boot, seed, level, stream)
    points = warn_if_pooled(build_decision_points(with_judgments(episodes, judgments)), "the hazard model")
    measures = hazard_measures(points, question_effects=question_effects, t_max=t_max)
    estimates: dict[object, Estimate] = {}
    for key, measure in measures.items():
        try:
            estimates[key] = measure.estimate(plan)
        except UndefinedEstimateError as error:
            estimates[key] = Estimate.undefined(str(error))
    if not any(each.defined for each in estimates.values()):
        raise UndefinedEstimateError(
            f"the hazard model: {'; '.join(each.reason for each in estimates.values())}"
        )
    return estimates_frame(estimates, "coefficient")
