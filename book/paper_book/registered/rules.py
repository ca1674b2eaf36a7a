"""What a registered test is: a prediction, a decision rule as data, and what the paper printed."""

from collections.abc import Iterator
from typing import Annotated, Literal

from judged_useless.environment.regimes import get_regime
from pydantic import Field, model_validator

from paper_book.measures.registry import REGIME_SETS, PaperMeasure, registry
from paper_book.strict_yaml import Strict

OutcomeWord = Literal["pass", "fail", "partial", "reported"]
Text = Annotated[str, Field(min_length=1)]
#: A comparison with a threshold is strict only beyond rounding of sums of shares.
_ROUNDING = 1e-9
_COMPARISONS = ("above", "at_least", "below", "at_most", "equals")


class Criterion(Strict):
    """One comparison of a measured quantity with a threshold."""

    quantity: Text
    bound: Literal["value", "low", "high", "p", "n"] = "value"
    above: float | None = None
    at_least: float | None = None
    below: float | None = None
    at_most: float | None = None
    equals: float | None = None

    @model_validator(mode="after")
    def _one_comparison(self) -> "Criterion":
        given = [name for name in _COMPARISONS if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"expected exactly one of {', '.join(_COMPARISONS)}, found {given or 'none'}")
        return self

    @property
    def comparison(self) -> tuple[str, float]:
        """Name and threshold of the comparison."""
        name = next(name for name in _COMPARISONS if getattr(self, name) is not None)
        return name, float(getattr(self, name))

    def holds(self, number: float) -> bool:
        """Return whether a number meets the threshold."""
        name, threshold = self.comparison
        over = number - threshold
        return {
            "above": over > _ROUNDING,
            "at_least": over >= -_ROUNDING,
            "below": over < -_ROUNDING,
            "at_most": over <= _ROUNDING,
            "equals": abs(over) <= _ROUNDING,
        }[name]


class Place(Strict):
    """Where a quantity is measured, as far as it is given here; the rest comes from the check or the test."""

    arm: Text | None = None
    task: Text | None = None
    split: Text | None = None
    budget: Annotated[int, Field(ge=1)] | None = None
    regimes: Text | tuple[Text, ...] | None = None
    minus: "Place | None" = None

    @model_validator(mode="after")
    def _known_regimes(self) -> "Place":
        for name in [self.regimes] if isinstance(self.regimes, str) else self.regimes or ():
            if name not in REGIME_SETS:
                get_regime(name)
        return self

    def given(self) -> dict[str, object]:
        """Return what is given here, by name."""
        return {name: getattr(self, name) for name in Place.model_fields if name in self.model_fields_set}


class Quantity(Place):
    """A measure, by its name in the registry, on the episodes of one cell or of two."""

    measure: Text

    @model_validator(mode="after")
    def _known_measure(self) -> "Quantity":
        if self.measure not in registry().measures:
            known = ", ".join(registry().measures)
            raise ValueError(f"unknown measure {self.measure!r}; there are {known}")
        return self

    @property
    def row(self) -> PaperMeasure:
        """The measure's row in the registry."""
        return registry().measures[self.measure]


class RuleVerdict(Strict):
    """A label for a case, given when its conditions hold; without conditions it always holds."""

    label: Text
    outcome: OutcomeWord = "reported"
    all: tuple[Criterion, ...] = ()
    any: tuple[Criterion, ...] = ()


