"""Checks of the released episodes' full-precision values and card against the paper."""

import csv
from collections import Counter
from collections.abc import Iterator

from paper_book.consistency.comparison import Comparison, at, same, stated
from paper_book.consistency.record_of_paper import Entry, Number, Record

Rows = Iterator[Comparison]
#: Column of the released cells: measure and field of the printed number.
_PRINTED = {
    "delta": ("delta", "value"),
    "ci_low": ("delta", "low"),
    "ci_high": ("delta", "high"),
    "mean6": ("success", "value"),
}


def _cells(record: Record) -> list[dict[str, str]]:
    with (record.folder / "released_cells.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def released_cells(record: Record) -> Rows:
    """Check that Δ, its interval and mean6 of the released cells round to every place that prints them."""
    printed: dict[tuple[str, ...], list[Entry]] = {}
    for entry in record.entries:
        main = (entry["task"], entry["budget"]) == ("hotpotqa", "8")
        if main and (entry["regime"], entry["measure"]) in (("fail", "delta"), ("mean6", "success")):
            key = tuple(entry[name] for name in ("split", "model", "condition", "measure"))
            printed.setdefault(key, []).append(entry)
    for cell in _cells(record):
        for name, (measure, field) in _PRINTED.items():
            exact = Number.exact(float(cell[name]), f"{float(cell[name]):.6f}".replace("-", "−"))
            for entry in printed.get((cell["split"], cell["model"], cell["condition"], measure), []):
                if entry.number(field):
                    yield same(f"{entry.what}: {name}", at(entry, field), ("released cells", exact))


def number_of_cells(record: Record) -> Rows:
    """Check that the released cells are those of the card: every condition, decide for three models only."""
    found = Counter(cell["split"] for cell in _cells(record))
    models = int(record.one("card; row=open-models")["value"])
    for split, lacking in (("test300", 1), ("fresh300", 0)):
        conditions = int(record.one(f"card; row=conditions; split={split}")["value"])
        expected = models * conditions - lacking
        yield stated(
            f"cells of {split}",
            ("dataset card", f"{models} × {conditions} − {lacking} = {expected}"),
            ("released cells", str(found[split])),
            holds=expected == found[split],
            gap=expected - found[split],
        )


def settings_of_the_card(record: Record) -> Rows:
    """Check that budget, F1 threshold and questions on the card are those of §2."""
    for card, text in (
        ("action-budget", "action-budget"),
        ("token-f1-for-a-correct-answer-at-least", "token-f1-for-a-correct-answer-at-least"),
        ("questions; split=test300", "test-questions"),
        ("questions; split=fresh300", "fresh-questions"),
    ):
        there, here = record.one(f"card; row={card}"), record.one(f"text; panel=2; row={text}")
        yield same(text.replace("-", " "), at(there), at(here))


def unparsed_judgments(record: Record) -> Rows:
    """Check that no judgment of a local model is unparsed (Appendix A) in the released episodes (card)."""
    text = record.one("text; panel=A; measure=unparsed_rate; unit=count")
    card = record.one("card; measure=unparsed_rate")
    yield stated(
        "local models · unparsed judgments",
        (text.place, text["value"]),
        (card.place, card["value"]),
        holds=text["value"] == card["value"],
        gap=float(text["value"]) - float(card["value"]),
        note="Appendix A says it of the rule's counter (amendment 2), the card of all released episodes",
    )
