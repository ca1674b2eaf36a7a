"""A small made-up task in the form of the real ones, for tests that need a whole split."""

from pathlib import Path

from judged_useless.tasks import TASKS, Task
from judged_useless.tasks.question import Paragraph, Question, SupportingFact

_NAMES = (
    "Ankerby", "Brunholt", "Cresswick", "Dunmarsh", "Elverton", "Fallowmere", "Grantham Hollow", "Hexley",
    "Ingstad", "Jorvale", "Kestwood", "Lindfell", "Marrowby", "Northcairn", "Oldbury Moor", "Pellworth",
)  # fmt: skip
_THINGS = ("mill", "chapel", "ferry", "market", "orchard", "quarry", "school", "tavern")
#: Split -> number of questions.
SIZES = {"all": 24, "many": 100}


def _question(number: int, kind: str) -> Question:
    name = f"{_NAMES[number % len(_NAMES)]} {number}"
    founder, year = f"Edda Holm {number}", 1700 + 3 * number
    others = (
        Paragraph(
            f"{thing.title()} of {name}", (f"The {thing} of {name} has {number + 5} rooms.", "It is old.")
        )
        for thing in _THINGS
    )
    paragraphs = (
        Paragraph(name, (f"{name} is a hamlet.", f"It was founded by {founder}.", "It lies on a river.")),
        Paragraph(founder, (f"{founder} was a carpenter.", f"She was born in {year}.")),
        *others,
    )
    facts = (SupportingFact(name, 1), SupportingFact(founder, 1))
    if kind == "claim":
        text, answer = (
            f"The founder of {name} was born in {year + number % 2}.",
            ("SUPPORTS", "REFUTES")[number % 2],
        )
        return Question(f"c{number:02d}", text, answer, paragraphs, facts, kind="claim")
    return Question(
        f"h{number:02d}", f"In which year was the founder of {name} born?", str(year), paragraphs, facts
    )


def load(split: str, *, source: str | Path | None = None) -> list[Question]:
    """Return the questions of a split."""
    return [_question(number, "question") for number in range(SIZES[split])]


def load_claims(split: str, *, source: str | Path | None = None) -> list[Question]:
    """Return the claims of a split."""
    return [_question(number, "claim") for number in range(SIZES[split])]


def register() -> None:
    """Make the two tasks known by name."""
    TASKS["hamlets"] = Task("hamlets", "question", "hamlets:load", "all", "made up for tests")
    TASKS["hamlet-claims"] = Task("hamlet-claims", "claim", "hamlets:load_claims", "all", "made up for tests")
