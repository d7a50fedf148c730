"""What becomes of a block of rows: their numbers, then their texts, then their messages.

Only one step needs the other blocks: which rows repeat a number, see `duplicates`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.arrow_text import (
    Ints,
    TextArray,
    array_to_series,
    constant_array,
    integers_to_array,
    text_array,
    unique_texts,
)
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import file_names
from campaign.contract import STATUSES
from campaign.messages.issues import BLANK, DUPLICATE, NOT_SENT, OPTED_OUT, IssueCollector
from campaign.messages.number_rules import NumberRules
from campaign.messages.overlong import Fitted, OverlongRules, fit
from campaign.messages.plan_tables.duplicates import Candidates, Repeats, report_duplicates
from campaign.messages.recipients import Recipients, find_numbers
from campaign.messages.suppression.suppression_lists import SuppressionLists
from campaign.messages.templates.campaign_texts import CampaignTexts
from campaign.messages.totals import Totals
from campaign.values import replace
from campaign.words.finding import Finding
from campaign.words.python import PYTHON


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
_SUMS = dict.fromkeys(
    ("messages", "gsm7", "ucs2", "totals_lines", "remarks", "left_out", "second_numbers"), 0
)


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
            left_out=issues.count_excluded("other_campaign", DUPLICATE),
            second_numbers=int((issues.sendable & (block.recipients.source > 0)).sum()),
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
    """The contact table with each row's status, its code and its reason; its own columns with these names are
    renamed."""
    table = contacts.set_axis(file_names(contacts.columns), axis=1)
    status = text_array(list(STATUSES)).take(issues.status.astype(np.int64))
    return table.assign(
        status=array_to_series(status, contacts.index),
        why=array_to_series(issues.why(), contacts.index),
        reason=array_to_series(issues.reasons(), contacts.index),
    )


class Rules(Struct, frozen=True):
    """Everything that decides what a row gets."""

    texts: CampaignTexts
    numbers: NumberRules
    overlong: OverlongRules
    suppression: SuppressionLists
    duplicates: str  # one of DUPLICATES


def find_recipients(
    contacts: pd.DataFrame, start: int, rules: NumberRules, of_cells: pd.DataFrame | None = None
) -> RowBlock:
    """The rows of a block with their numbers; `of_cells` are the `issues_of_cells` of the table."""
    issues = IssueCollector(len(contacts))
    if of_cells is not None:
        _add_issues_of_cells(of_cells, contacts, issues)
    region = rules.region_of(contacts, start)
    recipients, countries = find_numbers(contacts, rules, region, issues)
    if not isinstance(region, pd.Series):  # a region for each row: several countries are meant
        report_rare_countries(recipients, countries, contacts, issues)
    return RowBlock(start, contacts, issues, recipients, countries)


def write_texts(block: RowBlock, rules: Rules) -> BlockTexts:
    """The texts of a block; the reasons of rows that get none are added to its issues, but for duplicates."""
    contacts, issues = block.contacts, block.issues
    rules.suppression.exclude_opted_out(issues, contacts, block.recipients, block.start)
    senders = rules.texts.senders(contacts, issues)
    priorities = rules.texts.priorities(contacts, issues)
    rendered = rules.texts.render(contacts, issues)
    fitted = fit(rendered, rules.overlong, issues)
    rules.suppression.exclude_reached(issues, contacts, block.recipients)
    return BlockTexts(block, rendered.texts, fitted, senders, priorities)


class BlockTexts(Struct, frozen=True, eq=False):
    """All texts of a block, also those of rows that get none: one for each row, and as they fit."""

    block: RowBlock
    texts: TextArray
    fitted: Fitted
    senders: TextArray | str
    priorities: TextArray | str

    def copy(self) -> BlockTexts:
        """The same, with issues of its own."""
        return replace(self, block=replace(self.block, issues=self.block.issues.copy()))

    def candidates(self, sharing: Ints) -> Candidates:
        """Of the rows that share their number with another one those that get something, or opted out."""
        status = self.block.issues.status[sharing]
        opted_out = status == OPTED_OUT
        chosen = opted_out | (status == NOT_SENT)
        rows = sharing[chosen]
        labels = labels_of(self.block.contacts)[rows]
        return Candidates(rows, labels, self.texts.take(rows), opted_out[chosen])

    def messages(self, repeats: Repeats, duplicates: str) -> BlockMessages:
        """The messages of the rows that get one, and what repeats would get; they are added to the issues.

        `duplicates` is one of DUPLICATES.
        """
        block = self.block
        report_duplicates(repeats, block.issues, block.contacts, block.recipients, keep=duplicates == "keep")
        has_alternative = np.zeros(len(block.contacts), dtype=bool)
        sharing_phones = block.issues.rows_with("shared_phone")
        has_alternative[sharing_phones[~block.issues.sendable[sharing_phones]]] = duplicates != "error"
        return self._messages(np.flatnonzero(has_alternative[self.fitted.rows]))

    def _messages(self, alternatives: Ints) -> BlockMessages:
        positions = np.flatnonzero(self.block.issues.sendable[self.fitted.rows])
        rows, lengths = self.fitted.rows[positions], self.fitted.lengths.take(positions)
        countries, country_positions = unique_texts(self.block.countries.take(rows))
        counts = np.bincount(country_positions, minlength=len(countries)).tolist()
        return BlockMessages(
            self._columns(positions),
            self._columns(alternatives),
            Counter(dict(zip(countries, counts, strict=True))),
            ucs2=int(lengths.parts[lengths.ucs2].sum(dtype=np.int64)),
            longest=int(lengths.units.max(initial=0)),
        )

    def _columns(self, positions: Ints) -> dict[str, Any]:
        rows = self.fitted.rows[positions]
        return {
            "row": labels_of(self.block.contacts)[rows],
            "number": integers_to_array(self.block.recipients.numbers[rows]),
            "message": self.fitted.texts.take(positions),
            "sender": _take(self.senders, rows),
            "priority": _take(self.priorities, rows),
            "parts": self.fitted.lengths.parts[positions].astype(np.int64),
        }


def _take(values: TextArray | str, rows: Ints) -> TextArray:
    """The values of some rows, or the one for all."""
    return constant_array(values, len(rows)) if isinstance(values, str) else values.take(rows)


def labels_of(contacts: pd.DataFrame) -> Ints:
    """The row numbers of a contact table."""
    return contacts.index.to_numpy(dtype=np.int64)


def issues_of_cells(reading: Reading | None) -> pd.DataFrame | None:
    """The issues of single cells that reading the file found: one line each, with its row number in `row`."""
    if reading is None or not reading.issues:
        return None
    details = {issue.code: PYTHON.text(Finding(issue.code)) for issue in reading.issues}
    lines = (
        (one.row, one.column, one.facts.get("value", ""), one.code, one.severity, details[one.code])
        for one in reading.issues
    )
    return pd.DataFrame(lines, columns=["row", "column", "value", "code", "severity", "detail"])


def _add_issues_of_cells(cells: pd.DataFrame, contacts: pd.DataFrame, issues: IssueCollector) -> None:
    """Add those of the rows of a block."""
    cells = cells.assign(position=contacts.index.get_indexer(pd.Index(cells["row"])))
    cells = cells[cells["position"] >= 0].sort_values("position", kind="stable")
    for (column, code, severity), group in cells.groupby(["column", "code", "severity"]):
        rows = group["position"].to_numpy(dtype=np.int64)
        issues.add(rows, str(column), text_array(group["value"].tolist()), str(code), str(severity))


# A country with less than one in so many numbers is rare. Fewer numbers than that tell nothing.
_FEW = 50


def report_rare_countries(
    recipients: Recipients, countries: TextArray, contacts: pd.DataFrame, issues: IssueCollector
) -> None:
    """Add an issue for each number of a rare country, where one country has nearly all numbers of a block."""
    names, positions = unique_texts(countries)
    counts = np.bincount(positions[recipients.numbers > 0], minlength=len(names))
    total = counts.sum()
    if total < _FEW or counts.max() * 10 < total * 9:
        return
    most = names[int(counts.argmax())]
    for place in np.flatnonzero((counts > 0) & (counts * _FEW < total)).tolist():
        if not names[place]:
            continue
        rows = np.flatnonzero((positions == place) & (recipients.numbers > 0))
        facts = {"country": names[place], "usual": most}
        recipients.report(issues, contacts, rows, "rare_country", "warning", **facts)
