"""Pages of currencies, languages, top-level domains and time zones."""

from atlas.sentences import Sentence, inline, say
from atlas.text import listed, shuffled
from atlas.world import Country, Currency, Language, World, Zone


def currency_sentences(currency: Currency, world: World) -> list[Sentence]:
    """Users, codes and plural."""
    key, name = f"currency:{currency.code}", currency.name
    users = [inline(code, world) for code in currency.countries]
    if currency.only_one:
        opening = say(
            key,
            "country",
            f"The {name} is the currency of {users[0]}.",
            f"The {name} is the money that circulates in {users[0]}.",
            f"In {users[0]} one pays with the {name}.",
        )
    else:
        shown = shuffled(users, "users", key)[:4]
        text = f"The {name} is used in more than one territory, {listed(shown)} among them."
        opening = say(key, "users", text)
    sentences = [
        opening,
        say(
            key,
            "code",
            f"Its three-letter code in ISO 4217 is {currency.code}.",
            f"ISO 4217 gives it the letters {currency.code}.",
            f"Banks abbreviate it {currency.code}, after ISO 4217.",
        ),
        say(
            key,
            "numeric",
            f"Its numeric code is {currency.numeric}.",
            f"Where letters cannot be used the number {currency.numeric} stands for it.",
            f"By number it is {currency.numeric} in ISO 4217.",
        ),
    ]
    if currency.plural:
        sentences.append(
            say(
                key,
                "plural",
                f"An amount is given in {currency.plural}.",
                f"Prices are stated in {currency.plural}.",
                f"In English the plural is {currency.plural}.",
            )
        )
    return sentences


def language_sentences(language: Language, world: World) -> list[Sentence]:
    """Countries, codes, script and own name."""
    key, name = f"language:{language.code}", language.name
    users = [inline(code, world) for code in language.countries]
    among = listed(shuffled(users, "users", key)[:4])
    sentences = [
        say(
            key,
            "countries",
            f"{name} is an official language of {among}.",
            f"{name} has the rank of an official language in {among}.",
            f"Official papers in {among} are written in {name}.",
        ),
        say(
            key,
            "code",
            f"The two-letter code of ISO 639-1 for it is {language.code}.",
            f"ISO 639-1 gives it the two letters {language.code}.",
            f"Its ISO 639-1 code is {language.code}.",
        ),
    ]
    if language.code3:
        sentences.append(
            say(
                key,
                "code3",
                f"In ISO 639-3, a longer list, it is {language.code3}.",
                f"ISO 639-3 writes {language.code3} for it.",
                f"The three letters {language.code3} stand for it in ISO 639-3.",
            )
        )
    if language.script:
        way = ", from right to left" if language.right_to_left else ""
        runs = ", which runs from right to left" if language.right_to_left else ""
        sentences.append(
            say(
                key,
                "script",
                f"It is written in the {language.script} script{way}.",
                f"Its writing system is the {language.script} script{runs}.",
            )
        )
    if language.own_name and language.own_name != name:
        sentences.append(
            say(
                key,
                "own_name",
                f"In the language itself it is called {language.own_name}.",
                f"Its speakers write its name {language.own_name}.",
            )
        )
    return sentences


def domain_sentences(country: Country) -> list[Sentence]:
    """Country and ISO 3166-1 codes."""
    key = f"domain:{country.code}"
    return [
        say(
            key,
            "country",
            f"{country.domain} is the top-level domain of {country.inline} on the Internet.",
            f"The ending {country.domain} of web addresses is assigned to {country.inline}.",
            f"On the Internet, {country.domain} is assigned to {country.inline}.",
        ),
        say(
            key,
            "alpha2",
            f"The letters are the two-letter code {country.code} of ISO 3166-1.",
            f"It is made of {country.code}, the two letters of ISO 3166-1.",
        ),
        say(
            key,
            "alpha3",
            f"The three-letter code of ISO 3166-1 is {country.alpha3}.",
            f"ISO 3166-1 also has the longer code {country.alpha3}.",
        ),
        say(
            key,
            "numeric",
            f"By number it is {country.numeric} in ISO 3166-1.",
            f"Lists of numbers instead of letters have {country.numeric} in its place.",
        ),
    ]


def zone_sentences(zone: Zone) -> list[Sentence]:
    """State standard time, summer time and the form of the name."""
    key = f"zone:{zone.name}"
    hours, way = abs(zone.hours), "ahead of" if zone.hours > 0 else "behind"
    unit = "hour" if hours == 1 else "hours"
    area, *_, city = zone.name.split("/")
    return [
        say(key, "opening", f"{zone.name} is an entry in the IANA time zone database."),
        say(
            key,
            "hours",
            f"Standard time in it is {hours} {unit} {way} UTC.",
            f"Its standard time runs {hours} {unit} {way} UTC.",
            f"Without summer time, clocks in it are {hours} {unit} {way} UTC.",
        ),
        say(
            key,
            "summer",
            f"Clocks there {'go forward' if zone.summer_time else 'are not changed'} in summer.",
            "It has summer time." if zone.summer_time else "It has no summer time.",
        ),
        say(
            key,
            "form",
            f"The name is built from an area, {area}, and a place in it, {city.replace('_', ' ')}.",
            f"The last part of the name, {city.replace('_', ' ')}, is a place in the zone.",
        ),
    ]
