"""From a contact table to the tables of a plan, step by step, for whole columns at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from campaign.arrow_text import Ints, array_to_series, matches
from campaign.contacts.contact_parts import ContactParts, WholeTable, first_cells, parts_of, rows_at
from campaign.contacts.partitioned_table import PartitionedTable
from campaign.contacts.phone_numbers.cleaning import WORLD
from campaign.contacts.phone_numbers.libphonenumber import code_by_region, regions_by_code
from campaign.contacts.phone_numbers.likely_region import find_other_country
from campaign.contacts.reserved_columns import file_names
from campaign.messages.issues import IssueCollector
from campaign.messages.number_rules import NumberRules
from campaign.messages.plan_tables.cluster_tables import ClusterTables
from campaign.messages.plan_tables.draft_tables import HeldTables, SpooledTables
from campaign.messages.plan_tables.duplicates import DuplicateFinder
from campaign.messages.plan_tables.row_block import (
    Rules,
    RunningTotals,
    find_recipients,
    issues_of_cells,
    labels_of,
    write_texts,
)
from campaign.messages.totals import Totals
from campaign.values import replace

BLOCK = 131_072  # rows processed together: large enough for column-wise speed, small enough to reuse memory


def write_draft(contacts: ContactParts, rules: Rules, preferred: Ints) -> dict[str, Any]:
    """Take all rows through all steps. Their order decides which of several possible statuses a row gets.

    Of rows with the same number the first is kept, or one that is in `preferred`, which holds positions.
    Returns those fields of a `Plan` that depend on the rows: where the contacts are, in memory, on disk or on
    a cluster.
    """
    issues = _issues_of_table(contacts, rules)
    steps: ClusterTables | _LocalSteps
    if isinstance(contacts, PartitionedTable):
        steps = ClusterTables(contacts, issues)
    else:
        steps = _LocalSteps(contacts, issues)
    duplicates = DuplicateFinder(steps.find_numbers(rules), every_text=rules.duplicates == "keep")
    if len(preferred):
        rows = rows_at(contacts, preferred)
        texts = rules.texts.render(rows, IssueCollector(len(rows))).texts
        duplicates.keep(preferred, labels_of(rows), texts)
    totals = steps.finish(rules, duplicates)
    if rules.duplicates == "error":
        duplicates.refuse()
    names_in_plan = dict(zip(contacts.columns, file_names(contacts.columns), strict=True))
    columns = tuple(names_in_plan[name] for name in rules.numbers.columns)
    fields = steps.plan_fields(columns, totals)
    addressing = fields["addressing"].changed(
        every_text=rules.duplicates == "keep", opt_outs=rules.suppression.opted_out
    )
    return fields | {"addressing": addressing}


def _issues_of_table(contacts: ContactParts, rules: Rules) -> IssueCollector:
    """The issues that are about no single row."""
    issues = IssueCollector(0)
    if contacts.reading is not None:
        for notice in contacts.reading.notices:
            issues.add_for_table(replace(notice, facts={"value": contacts.reading.source, **notice.facts}))
    report_other_country(contacts, rules.numbers, issues)
    rules.texts.describe(contacts, issues)
    issues.absorb(rules.suppression.issues, 0)
    return issues


class _LocalSteps:
    """The steps on this machine, one block at a time."""

    def __init__(self, contacts: ContactParts, issues: IssueCollector) -> None:
        self._contacts = contacts
        self._tables: HeldTables | SpooledTables
        if isinstance(contacts, WholeTable):
            self._tables = HeldTables(contacts.frame, issues)
        else:
            self._tables = SpooledTables(contacts, issues)
        self.plan_fields = self._tables.plan_fields

    def find_numbers(self, rules: Rules) -> Ints:
        numbers = np.empty(self._contacts.rows, dtype=np.int64)
        start, of_cells = 0, issues_of_cells(self._contacts.reading)
        for rows in parts_of(self._contacts):
            block = find_recipients(rows, start, rules.numbers, of_cells)
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


_LOOKED_AT = 10_000  # cells, in 8 ms
_MAY_HAVE_CODE = r"\+|^\D*00"
_WITH_CODE = r"(?:\+|^\D*00)\D*{}"


def report_other_country(contacts: ContactParts, rules: NumberRules, issues: IssueCollector) -> None:
    """Add an issue of the table where most numbers with a country code are of another country than the one
    that is given for those without. That is one for all rows; the first column of numbers is looked at."""
    if not isinstance(rules.region, str) or rules.region == WORLD:
        return
    column = rules.columns[0]
    cells = first_cells(contacts, column, _LOOKED_AT)
    may_have_code = matches(cells, _MAY_HAVE_CODE)
    if not may_have_code.any() or may_have_code.all():
        return
    code = code_by_region()[rules.region]
    if regions_by_code()[code] == (rules.region,):  # a code of several regions does not tell which of them
        of_region = matches(cells, _WITH_CODE.format(code)) & may_have_code
        if 2 * of_region.sum() > may_have_code.sum():
            return  # as nearly always: cleaning all cells again takes a fifth of preparing a small table
    if finding := find_other_country(array_to_series(cells), rules.region):
        sample = {"looked_at": len(cells)} if len(cells) < contacts.rows else {}
        facts = {"value": rules.region, **finding.facts, **sample}
        issues.add_for_table(replace(finding, column=column, facts=facts))
