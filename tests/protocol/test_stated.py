"""The keyword reader of stated judgments, measured on thoughts labelled by hand.

The labels were written before the patterns, and the patterns only against the other, development, set.
"""

import csv
from pathlib import Path

import pytest
from judged_useless.protocol.stated import stated_judgment

DATA = Path(__file__).parents[1] / "data"


@pytest.mark.parametrize("label", ["USELESS", "USEFUL"])
def test_precision_and_recall_on_the_labelled_thoughts(label: str) -> None:
    with (DATA / "stated_judgments.csv").open(encoding="utf-8") as stream:
        pairs: list[tuple[str, str]] = [
            (stated_judgment(row["thought"]) or "NONE", row["label"]) for row in csv.DictReader(stream)
        ]
    hits = pairs.count((label, label))
    assert hits >= 0.9 * sum(reading == label for reading, _ in pairs) > 0
    assert hits >= 0.9 * sum(truth == label for _, truth in pairs) > 0


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
