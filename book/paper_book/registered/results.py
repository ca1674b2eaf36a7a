"""What comes of asking: figures, cases and the outcome of a test, or exactly what is missing for it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from paper_book.measures.cell_index import CellKey, Need, describe, merge
from paper_book.measures.registry import PaperMeasure, registry
from paper_book.registered.rules import Place, RegisteredTest, RuleCheck

#: Outcome of a test that the given episodes do not decide.
NOT_EVALUABLE = "not evaluable"
#: Outcome of a test that presumes another one, which failed.
NOT_INTERPRETED = "not interpreted"


@dataclass(frozen=True)
class Figure:
    """A number: value and interval, one-sided unadjusted p, observations n and those counted among them k."""

    value: float
    low: float | None = None
    high: float | None = None
    p: float | None = None
    n: int | None = None
    k: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Asked:
    """A quantity with everything filled in: its measure, its cells and the regimes that are read.

    `named` is the name that is given for the regimes; empty for a list, or for those of the measure.
    """

    measure: str
    cells: tuple[CellKey, ...]
    regimes: tuple[str, ...]
    named: str

    @property
    def row(self) -> PaperMeasure:
        """The measure's row in the registry."""
        return registry().measures[self.measure]

    def printed_keys(self) -> tuple[tuple[str, ...], ...]:
        """Return what identifies the quantity in the published tables, in the order of ``QUANTITY``.

        One on the first questions of a split stands there under the split's name or under one of its own. One
        on annotations has a measure only.
        """
        if not self.cells:
            return (("", "", "", "", "", "", self.measure),)
        model, _, task, split, budget = self.cells[0]
        condition = " - ".join(dict.fromkeys(cell.condition for cell in self.cells))
        return tuple(
            (model, condition, task, name, str(budget), self.named, self.measure)
            for name in dict.fromkeys((split, split.partition("-first")[0]))
        )


@dataclass(frozen=True)
class Answer:
    """What came of asking for a quantity: a figure, or what it lacks, or why it has no value.

    `adjusted` is the Holm-adjusted p-value: the smallest and largest it can be, given the models that are
    missing.
    """

    asked: Asked
    figure: Figure | None = None
    needs: tuple[Need, ...] = ()
    reason: str = ""
    adjusted: tuple[float, float] | None = None


@dataclass(frozen=True)
class RegisteredCase:
    """One check asked of one model and one entry of ``each``."""

    check: RuleCheck
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
class RegisteredResult:
    """A registered test with every case of its rule, and the test that it presumes."""

    test: RegisteredTest
    cases: tuple[RegisteredCase, ...]
    presumed: "RegisteredResult | None" = None

    @property
    def required(self) -> tuple[RegisteredCase, ...]:
        """Cases that must be decided: those that can pass or fail, or all where none can; none optional."""
        scored = [case for case in self.cases if case.check.scored]
        return tuple(case for case in scored or self.cases if case.decided or not case.optional)

    @property
    def outcome(self) -> str:
        """Outcome: pass if every case passes, fail if every case fails, partial otherwise."""
        if not all(case.decided for case in self.required):
            return NOT_EVALUABLE
        if self.presumed is not None and self.presumed.outcome in (NOT_EVALUABLE, "fail"):
            return NOT_INTERPRETED if self.presumed.outcome == "fail" else NOT_EVALUABLE
        outcomes = {case.outcome for case in self.required if case.outcome != "reported"}
        if not outcomes:
            return "reported"
        return outcomes.pop() if len(outcomes) == 1 else "partial"

    @property
    def needs(self) -> tuple[Need, ...]:
        """What is missing for the outcome."""
        own = [need for case in self.required if not case.decided for need in case.needs]
        return tuple(merge([*own, *(self.presumed.needs if self.presumed else ())]))

    @property
    def verdict(self) -> str:
        """The outcome, with what it would need."""
        if self.outcome != NOT_EVALUABLE:
            return self.outcome
        undecided = [case for case in self.required if not case.decided]
        reasons = dict.fromkeys(reason for case in undecided for reason in case.reasons)
        needs = [f"needs {describe(self.needs)}"] if self.needs else []
        return f"{NOT_EVALUABLE}: " + "; ".join([*needs, *reasons])
