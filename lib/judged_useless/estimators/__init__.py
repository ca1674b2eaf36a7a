"""Estimators: episodes in, estimates out."""

from .agreement import agreement, cohen_kappa
from .answering import (
    answer_rate_after_run,
    median_answer_action,
    premature_rate,
    share_answered,
    share_at_last_action,
)
from .beliefs import answers_when_favoured, belief_curves, beliefs_by_model
from .contrast import design_label_contrast, leave_contrast, switch_summary, time_matched_contrast
from .estimate import Estimate, UndefinedEstimateError
from .hazard import hazard_by_failed_run, hazard_model, integration_index
from .inference import holm, non_inferiority, paired_contrast, pooled_contrast, wilson_interval
from .judgments import specificity, stated_agreement, useless_rate
from .planning import plan_questions
from .success import MEAN3, MEAN4, extra_calls, mean_success, success_by_regime, tool_calls, utility

__all__ = [
    "MEAN3", "MEAN4", "Estimate", "UndefinedEstimateError", "agreement", "answer_rate_after_run",
    "answers_when_favoured", "belief_curves", "beliefs_by_model", "cohen_kappa", "design_label_contrast",
    "extra_calls", "hazard_by_failed_run", "hazard_model", "holm", "integration_index", "leave_contrast",
    "mean_success", "median_answer_action", "non_inferiority", "paired_contrast", "plan_questions",
    "pooled_contrast", "premature_rate", "share_answered", "share_at_last_action", "specificity",
    "stated_agreement", "success_by_regime", "switch_summary", "time_matched_contrast", "tool_calls",
    "useless_rate", "utility", "wilson_interval",
]  # fmt: skip
