"""Judgments of a result: asked for, stated in a thought, lexical or random, and the rule that counts them."""

from judged_useless.protocol.rule import IntegrationRule
from judged_useless.protocol.side_channel import JUDGMENT_FORM, JUDGMENT_TOKENS, parse_side_channel
from judged_useless.protocol.signals import lexical_judgment, random_judgment
from judged_useless.protocol.stated import stated_judgment

__all__ = [
    "JUDGMENT_FORM",
    "JUDGMENT_TOKENS",
    "IntegrationRule",
    "lexical_judgment",
    "parse_side_channel",
    "random_judgment",
    "stated_judgment",
]
