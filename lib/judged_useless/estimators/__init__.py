"""Estimators: episodes in, estimates out."""

from judged_useless.estimators.agreement import agreement, cohen_kappa, precision_recall
from judged_useless.estimators.answering import (
    median_answer_action,
    premature_rate,
    share_answered,
    share_at_last_action,
)
from judged_useless.estimators.belief_replies import answers_when_favoured, missing_replies
from judged_useless.estimators.beliefs import belief_curves, belief_prior, belief_table, beliefs_by_model
from judged_useless.estimators.contrast import design_label_contrast, time_matched_contrast
from judged_useless.estimators.cost import extra_calls, tool_calls, utility
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.hazard import hazard_by_failed_run
from judged_useless.estimators.hazard_model import hazard_model
from judged_useless.estimators.index import integration_index
from judged_useless.estimators.inference import holm, non_inferiority, paired_contrast
from judged_useless.estimators.judgments import specificity, useless_rate
from judged_useless.estimators.leaving import leave_contrast, switch_summary
from judged_useless.estimators.planning import plan_questions, planning_curves
from judged_useless.estimators.pooling import pooled_contrast
from judged_useless.estimators.rates import answer_rate_after_run, wilson_interval
from judged_useless.estimators.stated_agreement import stated_agreement
from judged_useless.estimators.success import MEAN3, MEAN4, mean_success, success_by_regime

__all__ = [
    "MEAN3",
    "MEAN4",
    "Estimate",
    "UndefinedEstimateError",
    "agreement",
    "answer_rate_after_run",
    "answers_when_favoured",
    "belief_curves",
    "belief_prior",
    "belief_table",
    "beliefs_by_model",
    "cohen_kappa",
    "design_label_contrast",
    "extra_calls",
    "hazard_by_failed_run",
    "hazard_model",
    "holm",
    "integration_index",
    "leave_contrast",
    "mean_success",
    "median_answer_action",
    "missing_replies",
    "non_inferiority",
    "paired_contrast",
    "plan_questions",
    "planning_curves",
    "pooled_contrast",
    "precision_recall",
    "premature_rate",
    "share_answered",
    "share_at_last_action",
    "specificity",
    "stated_agreement",
    "success_by_regime",
    "switch_summary",
    "time_matched_contrast",
    "tool_calls",
    "useless_rate",
    "utility",
    "wilson_interval",
]
