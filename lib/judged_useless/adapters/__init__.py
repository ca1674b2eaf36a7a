"""Logs of other agents: read as episodes, judged, and audited."""

from judged_useless.adapters.auditing import Audit, audit_log
from judged_useless.adapters.judging import judge_log
from judged_useless.adapters.log_files import AgentLog, read_log
from judged_useless.adapters.recorded_rule import choose_k, rule_on_trial

__all__ = [
    "AgentLog", "Audit", "audit_log", "choose_k", "judge_log", "read_log",
    "rule_on_trial",
]  # fmt: skip
