"""What to write instead of something that is not a time zone."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo, available_timezones

from campaign.suggestions import most_like


def time_zone_advice(name: str) -> str:
    """What to write instead of something that is not a time zone: "EAT", "Kampala", "kampla"."""
    if abbreviated := _zones_abbreviated(name):
        return f"Abbreviations are ambiguous: write a region and city, such as {', '.join(abbreviated)}"
    if similar := _zones_like(name):
        return f"Perhaps you mean {' or '.join(similar)}"
    return "Write a region and city"


def _zones_abbreviated(name: str) -> list[str]:
    """Some cities whose clocks use this abbreviation, in winter or in summer."""
    if not (name.isascii() and name.isalpha() and name.isupper() and len(name) <= 5):
        return []
    days = [datetime(datetime.now(UTC).year, month, 1, tzinfo=UTC) for month in (1, 7)]
    cities = sorted(zone for zone in available_timezones() if _is_city(zone))
    return [zone for zone in cities if any(day.astimezone(ZoneInfo(zone)).tzname() == name for day in days)][
        :12
    ]


def _zones_like(name: str) -> list[str]:
    """The zones whose city or whole name is spelled like this."""
    zones = {zone.casefold(): zone for zone in sorted(available_timezones())}
    cities = {zone.rpartition("/")[2]: zone for zone in zones if _is_city(zones[zone])}
    wanted = name.strip().casefold().replace(" ", "_")
    close = [cities[city] for city in most_like(wanted, cities, 2, 0.8)]
    close = close or most_like(wanted, zones, 1, 0.8)
    return [zones[zone] for zone in close]


def _is_city(zone: str) -> bool:
    """Whether a zone is named by region and city: `Etc/GMT-3` and `US/Eastern` are not."""
    return "/" in zone and zone.partition("/")[0] not in ("Etc", "US", "SystemV", "posix", "right")
