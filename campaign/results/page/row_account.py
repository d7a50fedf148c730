"""All rows of the sheet: what became of each, and those that were not read."""

from __future__ import annotations

from campaign.contacts.reading_record import Reading
from campaign.results.totals import ResultTotals

MEANINGS = {
    "invalid": "left out: something in the row has to be corrected first",
    "blank": "left out: the row is empty",
    "duplicate": "left out: another row, or an earlier campaign, has the same number",
    "opted_out": "left out: the number is on the opt-out list",
    "not_sent": "ready, and not sent",
    "accepted": "accepted by the service, which does not say whether it reached the phone",
    "refused": "refused by the service, so not sent",
    "unknown": "may have been sent: the request left, and no readable answer came back",
}


def row_account(totals: ResultTotals, reading: Reading | None) -> list[tuple[str, int, str]]:
    """A name, the number of rows and what it means, for each status, and for rows that were not read."""
    lines = [(name.replace("_", " "), count, MEANINGS[name]) for name, count in totals.items()]
    return [*lines, *not_read(reading)]


def not_read(reading: Reading | None) -> list[tuple[str, int, str]]:
    """The rows of the sheet that are in no table: hidden ones, and those above the header."""
    if reading is None:
        return []
    above = (reading.header_row or 1) - 1
    lines = [
        ("hidden in the sheet", reading.hidden_rows, "not read, as nobody asked for hidden rows"),
        ("above the header", above, "not read"),
    ]
    return [line for line in lines if line[1]]
