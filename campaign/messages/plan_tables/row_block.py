"""A block of rows on its way from contacts to messages."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import TextArray, array_to_series, text_array
from campaign.contacts.reserved_columns import file_names
from campaign.contract import STATUSES
from campaign.messages.issues import BLANK, DUPLICATE, IssueCollector
from campaign.messages.recipients import Recipients
from campaign.messages.totals import Totals


class RowBlock(Struct, frozen=True, eq=False):
    """Some consecutive rows, their numbers, and their issues so far."""

    start: int
    contacts: pd.DataFrame
    issues: IssueCollector
    recipients: Recipients
    countries: TextArray


class BlockMessages(Struct, frozen=True, eq=False):
    """The messages of a block as columns, and likewise what its repeated numbers would get."""

    columns: dict[str, Any]
    alternatives: dict[str, Any]
    countries: Counter[str]
    ucs2: int  # parts
    longest: int  # UTF-16 units


# Fields of `Totals` that are sums over all blocks.
_SUMS = dict.fromkeys(("messages", "gsm7", "ucs2", "totals_lines", "remarks", "left_out"), 0)


class RunningTotals:
    """The totals of the blocks so far."""

    def __init__(self) -> None:
        self._statuses = np.zeros(len(STATUSES), dtype=np.int64)
        self._countries, self._sums, self._longest = Counter[str](), Counter[str](_SUMS), 0

    def add(self, block: RowBlock, messages: BlockMessages) -> None:
        issues = block.issues
        self._statuses += np.bincount(issues.status, minlength=len(STATUSES))
        self._countries += messages.countries
        self._longest = max(self._longest, messages.longest)
        self._sums.update(
            messages=len(messages.columns["row"]),
            gsm7=int(messages.columns["parts"].sum()) - messages.ucs2,
            ucs2=messages.ucs2,
            totals_lines=issues.count_excluded("line_of_totals", BLANK),
            remarks=issues.count_excluded("remark", BLANK),
            left_out=issues.count_excluded("already_sent", DUPLICATE),
        )

    def absorb(self, others: RunningTotals) -> None:
        """Add those of other blocks."""
        self._statuses += others._statuses
        self._countries += others._countries
        self._longest = max(self._longest, others._longest)
        self._sums.update(others._sums)

    def totals(self) -> Totals:
        statuses = dict(zip(STATUSES, self._statuses.tolist(), strict=True))
        countries = dict(sorted(self._countries.items(), key=lambda item: (-item[1], item[0])))
        return Totals(statuses, longest=self._longest, countries=countries, **self._sums)


def with_statuses(contacts: pd.DataFrame, issues: IssueCollector) -> pd.DataFrame:
    """The contact table with each row's status and reason; its own columns with these names are renamed."""
    table = contacts.set_axis(file_names(contacts.columns), axis=1)
    status = text_array(list(STATUSES)).take(issues.status.astype(np.int64))
    return table.assign(
        status=array_to_series(status, contacts.index),
        reason=array_to_series(issues.reasons(), contacts.index),
    )
