"""Moments as people write them: 21 November 2026, 14:02, in a zone that is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Protocol
from zoneinfo import ZoneInfo

import pandas as pd
from msgspec import Struct


class SentWithOptions(Protocol):
    """A round of a campaign, with the options that `send` was given."""

    @property
    def options(self) -> Mapping[str, Any]: ...


class LocalTimes(Struct, frozen=True):
    """Writes moments in one zone; without one, in that of this machine."""

    zone: ZoneInfo | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> LocalTimes:
        """The zone of the sending hours that `send` was given, because people there read the report."""
        name = str(options.get("hours") or "").rpartition(" ")[2]
        try:
            return cls(ZoneInfo(name)) if name else cls()
        except (ValueError, OSError):  # the zone is not known on this machine
            return cls()

    @classmethod
    def of_rounds(cls, rounds: Sequence[SentWithOptions]) -> LocalTimes:
        """The zone of the hours that the last of a campaign's rounds was given."""
        return cls.of(rounds[-1].options if rounds else {})

    def local(self, moment: datetime) -> datetime:
        if isinstance(moment, pd.Timestamp):  # whose astimezone(None) is UTC, not the zone of this machine
            moment = moment.to_pydatetime()
        return moment.astimezone(self.zone)

    def moment(self, moment: datetime, *, seconds: bool = False) -> str:
        """One moment with its zone: "21 November 2026, 14:02 (Kampala, UTC+3)"."""
        local = self.local(moment)
        time = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
        return f"{self.day(moment)}, {time} ({self.name(moment)})"

    def now(self) -> str:
        """This moment, to the second: "on 21 November 2026, 14:02:07 (Kampala, UTC+3)"."""
        return f"on {self.moment(datetime.now(UTC), seconds=True)}"

    def written_now(self) -> str:
        """When a card was written: what it says may not be true any more when it is opened."""
        return f"Written {self.now()}."

    def with_local(self, frame: pd.DataFrame, column: str, name: str) -> pd.DataFrame:
        """The frame with the moments of a column in this zone, which the new name of the column says."""
        moments = frame[column]
        known = moments.dropna()
        zone = f" ({self.name(known.iloc[-1])})" if len(known) else ""
        local = [None if pd.isna(moment) else self.local(moment) for moment in moments]
        as_objects = pd.Series(local, index=frame.index, dtype=object)
        return frame.assign(**{column: as_objects}).rename(columns={column: f"{name}{zone}"})

    def name(self, moment: datetime) -> str:
        """The zone at that moment: "Kampala, UTC+3", "CET, UTC+1" or "UTC"."""
        local = self.local(moment)
        if not local.utcoffset() and self.zone is None:
            return "UTC"
        place = self.zone.key.rpartition("/")[2].replace("_", " ") if self.zone else local.tzname() or "local"
        return place if place == "UTC" else f"{place}, UTC{_offset(local)}"

    def day(self, moment: datetime) -> str:
        local = self.local(moment)
        return f"{local.day} {local:%B %Y}"

    def time(self, moment: datetime) -> str:
        return f"{self.local(moment):%H:%M}"

    def time_in(self, moment: datetime, days: int, *, seconds: bool = False) -> str:
        """The time of day, with its day where the times shown lie on several `days`."""
        local = self.local(moment)
        time = f"{local:%H:%M:%S}" if seconds else f"{local:%H:%M}"
        return time if days == 1 else f"{local.day} {local:%b} {time}"

    def days(self, first: datetime, last: datetime) -> int:
        """On how many days two moments and what is between them lie."""
        return (self.local(last).date() - self.local(first).date()).days + 1

    def day_span(self, first: datetime, last: datetime) -> str:
        """The days from one to the other: "3 March 2026", or "3 March 2026 to 4 April 2026"."""
        start, end = self.day(first), self.day(last)
        return start if start == end else f"{start} to {end}"

    def short_day_span(self, first: datetime, last: datetime) -> str:
        """A span for a cell of a table: "3 Mar 2026", or "3 Mar to 4 Apr 2026"."""
        start, end = self.local(first), self.local(last)
        if start.date() == end.date():
            return f"{end.day} {end:%b %Y}"
        year = f" {start.year}" if start.year != end.year else ""
        return f"{start.day} {start:%b}{year} to {end.day} {end:%b %Y}"

    def span(self, first: datetime, last: datetime) -> str:
        """From when to when: "on 21 November 2026, 14:02 to 14:09 (Kampala, UTC+3)"."""
        zone = self.name(last)
        start, end = (f"{self.day(moment)}, {self.time(moment)}" for moment in (first, last))
        if start == end:
            return f"on {self.day(first)} at {self.time(first)} ({zone})"
        if self.days(first, last) == 1:
            return f"on {start} to {self.time(last)} ({zone})"
        return f"from {start}, to {end} ({zone})"


def duration(time: timedelta) -> str:
    """How long something took: "8 s", "7 min", "2 h 5 min", "3 days"."""
    seconds = round(time.total_seconds())
    if seconds < 1:
        return "under a second"
    if seconds < 100:
        return f"{seconds} s"
    minutes = round(seconds / 60)
    if minutes < 100:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return f"{round(hours / 24)} days"


def clock(seconds: float) -> str:
    """A duration as a clock shows it: 0:07, 12:30 or 1:02:03."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _offset(moment: datetime) -> str:
    """How far ahead of UTC: "+3", "-3:30"."""
    offset = moment.utcoffset() or timedelta(0)
    hours, minutes = divmod(abs(round(offset.total_seconds() / 60)), 60)
    return f"{'-' if offset < timedelta(0) else '+'}{hours}{f':{minutes:02}' if minutes else ''}"
