"""Deciding registered tests on episodes.

A rule is asked case by case. Each comparison is true, false or unknown, and a verdict is given as soon as what
is known decides it, whatever else may be missing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from judged_useless.estimators import UndefinedEstimateError, holm
from judged_useless.estimators.cost import STATED_CONDITIONS
from judged_useless.preregistration.cells import Cell, Cells, Need, describe, merge
from judged_useless.preregistration.measures import MEASURES, Figure, Inputs
from judged_useless.preregistration.rules import REGIME_SETS, Check, Criterion, Place, Quantity, Verdict
from judged_useless.preregistration.schema import RegisteredTest

#: Outcome of a test that the given episodes do not decide.
NOT_EVALUABLE = "not evaluable"
_OPTIONS = ("judgments", "failed", "price", "charge_judgments")


@dataclass(frozen=True)
class Asked:
    """A quantity with everything filled in.

    Attributes
    ----------
    measure : str
        Its measure.
    a, b : Cell or None
        Cell it is measured on, and the one that is subtracted; None for a measure on annotations.
    regimes : tuple of str
        Regimes measured.
    regime_set : str
        Name of the regime or set of regimes; empty for a list without a name.
    options : tuple of (str, object)
        Options of the measure.
    first : int or None
        Questions measured, in the order of the manifest; None for all.
    """

    measure: str
    a: Cell | None
    b: Cell | None
    regimes: tuple[str, ...]
    regime_set: str
    options: tuple[tuple[str, object], ...]
    first: int | None

    @property
    def condition(self) -> str:
        """Condition, or the two conditions of a difference, as the published tables write them."""
        if self.a is None:
            return ""
        if self.b is None or self.b.condition == self.a.condition:
            return self.a.condition
        return f"{self.a.condition} - {self.b.condition}"

    @property
    def printed(self) -> tuple[str, str]:
        """Name of the measure and its unit in the published tables."""
        kind = MEASURES[self.measure]
        return kind.difference if self.b is not None and kind.difference else (kind.name, kind.unit)


@dataclass(frozen=True)
class Answer:
    """What came of asking for a quantity: a figure, or what it lacks, or why it has no value."""

    asked: Asked
    figure: Figure | None = None
    needs: tuple[Need, ...] = ()
    reason: str = ""
    #: Holm-adjusted p-value: the smallest and largest it can be, given the models that are missing.
    adjusted: tuple[float, float] | None = None


@dataclass(frozen=True)
class Case:
    """One check asked of one model and one entry of ``each``.

    Attributes
    ----------
    check : Check
        The check.
    model : str
        Model; empty for a check that concerns none.
    each : Place
        The entry of ``each``.
    answers : dict of str to Answer
        The quantities.
    label : str
        Label of the verdict; :data:`NOT_EVALUABLE` if what is known does not decide the case.
    outcome : str
        "pass", "fail", "partial", "reported" or :data:`NOT_EVALUABLE`.
    optional : bool
        Whether the test can do without it.
    """

    check: Check
    model: str
    each: Place
    answers: Mapping[str, Answer] = field(repr=False)
    label: str = NOT_EVALUABLE
    outcome: str = NOT_EVALUABLE
    optional: bool = False

    @property
    def decided(self) -> bool:
        """Whether the episodes decide the case."""
        return self.outcome != NOT_EVALUABLE

    @property
    def needs(self) -> tuple[Need, ...]:
        """What its quantities lack."""
        return tuple(merge(need for answer in self.answers.values() for need in answer.needs))

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why quantities of an undecided case have no value or bound."""
        found = [answer.reason or (answer.figure.reason if answer.figure else "") for answer in self.answers.values()]
        return tuple(dict.fromkeys(reason for reason in found if reason))


@dataclass(frozen=True)
class Result:
    """A registered test on given episodes.

    Attributes
    ----------
    test : RegisteredTest
        The test.
    cases : tuple of Case
        Every case of its rule.
    """

    test: RegisteredTest
    cases: tuple[Case, ...]

    @property
    def required(self) -> tuple[Case, ...]:
        """Cases that must be decided: those that can pass or fail, or all where none can; none optional."""
        scored = [case for case in self.cases if case.check.scored]
        chosen = scored or list(self.cases)
        return tuple(case for case in chosen if case.decided or not case.optional)

    @property
    def outcome(self) -> str:
        """Outcome: pass if every case passes, fail if every case fails, partial otherwise."""
        if not all(case.decided for case in self.required):
            return NOT_EVALUABLE
        outcomes = {case.outcome for case in self.required if case.outcome != "reported"}
        if not outcomes:
            return "reported"
        return outcomes.pop() if len(outcomes) == 1 else "partial"

    @property
    def needs(self) -> tuple[Need, ...]:
        """What is missing for the outcome."""
        return tuple(merge(need for case in self.required if not case.decided for need in case.needs))

    @property
    def verdict(self) -> str:
        """The outcome, with what it would need."""
        if self.outcome != NOT_EVALUABLE:
            return self.outcome
        reasons = dict.fromkeys(reason for case in self.required if not case.decided for reason in case.reasons)
        needed = [describe(self.needs)] if self.needs else []
        return f"{NOT_EVALUABLE}: " + "; ".join([*(f"needs {each}" for each in needed), *reasons])


