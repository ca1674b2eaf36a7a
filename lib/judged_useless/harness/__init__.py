"""The rule in other people's loops: it reads their messages, and takes the tools away when it fires."""

from judged_useless.harness.last_answer import (
    ANSWER_NOW,
    Answer,
    answer_only,
    final_answer,
    final_answer_async,
)
from judged_useless.harness.message_rule import Backstop, Decision, Rule
from judged_useless.protocol.signals import JUDGE_QUESTION

__all__ = [
    "ANSWER_NOW",
    "JUDGE_QUESTION",
    "Answer",
    "Backstop",
    "Decision",
    "Rule",
    "answer_only",
    "final_answer",
    "final_answer_async",
]
