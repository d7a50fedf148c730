"""How many rows ended in which status, and what the messages take."""

from collections.abc import Iterator, Mapping
from typing import Any

from campaign.contract import STATUSES
from campaign.text import figure

_FIGURES = ("rows", "messages", "parts", "gsm7", "ucs2", "longest")


class Totals(Mapping[str, int]):
    """Rows by status, as a mapping over the eight statuses in order; they add up to `rows`. Immutable.

    `rows` rows of the contact table; `messages` messages; `parts` SMS parts of all messages, of which `gsm7`
    in GSM-7 and `ucs2` in UCS-2; `longest` the longest text in UTF-16 units; `countries` messages by the
    country of their numbers (ISO codes, the most frequent first).
    """

    __slots__ = ("_countries", "_figures", "_statuses")

    def __init__(
        self,
        statuses: Mapping[str, int],
        *,
        messages: int,
        gsm7: int,
        ucs2: int,
        longest: int,
        countries: Mapping[str, int],
    ) -> None:
        self._statuses = {status: int(statuses.get(status, 0)) for status in STATUSES}
        rows = sum(self._statuses.values())
        figures = (rows, int(messages), int(gsm7) + int(ucs2), int(gsm7), int(ucs2), int(longest))
        self._figures = dict(zip(_FIGURES, figures, strict=True))
        self._countries = {str(country): int(count) for country, count in countries.items()}

    def __getitem__(self, status: str) -> int:
        return self._statuses[status]

    def __iter__(self) -> Iterator[str]:
        return iter(self._statuses)

    def __len__(self) -> int:
        return len(self._statuses)

    @property
    def rows(self) -> int:
        return self._figures["rows"]

    @property
    def messages(self) -> int:
        return self._figures["messages"]

    @property
    def parts(self) -> int:
        return self._figures["parts"]

    @property
    def gsm7(self) -> int:
        return self._figures["gsm7"]

    @property
    def ucs2(self) -> int:
        return self._figures["ucs2"]

    @property
    def longest(self) -> int:
        return self._figures["longest"]

    @property
    def countries(self) -> dict[str, int]:
        return dict(self._countries)

    def as_record(self) -> dict[str, Any]:
        """Everything as plain values, for a manifest."""
        figures = {name: self._figures[name] for name in ("messages", "gsm7", "ucs2", "longest")}
        return {"statuses": dict(self._statuses), **figures, "countries": self.countries}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Totals":
        """What `as_record` gave."""
        figures = {name: record[name] for name in ("messages", "gsm7", "ucs2", "longest", "countries")}
        return cls(record["statuses"], **figures)

    def __repr__(self) -> str:
        counts = ", ".join(f"{status} {figure(count)}" for status, count in self.items() if count)
        return (
            f"Totals({figure(self.rows)} rows: {counts or 'none'}; "
            f"{figure(self.messages)} messages, {figure(self.parts)} parts)"
        )
