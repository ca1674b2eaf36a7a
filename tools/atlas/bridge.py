"""Bridge questions: the first page names what connects the pages, the second states the answer."""

from collections.abc import Iterable, Sequence
from functools import cache
from typing import NamedTuple

from atlas.candidates import Candidate, Evidence, is_distinct
from atlas.text import pick
from atlas.world import Country, World


def _ask(
    family: str, key: str, wordings: Sequence[str], answer: str, gold: tuple[Evidence, Evidence], *hidden: str
) -> Candidate:
    """Return a question whose first page is the one that it names."""
    return Candidate(
        family,
        type="bridge",
        level="medium",
        text=pick(wordings, "question", family, key),
        answer=answer,
        gold=gold,
        hidden=hidden,
        named=(gold[0].page,),
    )


class Attribute(NamedTuple):
    """What is asked about a country: its fact on the page, name, and a clause that asks for it."""

    fact: str
    noun: str
    clause: str


CAPITAL = Attribute("capital", "capital city", "whose capital is what city")
CURRENCY = Attribute("currency", "currency", "that uses what currency")
PHONE = Attribute("phone", "telephone country code", "with what telephone country code")


@cache
def values(attribute: Attribute, world: World) -> dict[str, str]:
    """Return the safe answers: known, with one usual spelling, told from all others by the scoring.

    Parameters
    ----------
    attribute : Attribute
        What is asked.
    world : World
        The facts.

    Returns
    -------
    dict of str to str
        By country code.
    """
    raw = {code: _raw_value(country, attribute, world) for code, country in world.countries.items()}
    known = {code: answer for code, answer in raw.items() if answer is not None}
    unsafe = world.unsafe_answers.get(attribute.fact, frozenset())
    return {
        code: answer
        for code, answer in known.items()
        if code not in unsafe and answer.isascii() and is_distinct(answer, known.values())
    }


def _raw_value(country: Country, attribute: Attribute, world: World) -> str | None:
    if attribute is CURRENCY:
        return world.currencies[country.currency].name if country.currency else None
    return country.capital if attribute is CAPITAL else country.phone


def city_country(family: str, attribute: Attribute, world: World) -> Iterable[Candidate]:
    """City -> its country -> capital or telephone code."""
    for city in world.cities.values():
        country = world.countries[city.country]
        answer = values(attribute, world).get(country.code)
        if answer is None or city.capital or city.namesakes:
            continue
        wordings = [
            f"What is the {attribute.noun} of the country in which {city.name} lies?",
            f"{city.name} is a city in a country {attribute.clause}?",
            f"Name the {attribute.noun} of the country where {city.name} is located.",
        ]
        gold = (
            Evidence(f"city:{city.key}", ("country",)),
            Evidence(f"country:{country.code}", (attribute.fact,)),
        )
        yield _ask(family, city.key, wordings, answer, gold, country.name)


def region_country(family: str, attribute: Attribute, world: World) -> Iterable[Candidate]:
    """Subdivision -> its country -> capital or currency."""
    for region in world.regions.values():
        country = world.countries[region.country]
        answer = values(attribute, world).get(country.code)
        if answer is None or region.namesakes:
            continue
        article, noun = "an" if region.kind[0] in "aeiou" else "a", attribute.noun
        wordings = [
            f"{region.name} is {article} {region.kind} of a country {attribute.clause}?",
            f"What is the {noun} of the country of which {region.name} is {article} {region.kind}?",
            f"Name the {noun} of the country that has {article} {region.kind} called {region.name}.",
        ]
        gold = (
            Evidence(f"region:{region.code}", ("country",)),
            Evidence(f"country:{country.code}", (attribute.fact,)),
        )
        yield _ask(family, region.code, wordings, answer, gold, country.name)


def domain_country(family: str, attribute: Attribute, world: World) -> Iterable[Candidate]:
    """Internet domain -> its country -> capital."""
    for country in world.countries.values():
        answer = values(attribute, world).get(country.code)
        if answer is None or country.domain is None:
            continue
        wordings = [
            f"What is the {attribute.noun} of the country whose top-level domain is {country.domain}?",
            f"The top-level domain {country.domain} is assigned to a country {attribute.clause}?",
        ]
        gold = (
            Evidence(f"domain:{country.code}", ("country",)),
            Evidence(f"country:{country.code}", (attribute.fact,)),
        )
        yield _ask(family, country.code, wordings, answer, gold, country.name)


def code_country(family: str, world: World) -> Iterable[Candidate]:
    """ISO 4217 code -> the one country that uses the currency -> capital."""
    for currency in world.currencies.values():
        country = world.countries[currency.countries[0]]
        answer = values(CAPITAL, world).get(country.code)
        if not currency.only_one or answer is None:
            continue
        wordings = [
            f"What is the capital of the country whose currency has the ISO 4217 code {currency.code}?",
            f"{currency.code} is the ISO 4217 code of the currency of a country {CAPITAL.clause}?",
            f"In ISO 4217, {currency.code} stands for the money of one country. What is its capital?",
        ]
        gold = (
            Evidence(f"currency:{currency.code}", ("country", "code")),
            Evidence(f"country:{country.code}", ("capital",)),
        )
        yield _ask(family, currency.code, wordings, answer, gold, country.name, currency.name)


def country_currency_code(family: str, world: World) -> Iterable[Candidate]:
    """Country -> its currency -> ISO 4217 code."""
    for country in world.countries.values():
        if country.currency is None or country.name == "Georgia":
            continue
        currency = world.currencies[country.currency]
        wordings = [
            f"Which three-letter ISO 4217 code stands for the currency of {country.inline}?",
            f"What is the three-letter ISO 4217 code of the money that is used in {country.inline}?",
            f"One pays in {country.inline} with a currency that has which three-letter ISO 4217 code?",
        ]
        gold = (
            Evidence(f"country:{country.code}", ("currency",)),
            Evidence(f"currency:{currency.code}", ("code",)),
        )
        yield _ask(family, country.code, wordings, currency.code, gold, currency.name)


def country_language_code(family: str, world: World) -> Iterable[Candidate]:
    """Country -> its official language -> ISO 639 code of two or three letters, if only one is right."""
    for country in world.countries.values():
        if country.language is None or country.name == "Georgia":
            continue
        language = world.languages[country.language]
        if language.code3 is None:
            continue
        short = pick([True, False], "letters", country.code)
        answer = language.code if short else language.code3
        which = f"{'two' if short else 'three'}-letter"
        standard = f"ISO 639-{'1' if short else '3'}"
        wordings = [
            f"What is the {which} {standard} code of the official language of {country.inline}?",
            f"The official language of {country.inline} has which {which} code in {standard}?",
        ]
        gold = (
            Evidence(f"country:{country.code}", ("language",)),
            Evidence(f"language:{language.code}", ("code" if short else "code3",)),
        )
        yield _ask(family, country.code, wordings, answer, gold, language.name)


def city_zone_hours(family: str, world: World) -> Iterable[Candidate]:
    """City -> its time zone -> whole hours of standard time from UTC."""
    for city in world.cities.values():
        if city.zone not in world.zones or city.namesakes or city.name.replace(" ", "_") in city.zone:
            continue
        hours = world.zones[city.zone].hours
        way = "ahead of" if hours > 0 else "behind"
        wordings = [
            f"How many hours {way} UTC is standard time in {city.name}?",
            f"By how many hours is standard time in {city.name} {way} UTC?",
        ]
        gold = Evidence(f"city:{city.key}", ("zone",)), Evidence(f"zone:{city.zone}", ("hours",))
        yield _ask(family, city.key, wordings, str(abs(hours)), gold, city.zone)
