"""Comparison questions: two pages are compared, and something else about the winner is asked.

Asked in this way a question does not name its answer, so that naming one of the two does not help.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations
from typing import TypeVar

from atlas.bridge import Attribute, values
from atlas.bridge_more import city_is_safe, safe_names
from atlas.candidates import Candidate, Evidence
from atlas.text import pick
from atlas.world import City, Country, State, World

_ask = partial(Candidate, type="comparison", level="hard")

#: How far apart two values are: far enough that no newer count turns them round, near enough to be asked.
_RATIO = (3.0, 40.0)
_COUNTIES_RATIO = 1.5
_NEIGHBOURS_APART = 3
_DEGREES = (10.0, 45.0)

T = TypeVar("T", Country, City, State)


def _ordered(one: T, other: T, measure: Callable[[T], float], *key: str) -> tuple[T, T, bool]:
    """Return winner, loser and whether the greater value wins, which a coin tossed by the key decides."""
    low, high = sorted((one, other), key=measure)
    greater = pick([True, False], "way", *key)
    return (high, low, True) if greater else (low, high, False)


def _named(winner: str, loser: str, *key: str) -> tuple[str, str]:
    return pick([(winner, loser), (loser, winner)], "naming", *key)


def _country_pairs(
    world: World, measure: Callable[[Country], float | None]
) -> Iterable[tuple[Country, Country]]:
    known = [c for c in world.countries.values() if measure(c) and c.name != "Georgia"]
    for one, other in combinations(known, 2):
        if one.area_code == other.area_code:
            yield one, other


def countries(family: str, fact: str, attribute: Attribute, world: World) -> Iterable[Candidate]:
    """Two countries of a continent by population or area -> capital or telephone code of one."""
    answers = values(attribute, world)

    def measure(country: Country) -> float:
        return float((country.population if fact == "population" else country.area_km2) or 0)

    for one, other in _country_pairs(world, measure):
        low, high = sorted((measure(one), measure(other)))
        if not _RATIO[0] <= high / low <= _RATIO[1]:
            continue
        winner, loser, greater = _ordered(one, other, measure, family, one.code, other.code)
        yield from _about_winner(family, fact, attribute, (winner, loser), _MORE[fact, greater], answers)


_MORE = {
    ("population", True): ("has more inhabitants", "has the larger population"),
    ("population", False): ("has fewer inhabitants", "has the smaller population"),
    ("area", True): ("covers the larger area", "is larger in area"),
    ("area", False): ("covers the smaller area", "is smaller in area"),
    ("neighbours", True): ("has more land neighbours", "borders on more countries by land"),
    ("neighbours", False): ("has fewer land neighbours", "borders on fewer countries by land"),
}


def neighbours(family: str, attribute: Attribute, world: World) -> Iterable[Candidate]:
    """Two countries of a continent by the number of land neighbours -> an attribute of one."""
    answers = values(attribute, world)

    def measure(country: Country) -> float:
        return len(country.neighbours or ())

    for one, other in _country_pairs(world, measure):
        if abs(measure(one) - measure(other)) < _NEIGHBOURS_APART:
            continue
        winner, loser, greater = _ordered(one, other, measure, family, one.code, other.code)
        yield from _about_winner(
            family, "neighbours", attribute, (winner, loser), _MORE["neighbours", greater], answers
        )


def _about_winner(
    family: str,
    fact: str,
    attribute: Attribute,
    pair: tuple[Country, Country],
    phrases: Sequence[str],
    answers: Mapping[str, str],
) -> Iterable[Candidate]:
    winner, loser = pair
    answer, rival = answers.get(winner.code), answers.get(loser.code)
    if answer is None or rival is None or answer == rival:
        return
    key = (family, winner.code, loser.code)
    (one, other), phrase = _named(winner.inline, loser.inline, *key), pick(phrases, "phrase", *key)
    text = pick(
        [
            f"What is the {attribute.noun} of the country that {phrase}, {one} or {other}?",
            f"Of {one} and {other}, the country that {phrase} has which {attribute.noun}?",
            f"Name the {attribute.noun} of whichever of {one} and {other} {phrase}.",
        ],
        "question",
        *key,
    )
    first, second = f"country:{winner.code}", f"country:{loser.code}"
    yield _ask(
        family,
        text=text,
        answer=answer,
        gold=(Evidence(first, (fact, attribute.fact)), Evidence(second, (fact,))),
        hidden=(),
        named=(first, second),
    )


def latitude_country(family: str, world: World) -> Iterable[Candidate]:
    """Two cities of a continent by latitude -> the country of one."""
    safe = safe_names(world)
    cities = [city for city in world.cities.values() if not city.capital and not city.namesakes]
    for one, other in combinations(cities, 2):
        apart = abs(one.latitude - other.latitude)
        areas = {world.countries[city.country].area_code for city in (one, other)}
        if not _DEGREES[0] <= apart <= _DEGREES[1] or len(areas) != 1 or one.country == other.country:
            continue
        winner, loser, north = _ordered(one, other, lambda city: city.latitude, family, one.key, other.key)
        if winner.country in safe:
            yield _latitude(family, winner, loser, "north" if north else "south", safe[winner.country])


def _latitude(family: str, winner: City, loser: City, way: str, answer: str) -> Candidate:
    key = (family, winner.key, loser.key)
    one, other = _named(winner.name, loser.name, *key)
    text = pick(
        [
            f"In which country is the city that lies farther {way}, {one} or {other}?",
            f"Of the cities {one} and {other}, the one farther {way} belongs to which country?",
            f"Name the country of whichever city lies farther {way}, {one} or {other}.",
        ],
        "question",
        *key,
    )
    first, second = f"city:{winner.key}", f"city:{loser.key}"
    return _ask(
        family,
        text=text,
        answer=answer,
        gold=(Evidence(first, ("country", "position")), Evidence(second, ("position",))),
        hidden=(),
        named=(first, second),
    )


def counties_city(family: str, world: World) -> Iterable[Candidate]:
    """Two states by their number of counties -> largest city of one."""
    known = [state for state in world.states.values() if state.counties]
    for one, other in combinations(known, 2):
        low, high = sorted((one.counties or 1, other.counties or 1))
        if high < _COUNTIES_RATIO * low or None in (one.largest_city, other.largest_city):
            continue
        winner, loser, greater = _ordered(one, other, lambda s: s.counties or 0, family, one.code, other.code)
        answer = winner.largest_city or ""
        if not city_is_safe(answer, world):
            continue
        key = (family, winner.code, loser.code)
        (a, b), more = (
            _named(winner.name, loser.name, *key),
            "more" if greater else "fewer",
        )
        text = pick(
            [
                f"What is the largest city of the U.S. state that has {more} counties, {a} or {b}?",
                f"Of {a} and {b}, the state with {more} counties has what largest city?",
            ],
            "question",
            *key,
        )
        first, second = f"state:{winner.code}", f"state:{loser.code}"
        yield _ask(
            family,
            text=text,
            answer=answer,
            gold=(Evidence(first, ("counties", "largest_city")), Evidence(second, ("counties",))),
            hidden=(),
            named=(first, second),
        )
