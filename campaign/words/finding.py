"""`Finding`: what is known about a cell, a row, a table, a call or a campaign, as a code and facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct, field

from campaign.words.codes import CODES

SEVERITIES = ("error", "warning", "info")  # the most severe first


class Finding(Struct, frozen=True):
    """A code of the closed list `CODES`, and the facts that its headline names.

    - `facts`: by name numbers, names, amounts, moments, and lists of these. A fact can be a finding, too:
      why a list could not be read. No fact is a sentence of this package.
    - `severity`: "error", "warning" or "info".
    - `row`, `column`: where it was found; None where it is about no single one.
    """

    code: str
    facts: Mapping[str, Any] = field(default_factory=dict)
    severity: str = "error"
    row: int | None = None
    column: str | None = None

    def __hash__(self) -> int:
        return hash((self.code, self.severity, self.row, self.column))

    def __post_init__(self) -> None:
        if self.code not in CODES:
            raise ValueError(f"{self.code!r} is no code of a finding")
        if self.severity not in SEVERITIES:
            raise ValueError(f"{self.severity!r} is no severity")
