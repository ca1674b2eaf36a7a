"""More bridge questions: counties of the United States, and countries that border each other."""

from collections.abc import Iterable
from functools import partial
from itertools import combinations

from atlas.bridge import CAPITAL, PHONE, Attribute, values
from atlas.candidates import Candidate, Evidence, is_distinct
from atlas.text import pick
from atlas.world import County, State, World

_ask = partial(Candidate, type="bridge")


def county_state(family: str, fact: str, world: World) -> Iterable[Candidate]:
    """County -> its state -> postal abbreviation, largest city or number of counties."""
    for county in world.counties.values():
        state = world.states[county.state]
        answer = _state_value(state, fact)
        if answer is None or (fact == "largest_city" and not city_is_safe(answer, world)):
            continue
        first, second = f"county:{county.fips}", f"state:{state.code}"
        yield _ask(
            family,
            level="medium",
            text=pick(_state_wordings(county, fact), "question", family, county.fips),
            answer=answer,
            gold=(Evidence(first, ("state",)), Evidence(second, (fact,))),
            hidden=(state.name,),
            named=(first,),
        )


def _state_value(state: State, fact: str) -> str | None:
    if fact == "abbreviation":
        return state.code
    if fact == "counties":
        return str(state.counties) if state.counties else None
    return state.largest_city


def city_is_safe(city: str, world: World) -> bool:
    """Whether a state's largest city is told from all others: both Portlands are not."""
    largest = [state.largest_city for state in world.states.values() if state.largest_city]
    return largest.count(city) == 1 and is_distinct(city, largest)


def _state_wordings(county: County, fact: str) -> list[str]:
    name = county.name
    return {
        "abbreviation": [
            f"What is the two-letter postal abbreviation of the state in which {name} lies?",
            f"{name} belongs to a U.S. state with what postal abbreviation?",
            f"How does the post office abbreviate the state of which {name} is a part?",
        ],
        "counties": [
            f"How many counties are there in the state to which {name} belongs?",
            f"{name} is in a U.S. state that has how many counties?",
        ],
        "largest_city": [
            f"What is the most populous city of the state in which {name} lies?",
            f"{name} is in a U.S. state whose largest city is what?",
            f"Name the largest city of the state that {name} is part of.",
        ],
    }[fact]


def safe_names(world: World) -> dict[str, str]:
    """Return the names of the countries that have one usual name, which the scoring tells from all others."""
    names = [country.name for country in world.countries.values()]
    return {
        code: country.name
        for code, country in world.countries.items()
        if code not in world.unsafe_answers["country"]
        and country.name.isascii()
        and is_distinct(country.name, names)
    }


def common_neighbour(family: str, world: World) -> Iterable[Candidate]:
    """Two countries -> the only one that borders both."""
    listing = [country for country in world.countries.values() if country.neighbours]
    safe = safe_names(world)
    for one, other in combinations(listing, 2):
        shared = set(one.neighbours or ()) & set(other.neighbours or ())
        if len(shared) != 1 or "Georgia" in (one.name, other.name):
            continue
        answer = safe.get(shared.pop())
        if answer is None:
            continue
        first, second = pick([(one, other), (other, one)], "order", family, one.code, other.code)
        a, b = first.inline, second.inline
        text = pick(
            [
                f"Which country borders both {a} and {b} by land?",
                f"{a} and {b} have only one land neighbour in common: which country is it?",
                f"What is the only country that has a land border with {a} as well as with {b}?",
            ],
            "question",
            family,
            one.code,
            other.code,
        )
        keys = f"country:{first.code}", f"country:{second.code}"
        yield _ask(
            family,
            level="hard",
            text=text[0].upper() + text[1:],
            answer=answer,
            gold=(Evidence(keys[0], ("neighbours",)), Evidence(keys[1], ("neighbours",))),
            hidden=(),
            named=keys,
        )


def sole_neighbour(family: str, world: World) -> Iterable[Candidate]:
    """Country with one land neighbour -> that neighbour -> capital or telephone code."""
    for country in world.countries.values():
        if country.neighbours is None or len(country.neighbours) != 1:
            continue
        neighbour = world.countries[country.neighbours[0]]
        for attribute in (CAPITAL, PHONE):
            answer = values(attribute, world).get(neighbour.code)
            if answer is not None:
                yield _sole(family, attribute, country.code, answer, world)


def _sole(family: str, attribute: Attribute, code: str, answer: str, world: World) -> Candidate:
    country = world.countries[code]
    neighbour = world.countries[(country.neighbours or ("",))[0]]
    text = pick(
        [
            f"What is the {attribute.noun} of the only country that borders {country.inline} by land?",
            f"By land, {country.inline} has only one neighbour. What is that country's {attribute.noun}?",
        ],
        "question",
        family,
        country.code,
        attribute.fact,
    )
    first, second = f"country:{country.code}", f"country:{neighbour.code}"
    return _ask(
        family,
        level="medium",
        text=text,
        answer=answer,
        gold=(Evidence(first, ("neighbours",)), Evidence(second, (attribute.fact,))),
        hidden=(neighbour.name,),
        named=(first,),
    )
