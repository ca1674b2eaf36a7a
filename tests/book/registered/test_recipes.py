"""Every registered rule passes on episodes that satisfy it and fails on episodes that do not."""

from typing import Any

import pytest
from made_up_cells import cells_of, load_recipes, make_episodes, with_failures
from paper_book.registered.engine import evaluate
from paper_book.registered.load import load_tests
from paper_book.registered.results import RegisteredResult
from paper_book.registered.rules import RegisteredTest

FILE = load_recipes()
TESTS = {test.key: test for test in load_tests()}
OUTCOMES = ("pass", "fail", "partial")


def recipes(key: str, word: str) -> list[dict[str, Any]]:
    found = FILE["recipes"][key][word]
    return found if isinstance(found, list) else [found]


def run(test: RegisteredTest, recipe: dict[str, Any]) -> RegisteredResult:
    # What no run gives, as the agreement of annotators, is no part of the rule here.
    test = test.model_copy(update={"rule": tuple(check for check in test.rule if check.models != ())})
    episodes = make_episodes(cells_of([test]), recipe, FILE["behaviours"])
    if any(quantity.measure == "agreement" for check in test.rule for quantity in check.quantities.values()):
        episodes = with_failures(episodes)
    (result,) = evaluate(episodes, [test], n_boot=200)
    return result


def labelled(result: RegisteredResult, word: str) -> list[str]:
    """Labels of the check that can give this label."""
    words = [
        ([case.check.otherwise, *(each.label for each in case.check.rulings())], case.label)
        for case in result.cases
    ]
    return [label for known, label in words if word in known]


CASES = [
    (key, word, number)
    for key, words in FILE["recipes"].items()
    for word in words
    for number in range(len(recipes(key, word)))
]


@pytest.mark.parametrize(("key", "word", "number"), [case for case in CASES if case[1] != "reported"])
def test_rule_on_made_up_episodes(key: str, word: str, number: int) -> None:
    test = TESTS[key]
    if number or word not in ("pass", "fail"):
        # Beyond the pair, two models show as much as all of them, in half the time.
        test = test.model_copy(update={"models": test.models[:2]})
    result = run(test, recipes(key, word)[number])
    if word in OUTCOMES:
        assert result.outcome == word
    else:
        labels = labelled(result, word)
        assert labels
        assert set(labels) == {word}


@pytest.mark.parametrize("key", [key for key, words in FILE["recipes"].items() if "reported" in words])
def test_reported_figures_follow_the_episodes(key: str) -> None:
    first, second = (run(TESTS[key], recipe) for recipe in recipes(key, "reported"))
    assert first.outcome == second.outcome == "reported"
    for a, b in zip(first.cases, second.cases, strict=True):
        for name, answer in a.answers.items():
            other = b.answers[name]
            assert answer.figure is not None
            assert other.figure is not None
            assert abs(answer.figure.value - other.figure.value) > 0.1


def test_every_test_has_recipes() -> None:
    assert set(FILE["recipes"]) == set(TESTS)
