"""What is said and how it is read: judgments of a result, and the rule that counts them."""

from judged_useless.protocol.rule import IntegrationRule
from judged_useless.protocol.signals import (
    JUDGE_QUESTION,
    JUDGMENT_FORM,
    JUDGMENT_TOKENS,
    lexical_judgment,
    parse_side_channel,
    random_judgment,
)
from judged_useless.protocol.stated import stated_judgment

__all__ = [
    "JUDGE_QUESTION",
    "JUDGMENT_FORM",
    "JUDGMENT_TOKENS",
    "IntegrationRule",
    "lexical_judgment",
    "parse_side_channel",
    "random_judgment",
    "stated_judgment",
]
