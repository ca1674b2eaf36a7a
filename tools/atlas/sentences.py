"""A sentence with the facts it states, and how one of several wordings is chosen.

Every fact is worded in several ways, and the entity alone decides which: so a page reads the same
wherever it appears, and two pages of a kind rarely read alike.
"""

from typing import NamedTuple

from atlas.sources import country_name
from atlas.text import pick
from atlas.world import World


class Sentence(NamedTuple):
    """A sentence and the facts that it states."""

    text: str
    facts: tuple[str, ...]


def say(key: str, fact: str, *wordings: str) -> Sentence:
    """Choose a wording.

    Parameters
    ----------
    key : str
        Of the page.
    fact : str
        What is stated; several facts in one sentence are joined with ``+``.
    *wordings : str
        What says it equally well; the first letter is made a capital.

    Returns
    -------
    Sentence
    """
    text = pick(wordings, "wording", key, fact)
    return Sentence(text[0].upper() + text[1:], tuple(fact.split("+")))


def inline(code: str, world: World) -> str:
    """Return the name of a country or territory as it stands inside a sentence."""
    country = world.countries.get(code)
    return country.inline if country else country_name(code)
