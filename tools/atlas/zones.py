"""Standard time of the IANA zones, from the tzdata package and never from the machine's own files."""

import zoneinfo
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from atlas.world import Zone

#: A zone is only used if its standard time is the same in all of these.
_YEARS = (2018, 2022, 2026)


def read_zones(names: Iterable[str]) -> dict[str, Zone]:
    """Read those of the named zones that are a whole number of hours from UTC and stable.

    Parameters
    ----------
    names : iterable of str
        IANA names; repeated ones count once.

    Returns
    -------
    dict of str to Zone
        UTC itself (0 hours) is left out: "ahead" and "behind" would both be wrong.
    """
    path = zoneinfo.TZPATH
    zoneinfo.reset_tzpath(to=[])
    try:
        zones = [_zone(name) for name in sorted(set(names))]
    finally:
        zoneinfo.reset_tzpath(to=path)
    return {zone.name: zone for zone in zones if zone is not None}


def _zone(name: str) -> Zone | None:
    clock = zoneinfo.ZoneInfo.no_cache(name)
    by_year = [_offsets(clock, year) for year in _YEARS]
    standard = {min(pair) for pair in by_year}
    if len(standard) != 1 or len({min(pair) != max(pair) for pair in by_year}) != 1:
        return None
    hours = standard.pop() / timedelta(hours=1)
    if not hours.is_integer() or hours == 0:
        return None
    return Zone(name, int(hours), by_year[-1][0] != by_year[-1][1])


def _offsets(clock: zoneinfo.ZoneInfo, year: int) -> tuple[timedelta, timedelta]:
    """Offset from UTC in January and in July; the smaller is standard time."""
    january, july = (datetime(year, month, 1, tzinfo=UTC).astimezone(clock).utcoffset() for month in (1, 7))
    if january is None or july is None:
        raise ValueError(f"zone {clock.key} has no offset")
    return january, july
