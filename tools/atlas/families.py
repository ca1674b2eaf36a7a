"""The families of questions, and how many of each are asked."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from atlas import bridge, bridge_more, comparison
from atlas.bridge import CAPITAL, CURRENCY, PHONE
from atlas.candidates import Candidate
from atlas.world import World

#: Name of the family and the facts -> candidates, in any order.
Make = Callable[[str, World], Iterable[Candidate]]


class Family(NamedTuple):
    """One family.

    Attributes
    ----------
    quota : int
        How many questions.
    same_answer : int
        How often one answer may be right in it, so that guessing the commonest answer does not pay.
    make : callable
        Makes the candidates.
    """

    quota: int
    same_answer: int
    make: Make


def _with(make: Callable[..., Iterable[Candidate]], *arguments: object) -> Make:
    def candidates(family: str, world: World) -> Iterable[Candidate]:
        return make(family, *arguments, world)

    return candidates


FAMILIES: dict[str, Family] = {
    "city_capital": Family(55, 2, _with(bridge.city_country, CAPITAL)),
    "city_phone": Family(50, 2, _with(bridge.city_country, PHONE)),
    "region_capital": Family(50, 2, _with(bridge.region_country, CAPITAL)),
    "region_currency": Family(40, 2, _with(bridge.region_country, CURRENCY)),
    "domain_capital": Family(40, 1, _with(bridge.domain_country, CAPITAL)),
    "code_capital": Family(35, 1, bridge.code_country),
    "currency_code": Family(50, 1, bridge.country_currency_code),
    "language_code": Family(25, 2, bridge.country_language_code),
    "zone_hours": Family(25, 3, bridge.city_zone_hours),
    "county_abbreviation": Family(35, 2, _with(bridge_more.county_state, "abbreviation")),
    "county_counties": Family(25, 1, _with(bridge_more.county_state, "counties")),
    "county_city": Family(25, 1, _with(bridge_more.county_state, "largest_city")),
    "common_neighbour": Family(50, 2, bridge_more.common_neighbour),
    "sole_neighbour": Family(15, 1, bridge_more.sole_neighbour),
    "population_capital": Family(45, 1, _with(comparison.countries, "population", CAPITAL)),
    "area_phone": Family(45, 1, _with(comparison.countries, "area", PHONE)),
    "neighbours_capital": Family(25, 1, _with(comparison.neighbours, CAPITAL)),
    "latitude_country": Family(45, 2, comparison.latitude_country),
    "counties_city": Family(20, 1, comparison.counties_city),
}
