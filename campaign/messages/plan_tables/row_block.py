"""A block of rows on its way from contacts to messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import Ints, TextArray, array_to_series, text_array
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


class DraftTables(Protocol):
    """Where the blocks of a plan and the tables that are made of them are kept: in memory or on disk."""

    def keep(self, block: RowBlock) -> None:
        """Keep a block until all numbers are known."""
        ...

    def keep_numbers(self, numbers: Ints) -> None:
        """Take the numbers of all rows."""
        ...

    def blocks(self) -> Iterator[RowBlock]:
        """The blocks in order, each of them once."""
        ...

    def add(self, block: RowBlock, messages: BlockMessages) -> None:
        """Take what a block has become."""
        ...

    def plan_fields(self, number_columns: tuple[str, ...], totals: Totals) -> dict[str, Any]:
        """The tables as `Plan` takes them, once all blocks were added."""
        ...


class RunningTotals:
    """The totals of the blocks so far."""

    def __init__(self) -> None:
        self._statuses = np.zeros(len(STATUSES), dtype=np.int64)
        self._countries = Counter[str]()
        self._messages = self._parts = self._ucs2 = self._longest = 0
        self._totals_lines = self._remarks = self._left_out = 0

    def add(self, block: RowBlock, messages: BlockMessages) -> None:
        self._statuses += np.bincount(block.issues.status, minlength=len(STATUSES))
        self._totals_lines += block.issues.count_excluded("line_of_totals", BLANK)
        self._remarks += block.issues.count_excluded("remark", BLANK)
        self._left_out += block.issues.count_excluded("already_sent", DUPLICATE)
        self._countries += messages.countries
        self._messages += len(messages.columns["row"])
        self._parts += int(messages.columns["parts"].sum())
        self._ucs2 += messages.ucs2
        self._longest = max(self._longest, messages.longest)

    def absorb(self, others: RunningTotals) -> None:
        """Add those of other blocks."""
        self._statuses += others._statuses
        self._totals_lines += others._totals_lines
        self._remarks += others._remarks
        self._left_out += others._left_out
        self._countries += others._countries
        self._messages += others._messages
        self._parts += others._parts
        self._ucs2 += others._ucs2
        self._longest = max(self._longest, others._longest)

    def totals(self) -> Totals:
        return Totals(
            dict(zip(STATUSES, self._statuses.tolist(), strict=True)),
            messages=self._messages,
            gsm7=self._parts - self._ucs2,
            ucs2=self._ucs2,
            longest=self._longest,
            countries=dict(sorted(self._countries.items(), key=lambda item: (-item[1], item[0]))),
            totals_lines=self._totals_lines,
            remarks=self._remarks,
            left_out=self._left_out,
        )


def with_statuses(contacts: pd.DataFrame, issues: IssueCollector) -> pd.DataFrame:
    """The contact table with each row's status and reason; its own columns with these names are renamed."""
    table = contacts.set_axis(file_names(contacts.columns), axis=1)
    status = text_array(list(STATUSES)).take(issues.status.astype(np.int64))
    return table.assign(
        status=array_to_series(status, contacts.index),
        reason=array_to_series(issues.reasons(), contacts.index),
    )
