"""The families of claims: each makes true and false ones of the same wording."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from judged_useless._io.seeds import stable_seed

from atlas.candidates import leaks
from atlas.text import pick
from atlas.world import City, Country, Region, World

_RATIO = 3.0
_DEGREES = 10.0
#: Forms of one language under two names, so that neither claim is plainly false: Indonesian is a kind of
#: Malay, Tajik of Persian.
_KINDRED = ("id", "ms", "fa", "tg")


class Claim(NamedTuple):
    """A claim with its verdict and evidence pages.

    `names` are what it is about, to spread the subjects; `stated` is the value that it says its subject has.
    """

    family: str
    text: str
    true: bool
    evidence: tuple[str, ...]
    names: tuple[str, ...]
    stated: str | None = None

    @property
    def identifier(self) -> str:
        """Family and wording."""
        return f"claim-{self.family}-{stable_seed('id', self.text):015x}"[: len(self.family) + 15]


def _start(text: str) -> str:
    return text[0].upper() + text[1:]


#: Name of the family and the facts -> claims, true and false, in any order.
Make = Callable[[str, World], Iterator[Claim]]


class Subject(NamedTuple):
    """What a claim is about: a name, its true value, where it is, and values that are partly true of it."""

    name: str
    value: str
    area: str
    barred: frozenset[str] = frozenset()


def _swapped(
    family: str, subjects: Mapping[str, Subject], wordings: Callable[[str, str], list[str]]
) -> Iterator[Claim]:
    """Make a true and a false claim of each subject, the false one with the value of another subject near by.

    `subjects` is by the key of the evidence page.
    """
    # "Swedish is the official language of Sweden" can be told by its words: no claim is made of it.
    tellable = {key for key, subject in subjects.items() if leaks(subject.value, subject.name)}
    for key, subject in subjects.items():
        # Values are taken as often as they are true, so that a rare one does not tell a false claim.
        near = (o for k, o in subjects.items() if k not in tellable and o.area == subject.area)
        others = sorted(o.value for o in near if o.value != subject.value and o.value not in subject.barred)
        for true in (True, False):
            if key not in tellable if true else others:
                stated = subject.value if true else pick(others, "false", family, key)
                text = pick(wordings(subject.name, stated), "claim", family, key, true)
                yield Claim(family, _start(text), true, (key,), (key, stated), stated)


def _countries(world: World) -> Iterable[Country]:
    return (country for country in world.countries.values() if country.name != "Georgia")


def _capital(family: str, world: World) -> Iterator[Claim]:
    subjects = {
        f"country:{c.code}": Subject(c.inline, c.capital, c.area_code) for c in _countries(world) if c.capital
    }
    return _swapped(
        family,
        subjects,
        lambda name, value: [
            f"{value} is the capital of {name}.",
            f"The capital of {name} is {value}.",
            f"{name} has {value} as its capital.",
        ],
    )


def _currency(family: str, world: World) -> Iterator[Claim]:
    # With the code instead of the name: "the Kenyan shilling is used in Kenya" could be judged by its words.
    subjects = {
        f"currency:{c.code}": Subject(
            f"the code {c.code}",
            world.countries[c.countries[0]].inline,
            world.countries[c.countries[0]].area_code,
        )
        for c in world.currencies.values()
        if c.only_one
    }
    claims = _swapped(
        family,
        subjects,
        lambda name, value: [
            f"In ISO 4217, {name} stands for the currency of {value}.",
            f"The currency of {value} has {name} in ISO 4217.",
        ],
    )
    # The code's page says whose it is, the country's page what is paid with there.
    page_of = {country.inline: f"country:{code}" for code, country in world.countries.items()}
    return (claim._replace(evidence=(*claim.evidence, page_of[claim.names[1]])) for claim in claims)


def _language(family: str, world: World) -> Iterator[Claim]:
    subjects = {
        f"country:{c.code}": Subject(
            c.inline,
            world.languages[c.language].name,
            c.area_code,
            # "The official language of Italy is German" is partly true: it is one in a part of Italy.
            frozenset(world.languages[code].name for code in c.spoken if code in world.languages),
        )
        for c in _countries(world)
        if c.language and c.language not in _KINDRED
    }
    return _swapped(
        family,
        subjects,
        lambda name, value: [
            f"An official language of {name} is {value}.",
            f"{value} is an official language of {name}.",
        ],
    )


def _phone(family: str, world: World) -> Iterator[Claim]:
    subjects = {
        f"country:{c.code}": Subject(c.inline, c.phone, c.area_code) for c in _countries(world) if c.phone
    }
    return _swapped(
        family,
        subjects,
        lambda name, value: [
            f"The international telephone code of {name} is +{value}.",
            f"Calls to {name} from abroad begin with +{value}.",
        ],
    )


def _in_country(place: City | Region, world: World, values: Mapping[str, str]) -> Subject:
    """Bar the values of countries that have a place of the same name: of them the claim is partly true."""
    barred = frozenset(values[code] for code in place.namesakes if code in values)
    return Subject(place.name, values[place.country], world.countries[place.country].area_code, barred)


def _city(family: str, world: World) -> Iterator[Claim]:
    subjects = {
        f"city:{c.key}": _in_country(c, world, {code: o.inline for code, o in world.countries.items()})
        for c in world.cities.values()
        if not c.capital
    }
    return _swapped(
        family,
        subjects,
        lambda name, value: [f"{name} is a city in {value}.", f"The city of {name} lies in {value}."],
    )


def _region(family: str, world: World) -> Iterator[Claim]:
    names = {code: country.inline for code, country in world.countries.items()}
    subjects = {f"region:{r.code}": _in_country(r, world, names) for r in world.regions.values()}
    return _swapped(
        family,
        subjects,
        lambda name, value: [f"{name} is a part of {value}.", f"{value} has a part that is called {name}."],
    )


def _county(family: str, world: World) -> Iterator[Claim]:
    subjects = {
        f"county:{c.fips}": Subject(c.name, world.states[c.state].name, "US") for c in world.counties.values()
    }
    return _swapped(
        family,
        subjects,
        lambda name, value: [
            f"{name} is in the U.S. state of {value}.",
            f"{name} is one of the counties of {value}.",
        ],
    )


def _counties(family: str, world: World) -> Iterator[Claim]:
    subjects = {
        f"state:{s.code}": Subject(s.name, str(s.counties), "US") for s in world.states.values() if s.counties
    }
    return _swapped(
        family,
        subjects,
        lambda name, value: [
            f"The U.S. state of {name} has {value} counties.",
            f"There are {value} counties in the U.S. state of {name}.",
        ],
    )


def _borders(family: str, world: World) -> Iterator[Claim]:
    known = [c for c in _countries(world) if c.neighbours]
    for one, other in combinations(known, 2):
        touching = other.code in (one.neighbours or ())
        # Two countries with a common neighbour are near enough for a false claim to be plausible.
        near = set(one.neighbours or ()) & set(other.neighbours or ())
        if touching or near:
            yield _pair(
                family,
                touching,
                one,
                other,
                [
                    "{} and {} share a land border.",
                    "{} has a land border with {}.",
                ],
            )


def _pair(family: str, true: bool, one: Country, other: Country, wordings: list[str]) -> Claim:
    first, second = pick([(one, other), (other, one)], "order", family, one.code, other.code)
    text = pick(wordings, "claim", family, one.code, other.code).format(first.inline, second.inline)
    keys = f"country:{first.code}", f"country:{second.code}"
    return Claim(family, _start(text), true, keys, keys)


def _measured(measure: Callable[[Country], int | None], more: list[str]) -> Make:
    def claims(family: str, world: World) -> Iterator[Claim]:
        known = [c for c in _countries(world) if measure(c)]
        for one, other in combinations(known, 2):
            low, high = sorted((one, other), key=lambda c: measure(c) or 0)
            if one.area_code != other.area_code or (measure(high) or 0) < _RATIO * (measure(low) or 1):
                continue
            true = pick([True, False], "verdict", family, one.code, other.code)
            first, second = (high, low) if true else (low, high)
            text = pick(more, "claim", family, one.code, other.code).format(first.inline, second.inline)
            keys = f"country:{first.code}", f"country:{second.code}"
            yield Claim(family, _start(text), true, keys, keys)

    return claims


def _latitude(family: str, world: World) -> Iterator[Claim]:
    cities = [city for city in world.cities.values() if not city.capital]
    for one, other in combinations(cities, 2):
        areas = {world.countries[city.country].area_code for city in (one, other)}
        if len(areas) != 1 or abs(one.latitude - other.latitude) < _DEGREES:
            continue
        south, north = sorted((one, other), key=lambda city: city.latitude)
        true = pick([True, False], "verdict", family, one.key, other.key)
        way = pick(["north", "south"], "way", family, one.key, other.key)
        first, second = (north, south) if true == (way == "north") else (south, north)
        yield _of_cities(family, true, first, second, way)


def _of_cities(family: str, true: bool, first: City, second: City, way: str) -> Claim:
    text = pick(
        [
            f"{first.name} lies farther {way} than {second.name}.",
            f"{first.name} is {way} of the parallel on which {second.name} lies.",
        ],
        "claim",
        family,
        first.key,
        second.key,
    )
    keys = f"city:{first.key}", f"city:{second.key}"
    return Claim(family, text, true, keys, keys)


def _city_capital(family: str, world: World) -> Iterator[Claim]:
    """Two pages: the city's, which names the country, and the country's, which names the capital."""
    capitals = {code: country.capital for code, country in world.countries.items() if country.capital}
    subjects = {
        f"city:{city.key}": _in_country(city, world, capitals)
        for city in world.cities.values()
        if city.country in capitals and not city.capital
    }
    country_of = {f"city:{city.key}": f"country:{city.country}" for city in world.cities.values()}
    claims = _swapped(
        family,
        subjects,
        lambda name, value: [
            f"{name} lies in the country whose capital is {value}.",
            f"{value} is the capital of the country to which the city of {name} belongs.",
        ],
    )
    return (claim._replace(evidence=(*claim.evidence, country_of[claim.evidence[0]])) for claim in claims)


CLAIM_FAMILIES: dict[str, Make] = {
    "capital": _capital,
    "currency": _currency,
    "language": _language,
    "phone": _phone,
    "city": _city,
    "region": _region,
    "county": _county,
    "counties": _counties,
    "borders": _borders,
    "population": _measured(
        lambda country: country.population,
        ["{} has more inhabitants than {}.", "The population of {} is larger than that of {}."],
    ),
    "area": _measured(
        lambda country: country.area_km2,
        ["{} covers a larger area than {}.", "In area, {} is larger than {}."],
    ),
    "latitude": _latitude,
    "city_capital": _city_capital,
}
