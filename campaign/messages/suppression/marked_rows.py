"""Rows of a contact table that a Series of True and False marks: their people want no messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct
from pandas.api.types import infer_dtype

from campaign.arrow_text import Bools, Ints, series_to_array, text_array
from campaign.contacts.contact_parts import ContactParts, row_labels, rows_at
from campaign.contacts.totals_lines import blank_labels
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.messages.issues import BLANK, OPTED_OUT, IssueCollector
from campaign.messages.number_rules import NumberRules
from campaign.messages.recipients import Recipients, are_among, distinct, find_numbers
from campaign.text import clean, shorten
from campaign.values import replace
from campaign.words.finding import Finding

_LENGTH = 60  # characters of a cell in a sentence


class MarkedRows(Struct, frozen=True, eq=False):
    """The rows that are marked, and the numbers that they have.

    `is_marked` has an entry for each row of the table, in order. `numbers` ascend. `column` is the one that
    the marks are from, "" if unknown, and `cells` are what the marked rows say there.
    """

    column: str
    is_marked: Bools
    numbers: Ints
    cells: tuple[str, ...] = ()

    @classmethod
    def of(cls, marks: pd.Series[Any], contacts: Any, table: ContactParts, rules: NumberRules) -> MarkedRows:
        """The rows of a table that are marked; `contacts` is what the table was opened from.

        Raises `UsageError` if the marks do not belong to these rows.
        """
        is_marked = _by_position(marks, contacts, table, rules)
        positions = np.flatnonzero(is_marked)
        rows = rows_at(table, positions)
        found, _ = find_numbers(
            rows,
            replace(rules, several="first", closing_totals=()),  # any number of a marked row is meant
            rules.region_at(rows, positions),
            IssueCollector(len(rows)),
        )
        numbers = distinct(found.numbers[found.numbers > 0])
        column = "" if marks.name is None else str(marks.name)
        cells = tuple(rows[column].unique()) if column in rows.columns else ()
        return cls(column, is_marked, numbers, cells)

    def report_none(self, issues: IssueCollector) -> None:
        """Say for the whole table that no row is marked, if it is so: a comparison may have a mistake."""
        if not self.is_marked.any():
            facts = {"list": f"column {self.column!r} of marks"}
            issues.add_for_table(Finding("empty_list", facts, "warning", column="opt_outs"))

    def exclude(
        self, issues: IssueCollector, contacts: pd.DataFrame, recipients: Recipients, start: int
    ) -> None:
        """Exclude the marked ones of some consecutive rows, also without a usable number, and whoever has the
        number of one; `start` is the position of the first."""
        is_open = (issues.status != OPTED_OUT) & (issues.status != BLANK)
        is_marked = self.is_marked[start : start + len(contacts)]
        rows = np.flatnonzero(is_marked & is_open)
        self._report_marked(issues, contacts, recipients, rows)
        self._report_alike(issues, contacts, ~is_marked)
        others = np.flatnonzero(are_among(recipients.numbers, self.numbers) & is_open & ~is_marked)
        facts = {"status": "opted_out", "mark": self.column}
        recipients.report(issues, contacts, others, "opted_out", "info", **facts)

    def _report_marked(
        self, issues: IssueCollector, contacts: pd.DataFrame, recipients: Recipients, rows: Ints
    ) -> None:
        """Say of these rows that they are marked, with the mark where it is in the table."""
        facts = {"status": "opted_out", "mark": self.column}
        if self.column not in contacts.columns:
            recipients.report(issues, contacts, rows, "opted_out", "info", **facts)
            return
        cells = series_to_array(contacts[self.column].iloc[rows])
        issues.add(rows, self.column, cells, "opted_out", "info", **facts)

    def _report_alike(self, issues: IssueCollector, contacts: pd.DataFrame, is_open: Bools) -> None:
        """Say of rows that are not marked if they say the same as marked ones, but for capitals or spaces."""
        if not self.cells:
            return
        said = pd.Series(contacts[self.column].unique(), dtype="str")
        others = said[
            _folded(said).isin(_folded(pd.Series(self.cells, dtype="str"))) & ~said.isin(self.cells)
        ]
        rows = np.flatnonzero(contacts[self.column].isin(others).to_numpy() & is_open)
        cells = series_to_array(contacts[self.column].iloc[rows]) if len(rows) else text_array([])
        issues.add(rows, self.column, cells, "unmarked_row", "warning")


def _folded(cells: pd.Series[str]) -> pd.Series[str]:
    return cells.str.strip().str.casefold()


def are_marks(opt_outs: Any) -> bool:
    """Whether opt-outs are given as a Series of True and False, some of which may be missing. With all of
    them missing, it is no list of numbers either: the words of the column were others than those compared."""
    if not isinstance(opt_outs, pd.Series):
        return False
    if pd.api.types.is_bool_dtype(opt_outs.dtype) or infer_dtype(opt_outs, skipna=True) == "boolean":
        return True
    return len(opt_outs) > 0 and bool(opt_outs.isna().all())


def _by_position(marks: pd.Series[Any], contacts: Any, table: ContactParts, rules: NumberRules) -> Bools:
    """Whether each row is marked. Marks with the index of the table in another order belong to its rows."""
    if len(marks) != table.rows:
        raise UsageError("rows_differ", argument="opt_outs", entries=len(marks), rows=table.rows)
    labels = contacts.index if isinstance(contacts, pd.DataFrame) else row_labels(table)
    if not marks.index.equals(labels):
        if not (marks.index.is_unique and labels.isin(marks.index).all()):
            raise UsageError("rows_differ", argument="opt_outs")
        marks = marks.reindex(labels)
    missing = np.flatnonzero(marks.isna())
    if len(missing):
        rows = rows_at(table, missing)
        rows = rows[~rows.index.isin(blank_labels(rows).union([*rules.closing_totals]))]
        if len(rows):
            raise _undecided(marks, rows)
    return np.asarray(marks.fillna(False), dtype=bool)  # else they are no people


def _undecided(marks: pd.Series[Any], rows: pd.DataFrame) -> UsageError:
    """Some rows are neither marked nor unmarked: the first of them, and what it says."""
    cells = rows[marks.name] if marks.name in rows.columns else pd.Series(dtype="str")
    cell = shorten(mask_text(clean(cells.iloc[0])), _LENGTH) if len(cells) else ""
    column = str(marks.name) if len(cells) else ""
    return UsageError("marks_missing", row=int(rows.index[0]), others=len(rows) - 1, column=column, cell=cell)