def resolve(test: RegisteredTest, model: str, each: Place, quantity: Quantity) -> Asked:
    """Fill in where a quantity is measured: from itself, else the entry of ``each``, else the test.

    Parameters
    ----------
    test : RegisteredTest
        The test.
    model : str
        Model asked.
    each : Place
        Entry of ``each``.
    quantity : Quantity
        The quantity.

    Returns
    -------
    Asked

    Raises
    ------
    ValueError
        If arm or regimes are given nowhere, or a measure that is no difference has a ``minus``.
    """
    kind = MEASURES[quantity.measure]
    options = tuple((name, getattr(quantity, name)) for name in _OPTIONS if name in kind.options)
    if not kind.on_episodes:
        return Asked(quantity.measure, None, None, (), "", options, None)
    place: dict[str, Any] = {"task": test.task, "split": test.split, "budget": test.budget}
    place |= each.given() | quantity.given()
    minus = place.pop("minus", None)
    where = f"{test.key}, {quantity.measure}"
    if "arm" not in place or "regimes" not in place:
        raise ValueError(f"{where}: arm and regimes must be given by the quantity or by each")
    if minus is not None and kind.difference is None:
        raise ValueError(f"{where}: this measure is no difference of two cells")
    regimes = place["regimes"]
    a = Cell(model, place["arm"], place["split"], place["task"], place["budget"])
    b = a._replace(**{{"arm": "condition"}.get(name, name): value for name, value in minus.given().items()}) if minus else None
    members = REGIME_SETS.get(regimes, (regimes,)) if isinstance(regimes, str) else regimes
    name = regimes.removeprefix("ts_") if isinstance(regimes, str) else ""
    return Asked(quantity.measure, a, b, members, name, options, test.first_questions)


class Evaluator:
    """Evaluates registered tests on episodes; cells and figures are shared between tests.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells, as from :func:`judged_useless.load_episodes`.
    annotations : pandas.DataFrame, optional
        For Amendment 16b: ``annotated`` and ``adjudicated``, the two labels of each item (USELESS or another).
    n_boot, seed, level
        Of the question-cluster bootstrap; the paper's by default.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """

    def __init__(
        self,
        episodes: pd.DataFrame,
        *,
        annotations: pd.DataFrame | None = None,
        n_boot: int = 2000,
        seed: int = 0,
        level: float = 0.95,
    ) -> None:
        self._cells = Cells(episodes)
        self._annotations = annotations
        self._resampling = {"n_boot": n_boot, "seed": seed, "level": level}
        self._answers: dict[Asked, Answer] = {}

    def ask(self, asked: Asked) -> Answer:
        """Return a quantity, or what it lacks.

        Parameters
        ----------
        asked : Asked
            The quantity.

        Returns
        -------
        Answer
        """
        if asked not in self._answers:
            self._answers[asked] = self._measure(asked)
        return self._answers[asked]

    def _needs(self, asked: Asked) -> list[Need]:
        kind = MEASURES[asked.measure]
        if not kind.on_episodes:
            return [] if self._annotations is not None else [Need("an annotator's labels beside adjudicated ones")]
        options, needs = dict(asked.options), []
        for cell in (asked.a, asked.b):
            if cell is None:
                continue
            fields, judged = list(kind.fields), kind.judged
            if options.get("judgments") == "stated":
                fields, judged = [*fields, "stated"], False
            if options.get("charge_judgments") and cell.condition in STATED_CONDITIONS:
                fields.append("n_discarded")
            needs += self._cells.missing(cell, asked.regimes, first=asked.first, fields=fields, judged=judged)
        return needs

    def _measure(self, asked: Asked) -> Answer:
        if needs := self._needs(asked):
            return Answer(asked, needs=tuple(needs))
        a, b = (
            self._cells.take(cell, asked.regimes, asked.first) if cell is not None else pd.DataFrame()
            for cell in (asked.a, asked.b)
        )
        annotations = pd.DataFrame() if self._annotations is None else self._annotations
        given = Inputs(a, b, asked.regimes, annotations, self._resampling, dict(asked.options))
        try:
            return Answer(asked, MEASURES[asked.measure].compute(given))
        except UndefinedEstimateError as error:
            return Answer(asked, reason=str(error))

    def evaluate(self, test: RegisteredTest) -> Result:
        """Return a test's cases and outcome.

        Parameters
        ----------
        test : RegisteredTest
            The test.

        Returns
        -------
        Result
        """
        cases: list[Case] = []
        for check in test.rule:
            for each in check.each:
                cases += self._row(test, check, each)
        return Result(test, tuple(cases))

    def _row(self, test: RegisteredTest, check: Check, each: Place) -> list[Case]:
        """Return the cases that differ in the model only: the family of a multiplicity correction."""
        models = test.models if check.models is None else check.models or ("",)
        answers = {
            model: {name: self.ask(resolve(test, model, each, quantity)) for name, quantity in check.quantities.items()}
            for model in models
        }
        if test.multiplicity == "holm":
            answers = _adjust(answers, test.optional_models)
        return [
            _decide(Case(check, model, each, answers[model], optional=model in test.optional_models)) for model in models
        ]


