"""The keyword reader of stated judgments, measured on thoughts labelled by hand.

The labels were written before the patterns, and the patterns only against the other, development, set.
"""

import csv
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from judged_useless.protocol.stated import stated_judgment
from statsmodels.stats.proportion import proportion_confint

DATA = Path(__file__).parents[1] / "data"


class Score(NamedTuple):
    """Right readings among those made, and among those there are to make."""

    hits: int
    read: int
    there: int

    @property
    def precision(self) -> float:
        return self.hits / self.read

    @property
    def recall(self) -> float:
        return self.hits / self.there


def score(name: str, label: str) -> Score:
    with (DATA / name).open(encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    readings: list[str] = [stated_judgment(row["thought"]) or "NONE" for row in rows]
    labels = [row["label"] for row in rows]
    hits = sum(reading == truth == label for reading, truth in zip(readings, labels, strict=True))
    return Score(hits, readings.count(label), labels.count(label))


@pytest.mark.parametrize("label", ["USELESS", "USEFUL"])
def test_precision_and_recall_on_the_labelled_thoughts(
    label: str, capsys: pytest.CaptureFixture[str]
) -> None:
    found = score("stated_judgments.csv", label)
    with capsys.disabled():
        low, high = proportion_confint(found.hits, found.read, method="wilson")
        sys.stdout.write(
            f"\nstated {label}: precision {found.precision:.3f} [{low:.3f}, {high:.3f}] "
            f"({found.hits}/{found.read}), recall {found.recall:.3f} ({found.hits}/{found.there})\n"
        )
    assert found.precision >= 0.9
    assert found.recall >= 0.9


@pytest.mark.parametrize(
    ("thought", "judgment"),
    [
        ("", None),
        ("neither " * 8000, None),
        ("The result is not irrelevant.", "USEFUL"),
        ("The page mentions the band, but it does not say which album.", "USEFUL"),
        ("The page mentions a band and does not concern the film.", "USELESS"),
        ('I will search for "irrelevant". Then I will see.', None),
        ("I need a date. I have a name. The last result was irrelevant.", None),
        ("Dr. Holm is unrelated to it. I will go on.", "USELESS"),
    ],
)
def test_rules_of_reading(thought: str, judgment: str | None) -> None:
    assert stated_judgment(thought) == judgment
