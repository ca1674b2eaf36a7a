"""The signals that replace the agent's judgment."""

import random

import hamlets
import pytest
from judged_useless._io.seeds import stable_seed
from judged_useless.environment.environment import Environment
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


def test_whatever_the_environment_says_of_no_result_is_useless() -> None:
    question = hamlets.load("all")[0]
    environment = Environment(question, "clean")
    for action, text in (("lookup", "year"), ("search", "Ankerby 0"), ("lookup", "zzz"), ("search", "§")):
        observation = environment.step(action, text)
        assert observation is not None
        nothing = observation.text.startswith(("Error: no sentence", "No results"))
        if nothing:
            assert lexical_judgment(observation.text, observation.text) == "USELESS"
    assert nothing


def test_a_random_judgment_is_the_protocols_draw() -> None:
    draw = random.Random(stable_seed(42, "gate2-randmatch", "q1", "persistent", 3)).random()
    assert random_judgment("q1", "persistent", 3, draw + 1e-9) == "USELESS"
    assert random_judgment("q1", "persistent", 3, draw) == "USEFUL"
    assert random_judgment("q1", "persistent", 3, 1.0) == "USELESS"
