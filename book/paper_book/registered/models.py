"""What a registered test is: a prediction, a decision rule as data, and what the paper printed."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from paper_book.registered.rules import Check, Place, Strict, Text


class SingledOut(Strict):
    """A case that the paper singles out; what is given must match, the rest matches anything."""

    outcome: Text
    check: str | None = None
    model: Text | None = None
    arm: Text | None = None
    regimes: Text | None = None
    minus: Place | None = None


class Published(Strict):
    """What the paper prints for a test.

    Attributes
    ----------
    outcome : {"pass", "fail", "partial", "mixed", "reported"}
        The outcome; "mixed" when models or comparisons differ.
    each : str, optional
        Outcome of every case that `except` does not single out; None where none is printed.
    except : tuple of SingledOut
        The other cases.
    note : str
        What else the paper says about the outcome, in our words.
    """

    outcome: Literal["pass", "fail", "partial", "mixed", "reported"]
    each: Text | None = None
    singled_out: tuple[SingledOut, ...] = Field(default=(), alias="except")
    note: str = ""


class RegisteredTest(Strict):
    """A registered test.

    Attributes
    ----------
    id, document : str
        Its name, and the document that fixed it.
    prediction : str
        What was predicted, in our words.
    models : tuple of str
        Models it is asked of; `optional_models` are those it may go without.
    task, split, budget : str, str, int
        Where its quantities are measured unless they say otherwise.
    first_questions : int, optional
        Only this many questions of the split, in the order of its manifest.
    multiplicity : {"none", "holm"}
        Whether one-sided p-values are adjusted across the models of a hypothesis.
    exploratory : bool
        Exploratory by design, so without a criterion.
    rule : tuple of Check
        The decision rule.
    published : Published
        What the paper prints.
    """

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
    rule: Annotated[tuple[Check, ...], Field(min_length=1)]
    published: Published

    @model_validator(mode="after")
    def _consistent(self) -> "RegisteredTest":
        if not set(self.optional_models) <= set(self.models):
            raise ValueError("optional_models must be among models")
        names = [check.name for check in self.rule]
        if len(set(names)) < len(names):
            raise ValueError(f"checks need different names, found {names}")
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

    @property
    def arms(self) -> tuple[str, ...]:
        """Conditions it concerns, in order of appearance."""
        places = [
            place
            for check in self.rule
            for each in (*check.quantities.values(), *check.each)
            for place in (each, each.minus)
            if place is not None and place.arm is not None
        ]
        return tuple(dict.fromkeys(place.arm for place in places if place.arm is not None))

    @property
    def measures(self) -> tuple[str, ...]:
        """Measures it rests on, in order of appearance."""
        return tuple(dict.fromkeys(each.measure for check in self.rule for each in check.quantities.values()))


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
        strange = {test.document for test in self.tests} ^ set(self.documents)
        if strange:
            raise ValueError(
                f"documents without tests, or tests without document: {', '.join(sorted(strange))}"
            )
        return self
