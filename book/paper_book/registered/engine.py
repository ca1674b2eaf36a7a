"""Deciding registered tests: on episodes, or on whatever else gives their quantities.

Each comparison is true, false or unknown (None), and a verdict is given as soon as what is known decides it,
whatever else may be missing.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, lru_cache
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import Estimate, UndefinedEstimateError
from judged_useless.estimators.inference import holm

from paper_book.measures.calculator import Calculator
from paper_book.measures.cell_index import CellIndex, CellKey, Need
from paper_book.registered.results import Answer, Asked, Figure, RegisteredCase, RegisteredResult
from paper_book.registered.rules import Criterion, Place, Quantity, RegisteredTest, RuleCheck, RuleVerdict

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


@lru_cache(maxsize=256)
def _holm(pvalues: tuple[float, ...]) -> tuple[float, ...]:
    # Remembered because statsmodels collects garbage at every call, and most families have the same p-values.
    return tuple(float(p) for p in holm(pvalues)["p_holm"])


def adjust(answers: dict[str, dict[str, Answer]], optional: Sequence[str]) -> dict[str, dict[str, Answer]]:
    """Adjust p-values over models by Holm's method; a missing model's p may be anything from 0 to 1."""
    adjusted = {model: dict(named) for model, named in answers.items()}
    for name in next(iter(answers.values())):
        figures = {model: named[name].figure for model, named in answers.items()}
        known = {model: each.p for model, each in figures.items() if each is not None and each.p is not None}
        missing = [model for model in figures if model not in known and model not in optional]
        if not known:
            continue
        lowest, highest = (_holm((*known.values(), *[extreme] * len(missing))) for extreme in (0.0, 1.0))
        for model, low, high in zip(known, lowest, highest, strict=False):
            adjusted[model][name] = replace(answers[model][name], adjusted=(low, high))
    return adjusted


def _truth(criterion: Criterion, answers: Mapping[str, Answer]) -> bool | None:
    """Return whether a criterion holds; None if that is not known."""
    answer = answers[criterion.quantity]
    if answer.figure is None:
        return None
    if criterion.bound == "p" and answer.adjusted is not None:
        least, most = (criterion.holds(p) for p in answer.adjusted)
        return least if least == most else None
    number = getattr(answer.figure, criterion.bound)
    return None if number is None or number != number else criterion.holds(float(number))


def _all(truths: Iterable[bool | None]) -> bool | None:
    listed = list(truths)
    return False if False in listed else None if None in listed else True


def _holds(verdict: RuleVerdict, answers: Mapping[str, Answer]) -> bool | None:
    parts = [_truth(criterion, answers) for criterion in verdict.all]
    if verdict.any:
        some = [_truth(criterion, answers) for criterion in verdict.any]
        parts.append(True if True in some else None if None in some else False)
    return _all(parts)


def decide(case: RegisteredCase) -> RegisteredCase:
    """Return the case with the first verdict that holds, if everything before it is known not to."""
    applies = _all(_truth(criterion, case.answers) for criterion in case.check.applies_if)
    if applies is None:
        return case
    if not applies:
        return replace(case, label=case.check.otherwise or "", outcome="reported")
    only_reported = not any(True for _ in case.check.criteria())
    if only_reported and any(answer.figure is None for answer in case.answers.values()):
        return case
    for verdict in case.check.rulings():
        holds = _holds(verdict, case.answers)
        if holds is None:
            return case
        if holds:
            return replace(case, label=verdict.label, outcome=verdict.outcome)
    return case


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
    """Evaluate registered tests on episodes of any number of cells: a result a test, in the same order."""
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
