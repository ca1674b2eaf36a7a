"""Estimators: episodes in, estimates out."""

from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.judgments import useless_rate
from judged_useless.estimators.rates import answer_rate_after_run, wilson_interval
from judged_useless.estimators.success import mean_success, success_by_regime

__all__ = [
    "Estimate",
    "UndefinedEstimateError",
    "answer_rate_after_run",
    "design_label_contrast",
    "mean_success",
    "success_by_regime",
    "time_matched_contrast",
    "useless_rate",
    "wilson_interval",
]
