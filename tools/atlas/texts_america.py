"""Pages of the states and counties of the United States."""

from atlas.sentences import Sentence, say
from atlas.world import County, State, World


def state_sentences(state: State) -> list[Sentence]:
    """Postal abbreviation, counties, largest city and FIPS number."""
    key = f"state:{state.code}"
    sentences = [
        say(key, "opening", f"{state.name} is one of the fifty states of the United States."),
        say(
            key,
            "abbreviation",
            f"On letters the state is abbreviated {state.code}.",
            f"Its two-letter postal abbreviation is {state.code}.",
            f"The post office writes {state.code} for it.",
        ),
        say(
            key,
            "fips",
            f"Federal statistics list it under the number {state.fips}.",
            f"Its FIPS number is {state.fips}.",
        ),
    ]
    if state.counties:
        sentences.append(
            say(
                key,
                "counties",
                f"It is divided into {state.counties} counties.",
                f"There are {state.counties} counties in it.",
                f"The state has {state.counties} counties.",
            )
        )
    if state.largest_city:
        sentences.append(
            say(
                key,
                "largest_city",
                f"Its largest city is {state.largest_city}.",
                f"More people live in {state.largest_city} than in any other of its cities.",
                f"By population {state.largest_city} comes first among its cities.",
            )
        )
    return sentences


def county_sentences(county: County, world: World) -> list[Sentence]:
    """State, FIPS number and that the name is unique."""
    key, state = f"county:{county.fips}", world.states[county.state].name
    return [
        say(
            key,
            "state",
            f"{county.name} is a county in the U.S. state of {state}.",
            f"{county.name} belongs to the U.S. state of {state}.",
            f"{county.name} is part of {state}, in the United States.",
        ),
        say(
            key,
            "fips",
            f"The county's FIPS code is {county.fips}.",
            f"In the lists of the census it has the number {county.fips}.",
        ),
        say(
            key,
            "unique",
            "No other county in the country has this name.",
            "Its name is borne by no other county of the country.",
        ),
        say(
            key,
            "digits",
            f"Among the counties of its state it is number {county.fips[2:]}.",
            f"The digits {county.fips[2:]} tell it from the other counties of its state.",
        ),
    ]
