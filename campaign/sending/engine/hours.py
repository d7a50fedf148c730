"""The valve that keeps a campaign within the hours in which messages may be sent."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo, available_timezones

from campaign.argument_checks import check, wrong
from campaign.errors import UsageError
from campaign.public_calls import public_call, public_class
from campaign.sending.engine.hold import Hold
from campaign.sending.engine.tally import Size, Tally
from campaign.suggestions import most_like
from campaign.words.finding import Finding

_HOURS = re.compile(r"\s*(\d\d?:\d\d)\s*-\s*(\d\d?:\d\d)(?:\s+(\S.*?))?\s*")
_HOURS_EXAMPLE = "08:00-20:00 Africa/Kampala"


@public_class
@dataclass(frozen=True, slots=True)
class Hours:
    """The hours in which messages may be sent; outside them a run pauses.

    Parameters
    ----------
    opens, closes
        Times of day; the end is not included, and a window may span midnight.
    zone
        Their time zone.

    Examples
    --------
    >>> campaign.Hours.of("08:00-20:00 Africa/Kampala").zone.key
    'Africa/Kampala'
    """

    opens: time
    closes: time
    zone: ZoneInfo

    def __post_init__(self) -> None:
        check(self.opens, time, subject="opens", needs="a datetime.time", write="opens=time(8)")
        check(self.closes, time, subject="closes", needs="a datetime.time", write="closes=time(20)")
        check(
            self.zone, ZoneInfo, subject="zone", needs="a ZoneInfo", write='zone=ZoneInfo("Africa/Kampala")'
        )

    @classmethod
    @public_call
    def of(cls, hours: Hours | str) -> Hours:
        """Read hours as the user wrote them.

        Raises `UsageError` saying which part cannot be read; for an unknown time zone it suggests some.
        """
        if isinstance(hours, Hours):
            return hours
        match = _HOURS.fullmatch(hours) if isinstance(hours, str) else None
        try:
            if not match or not match[3]:
                raise ValueError
            opens, closes = (time.fromisoformat(text.zfill(5)) for text in match.groups()[:2])
        except ValueError:
            raise wrong(
                hours, subject="hours", needs="opening and closing times with a time zone",
                write=f"hours={_HOURS_EXAMPLE!r}",
            ) from None  # fmt: skip
        try:
            return cls(opens, closes, ZoneInfo(match[3]))
        except (ValueError, OSError, KeyError):  # ZoneInfoNotFoundError is a KeyError
            raise UsageError("time_zone_unknown", zone=match[3], suggestions=zones_meant(match[3])) from None

    def look(self, tally: Tally, batch: Size | None, now: datetime) -> Hold | None:
        clock = now.astimezone(self.zone).time()
        inside = self.opens <= clock < self.closes
        if self.closes <= self.opens:
            inside = clock >= self.opens or clock < self.closes
        if inside:
            return None
        window = {"opens": f"{self.opens:%H:%M}", "closes": f"{self.closes:%H:%M}"}
        return Hold(Finding("outside_hours", {"now": f"{clock:%H:%M}", "zone": self.zone.key, **window}))


def zones_meant(name: str) -> list[str]:
    """The zones that somebody may mean by "EAT", "Kampala" or "kampla"; an abbreviation can be several."""
    return _zones_abbreviated(name) or _zones_like(name)


def _zones_abbreviated(name: str) -> list[str]:
    """Some cities whose clocks use this abbreviation, in winter or in summer."""
    if not (name.isascii() and name.isalpha() and name.isupper() and len(name) <= 5):
        return []
    days = [datetime(datetime.now(UTC).year, month, 1, tzinfo=UTC) for month in (1, 7)]
    cities = sorted(zone for zone in available_timezones() if _is_city(zone))
    return [zone for zone in cities if any(day.astimezone(ZoneInfo(zone)).tzname() == name for day in days)][
        :10
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