def _adjust(
    answers: dict[str, dict[str, Answer]], optional: Sequence[str]
) -> dict[str, dict[str, Answer]]:
    """Adjust p-values over models by Holm's method; a missing model's p may be anything from 0 to 1."""
    adjusted = {model: dict(named) for model, named in answers.items()}
    for name in next(iter(answers.values())):
        p = {model: _p(named[name]) for model, named in answers.items()}
        known = {model: value for model, value in p.items() if value is not None}
        missing = [model for model in p if model not in known and model not in optional]
        if not known:
            continue
        bounds = [holm(known | dict.fromkeys(missing, extreme))["p_holm"] for extreme in (0.0, 1.0)]
        for model in known:
            least, most = (float(each[model]) for each in bounds)
            adjusted[model][name] = replace(answers[model][name], adjusted=(least, most))
    return adjusted


def _p(answer: Answer) -> float | None:
    return answer.figure.p if answer.figure is not None else None


def _truth(criterion: Criterion, answers: Mapping[str, Answer]) -> bool | None:
    """Return whether a criterion holds; None if that is not known."""
    answer = answers[criterion.quantity]
    if answer.figure is None:
        return None
    if criterion.bound == "p" and answer.adjusted is not None:
        least, most = (criterion.holds(p) for p in answer.adjusted)
        return least if least == most else None
    number = getattr(answer.figure, criterion.bound)
    return None if number is None else criterion.holds(float(number))


def _all(truths: Iterable[bool | None]) -> bool | None:
    listed = list(truths)
    return False if False in listed else None if None in listed else True


def _any(truths: Iterable[bool | None]) -> bool | None:
    listed = list(truths)
    return True if True in listed else None if None in listed else False


def _holds(verdict: Verdict, answers: Mapping[str, Answer]) -> bool | None:
    parts = [_all(_truth(criterion, answers) for criterion in verdict.all)]
    if verdict.any:
        parts.append(_any(_truth(criterion, answers) for criterion in verdict.any))
    return _all(parts)


def _decide(case: Case) -> Case:
    """Return the case with the first verdict that holds, if everything before it is known not to."""
    applies = _all(_truth(criterion, case.answers) for criterion in case.check.applies_if)
    if applies is None:
        return case
    if not applies:
        return replace(case, label=case.check.otherwise or "", outcome="reported")
    for verdict in case.check.rulings():
        holds = _holds(verdict, case.answers)
        if holds is None:
            return case
        if holds:
            break
    if verdict.outcome == "reported" and any(answer.figure is None for answer in case.answers.values()):
        # Nothing is reported without its figures.
        return case
    return replace(case, label=verdict.label, outcome=verdict.outcome)


def evaluate(
    episodes: pd.DataFrame,
    tests: Iterable[RegisteredTest],
    *,
    annotations: pd.DataFrame | None = None,
    n_boot: int = 2000,
    seed: int = 0,
    level: float = 0.95,
) -> list[Result]:
    """Evaluate registered tests on episodes.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells, as from :func:`judged_useless.load_episodes`.
    tests : iterable of RegisteredTest
        Tests, as from :func:`~judged_useless.preregistration.load_tests`.
    annotations, n_boot, seed, level
        As for :class:`Evaluator`.

    Returns
    -------
    list of Result
        One a test, in the same order.

    Raises
    ------
    EpisodeError
        If an episode is not what the schema says.
    """
    evaluator = Evaluator(episodes, annotations=annotations, n_boot=n_boot, seed=seed, level=level)
    return [evaluator.evaluate(test) for test in tests]
