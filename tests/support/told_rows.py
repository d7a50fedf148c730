"""What a result says of each row of a table, held to what the phones received."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

import campaign
from support.living_sheets import Line, Sheet
from support.told_truth import SENT, Recorded, Truth, recorded_batches
from support.witnessed_service import Text, whole_texts

_OF_THE_TABLE = ("same_text", "shared_phone")  # why a row is a duplicate of another row of its table
_UNSETTLED = ("unknown", "sending", "again")
_NOT_REACHED = {"refused", "not_sent"}


def check_result(result: campaign.Result, sheet: Sheet, truth: Truth, folder: Path) -> list[str]:
    """What a result says and is not true."""
    contacts, statuses = result.contacts, result.contacts["status"].value_counts().to_dict()
    if {status: count for status, count in result.totals.items() if count} != statuses:
        return [f"{dict(result.totals)} are not the statuses of the rows, {statuses}"]
    if len(contacts) != len(sheet.lines):
        return [f"{len(contacts)} rows are not the {len(sheet.lines)} of the table"]
    batches = {batch.batch: batch for batch in recorded_batches(folder)}
    rows = [
        _Row(
            truth, sheet, line, text, row.status, row.why, None if pd.isna(row.batch) else batches[row.batch]
        )
        for line, text, row in zip(sheet.lines, sheet.texts(), contacts.itertuples(), strict=True)
        if line.number(sheet.region) not in truth.perhaps_stopped - truth.stopped
    ]
    broken = [f"{row.line}, {row.text}: {row.status}, {row.why}" for row in rows if not row.is_true()]
    broken += _not_in_table(result, sheet, batches)
    return broken + _forgotten(rows) + _foreign_texts(result, sheet) + _wrong_costs(result, batches)


@dataclass(frozen=True)
class _Row:
    """A row with the text that it should get, None for nothing, and what a result says of it."""

    truth: Truth
    sheet: Sheet
    line: Line
    text: Text | None
    status: str
    why: str
    batch: Recorded | None

    @property
    def number(self) -> str:
        return self.line.number(self.sheet.region)

    @property
    def got(self) -> list[Text]:
        """What the batch that is shown has brought, or may have."""
        return self.batch.texts if self.batch is not None and self.batch.state in SENT else []

    def is_true(self) -> bool:
        if self.text is None:
            is_shown = self.batch is not None or not self.truth.reached(self.number)
            is_copy = self.number and self.why == "same_text"  # of a row that is opted out
            return is_shown and (is_copy or self.status == ("opted_out" if self.number else "invalid"))
        if self.status == "duplicate":
            return self._is_duplicate(self.text)
        if self.status == "unknown":
            is_meant = self.text in self.got or self._has_other_text(self.text) or self._has_other_number()
            return is_meant and self.batch is not None and self.batch.state in _UNSETTLED
        has_arrived = self.truth.arrivals[self.text] > 0
        if self.status == "accepted":
            return has_arrived and self.text in self.got
        return self.status in _NOT_REACHED and (not has_arrived or self.truth.again[self.text] > 0)

    def _is_duplicate(self, text: Text) -> bool:
        same_number = [other for other in self.sheet.texts() if other and other[0] == text[0]]
        return {
            "same_text": same_number.count(text) > 1,
            "shared_phone": len(set(same_number)) > 1,
            "earlier_text": self._has_other_text(text),
            "other_number": self._has_other_number(),
            "other_campaign": bool(self.sheet.not_again),
        }.get(self.why, False)

    def _has_other_text(self, text: Text) -> bool:
        return any(number == text[0] and other != text[1] for number, other in self.got)

    def _has_other_number(self) -> bool:
        """Whether the cell may have been reached under a number that is gone."""
        other_numbers = {number for number, _ in self.got} - self.sheet.numbers
        return any(number.endswith(self.line.national) for number in other_numbers)


def _forgotten(rows: list[_Row]) -> list[str]:
    """Phones of which each row says that another one is the one."""
    everyone = {row.number for row in rows if row.text is not None}
    told = {row.number for row in rows if row.status != "duplicate" or row.why not in _OF_THE_TABLE}
    return [f"all rows with {number} are duplicates of each other" for number in everyone - told]


def _foreign_texts(result: campaign.Result, sheet: Sheet) -> list[str]:
    """Rows that show a text of before, and texts of which a part has another status than the rest."""
    broken, texts = [], sheet.texts()
    for row, messages in result.messages.groupby("row", sort=False):
        shown = whole_texts(zip(messages["number"], messages["message"], strict=True))
        if texts[row - 2] is not None and shown != [texts[row - 2]]:
            broken.append(f"row {row} shows {shown} in place of {texts[row - 2]}")
        if messages["status"].nunique() > 1:
            broken.append(f"{shown} is {set(messages['status'])}: pieces of one text")
    return broken


def _not_in_table(result: campaign.Result, sheet: Sheet, batches: dict[int, Recorded]) -> list[str]:
    """What left, or may have, is in a row of the table or listed beside it."""
    left = {
        (batch.batch, number)
        for batch in batches.values()
        if batch.state in SENT
        for number, _ in batch.messages
    }
    numbers = (line.number(sheet.region) for line in sheet.lines)
    named = set(zip(result.contacts["batch"].fillna(0), numbers, strict=True))
    listed = set(zip(result.not_in_table["batch"], result.not_in_table["number"], strict=True))
    return [] if listed == left - named else [f"not in the table are {left - named}, and told is {listed}"]


def _wrong_costs(result: campaign.Result, batches: dict[int, Recorded]) -> list[str]:
    """All that was charged is in the totals, and in the rows of a table or in the row of those in none."""
    known = sum(batch.cost for batch in batches.values() if batch.cost is not None)
    told = result.totals.cost
    broken = [f"the cost is {told} instead of {known}"] if told is not None and told != known else []
    shared = sum(cost for cost in result.by("name")["cost_share"] if cost is not None)
    if told is not None and abs(shared - known) >= 1:
        broken.append(f"the costs of the rows are {shared} instead of {known}")
    return broken
