"""From a contact table to the tables of a plan, step by step, for whole columns at a time."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from campaign.arrow_text import Ints
from campaign.contacts.contact_parts import ContactParts, WholeTable, parts_of, rows_at
from campaign.contacts.partitioned_table import PartitionedTable
from campaign.contacts.reserved_columns import file_names
from campaign.messages.issues import IssueCollector
from campaign.messages.plan_tables.block_texts import (
    CellIssues,
    Rules,
    find_recipients,
    labels_of,
    write_texts,
)
from campaign.messages.plan_tables.cluster_tables import ClusterTables
from campaign.messages.plan_tables.country_doubt import report_other_country
from campaign.messages.plan_tables.duplicates import DuplicateFinder
from campaign.messages.plan_tables.held_tables import HeldTables
from campaign.messages.plan_tables.row_block import DraftTables, RunningTotals
from campaign.messages.plan_tables.spooled_tables import SpooledTables
from campaign.messages.recipients import names_at
from campaign.messages.totals import Totals

BLOCK = 131_072  # rows processed together: large enough for column-wise speed, small enough to reuse memory


def write_draft(contacts: ContactParts, rules: Rules, preferred: Ints) -> dict[str, Any]:
    """Take all rows through all steps. Their order decides which of several possible statuses a row gets.

    Of rows with the same number the first is kept, or one that is in `preferred`, which holds positions.
    Returns those fields of a `Plan` that depend on the rows: where the contacts are, in memory, on disk or on
    a cluster.
    """
    issues = _issues_of_table(contacts, rules)
    steps: _Steps = (
        ClusterTables(contacts, issues)
        if isinstance(contacts, PartitionedTable)
        else _LocalSteps(contacts, issues)
    )
    duplicates = DuplicateFinder(steps.find_numbers(rules), every_text=rules.duplicates == "keep")
    if len(preferred):
        rows = rows_at(contacts, preferred)
        texts = rules.texts.render(rows, IssueCollector(len(rows))).texts
        names = names_at(rows, rules.numbers.naming, np.arange(len(rows)))
        duplicates.keep(preferred, labels_of(rows), texts, names)
    totals = steps.finish(rules, duplicates)
    if rules.duplicates == "error":
        duplicates.refuse()
    names_in_plan = dict(zip(contacts.columns, file_names(contacts.columns), strict=True))
    columns = tuple(names_in_plan[name] for name in rules.numbers.columns)
    return steps.plan_fields(columns, totals)


def _issues_of_table(contacts: ContactParts, rules: Rules) -> IssueCollector:
    """The issues that are about no single row."""
    issues = IssueCollector(0)
    if contacts.reading is not None:
        for notice in contacts.reading.notices:
            issues.add_for_table("", contacts.reading.source, "reading", "info", notice)
    report_other_country(contacts, rules.numbers, issues)
    rules.texts.describe(contacts, issues)
    issues.absorb(rules.suppression.issues, 0)
    return issues


class _Steps(Protocol):
    """What is done to all blocks, wherever they are."""

    def find_numbers(self, rules: Rules) -> Ints:
        """The number of each row, 0 where it has none."""
        ...

    def finish(self, rules: Rules, duplicates: DuplicateFinder) -> Totals:
        """Write the messages of all rows."""
        ...

    def plan_fields(self, number_columns: tuple[str, ...], totals: Totals) -> dict[str, Any]:
        """The tables as `Plan` takes them."""
        ...


class _LocalSteps:
    """The steps on this machine, one block at a time."""

    def __init__(self, contacts: ContactParts, issues: IssueCollector) -> None:
        self._contacts = contacts
        self._tables: DraftTables = (
            HeldTables(contacts.frame, issues)
            if isinstance(contacts, WholeTable)
            else SpooledTables(contacts, issues)
        )
        self.plan_fields = self._tables.plan_fields

    def find_numbers(self, rules: Rules) -> Ints:
        numbers = np.empty(self._contacts.rows, dtype=np.int64)
        start, cell_issues = 0, CellIssues.of(self._contacts.reading)
        for rows in parts_of(self._contacts):
            block = find_recipients(rows, start, rules.numbers, cell_issues)
            numbers[start : start + len(rows)] = block.recipients.numbers
            start += len(rows)
            self._tables.keep(block)
        self._tables.keep_numbers(numbers)
        return numbers

    def finish(self, rules: Rules, duplicates: DuplicateFinder) -> Totals:
        totals = RunningTotals()
        for block in self._tables.blocks():
            texts = write_texts(block, rules)
            sharing = duplicates.sharing(block.start, len(block.contacts))
            repeats = duplicates.find(block.start, texts.candidates(sharing))
            messages = texts.messages(repeats, rules.duplicates)
            totals.add(block, messages)
            self._tables.add(block, messages)
        return totals.totals()
