"""Pages of countries, cities and regions."""

from atlas.sentences import Sentence, inline, say
from atlas.text import degrees, direction, distance_km, listed, rounded, shuffled
from atlas.world import City, Country, Region, World


def country_sentences(country: Country, world: World) -> list[Sentence]:
    """Capital, currency, language, land neighbours, size and telephone code, as far as they are sure."""
    key = f"country:{country.code}"
    sentences = [_country_opening(country), *_money_and_language(country, world)]
    sentences += _borders(country, world)
    sentences += _size(country)
    if country.phone:
        sentences.append(
            say(
                key,
                "phone",
                f"Callers from abroad dial the country code +{country.phone}.",
                f"Its telephone numbers begin with the international code +{country.phone}.",
                f"The code for telephone calls to it is +{country.phone}.",
            )
        )
    return sentences


def _borders(country: Country, world: World) -> list[Sentence]:
    key = f"country:{country.code}"
    if country.neighbours is None:
        return []
    if not country.neighbours:
        return [
            say(key, "neighbours", "It has no land border at all.", "No other country touches it by land.")
        ]
    names = listed([inline(code, world) for code in country.neighbours])
    if len(country.neighbours) == 1:
        return [
            say(
                key,
                "neighbours",
                f"Its only land border is with {names}.",
                f"It shares a land border with {names} alone.",
            )
        ]
    return [
        say(
            key,
            "neighbours",
            f"Its neighbours by land are {names}.",
            f"It shares land borders with {names}.",
            f"By land it touches {names}.",
        )
    ]


def _country_opening(country: Country) -> Sentence:
    key, name = f"country:{country.code}", country.inline
    place = f" in {country.continent}" if country.continent else ""
    if country.capital is None:
        return say(key, "opening", f"{name} is a country{place}.", f"{name} is a sovereign state{place}.")
    if not place:
        return say(
            key,
            "capital",
            f"{name} is a country whose capital is {country.capital}.",
            f"The capital of {name} is {country.capital}.",
        )
    return say(
        key,
        "capital",
        f"{name} is a country{place} whose capital is {country.capital}.",
        f"{name} is a state{place}, with {country.capital} as its capital.",
        f"The capital of {name}, a country{place}, is {country.capital}.",
        f"{country.capital} is the capital of {name}, a sovereign state{place}.",
    )


def _money_and_language(country: Country, world: World) -> list[Sentence]:
    key, sentences = f"country:{country.code}", []
    if country.currency:
        money = world.currencies[country.currency].name
        sentences.append(
            say(
                key,
                "currency",
                f"Its currency is the {money}.",
                f"Payments are made in the {money}.",
                f"The money in use there is the {money}.",
                f"The legal tender is the {money}.",
            )
        )
    if country.language:
        tongue = world.languages[country.language].name
        sentences.append(
            say(
                key,
                "language",
                f"{tongue} is an official language.",
                f"An official language is {tongue}.",
                f"Laws and official papers are written in {tongue}.",
            )
        )
    return sentences


def _size(country: Country) -> list[Sentence]:
    key = f"country:{country.code}"
    people = rounded(country.population) if country.population else ""
    area = rounded(country.area_km2) if country.area_km2 else ""
    if people and area:
        return [
            say(
                key,
                "population+area",
                f"About {people} people lived on its {area} square kilometres around 2020.",
                f"It covers some {area} square kilometres and had roughly {people} people around 2020.",
                f"Around 2020 it had about {people} inhabitants on some {area} square kilometres.",
                f"On roughly {area} square kilometres it had about {people} people around 2020.",
            )
        ]
    if people:
        return [say(key, "population", f"About {people} people lived there around 2020.")]
    return [say(key, "area", f"It covers about {area} square kilometres.")] if area else []


