"""Planning a run (beyond the paper): interval width and power at other numbers of questions."""

from collections.abc import Callable, Sequence
from typing import Unpack

import numpy as np
import pandas as pd

from judged_useless.episodes.decisions import DecisionPoints, build_decision_points
from judged_useless.episodes.schema import Episodes

from .contrast import contrast_measure, design_label_measure
from .estimate import UndefinedEstimateError
from .hazard import index_measure
from .resampling import Measure, Options, Resampling, percentile_interval, resampled

#: Measures that can be planned for.
PLANNED: dict[str, Callable[[DecisionPoints], Measure]] = {
    "time_matched_contrast": contrast_measure,
    "design_label_contrast": design_label_measure,
    "integration_index": index_measure,
}
QUESTIONS = (25, 50, 100, 200, 300, 500, 1000)


def planned_study(measure: Measure, n_questions: int, effect: float, plan: Resampling) -> dict[str, float]:
    """Return what a study of `n_questions` that meets a true `effect` is to be expected to show."""
    values = measure.resampled(plan, n_questions)
    defined = values[np.isfinite(values)]
    undefined = 1.0 - len(defined) / len(values)
    try:
        low, high = percentile_interval(defined, plan.level)
    except UndefinedEstimateError:
        low = high = float("nan")
    if not low < high:
        return dict.fromkeys(("width", "low", "high", "power"), np.nan) | {"undefined": undefined}
    shift = effect - measure.value()
    # How often the interval around a study's result leaves zero out.
    results, below, above = defined + shift, low - measure.value(), high - measure.value()
    power = float(((results + below > 0) | (results + above < 0)).mean()) * (1.0 - undefined)
    return {
        "width": high - low, "low": low + shift, "high": high + shift, "power": power, "undefined": undefined,
    }  # fmt: skip


@resampled
def plan_questions(
    episodes: Episodes,
    n_questions: Sequence[int] = QUESTIONS,
    *,
    measure: str = "time_matched_contrast",
    effect: float | None = None,
    **options: Unpack[Options],
) -> pd.DataFrame:
    r"""Return, for studies of different sizes, the expected width of Δ's interval and the power against 0.

    Studies of n questions are imitated by drawing n of the given questions with replacement, each with all
    its episodes. With :math:`\Delta^*_r` the value in draw r and :math:`\Delta` the one on all questions,

    .. math::

        \text{width}(n) = q_{1-\alpha/2} - q_{\alpha/2}, \qquad
        \text{power}(n) = P_r\bigl(0 \notin
            [\Delta^*_r + q_{\alpha/2} - \Delta,\; \Delta^*_r + q_{1-\alpha/2} - \Delta]\bigr)

    where q are percentiles of :math:`\Delta^*_r`: each study's own bootstrap interval is taken to have the
    width and skew that the draws have around :math:`\Delta`.

    Parameters
    ----------
    episodes : pandas.DataFrame or iterable of mappings
        One model and condition, as for the measure: a pilot, or a released cell that resembles the run
        planned. From few questions, or few decisions in group (b), the results are rough.
    n_questions : sequence of int
        Sizes of study.
    measure : {"time_matched_contrast", "design_label_contrast", "integration_index"}
        What is to be estimated.
    effect : float, optional
        True value the study should detect; by default the one found on `episodes`. The draws are shifted to
        it, which keeps their spread.

    Returns
    -------
    pandas.DataFrame
        Index ``n_questions``; ``width`` (of the interval, in probability), ``low`` and ``high`` (where most
        results of such studies lie), ``power`` (probability in [0, 1] that the interval leaves 0 out) and
        ``undefined`` (share of studies in which the measure has no value; they count as not telling).

    Raises
    ------
    UndefinedEstimateError
        If the measure is undefined on the episodes given, or they have one question only.

    Examples
    --------
    >>> from judged_useless import FAIL, load_episodes
    >>> unaided = load_episodes(condition="unaided", regimes=FAIL)
    >>> plan_questions(unaided, (50, 300))[["width", "power"]].round(2).values.tolist()
    [[0.15, 0.55], [0.06, 1.0]]
    """
    plan = Resampling(**options)
    if measure not in PLANNED:
        raise ValueError(f"measure {measure!r} cannot be planned for; known: {', '.join(PLANNED)}")
    sizes = list(n_questions)
    if not sizes or min(sizes) < 2:
        raise ValueError(f"n_questions must hold sizes of at least 2, not {sizes}")
    prepared = PLANNED[measure](build_decision_points(episodes))
    if prepared.n_clusters < 2:
        raise UndefinedEstimateError("planning is undefined: one question cannot be resampled")
    found = prepared.value()
    rows = [planned_study(prepared, n, found if effect is None else effect, plan) for n in sizes]
    return pd.DataFrame(rows, index=pd.Index(sizes, name="n_questions"))
