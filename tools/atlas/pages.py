"""Every entity's page: three to six sentences in words of our own, the same wherever the page appears."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from atlas.sentences import Sentence
from atlas.text import shuffled
from atlas.texts_america import county_sentences, state_sentences
from atlas.texts_codes import currency_sentences, domain_sentences, language_sentences, zone_sentences
from atlas.texts_places import city_sentences, country_sentences, region_sentences
from atlas.world import World


@dataclass(frozen=True)
class Page:
    """A page of the little encyclopedia.

    Attributes
    ----------
    key : str
        ``kind:identifier``, such as ``country:KE``.
    title : str
        Unique among all pages.
    area : str
        Pages of one kind and area are on topic for each other: a continent, or "US".
    sentences : tuple of str
        Three to six.
    facts : mapping of str to int
        Which sentence states which fact.
    """

    key: str
    title: str
    area: str
    sentences: tuple[str, ...]
    facts: Mapping[str, int]

    @property
    def kind(self) -> str:
        """The part of the key before the colon."""
        return self.key.split(":")[0]

    @property
    def text(self) -> str:
        """All sentences, joined with one blank."""
        return " ".join(self.sentences)


#: Longest page in sentences.
MOST = 6
FEWEST = 3


def build_pages(world: World) -> dict[str, Page]:
    """Write every page.

    Parameters
    ----------
    world : World
        The facts.

    Returns
    -------
    dict of str to Page
        By key; pages of fewer than three sentences are left out.

    Raises
    ------
    ValueError
        If two pages would bear the same title.
    """
    pages = [page for page in _all_pages(world) if FEWEST <= len(page.sentences) <= MOST]
    by_title = {page.title.casefold(): page for page in pages}
    if len(by_title) != len(pages):
        twice = next(page for page in pages if by_title[page.title.casefold()] is not page)
        raise ValueError(f"two pages are titled {twice.title!r}")
    return {page.key: page for page in pages}


def _all_pages(world: World) -> Iterable[Page]:
    continent = {code: country.area_code for code, country in world.countries.items()}
    for code, country in world.countries.items():
        title = f"{country.name} (country)" if country.name == "Georgia" else country.name
        yield _page(f"country:{code}", title, continent[code], country_sentences(country, world))
        if country.domain:
            yield _page(f"domain:{code}", country.domain, continent[code], domain_sentences(country))
    for key, city in world.cities.items():
        yield _page(f"city:{key}", city.name, continent[city.country], city_sentences(city, world))
    for key, region in world.regions.items():
        sentences = region_sentences(region, world)
        yield _page(f"region:{key}", region.name, continent[region.country], sentences)
    for key, currency in world.currencies.items():
        title = currency.name[0].upper() + currency.name[1:]
        area = continent[currency.countries[0]]
        yield _page(f"currency:{key}", title, area, currency_sentences(currency, world))
    for key, language in world.languages.items():
        area = continent[language.countries[0]]
        yield _page(f"language:{key}", f"{language.name} language", area, language_sentences(language, world))
    for key, state in world.states.items():
        suffix = {"Georgia": " (U.S. state)", "New York": " (state)", "Washington": " (state)"}
        yield _page(f"state:{key}", state.name + suffix.get(state.name, ""), "US", state_sentences(state))
    for key, county in world.counties.items():
        yield _page(f"county:{key}", county.name, "US", county_sentences(county, world))
    for key, zone in world.zones.items():
        yield _page(f"zone:{key}", key, key.split("/")[0], zone_sentences(zone))


def _page(key: str, title: str, area: str, sentences: list[Sentence]) -> Page:
    """Put the opening sentence first and the others in an order of the page's own."""
    first, *others = sentences
    ordered = [first, *shuffled(others, "order", key)]
    facts = {fact: index for index, sentence in enumerate(ordered) for fact in sentence.facts}
    return Page(key, title, area, tuple(sentence.text for sentence in ordered), facts)