class RuleCheck(Strict):
    """One question asked of every model and every entry of `each`; the head of the file explains it."""

    name: str = ""
    models: tuple[Text, ...] | None = None
    each: tuple[Place, ...] = (Place(),)
    quantities: Annotated[dict[str, Quantity], Field(min_length=1)]
    applies_if: tuple[Criterion, ...] = ()
    otherwise: Text | None = None
    pass_if: tuple[Criterion, ...] = ()
    verdicts: tuple[RuleVerdict, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "RuleCheck":
        if self.pass_if and self.verdicts:
            raise ValueError("expected pass_if or verdicts, found both")
        if self.verdicts and (self.verdicts[-1].all or self.verdicts[-1].any):
            raise ValueError("the last verdict must hold without conditions, so that every case has one")
        used = {criterion.quantity for criterion in self.criteria()}
        if unknown := used - set(self.quantities):
            raise ValueError(f"criteria on {sorted(unknown)}; the quantities are {sorted(self.quantities)}")
        return self

    def criteria(self) -> Iterator[Criterion]:
        """Return every criterion of the check."""
        yield from self.applies_if
        yield from self.pass_if
        for verdict in self.verdicts:
            yield from verdict.all
            yield from verdict.any

    def rulings(self) -> tuple[RuleVerdict, ...]:
        """Return the verdicts in order of precedence, whichever way the check gives them."""
        if self.pass_if:
            passed = RuleVerdict(label="pass", outcome="pass", all=self.pass_if)
            return passed, RuleVerdict(label="fail", outcome="fail")
        return self.verdicts or (RuleVerdict(label="reported"),)

    @property
    def scored(self) -> bool:
        """Whether a case can pass or fail."""
        return any(verdict.outcome != "reported" for verdict in self.rulings())


class SingledOut(Strict):
    """A case that the paper singles out; what is given must match, the rest matches anything."""

    outcome: Text
    check: str | None = None
    model: Text | None = None
    arm: Text | None = None
    regimes: Text | None = None
    minus: Place | None = None


class PrintedOutcome(Strict):
    """What the paper prints for a test."""

    outcome: Literal["pass", "fail", "partial", "mixed", "reported", "not interpreted"]
    each: Text | None = None
    singled_out: tuple[SingledOut, ...] = Field(default=(), alias="except")
    note: str = ""


class RegisteredTest(Strict):
    """A registered test."""

    id: Text
    document: Text
    prediction: Text
    models: Annotated[tuple[Text, ...], Field(min_length=1)]
    optional_models: tuple[Text, ...] = ()
    task: Text = "hotpotqa"
    split: Text = "test300"
    budget: Annotated[int, Field(ge=1)] = 8
    first_questions: Annotated[int, Field(ge=1)] | None = None
    multiplicity: Literal["none", "holm"] = "none"
    exploratory: bool = False
    ours: str = ""
    presumes: Text | None = None
    rule: Annotated[tuple[RuleCheck, ...], Field(min_length=1)]
    published: PrintedOutcome

    @model_validator(mode="after")
    def _consistent(self) -> "RegisteredTest":
        on_p = any(criterion.bound == "p" for check in self.rule for criterion in check.criteria())
        if self.multiplicity == "holm" and not on_p:
            raise ValueError("multiplicity is holm, but no criterion is on p")
        if self.exploratory and any(check.scored for check in self.rule):
            raise ValueError("an exploratory test has no criterion")
        return self

    @property
    def key(self) -> str:
        """Document and id, which together name one test; an id alone may not (T1, H1)."""
        return f"{self.document} {self.id}"

    @property
    def table(self) -> int:
        """The paper's table that lists it: 4 up to Amendment 9, then 5."""
        return 4 if self.document == "original" or int(self.document.removeprefix("A")) <= 9 else 5


class Preregistration(Strict):
    """All documents and their tests, in the order of the paper."""

    documents: dict[Text, Text]
    tests: tuple[RegisteredTest, ...]

    @model_validator(mode="after")
    def _consistent(self) -> "Preregistration":
        keys = [test.key for test in self.tests]
        repeated = sorted({key for key in keys if keys.count(key) > 1})
        if repeated:
            raise ValueError(f"tests occur twice: {', '.join(repeated)}")
        unknown = {test.presumes for test in self.tests} - {None, *keys}
        if unknown:
            raise ValueError(f"unknown tests are presumed: {unknown}")
        strange = {test.document for test in self.tests} ^ set(self.documents)
        if strange:
            raise ValueError(
                f"documents without tests, or tests without document: {', '.join(sorted(strange))}"
            )
        return self
