"""The facts, as records. Every field that may be left out is None when it is."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Country:
    """A sovereign state; ``the`` tells whether its name takes the article inside a sentence.

    ``spoken`` are all languages that either package names there, however few speak them.
    """

    code: str
    alpha3: str
    numeric: str
    name: str
    the: bool
    area_code: str
    continent: str | None
    capital: str | None
    currency: str | None
    language: str | None
    spoken: tuple[str, ...]
    neighbours: tuple[str, ...] | None
    population: int | None
    area_km2: int | None
    phone: str | None
    domain: str | None

    @property
    def inline(self) -> str:
        """The name as it stands inside a sentence."""
        return f"the {self.name}" if self.the else self.name


@dataclass(frozen=True)
class City:
    """A city; ``capital`` tells whether it is the capital of its country.

    ``namesakes`` are the other countries with a place of that name, if only a small one.
    """

    key: str
    name: str
    country: str
    capital: bool
    latitude: float
    longitude: float
    zone: str
    namesakes: tuple[str, ...]

    @property
    def position(self) -> tuple[float, float]:
        """Latitude and longitude in degrees."""
        return self.latitude, self.longitude


@dataclass(frozen=True)
class Region:
    """A first-level subdivision of a country, with the English word for what it is.

    ``namesakes`` are the other countries with a subdivision of that name.
    """

    code: str
    name: str
    country: str
    kind: str
    namesakes: tuple[str, ...]


@dataclass(frozen=True)
class State:
    """A state of the United States."""

    code: str
    name: str
    fips: str
    counties: int | None
    largest_city: str | None


@dataclass(frozen=True)
class County:
    """A county of the United States."""

    fips: str
    name: str
    state: str


@dataclass(frozen=True)
class Currency:
    """A currency in use, and the territories whose tender it is by both packages.

    ``plural`` is None if English does not form it by rule.
    """

    code: str
    numeric: str
    name: str
    plural: str | None
    countries: tuple[str, ...]
    only_one: bool


@dataclass(frozen=True)
class Language:
    """A language that is the one official language of at least one country.

    ``code3`` is None for a macrolanguage: ISO 639-3 has codes for the languages that it consists of as well.
    """

    code: str
    code3: str | None
    name: str
    own_name: str | None
    script: str | None
    right_to_left: bool
    countries: tuple[str, ...]


@dataclass(frozen=True)
class Zone:
    """An IANA time zone whose standard time is a whole number of hours from UTC and has not changed."""

    name: str
    hours: int
    summer_time: bool


@dataclass(frozen=True, eq=False)
class World:
    """Everything that is known, each kind by its key; two are only equal if they are the same one."""

    countries: Mapping[str, Country]
    cities: Mapping[str, City]
    regions: Mapping[str, Region]
    states: Mapping[str, State]
    counties: Mapping[str, County]
    currencies: Mapping[str, Currency]
    languages: Mapping[str, Language]
    zones: Mapping[str, Zone]
    #: Fact -> country codes (or language codes) whose true value is no safe answer: it has several spellings.
    unsafe_answers: Mapping[str, frozenset[str]]
