"""What comes of asking: figures, cases and the outcome of a test, or exactly what is missing for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from paper_book.registered.models import RegisteredTest
from paper_book.registered.registered_cells import Cell, Need, describe, merge
from paper_book.registered.rules import Check, Place
from paper_book.registered.test_measures import MEASURES, PUBLISHED_VARIANTS, Figure

#: Outcome of a test that the given episodes do not decide.
NOT_EVALUABLE = "not evaluable"


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
    def published(self) -> str:
        """Name of the measure in the published tables."""
        kind = MEASURES[self.measure]
        name = kind.difference if self.b is not None and kind.difference else kind.published
        for option, value in self.options:
            name = PUBLISHED_VARIANTS.get((name, option, value), name)
        return name

    def printed_keys(self) -> tuple[tuple[str, ...], ...]:
        """Return what identifies the quantity in the published tables, in the order of ``QUANTITY``.

        One on the first questions of a split stands there under the split's name or under one of its own. One
        on annotations has a measure only.
        """
        if self.a is None:
            return (("", "", "", "", "", "", self.published),)
        splits = [self.a.split] if self.first is None else [f"{self.a.split}-first{self.first}", self.a.split]
        model, _, _, task, budget = self.a
        return tuple(
            (model, self.condition, task, split, str(budget), self.regime_set, self.published)
            for split in splits
        )


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
        found = [
            answer.reason or (answer.figure.reason if answer.figure else "")
            for answer in self.answers.values()
        ]
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
        reasons = dict.fromkeys(
            reason for case in self.required if not case.decided for reason in case.reasons
        )
        needed = [describe(self.needs)] if self.needs else []
        return f"{NOT_EVALUABLE}: " + "; ".join([*(f"needs {each}" for each in needed), *reasons])
