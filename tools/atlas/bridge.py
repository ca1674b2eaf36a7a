"""Bridge questions: the first page names what connects the pages, the second states the answer."""

from collections.abc import Iterable
from functools import cache, partial
from typing import NamedTuple

from atlas.candidates import Candidate, Evidence, is_distinct
from atlas.text import pick
from atlas.world import Country, World

_ask = partial(Candidate, type="bridge", level="medium")


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
        text = pick(
            [
                f"What is the {attribute.noun} of the country in which {city.name} lies?",
                f"{city.name} is a city in a country {attribute.clause}?",
                f"Name the {attribute.noun} of the country where {city.name} is located.",
            ],
            "question",
            family,
            city.key,
        )
        first, second = f"city:{city.key}", f"country:{country.code}"
        yield _ask(
            family,
            text=text,
            answer=answer,
            gold=(Evidence(first, ("country",)), Evidence(second, (attribute.fact,))),
            hidden=(country.name,),
            named=(first,),
        )


def region_country(family: str, attribute: Attribute, world: World) -> Iterable[Candidate]:
    """Subdivision -> its country -> capital or currency."""
    for region in world.regions.values():
        country = world.countries[region.country]
        answer = values(attribute, world).get(country.code)
        if answer is None or region.namesakes:
            continue
        article, noun = "an" if region.kind[0] in "aeiou" else "a", attribute.noun
        text = pick(
            [
                f"{region.name} is {article} {region.kind} of a country {attribute.clause}?",
                f"What is the {noun} of the country of which {region.name} is {article} {region.kind}?",
                f"Name the {noun} of the country that has {article} {region.kind} called {region.name}.",
            ],
            "question",
            family,
            region.code,
        )
        first, second = f"region:{region.code}", f"country:{country.code}"
        yield _ask(
            family,
            text=text,
            answer=answer,
            gold=(Evidence(first, ("country",)), Evidence(second, (attribute.fact,))),
            hidden=(country.name,),
            named=(first,),
        )


def domain_country(family: str, attribute: Attribute, world: World) -> Iterable[Candidate]:
    """Internet domain -> its country -> capital."""
    for country in world.countries.values():
        answer = values(attribute, world).get(country.code)
        if answer is None or country.domain is None:
            continue
        text = pick(
            [
                f"What is the {attribute.noun} of the country whose top-level domain is {country.domain}?",
                f"The top-level domain {country.domain} is assigned to a country {attribute.clause}?",
            ],
            "question",
            family,
            country.code,
        )
        first, second = f"domain:{country.code}", f"country:{country.code}"
        yield _ask(
            family,
            text=text,
            answer=answer,
            gold=(Evidence(first, ("country",)), Evidence(second, (attribute.fact,))),
            hidden=(country.name,),
            named=(first,),
        )


def code_country(family: str, world: World) -> Iterable[Candidate]:
    """ISO 4217 code -> the one country that uses the currency -> capital."""
    for currency in world.currencies.values():
        country = world.countries[currency.countries[0]]
        answer = values(CAPITAL, world).get(country.code)
        if not currency.only_one or answer is None:
            continue
        text = pick(
            [
                f"What is the capital of the country whose currency has the ISO 4217 code {currency.code}?",
                f"{currency.code} is the ISO 4217 code of the currency of a country {CAPITAL.clause}?",
                f"In ISO 4217, {currency.code} stands for the money of one country. What is its capital?",
            ],
            "question",
            family,
            currency.code,
        )
        first, second = f"currency:{currency.code}", f"country:{country.code}"
        yield _ask(
            family,
            text=text,
            answer=answer,
            gold=(Evidence(first, ("country", "code")), Evidence(second, ("capital",))),
            hidden=(country.name, currency.name),
            named=(first,),
        )


def country_currency_code(family: str, world: World) -> Iterable[Candidate]:
    """Country -> its currency -> ISO 4217 code."""
    for country in world.countries.values():
        if country.currency is None or country.name == "Georgia":
            continue
        currency = world.currencies[country.currency]
        text = pick(
            [
                f"Which three-letter ISO 4217 code stands for the currency of {country.inline}?",
                f"What is the three-letter ISO 4217 code of the money that is used in {country.inline}?",
                f"One pays in {country.inline} with a currency that has which three-letter ISO 4217 code?",
            ],
            "question",
            family,
            country.code,
        )
        first, second = f"country:{country.code}", f"currency:{currency.code}"
        yield _ask(
            family,
            text=text,
            answer=currency.code,
            gold=(Evidence(first, ("currency",)), Evidence(second, ("code",))),
            hidden=(currency.name,),
            named=(first,),
        )


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
        text = pick(
            [
                f"What is the {which} {standard} code of the official language of {country.inline}?",
                f"The official language of {country.inline} has which {which} code in {standard}?",
            ],
            "question",
            family,
            country.code,
        )
        first, second = f"country:{country.code}", f"language:{language.code}"
        yield _ask(
            family,
            text=text,
            answer=answer,
            gold=(Evidence(first, ("language",)), Evidence(second, ("code" if short else "code3",))),
            hidden=(language.name,),
            named=(first,),
        )


def city_zone_hours(family: str, world: World) -> Iterable[Candidate]:
    """City -> its time zone -> whole hours of standard time from UTC."""
    for city in world.cities.values():
        if city.zone not in world.zones or city.namesakes:
            continue
        hours = world.zones[city.zone].hours
        way = "ahead of" if hours > 0 else "behind"
        text = pick(
            [
                f"How many hours {way} UTC is standard time in {city.name}?",
                f"By how many hours is standard time in {city.name} {way} UTC?",
            ],
            "question",
            family,
            city.key,
        )
        first, second = f"city:{city.key}", f"zone:{city.zone}"
        if city.name.replace(" ", "_") in city.zone:
            continue
        yield _ask(
            family,
            text=text,
            answer=str(abs(hours)),
            gold=(Evidence(first, ("zone",)), Evidence(second, ("hours",))),
            hidden=(city.zone,),
            named=(first,),
        )
