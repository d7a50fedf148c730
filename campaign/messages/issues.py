"""The table of issues: one row per finding, collected column-wise while a plan is made."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from campaign.arrow_text import Bools, Ints, array_to_series, concat_arrays, text_array, text_scalar
from campaign.contract import STATUSES

# code: what it says. Those of numbers (problems and repairs) stand in contacts/numbers.py.
CODES = {
    "reading": "what was repaired, skipped or guessed when the file was read",
    "merged_cell": "the value of a merged cell was filled in",
    "formula_without_value": "a formula that was never calculated, so that the cell is blank",
    "cell_error": "the cell holds an error of the spreadsheet program, so it is taken as blank",
    "blank_row": "the row is empty",
    "missing_number": "no number column of the row holds anything",
    "unknown_region": "the row's region is no country",
    "missing_value": "a placeholder's cell is empty",
    "unreadable_value": "a placeholder's cell is not what its format wants",
    "no_text": "there is no text for the row's language",
    "unused_text": "no row has the text's language",
    "empty_text": "the message came out empty",
    "hidden_character": "controls, direction controls and invisible characters are never sent",
    "bad_sender": "the sender is not 1 to 11 plain characters",
    "bad_priority": "the priority is not 0 to 4",
    "overlong": "more than 160 characters after filling in",
    "too_many_parts": "more SMS parts than max_parts allows",
    "truncated": "the text was cut to fit",
    "split": "the text goes out as several numbered messages",
    "replaced": "typographic characters were replaced by their plain twins",
    "ucs2": "characters outside GSM-7: a part holds 70 characters instead of 160",
    "double_septets": "characters that count twice make the text longer than one part",
    "duplicate": "the same number and the same text as an earlier row",
    "duplicate_other_text": "the same number as an earlier row, with another text",
    "opted_out": "the number is on the opt-out list",
    "already_sent": "an earlier campaign sent to the number, or may have",
    "unreadable_entry": "an entry of a list of numbers that is no number: it excludes nobody",
}

SEVERITIES = ("error", "warning", "info")  # the gravest first

NOT_SENT, BLANK = STATUSES.index("not_sent"), STATUSES.index("blank")
WHOLE_TABLE = -1  # the position of a finding that is about no row


class _Finding(NamedTuple):
    rows: Ints
    column: str
    values: pa.Array
    code: str
    severity: str
    details: pa.Array  # one for all, or one each
    status: int  # what the rows become by it


class Findings:
    """Findings about a table, and the status that each of its rows has so far.

    Rows are positions, 0 for the table's first. A row keeps the first status that excludes it.
    """

    def __init__(self, rows: int) -> None:
        self.status: npt.NDArray[np.int8] = np.full(rows, NOT_SENT, dtype=np.int8)
        self._found: list[_Finding] = []

    @property
    def waiting(self) -> Bools:
        """Which rows nothing speaks against so far."""
        return np.equal(self.status, NOT_SENT)

    def add(
        self,
        rows: Ints,
        column: str,
        values: pa.Array,
        code: str,
        severity: str,
        detail: str | pa.Array,
        *,
        status: str = "not_sent",
    ) -> None:
        """One finding for each of the rows. `values` are the cells, `detail` one sentence or one each.

        An empty row has that said of it and nothing else.
        """
        details = text_array([detail]) if isinstance(detail, str) else detail
        told = self.status[rows] != BLANK
        if not told.all():
            kept = pa.array(told)
            details = details.filter(kept) if len(details) == len(rows) else details
            rows, values = rows[told], values.filter(kept)
        if not len(rows):
            return
        excluded = STATUSES.index(status)
        self._found.append(_Finding(rows, column, values, code, severity, details, excluded))
        self.status[rows[self.status[rows] == NOT_SENT]] = excluded

    def absorb(self, others: "Findings", start: int) -> None:
        """Take over what was found in some consecutive rows, the first of which is at `start` here."""
        self.status[start : start + len(others.status)] = others.status
        self._found += [found._replace(rows=found.rows + start) for found in others._found]

    def add_for_table(
        self, column: str, values: str | pa.Array, code: str, severity: str, details: str | pa.Array
    ) -> None:
        """Findings about the table as a whole, or about a list beside it: one, or many with their details."""
        cells = text_array([values]) if isinstance(values, str) else values
        sentences = text_array([details]) if isinstance(details, str) else details
        nowhere = np.full(len(cells), WHOLE_TABLE)
        self._found.append(_Finding(nowhere, column, cells, code, severity, sentences, NOT_SENT))

    def frame(self, labels: Ints) -> pd.DataFrame:
        """Every finding: those of the whole table first, then row by row, in the order they were found."""
        rows = _concat([found.rows for found in self._found])
        order = np.argsort(rows, kind="stable")
        repeats = [len(found.rows) for found in self._found]
        which = pa.array(np.repeat(np.arange(len(self._found)), repeats)[order])
        places = rows[order]
        known = places != WHOLE_TABLE
        numbers = pd.array(labels[np.where(known, places, 0)] if len(labels) else places, dtype="Int64")
        numbers[~known] = pd.NA

        def spread(name: str) -> "pd.Series[str]":
            return array_to_series(text_array([getattr(found, name) for found in self._found]).take(which))

        details, ids = self._details(self._found)
        columns = {
            "row": pd.Series(numbers),
            "column": spread("column"),
            "value": array_to_series(
                concat_arrays([found.values for found in self._found]).take(pa.array(order))
            ),
            "code": spread("code"),
            "severity": spread("severity"),
            "detail": array_to_series(details.take(pa.array(ids[order]))),
        }
        return pd.DataFrame(columns)

    def reasons(self) -> pa.Array:
        """For each row why it gets nothing, all reasons in one text; "" for a row that nothing excludes."""
        telling = [found for found in self._found if found.status != NOT_SENT]
        details, ids = self._details(telling)
        rows = _concat([found.rows for found in telling])
        order = np.argsort(rows, kind="stable")
        rows, ids = rows[order], ids[order]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))  # where the reasons of each excluded row begin
        counts = np.diff(starts, append=len(rows))
        several = counts > 1
        joined = _joined(details.take(pa.array(ids[np.repeat(several, counts)])), counts[several])
        which = ids[starts]
        which[several] = len(details) + np.arange(len(joined))
        return _spread(concat_arrays([details, joined]).take(pa.array(which)), rows[starts], len(self.status))

    @staticmethod
    def _details(found: list[_Finding]) -> tuple[pa.Array, Ints]:
        """The sentences, those that serve many rows once, and for each finding which is its own."""
        ids, start = [], 0
        for finding in found:
            own = len(finding.details)
            shared = own == 1
            ids.append(np.full(len(finding.rows), start) if shared else np.arange(start, start + own))
            start += own
        return concat_arrays([finding.details for finding in found]), _concat(ids)


def _concat(arrays: list[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)


def _joined(values: pa.Array, counts: Ints) -> pa.Array:
    """So many texts at a time put together, with spaces between."""
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    return pc.binary_join(pa.LargeListArray.from_arrays(offsets, values), text_scalar(" "))


def _spread(values: pa.Array, rows: Ints, total: int) -> pa.Array:
    """The texts in their rows, which ascend, and "" in all others: only the offsets are new."""
    lengths = np.zeros(total + 1, dtype=np.int64)
    lengths[rows + 1] = pc.binary_length(values)
    offsets = np.cumsum(lengths, out=lengths)
    return pa.LargeStringArray.from_buffers(total, pa.py_buffer(offsets), values.buffers()[2])