def city_sentences(city: City, world: World) -> list[Sentence]:
    """Country, position, time zone and the nearest other city of the selection."""
    key, country = f"city:{city.key}", inline(city.country, world)
    openings = (
        [f"{city.name} is the capital of {country}.", f"The capital of {country} is {city.name}."]
        if city.capital
        else [
            f"{city.name} is a city in {country}.",
            f"{city.name} lies in {country}.",
            f"{city.name} is one of the cities of {country}.",
        ]
    )
    sentences = [
        say(key, "country", *openings),
        say(
            key,
            "position",
            f"Its coordinates are about {degrees(*city.position)}.",
            f"On the globe it is found at about {degrees(*city.position)}.",
            f"Its position is roughly {degrees(*city.position)}.",
        ),
        _hemispheres(city),
        *_nearby(city, world),
    ]
    # A zone named after the capital would give the capital away on the first page.
    capital = world.countries[city.country].capital or ""
    if city.zone in world.zones and capital.replace(" ", "_") not in city.zone.split("/"):
        sentences.append(
            say(
                key,
                "zone",
                f"Its clocks follow the time zone {city.zone}.",
                f"In the IANA database its time zone is {city.zone}.",
                f"Local time is that of the zone {city.zone}.",
            )
        )
    return sentences


def _hemispheres(city: City) -> Sentence:
    north = "north" if city.latitude > 0 else "south"
    east = "east" if city.longitude > 0 else "west"
    return say(
        f"city:{city.key}",
        "hemispheres",
        f"The place is {north} of the equator and {east} of Greenwich.",
        f"It lies {north} of the equator and {east} of the Greenwich meridian.",
        f"It belongs to the {north}ern and the {east}ern hemisphere.",
    )


def _nearby(city: City, world: World) -> list[Sentence]:
    """Name the nearest city of the selection that is no capital, so that no capital is given away."""
    others = [other for other in world.cities.values() if not other.capital and other.key != city.key]
    nearest = min(others, key=lambda other: distance_km(city.position, other.position))
    key, km = f"city:{city.key}", rounded(distance_km(city.position, nearest.position))
    way = direction(city.position, nearest.position)
    if way is None:
        return [
            say(
                key,
                "nearby",
                f"About {km} km from it is {nearest.name}.",
                f"A straight line of some {km} km leads to {nearest.name}.",
                f"{nearest.name} is roughly {km} km away.",
            )
        ]
    return [
        say(
            key,
            "nearby",
            f"About {km} km to the {way} of it is {nearest.name}.",
            f"A straight line of some {km} km to the {way} leads to {nearest.name}.",
            f"{nearest.name} is roughly {km} km away, to the {way}.",
        )
    ]


def region_sentences(region: Region, world: World) -> list[Sentence]:
    """Country, code and two more of its kind."""
    key, country, kind = f"region:{region.code}", inline(region.country, world), region.kind
    article = "an" if kind[0] in "aeiou" else "a"
    siblings = [other.name for other in world.regions.values() if other.country == region.country]
    others = [name for name in shuffled(siblings, "siblings", key) if name != region.name][:2]
    return [
        say(
            key,
            "country",
            f"{region.name} is {article} {kind} of {country}.",
            f"{region.name} is {article} {kind} in {country}.",
            f"In {country}, {region.name} is {article} {kind}.",
        ),
        say(
            key,
            "code",
            f"The standard ISO 3166-2 lists it under the code {region.code}.",
            f"Its code in ISO 3166-2 is {region.code}.",
            f"In lists that follow ISO 3166-2 it appears as {region.code}.",
        ),
        _siblings(region, others),
        say(
            key,
            "letters",
            f"The whole country has the letters {region.country} in ISO 3166.",
            f"In ISO 3166 the letters {region.country} stand for the country that it belongs to.",
            f"Codes of its country start with {region.country} in ISO 3166.",
        ),
    ]


def _siblings(region: Region, others: list[str]) -> Sentence:
    key, names = f"region:{region.code}", listed(others)
    if len(others) == 1:
        return say(
            key,
            "siblings",
            f"Another {region.kind} of the country is {names}.",
            f"The country also has the {region.kind} of {names}.",
        )
    kinds = f"{region.kind[:-1]}ies" if region.kind.endswith("y") else f"{region.kind}s"
    return say(
        key,
        "siblings",
        f"{names} are {kinds} too.",
        f"Other {kinds} of the country are {names}.",
        f"The country also has the {kinds} of {names}.",
    )
