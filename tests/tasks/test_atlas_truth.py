"""What the pages of *atlas* say is true in the way a careful reader takes it, and no more than is known."""

import math
import re
from functools import cache

import pytest
from judged_useless.tasks.atlas import SPLITS, load, load_claims
from judged_useless.tasks.question import Question

# Two countries that only meet in a lake, across a strait, by a causeway or (nearly) in a point.
APART = [
    ("Tanzania", "Democratic Republic of the Congo"),
    ("Nigeria", "Chad"),
    ("Zambia", "Botswana"),
    ("Namibia", "Zimbabwe"),
    ("Bahrain", "Saudi Arabia"),
    ("Singapore", "Malaysia"),
    ("Sweden", "Denmark"),
    ("El Salvador", "Nicaragua"),
]
# ISO 639-3 has the codes of the languages that these consist of as well ("arb" beside "ara").
MACROLANGUAGES = "ara|aze|est|fas|kur|lav|mlg|mon|msa|nep|nor|orm|pus|que|sqi|swa|uzb|yid|zho"
POINTS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")


@cache
def _questions() -> tuple[Question, ...]:
    return tuple(question for split in SPLITS for question in load(split))


@cache
def _texts() -> dict[str, str]:
    every = (*_questions(), *load_claims())
    return {title: text for question in every for title, text in question.knowledge_base.items()}


def _asked(family: str) -> list[Question]:
    return [question for question in _questions() if question.id.split("-")[1] == family]


@pytest.mark.parametrize("pair", APART)
def test_no_page_gives_a_land_border_to_countries_that_have_none(pair: tuple[str, str]) -> None:
    for country, other in (pair, pair[::-1]):
        said = re.findall(r"[^.]*\b(?:borders?|by land|By land)\b[^.]*\.", _texts()[country])
        assert not any(re.search(rf"(?<!South ){other}\b", sentence) for sentence in said), said


def test_no_question_or_claim_is_about_such_a_border() -> None:
    asked = [*_asked("common_neighbour"), *(claim for claim in load_claims() if "-borders-" in claim.id)]
    assert len(asked) > 70
    for question in asked:
        for one, other in APART:
            named = {name for name in (one, other) if name in f"{question.text} {question.answer}"}
            assert len(named) < 2, question.text


def test_a_code_that_is_asked_for_is_the_only_one() -> None:
    assert all("three-letter ISO 4217 code" in question.text for question in _asked("currency_code"))
    languages = _asked("language_code")
    for question in languages:
        letters = "two" if len(question.answer) == 2 else "three"
        standard = {"two": "ISO 639-1", "three": "ISO 639-3"}[letters]
        assert f"{letters}-letter" in question.text
        assert standard in question.text
        assert re.fullmatch(MACROLANGUAGES, question.answer) is None
    pages = [text for title, text in _texts().items() if title.endswith(" language")]
    assert len(pages) > 30
    assert [text for text in pages if re.search(rf"\b(?:{MACROLANGUAGES})\b", text)] == []


def _position(text: str) -> tuple[float, float] | None:
    found = re.search(r"([\d.]+) degrees (north|south) and ([\d.]+) degrees (east|west)", text)
    if found is None:
        return None
    latitude, longitude = float(found[1]), float(found[3])
    return (latitude if found[2] == "north" else -latitude, longitude if found[4] == "east" else -longitude)


def _neighbour(text: str) -> tuple[str, int, str] | None:
    """The place near by, the distance in km and the direction (empty if none is given)."""
    for saying in (
        r"About (?P<km>[\d,]+) km(?: to the (?P<way>[a-z-]+) of it| from it) is (?P<name>[^.]+)\.",
        r"A straight line of some (?P<km>[\d,]+) km(?: to the (?P<way>[a-z-]+))? leads to (?P<name>[^.]+)\.",
        r"(?P<name>[^.]+) is roughly (?P<km>[\d,]+) km away(?:, to the (?P<way>[a-z-]+))?\.",
    ):
        found = re.search(saying, text)
        if found is not None:
            return found["name"].strip(), int(found["km"].replace(",", "")), found["way"] or ""
    return None


def test_distances_and_directions_are_those_of_the_map() -> None:
    told = untold = 0
    for title, text in _texts().items():
        here, near = _position(text), _neighbour(text)
        there = _position(_texts().get(near[0], "")) if near else None
        if here is None or near is None or there is None or near[1] < 100:
            continue
        # A flat map, in km from here, with the scale of the parallel half way: independent of the builder's
        # formulas, and near enough to a rhumb line.
        north = 111.2 * (there[0] - here[0])
        east = (
            111.2 * math.remainder(there[1] - here[1], 360) * math.cos(math.radians((here[0] + there[0]) / 2))
        )
        assert abs(math.hypot(north, east) - near[1]) < 0.06 * near[1] + 15, title
        if not near[2]:
            untold += 1
            continue
        bearing = math.degrees(math.atan2(east, north))
        # 15 degrees and what coordinates to a tenth of a degree leave open at 100 km.
        off = math.remainder(bearing - 45 * POINTS.index(near[2]), 360)
        assert abs(off) < 15 + math.degrees(math.atan2(11.2 * math.sqrt(2), near[1])), (title, near)
        told += 1
    assert told > 100
    assert untold > 50
