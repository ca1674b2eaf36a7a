"""The signals that replace the agent's judgment."""

import random

import pytest
from judged_useless._io.seeds import stable_seed
from judged_useless.protocol.signals import lexical_judgment, random_judgment

QUESTION = "Which magazine was started first, Arthur's Magazine or First for Women?"


@pytest.mark.parametrize(
    ("observation", "judgment"),
    [
        ("[Kent] A county.", "USELESS"),
        ("[Arthur's Magazine] A journal.", "USEFUL"),  # 2 of 5
        ("[Women] A painting.", "USELESS"),  # 1 of 5 = 20 %
        ("x" * 400 + " magazine women arthur", "USELESS"),
        ("x" * 380 + " magazine women", "USEFUL"),
        ("No results found.", "USELESS"),
    ],
)
def test_words_are_counted_at_the_start_of_the_observation(observation: str, judgment: str) -> None:
    assert lexical_judgment(QUESTION, observation) == judgment


def test_a_random_judgment_is_the_protocols_draw() -> None:
    draw = random.Random(stable_seed(42, "gate2-randmatch", "q1", "persistent", 3)).random()
    assert random_judgment("q1", "persistent", 3, draw + 1e-9) == "USELESS"
    assert random_judgment("q1", "persistent", 3, draw) == "USEFUL"
    assert random_judgment("q1", "persistent", 3, 1.0) == "USELESS"
