"""Logs of other agents: read as episodes, judged, and audited."""

from judged_useless.adapters.auditing import Audit, audit_log
from judged_useless.adapters.judging import judge_log
from judged_useless.adapters.log_files import AgentLog, read_log
from judged_useless.adapters.recorded_rule import choose_k, rule_on_trial
from judged_useless.adapters.report_page import report_html, write_report

__all__ = [
    "AgentLog", "Audit", "audit_log", "choose_k", "judge_log", "read_log", "report_html",
    "rule_on_trial", "write_report",
]  # fmt: skip
