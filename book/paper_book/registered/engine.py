"""Evaluating registered tests on episodes, case by case; cells and figures are shared between tests."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import pandas as pd
from judged_useless.estimators.estimate import UndefinedEstimateError
from judged_useless.estimators.success import STATED_CONDITIONS

from paper_book.registered.logic import adjust, decide
from paper_book.registered.models import RegisteredTest
from paper_book.registered.registered_cells import Cell, Cells, Need
from paper_book.registered.results import Answer, Asked, Case, Result
from paper_book.registered.rules import REGIME_SETS, Check, Place, Quantity
from paper_book.registered.test_measures import MEASURES, STATED, Inputs

_OPTIONS = ("judgments", "failed", "price", "charge_judgments")


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
    b = (
        a._replace(**{{"arm": "condition"}.get(name, name): value for name, value in minus.given().items()})
        if minus
        else None
    )
    members = REGIME_SETS.get(regimes, (regimes,)) if isinstance(regimes, str) else regimes
    name = regimes if isinstance(regimes, str) else ""
    return Asked(quantity.measure, a, b, members, name, options, test.first_questions)


class Decider(ABC):
    """Decides registered tests, whatever the quantities come from."""

    @abstractmethod
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
            model: {
                name: self.ask(resolve(test, model, each, quantity))
                for name, quantity in check.quantities.items()
            }
            for model in models
        }
        if test.multiplicity == "holm":
            answers = adjust(answers, test.optional_models)
        return [
            decide(Case(check, model, each, answers[model], optional=model in test.optional_models))
            for model in models
        ]


class Evaluator(Decider):
    """Evaluates registered tests on episodes; cells and figures are shared between tests.

    Parameters
    ----------
    episodes : pandas.DataFrame
        Episodes of any number of cells, as from :func:`judged_useless.load_episodes`.
    annotations : pandas.DataFrame, optional
        For Amendment 16b: ``annotated`` and ``adjudicated``, both labels of each item (USELESS or another).
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
            return (
                []
                if self._annotations is not None
                else [Need("an annotator's labels beside adjudicated ones")]
            )
        options, needs = dict(asked.options), []
        for cell in (asked.a, asked.b):
            if cell is None:
                continue
            fields, judged = list(kind.fields), kind.judged
            if options.get("judgments") == "stated":
                fields, judged = [*fields, STATED], False
            if options.get("charge_judgments") and cell.condition in STATED_CONDITIONS:
                fields.append("n_discarded")
            needs += self._cells.missing(cell, asked.regimes, first=asked.first, fields=fields, judged=judged)
        return needs

    def _taken(self, cell: Cell, asked: Asked) -> pd.DataFrame:
        frame = self._cells.take(cell, asked.regimes, asked.first)
        return frame.assign(stated=frame[STATED]) if STATED in frame else frame

    def _measure(self, asked: Asked) -> Answer:
        if needs := self._needs(asked):
            return Answer(asked, needs=tuple(needs))
        a, b = (
            self._taken(cell, asked) if cell is not None else pd.DataFrame() for cell in (asked.a, asked.b)
        )
        annotations = pd.DataFrame() if self._annotations is None else self._annotations
        given = Inputs(a, b, asked.regimes, annotations, self._resampling, dict(asked.options))
        try:
            return Answer(asked, MEASURES[asked.measure].compute(given))
        except UndefinedEstimateError as error:
            return Answer(asked, reason=str(error))


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
        Tests, as from :func:`~paper_book.registered.load_tests`.
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
