"""Decision rules as data: what is measured, where, and which numbers decide."""

from collections.abc import Iterator
from typing import Annotated, Literal

from judged_useless.environment.regimes import FAIL, MEAN6, get_regime
from pydantic import BaseModel, ConfigDict, Field, model_validator

from paper_book.registered.test_measures import MEASURES

Outcome = Literal["pass", "fail", "partial", "reported"]
Bound = Literal["value", "low", "high", "p", "n"]
Text = Annotated[str, Field(min_length=1)]

#: Sets of regimes with a name; ``ts_`` marks the two-source setting (paper, Appendix D.5).
REGIME_SETS = {
    "mean6": MEAN6,
    "fail": FAIL,
    "ts_mean6": tuple(f"ts_{name}" for name in MEAN6),
    "ts_fail": tuple(f"ts_{name}" for name in FAIL),
}
#: A comparison with a threshold is strict only beyond rounding of sums of shares.
_ROUNDING = 1e-9
_COMPARISONS = ("above", "at_least", "below", "at_most", "equals")


class Strict(BaseModel):
    """A record that refuses what it does not know and never changes."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Criterion(Strict):
    """One comparison of a measured quantity with a threshold; exactly one comparison is given.

    Attributes
    ----------
    quantity : str
        Name of a quantity of the same check.
    bound : {"value", "low", "high", "p", "n"}
        The value, a bound of its 95% interval, its one-sided p (Holm-adjusted where the test says so), or the
        number of observations it rests on.
    above, at_least, below, at_most, equals : float, optional
        Threshold, in the quantity's unit.
    """

    quantity: Text
    bound: Bound = "value"
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
    """Where a quantity is measured, as far as it is given here; the rest comes from the check or the test.

    Attributes
    ----------
    arm : str, optional
        Condition, by its released name.
    task, split : str, optional
        Task and split; "hotpotqa" and "test300" unless the test says otherwise.
    budget : int, optional
        Actions an episode may take; 8 unless the test says otherwise.
    regimes : str or tuple of str, optional
        A regime, several, or a name in :data:`REGIME_SETS`.
    minus : Place, optional
        The second cell of a paired difference, as far as it differs from the first.
    """

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
    """A measure on the episodes of one cell, or of two.

    Attributes
    ----------
    measure : str
        A name in :data:`~paper_book.registered.test_measures.MEASURES`.
    judgments : {"recorded", "stated"}
        Judgments that the measure reads.
    failed : bool, optional
        Results that failed by design, or real ones.
    price : float, optional
        Price of a call in units of a correct answer.
    charge_judgments : bool
        Charge judgment calls and discarded turns like tool calls.
    """

    measure: Text
    judgments: Literal["recorded", "stated"] = "recorded"
    failed: bool | None = None
    price: Annotated[float, Field(gt=0)] | None = None
    charge_judgments: bool = False

    @model_validator(mode="after")
    def _options_fit(self) -> "Quantity":
        if self.measure not in MEASURES:
            raise ValueError(f"unknown measure {self.measure!r}; there are {', '.join(MEASURES)}")
        allowed = MEASURES[self.measure].options
        for name in self.model_fields_set - set(Place.model_fields) - {"measure"}:
            if name not in allowed:
                raise ValueError(f"measure {self.measure!r} has no option {name!r}; it has {sorted(allowed)}")
        missing = {"failed", "price"} & allowed - self.model_fields_set
        if missing:
            raise ValueError(f"measure {self.measure!r} needs {', '.join(sorted(missing))}")
        return self


class Verdict(Strict):
    """A label for a case, given when its conditions hold; without conditions it always holds.

    Attributes
    ----------
    label : str
        Word for the case.
    outcome : {"pass", "fail", "partial", "reported"}
        What it means for the prediction; "reported" when the document predicts nothing.
    all, any : tuple of Criterion
        All of `all` and, if there is one, at least one of `any` must hold.
    """

    label: Text
    outcome: Outcome = "reported"
    all: tuple[Criterion, ...] = ()
    any: tuple[Criterion, ...] = ()


class Check(Strict):
    """One question asked of every model, and of every entry of `each`.

    Attributes
    ----------
    name : str
        Tells the checks of a test apart.
    models : tuple of str, optional
        Models asked; those of the test by default; none for a check that concerns no model.
    each : tuple of Place
        Each entry fills in what the quantities leave open.
    quantities : dict of str to Quantity
        What is measured.
    applies_if : tuple of Criterion
        A case in which one of these fails is set aside under the label `otherwise`.
    pass_if : tuple of Criterion
        The case passes if all of these hold.
    verdicts : tuple of Verdict
        In place of `pass_if`: the first that holds decides. With neither, the case is only reported.
    """

    name: str = ""
    models: tuple[Text, ...] | None = None
    each: tuple[Place, ...] = (Place(),)
    quantities: Annotated[dict[str, Quantity], Field(min_length=1)]
    applies_if: tuple[Criterion, ...] = ()
    otherwise: Text | None = None
    pass_if: tuple[Criterion, ...] = ()
    verdicts: tuple[Verdict, ...] = ()

    @model_validator(mode="after")
    def _consistent(self) -> "Check":
        if self.pass_if and self.verdicts:
            raise ValueError("expected pass_if or verdicts, found both")
        if self.verdicts and (self.verdicts[-1].all or self.verdicts[-1].any):
            raise ValueError("the last verdict must hold without conditions, so that every case has one")
        if bool(self.applies_if) != bool(self.otherwise):
            raise ValueError("applies_if and otherwise belong together")
        used = {criterion.quantity for criterion in self.criteria()}
        unknown = used - set(self.quantities)
        if unknown:
            raise ValueError(f"criteria on {sorted(unknown)}; the quantities are {sorted(self.quantities)}")
        unused = set(self.quantities) - used
        if used and unused:
            raise ValueError(f"quantities {sorted(unused)} decide nothing; put them in a check of their own")
        return self

    def criteria(self) -> Iterator[Criterion]:
        """Return every criterion of the check."""
        yield from self.applies_if
        yield from self.pass_if
        for verdict in self.verdicts:
            yield from verdict.all
            yield from verdict.any

    def rulings(self) -> tuple[Verdict, ...]:
        """Return the verdicts in order of precedence, whichever way the check gives them."""
        if self.pass_if:
            return (
                Verdict(label="pass", outcome="pass", all=self.pass_if),
                Verdict(label="fail", outcome="fail"),
            )
        return self.verdicts or (Verdict(label="reported"),)

    @property
    def scored(self) -> bool:
        """Whether a case can pass or fail."""
        return any(verdict.outcome != "reported" for verdict in self.rulings())
