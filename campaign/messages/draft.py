"""From a contact table to the tables of a plan, step by step, for whole columns at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from campaign.arrow_text import Ints, TextArray, constant_array, integers_to_array, text_array, unique_texts
from campaign.contacts.contact_parts import ContactParts, WholeTable, parts_of, rows_at
from campaign.contacts.reading_record import Reading
from campaign.contacts.reserved_columns import file_names
from campaign.messages.issues import IssueCollector
from campaign.messages.overlong import Fitted, OverlongRules, fit
from campaign.messages.plan_tables.duplicates import DuplicateFinder, report_duplicates
from campaign.messages.plan_tables.held_tables import HeldTables
from campaign.messages.plan_tables.rare_countries import report_rare_countries
from campaign.messages.plan_tables.row_block import BlockMessages, DraftTables, RowBlock, RunningTotals
from campaign.messages.plan_tables.spooled_tables import SpooledTables
from campaign.messages.recipients import NumberRules, find_numbers
from campaign.messages.suppression import SuppressionLists
from campaign.messages.templates.campaign_texts import CampaignTexts

BLOCK = 131_072  # rows processed together: large enough for column-wise speed, small enough to reuse memory


@dataclass(frozen=True)
class Rules:
    """Everything that decides what a row gets."""

    texts: CampaignTexts
    numbers: NumberRules
    overlong: OverlongRules
    suppression: SuppressionLists
    duplicates: str  # one of DUPLICATES


def write_draft(contacts: ContactParts, rules: Rules, preferred: Ints) -> dict[str, Any]:
    """Take all rows through all steps. Their order decides which of several possible statuses a row gets.

    Of rows with the same number the first is kept, or one that is in `preferred`, which holds positions.
    Returns those fields of a `Plan` that depend on the rows: in memory if the contacts are, else on disk.
    """
    issues = _issues_of_table(contacts, rules)
    tables: DraftTables = (
        HeldTables(contacts.frame, issues)
        if isinstance(contacts, WholeTable)
        else SpooledTables(contacts, issues)
    )
    numbers = _find_all_recipients(contacts, rules.numbers, tables)
    duplicates = DuplicateFinder(numbers, every_text=rules.duplicates == "keep")
    if len(preferred):
        rows = rows_at(contacts, preferred)
        texts = rules.texts.render(rows, IssueCollector(len(rows))).texts
        duplicates.keep(preferred, labels_of(rows), texts)
    tables.keep_numbers(numbers)
    del numbers  # 80 MB for ten million rows
    totals = RunningTotals()
    for block in tables.blocks():
        messages = _write_messages(block, rules, duplicates)
        totals.add(block, messages)
        tables.add(block, messages)
    if rules.duplicates == "error":
        duplicates.refuse()
    names_in_plan = dict(zip(contacts.columns, file_names(contacts.columns), strict=True))
    columns = tuple(names_in_plan[name] for name in rules.numbers.columns)
    return tables.plan_fields(columns, totals.totals())


def _issues_of_table(contacts: ContactParts, rules: Rules) -> IssueCollector:
    """The issues that are about no single row."""
    issues = IssueCollector(0)
    if contacts.reading is not None:
        for notice in contacts.reading.notices:
            issues.add_for_table("", contacts.reading.source, "reading", "info", notice)
    rules.texts.describe(contacts, issues)
    issues.absorb(rules.suppression.issues, 0)
    return issues


def _find_all_recipients(contacts: ContactParts, rules: NumberRules, tables: DraftTables) -> Ints:
    """Keep the rows block by block; returns the number of each."""
    numbers = np.empty(contacts.rows, dtype=np.int64)
    start, cell_issues = 0, _CellIssues.of(contacts.reading)
    for rows in parts_of(contacts):
        block = _find_recipients(rows, start, rules, cell_issues)
        numbers[start : start + len(rows)] = block.recipients.numbers
        start += len(rows)
        tables.keep(block)
    return numbers


def _find_recipients(
    contacts: pd.DataFrame, start: int, rules: NumberRules, cell_issues: _CellIssues
) -> RowBlock:
    issues = IssueCollector(len(contacts))
    cell_issues.add(contacts, issues)
    region = rules.region_of(contacts, start)
    recipients, countries = find_numbers(contacts, rules, region, issues)
    if not isinstance(region, pd.Series):  # a region for each row: several countries are meant
        report_rare_countries(recipients, countries, contacts, issues)
    return RowBlock(start, contacts, issues, recipients, countries)


def _write_messages(block: RowBlock, rules: Rules, duplicates: DuplicateFinder) -> BlockMessages:
    """The messages of a block; the reasons of rows that get none are added to its issues."""
    contacts, issues, recipients = block.contacts, block.issues, block.recipients
    senders = rules.texts.senders(contacts, issues)
    priorities = rules.texts.priorities(contacts, issues)
    rendered = rules.texts.render(contacts, issues)
    fitted = fit(rendered, rules.overlong, issues)
    rules.suppression.exclude(issues, contacts, recipients)
    repeats = duplicates.find(block.start, labels_of(contacts), issues, rendered.texts)
    report_duplicates(repeats, issues, contacts, recipients, keep=rules.duplicates == "keep")
    has_alternative = np.zeros(len(contacts), dtype=bool)
    if rules.duplicates == "skip":
        has_alternative[repeats.rows[~repeats.same_text]] = True
    finished = _Finished(block, fitted, senders, priorities)
    return finished.messages(np.flatnonzero(has_alternative[fitted.rows]))


@dataclass(frozen=True, eq=False)
class _Finished:
    """All texts of a block, also those of rows that get none."""

    block: RowBlock
    fitted: Fitted
    senders: TextArray | str
    priorities: TextArray | str

    def messages(self, alternatives: Ints) -> BlockMessages:
        """The messages of the rows that get one, and the texts at the positions of the alternatives."""
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


@dataclass(frozen=True, eq=False)
class _CellIssues:
    """The issues of single cells that reading the file found: one row each, with the row number in `row`."""

    cells: pd.DataFrame | None

    @classmethod
    def of(cls, reading: Reading | None) -> _CellIssues:
        if reading is None or not reading.issues:
            return cls(None)
        cells = pd.DataFrame(map(vars, reading.issues)).sort_values("row", kind="stable")
        kinds = cells.groupby(["column", "code", "severity"], sort=False)
        return cls(cells.assign(kind=kinds.ngroup()))

    def add(self, contacts: pd.DataFrame, issues: IssueCollector) -> None:
        """Add those of the rows of a block."""
        if self.cells is None:
            return
        positions = contacts.index.get_indexer(pd.Index(self.cells["row"]))
        cells = self.cells.assign(position=positions)
        cells = cells[cells["position"] >= 0].sort_values("position", kind="stable")
        for (_, column, code, severity), group in cells.groupby(["kind", "column", "code", "severity"]):
            rows = group["position"].to_numpy(dtype=np.int64)
            values, details = text_array(group["value"].tolist()), text_array(group["detail"].tolist())
            issues.add(rows, str(column), values, str(code), str(severity), details)
