"""Deciding registered tests: on episodes, or on whatever else gives their quantities."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError

from paper_book.measures.calculator import Calculator
from paper_book.measures.cell_index import CellIndex, CellKey, Need
from paper_book.registered.logic import adjust, decide
from paper_book.registered.results import Answer, Asked, Figure, RegisteredCase, RegisteredResult
from paper_book.registered.rules import Place, Quantity, RegisteredTest, RuleCheck

Ask = Callable[[Asked], Answer]


def resolve(test: RegisteredTest, model: str, each: Place, quantity: Quantity) -> Asked:
    """Fill in where a quantity is measured: from itself, else the entry of ``each``, else the test."""
    row, where = quantity.row, f"{test.key}, {quantity.measure}"
    if row.why_not:
        return Asked(quantity.measure, (), (), "")
    place: dict[str, Any] = {"task": test.task, "split": test.split, "budget": test.budget}
    place |= each.given() | quantity.given()
    minus, named = place.pop("minus", None), place.pop("regimes", "")
    if "arm" not in place:
        raise ValueError(f"{where}: an arm must be given by the quantity or by each")
    if test.first_questions:
        place["split"] += f"-first{test.first_questions}"
    first = CellKey(model, place["arm"], place["task"], place["split"], place["budget"])
    given = minus.given() if minus else {}
    other = {"condition" if name == "arm" else name: value for name, value in given.items()}
    cells = (first, first._replace(**other)) if minus else (first,)
    if row.function(len(cells)) is None:
        raise ValueError(f"{where}: a measure of {row.cells} cells is asked of {len(cells)}")
    regimes = row.regimes(named, first.task) if isinstance(named, str) else named
    if not regimes:
        raise ValueError(f"{where}: regimes must be given by the quantity or by each")
    return Asked(quantity.measure, cells, regimes, named if isinstance(named, str) else "")


def evaluate_with(ask: Ask, tests: Iterable[RegisteredTest]) -> list[RegisteredResult]:
    """Return tests with their cases, their quantities given by a function."""
    results: list[RegisteredResult] = []
    for test in tests:
        places = [(check, each) for check in test.rule for each in check.each]
        cases = [case for check, each in places for case in _family(ask, test, check, each)]
        # A test that another one presumes stands before it.
        presumed = next((each for each in results if each.test.key == test.presumes), None)
        results.append(RegisteredResult(test, tuple(cases), presumed))
    return results


def _family(ask: Ask, test: RegisteredTest, check: RuleCheck, each: Place) -> list[RegisteredCase]:
    """Return the cases that differ in the model only: the family of a multiplicity correction."""
    models = test.models if check.models is None else check.models or ("",)
    answers = {
        model: {name: ask(resolve(test, model, each, what)) for name, what in check.quantities.items()}
        for model in models
    }
    if test.multiplicity == "holm":
        answers = adjust(answers, test.optional_models)
    optional = set(test.optional_models)
    return [
        decide(RegisteredCase(check, model, each, answers[model], optional=model in optional))
        for model in models
    ]


def evaluate(
    episodes: pd.DataFrame,
    tests: Iterable[RegisteredTest],
    *,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> list[RegisteredResult]:
    """Evaluate registered tests on episodes.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells, as from :func:`judged_useless.load_episodes`.
    tests : iterable of RegisteredTest
        Tests, as from :func:`~paper_book.registered.load_tests`.
    n_boot, seed, level
        Of the question-cluster bootstrap; the paper's by default.

    Returns
    -------
    list of RegisteredResult
        One a test, in the same order.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    calculator = Calculator(CellIndex(episodes), n_boot=n_boot, seed=seed, level=level)

    @cache
    def ask(asked: Asked) -> Answer:
        if asked.row.why_not:
            return Answer(asked, needs=(Need(asked.row.why_not),))
        try:
            if needs := calculator.missing(asked.row, asked.cells, asked.regimes):
                return Answer(asked, needs=tuple(needs))
            found = calculator.value(asked.row, asked.cells, asked.regimes)
        except UndefinedEstimateError as error:
            return Answer(asked, reason=str(error))
        assert isinstance(found, Estimate)
        return Answer(asked, _figure(found))

    return evaluate_with(ask, tests)


def _figure(found: Estimate) -> Figure:
    # A share with an interval is shown with it, one without by its count.
    count = found.parts.get("answers", found.parts.get("count") if found.low is None else None)
    p, k = found.parts.get("p_one_sided"), None if count is None else int(count)
    return Figure(found.value, found.low, found.high, p, found.n, k, found.reason)
