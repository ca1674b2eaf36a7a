"""From figures to verdicts.

Each comparison is true, false or unknown (None), and a verdict is given as soon as what is known decides it,
whatever else may be missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from judged_useless.estimators.inference import holm

from paper_book.registered.results import Answer, RegisteredCase
from paper_book.registered.rules import Criterion, RuleVerdict


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
