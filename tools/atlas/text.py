"""Stable choices and the wording of numbers, places and lists."""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TypeVar

from judged_useless._io.seeds import stable_seed

T = TypeVar("T")

_COMPASS = ("north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west")
#: Width of a compass point's sector, and how far from its middle a bearing may be, in degrees.
_SECTOR = 45
_WELL_INSIDE = 15
_EARTH_RADIUS_KM = 6371.0


def pick(options: Sequence[T], *key: object) -> T:
    """Choose one of the options; the key alone decides which."""
    return options[stable_seed(*key) % len(options)]


def shuffled(items: Iterable[T], *key: object) -> list[T]:
    """Return the items in an order that the key and the items themselves decide, not the order given."""
    return sorted(items, key=lambda item: (stable_seed(*key, item), str(item)))


def listed(names: Sequence[str]) -> str:
    """Return "A", "A and B" or "A, B and C"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def rounded(number: float) -> str:
    """Word a number to two significant digits, with "million" or "billion" where that is shorter."""
    value = round(number, 1 - math.floor(math.log10(number)))
    for size, word in ((1e9, "billion"), (1e6, "million")):
        if value >= size:
            return f"{value / size:.1f}".removesuffix(".0") + f" {word}"
    return f"{value:,.0f}"


def degrees(latitude: float, longitude: float) -> str:
    """Word a position to a tenth of a degree."""
    north = "north" if latitude >= 0 else "south"
    east = "east" if longitude >= 0 else "west"
    return f"{abs(latitude):.1f} degrees {north} and {abs(longitude):.1f} degrees {east}"


def distance_km(a: tuple[float, float], b: tuple[float, float]) -> float:
    """Great-circle distance between two positions (latitude, longitude in degrees)."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, position)) for position in (a, b))
    half = math.sin((lat2 - lat1) / 2) ** 2
    half += math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * _EARTH_RADIUS_KM * math.asin(math.sqrt(half))


def direction(a: tuple[float, float], b: tuple[float, float]) -> str | None:
    """Compass point in which `b` lies from `a`, or None if that depends on how one goes there.

    Parameters
    ----------
    a, b : tuple of float
        Latitude and longitude in degrees.

    Returns
    -------
    str or None
        One of eight points, if the great circle sets out within 15 degrees of it and the line of constant
        bearing (rhumb line) runs within 15 degrees of it too.
    """
    (lat1, lon1), (lat2, lon2) = (tuple(map(math.radians, position)) for position in (a, b))
    east = math.remainder(lon2 - lon1, math.tau)
    great_circle = math.atan2(
        math.sin(east) * math.cos(lat2),
        math.cos(lat1) * math.sin(lat2) - math.sin(lat1) * math.cos(lat2) * math.cos(east),
    )
    # On Mercator's map, where a rhumb line is straight, a latitude is this far from the equator.
    rhumb_line = math.atan2(east, math.asinh(math.tan(lat2)) - math.asinh(math.tan(lat1)))
    bearings = math.degrees(great_circle), math.degrees(rhumb_line)
    point = round(bearings[0] / _SECTOR)
    if any(abs(math.remainder(bearing - point * _SECTOR, 360)) > _WELL_INSIDE for bearing in bearings):
        return None
    return _COMPASS[point % len(_COMPASS)]


def folded(text: str) -> str:
    """Lower-case without accents, for comparing names."""
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def mentions(text: str, phrase: str) -> bool:
    """Whether `text` holds `phrase` as whole words; codes in capitals only count in capitals.

    "34" is not found in "340", "3.4" or "34.5", but it is in "+34".
    """
    flags = 0 if phrase.isupper() and len(phrase) <= 3 else re.IGNORECASE
    pattern = rf"(?<![\w.,]){re.escape(phrase)}(?!\w|[.,]\d)"
    return re.search(pattern, text, flags) is not None
