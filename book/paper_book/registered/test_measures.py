"""What a registered test may measure: each measure's estimator, what it reads, and how the paper calls it.

Nothing is estimated here; the estimators are called and their results put into one form.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from judged_useless.estimators.agreement import agreement, cohen_kappa
from judged_useless.estimators.answering import (
    answer_rate_after_run,
    median_answer_action,
    share_answered,
    share_at_last_action,
)
from judged_useless.estimators.contrast import (
    design_label_contrast,
    leave_contrast,
    switch_summary,
    time_matched_contrast,
)
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.hazard import integration_index
from judged_useless.estimators.inference import paired_contrast
from judged_useless.estimators.judgments import useless_rate
from judged_useless.estimators.success import mean_success, tool_calls, utility

#: What the registered tests on stated judgments are about: an annotator's labels, not the keyword reader's.
STATED = "stated_by_label"


@dataclass(frozen=True)
class Figure:
    """A measured number.

    Attributes
    ----------
    value : float
        In the unit of the measure.
    low, high : float or None
        Bounds of its interval, where it has one.
    p : float or None
        One-sided p-value, unadjusted, where it has one.
    n, k : int or None
        Observations it rests on, and those counted among them.
    reason : str
        Why a bound is missing.
    """

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int | None = None
    k: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Inputs:
    """What a measure is computed from.

    Attributes
    ----------
    a, b : pandas.DataFrame
        Episodes of the cell, and of the cell that is subtracted (empty without one), in `regimes` only.
    regimes : tuple of str
        Regimes measured.
    annotations : pandas.DataFrame
        Labels ``annotated`` and ``adjudicated`` of the same items, USELESS or anything else; empty without.
    resampling : mapping
        ``n_boot``, ``seed`` and ``level``.
    options : mapping
        The quantity's ``judgments``, ``failed``, ``price`` and ``charge_judgments``.
    """

    a: pd.DataFrame
    b: pd.DataFrame
    regimes: tuple[str, ...]
    annotations: pd.DataFrame
    resampling: Mapping[str, Any]
    options: Mapping[str, Any]

    @property
    def one_regime(self) -> str:
        """The regime of a measure on one regime.

        Raises
        ------
        ValueError
            If there are several.
        """
        if len(self.regimes) != 1:
            raise ValueError(f"expected one regime, found {', '.join(self.regimes)}")
        return self.regimes[0]


@dataclass(frozen=True)
class Kind:
    """A measure of registered tests.

    Attributes
    ----------
    compute : callable
        Maps :class:`Inputs` to a :class:`Figure`.
    published : str
        Name in the published tables, for one cell.
    difference : str, optional
        Name there of the difference of two cells, for a measure that can be one.
    on_episodes : bool
        False for a measure on annotations.
    judged : bool
        Whether it reads judgments.
    fields : tuple of str
        Optional fields of an episode that it needs.
    options : frozenset of str
        Options that a quantity may give.
    """

    compute: Callable[[Inputs], Figure]
    published: str
    difference: str | None = None
    on_episodes: bool = True
    judged: bool = False
    fields: tuple[str, ...] = ()
    options: frozenset[str] = field(default_factory=frozenset)


def _figure(estimate: Estimate, *, k: float | None = None) -> Figure:
    p = estimate.parts.get("p_one_sided")
    return Figure(
        estimate.value,
        estimate.low,
        estimate.high,
        p,
        estimate.n,
        None if k is None else int(k),
        estimate.reason,
    )


def _success(given: Inputs) -> Figure:
    if given.b.empty:
        return _figure(mean_success(given.a, regimes=given.regimes, **given.resampling))
    return _figure(paired_contrast(given.a, given.b, regimes=given.regimes, **given.resampling))


def _utility(given: Inputs) -> Figure:
    options = {name: given.options[name] for name in ("price", "charge_judgments")} | dict(given.resampling)
    if given.b.empty:
        return _figure(utility(given.a, regimes=given.regimes, **options))
    return _figure(paired_contrast(given.a, given.b, regimes=given.regimes, **options))


def _tool_calls(given: Inputs) -> Figure:
    calls = [
        tool_calls(each, regimes=given.regimes, **given.resampling)
        for each in (given.a, given.b)
        if len(each)
    ]
    if len(calls) == 1:
        return _figure(calls[0])
    return Figure(
        calls[0].value - calls[1].value, n=calls[0].n, reason="the difference of two means has no interval"
    )


def _time_matched(given: Inputs) -> Figure:
    return _figure(time_matched_contrast(given.a, judgments=given.options["judgments"], **given.resampling))


def _after_5(given: Inputs) -> Figure:
    rate = answer_rate_after_run(
        given.a,
        k=5,
        regime=given.one_regime,
        judgments=given.options["judgments"],
        level=given.resampling["level"],
    )
    return _figure(rate, k=rate.parts["answers"])


def _of_regime(estimator: Callable[..., Estimate]) -> Callable[[Inputs], Figure]:
    return lambda given: _figure(estimator(given.a, regime=given.one_regime, **given.resampling))


def _pooled(estimator: Callable[..., Estimate]) -> Callable[[Inputs], Figure]:
    return lambda given: _figure(estimator(given.a, **given.resampling))


_NO_INTERVAL = "a share of questions, without an interval"


def _switched_by_4(given: Inputs) -> Figure:
    summary = switch_summary(given.a, by=4)
    return Figure(float(summary["switched_by"]), n=int(summary["n"]), reason=_NO_INTERVAL)


def _backup_share(given: Inputs) -> Figure:
    summary = switch_summary(given.a)
    exits = float(summary["ever_switched"] + summary["answered_first"])
    if exits == 0:
        raise UndefinedEstimateError(
            "the backup's share of first exits is undefined: no episode leaves the source"
        )
    return Figure(
        float(summary["ever_switched"]) / exits,
        n=round(exits * summary["n"]),
        reason="a share of exits, without an interval",
    )


def _useless_rate(given: Inputs) -> Figure:
    rates = useless_rate(given.a, failed=given.options["failed"], **given.resampling).dropna(subset=["value"])
    n = int(rates["n"].sum())
    return Figure(
        float((rates["value"] * rates["n"]).sum() / n), n=n, reason="pooled over regimes, without an interval"
    )


def _firing_rate(given: Inputs) -> Figure:
    fired = given.a["n_discarded"].astype("Float64") > 0
    return Figure(float(fired.mean()), n=len(fired), k=int(fired.sum()), reason=_NO_INTERVAL)


def _kappa(given: Inputs) -> Figure:
    labels = given.annotations
    return _figure(
        cohen_kappa(labels["annotated"], labels["adjudicated"], positive=["USELESS"], **given.resampling)
    )


def _agreement(given: Inputs) -> Figure:
    pairs = [
        (question, stated, asked)
        for question, says, replies in zip(
            given.a["question_id"], given.a["stated"], given.a["judgments"], strict=True
        )
        for stated, asked in zip(says, replies, strict=False)
        if isinstance(stated, str) and isinstance(asked, str)
    ]
    if not pairs:
        raise UndefinedEstimateError(
            "agreement is undefined: no result has both a stated and a side-channel judgment"
        )
    questions, stated, asked = zip(*pairs, strict=True)
    return _figure(agreement(stated, asked, clusters=questions, positive=["USELESS"], **given.resampling))


_JUDGMENTS = frozenset({"judgments"})
MEASURES: dict[str, Kind] = {
    "success": Kind(_success, "success", "paired_difference"),
    "utility": Kind(
        _utility, "utility", "utility_difference", options=frozenset({"price", "charge_judgments"})
    ),
    "tool_calls": Kind(_tool_calls, "tool_calls", "tool_call_difference"),
    "integration_index": Kind(_pooled(integration_index), "integration_index"),
    "delta": Kind(_time_matched, "delta", judged=True, options=_JUDGMENTS),
    "design_label_contrast": Kind(_pooled(design_label_contrast), "design_label_contrast"),
    "share_answered": Kind(_of_regime(share_answered), "share_answered"),
    "share_at_last_action": Kind(_of_regime(share_at_last_action), "share_at_last_action"),
    "median_answer_action": Kind(_of_regime(median_answer_action), "median_answer_action"),
    "answered_after_5": Kind(_after_5, "answered_after_5", judged=True, options=_JUDGMENTS),
    "switched_by_4": Kind(_switched_by_4, "switched_by_4"),
    "leave_contrast": Kind(_pooled(leave_contrast), "leave_contrast", judged=True),
    "backup_share_of_first_exits": Kind(_backup_share, "backup_share_of_first_exits"),
    "useless_rate": Kind(_useless_rate, "useless_rate", judged=True, options=frozenset({"failed"})),
    "firing_rate": Kind(_firing_rate, "firing_rate", fields=("n_discarded",)),
    "agreement": Kind(_agreement, "agreement", judged=True, fields=(STATED,)),
    "kappa_binary": Kind(_kappa, "kappa_binary_s2_local", on_episodes=False),
}
#: Published names that depend on an option: (name, option, its value) → name.
PUBLISHED_VARIANTS: dict[tuple[str, str, object], str] = {
    ("delta", "judgments", "stated"): "delta_stated",
    ("answered_after_5", "judgments", "stated"): "answered_after_5_stated",
    ("useless_rate", "failed", False): "useless_rate_real",
    ("utility_difference", "charge_judgments", False): "cost_adjusted_difference",
}
