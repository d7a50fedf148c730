"""The table of issues: what is wrong or worth knowing about single cells, collected column-wise."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from campaign import markup
from campaign.arrow_text import (
    Bools,
    Ints,
    TextArray,
    array_to_series,
    concat_arrays,
    join_runs,
    spread_texts,
    text_array,
)
from campaign.contract import PRIORITIES, SENDER_LIMIT, STATUSES, TEXT_LIMIT
from campaign.masking import mask_texts

# Each code and what it means. Those of numbers are PROBLEMS and REPAIRS in contacts/phone_numbers.
CODES = {
    "reading": "something was repaired, skipped or guessed when the file was read",
    "merged_cell": "the value of a merged cell was filled in",
    "formula_without_value": "a formula was never calculated, so the cell counts as blank",
    "cell_error": "the cell contains an error of the spreadsheet program, so it counts as blank",
    "repaired_text": "codes or wrongly decoded letters in the cell were replaced by what they stand for",
    "blank_row": "the row is empty",
    "missing_number": "all number columns of the row are empty",
    "line_of_totals": "the row has no number, and looks like a line of totals",
    "remark": "the row has no number, and reads like a remark below a table",
    "unknown_region": "the row's region is not a country code",
    "rare_country": "the number is of another country than nearly all others",
    "other_country": "numbers without a country code are read as of another country than most of the others",
    "missing_value": "the cell of a placeholder is empty",
    "unreadable_value": "the cell of a placeholder does not fit its format",
    "ambiguous_date": "the date of a placeholder can be read in more than one way",
    "date_order": "dates are read in the order that one of them shows, or in another one that was given",
    "utc_time": "times of a placeholder are in UTC, and go out as they are",
    "ambiguous_number": "the number of a placeholder can be read in more than one way",
    "decimal_sign": "numbers such as 12.500 are read as other cells of the column show",
    "mixed_dates": "dates of a placeholder are written in several ways",
    "odd_date": "the cell is no date, unlike most of its column, and goes out as it is",
    "no_text": "there is no text for the row's language",
    "unused_text": "no row has the language of the text",
    "empty_text": "nothing is left of the message after filling it in",
    "hidden_character": "the cell contains controls or invisible characters, which are never sent",
    "bad_sender": f"the sender is not 1 to {SENDER_LIMIT} plain characters",
    "bad_priority": f"the priority is not {PRIORITIES[0]} to {PRIORITIES[-1]}",
    "overlong": f"the message has more than {TEXT_LIMIT} characters after filling it in",
    "too_many_parts": "the message takes more SMS parts than max_parts allows",
    "truncated": "the text was cut to fit",
    "split": "the text is sent as several numbered messages",
    "replaced": "typographic characters were replaced with plain ones",
    "ucs2": "characters outside GSM-7 limit a part to 70 characters instead of 160",
    "double_septets": "characters that count twice make the text longer than one part",
    "same_text": "the same number and the same text as another row",
    "shared_phone": "the same number as another row, with another text",
    "opted_out": "the number is on the opt-out list, or the row is marked, or the contact was stopped",
    "other_campaign": "an earlier campaign reached the number, or may have",
    "reached_before": "the row gets nothing, but its number was reached earlier in the campaign",
    "earlier_text": "the number has an earlier text of this campaign, and keeps it",
    "other_number": "the cell was read as another number before, which was reached",
    "unused_marks": "a column marks people who want no messages, as it seems, and is not used",
    "unmarked_row": "the cell is a mark of opt-outs but for capitals or spaces, and its row is not marked",
    "empty_list": "a list of numbers, or a column that marks rows, excludes nobody",
    "list_column": "which column of a list has the numbers, where several have some",
    "unreadable_entry": "entries in a list of numbers have no digits, so they exclude nobody",
}

# Why a row with nothing wrong in it gets no message; the other reasons are errors.
LEFT_OUT = (
    "blank_row", "line_of_totals", "remark", "same_text", "shared_phone", "opted_out", "other_campaign",
)  # fmt: skip
SEVERITIES = ("error", "warning", "info")  # the most severe first

NOT_SENT, BLANK, DUPLICATE, OPTED_OUT = map(STATUSES.index, ("not_sent", "blank", "duplicate", "opted_out"))
WHOLE_TABLE = -1  # the position of an issue that is about no single row


class _IssueGroup(NamedTuple):
    """Issues of one code in one column, for many rows."""

    rows: Ints
    column: str
    values: TextArray
    code: str
    severity: str
    details: TextArray  # one for all rows, or one for each
    status: int  # that the rows get


# What else such a row lacks as a person would contradict that.
_SAYS_ALL = ("line_of_totals", "remark")


class Notice(NamedTuple):
    """An issue about the cells of a column as a whole; `cell` is one that shows it, or ""."""

    code: str
    severity: str
    cell: str
    detail: str


class IssueCollector:
    """The issues found so far in a table, and the status that each of its rows has so far.

    Rows are positions, 0 for the first row of the table. A row keeps the first status that excludes it, but
    whoever opted out has that status, whatever else is wrong with the row.
    """

    def __init__(self, rows: int) -> None:
        self.status: npt.NDArray[np.int8] = np.full(rows, NOT_SENT, dtype=np.int8)
        self._said: Bools = np.zeros(rows, dtype=bool)  # rows of which all is said
        self._groups: list[_IssueGroup] = []

    @property
    def sendable(self) -> Bools:
        """Which rows have not been excluded so far."""
        return np.equal(self.status, NOT_SENT)

    def add(
        self,
        rows: Ints,
        column: str,
        values: TextArray,
        code: str,
        severity: str,
        detail: str | TextArray,
        *,
        status: str | None = None,
    ) -> None:
        """Add one issue for each of the rows. `values` are the cells, `detail` one sentence or one for each.

        An error makes the rows invalid, unless a `status` says what they are. Rows that are blank already, or
        have an issue that says all, get no further ones.
        """
        details = text_array([detail]) if isinstance(detail, str) else detail
        filled = (self.status[rows] != BLANK) & ~self._said[rows]
        if not filled.all():
            mask = pa.array(filled)
            details = details.filter(mask) if len(details) == len(rows) else details
            rows, values = rows[filled], values.filter(mask)
        if not len(rows):
            return
        new_status = STATUSES.index(status or ("invalid" if severity == "error" else "not_sent"))
        self._groups.append(_IssueGroup(rows, column, values, code, severity, details, new_status))
        excluded = rows if new_status == OPTED_OUT else rows[self.status[rows] == NOT_SENT]
        self.status[excluded] = new_status
        self._said[rows] |= code in _SAYS_ALL

    def count_excluded(self, code: str, status: int) -> int:
        """How many rows have a status for the reason with this code."""
        groups = (group for group in self._groups if group.code == code and group.status == status)
        return sum(len(group.rows) for group in groups)

    def rows_with(self, code: str) -> Ints:
        """The rows that have an issue with this code."""
        return _concat([group.rows for group in self._groups if group.code == code])

    def forget_status(self, rows: Ints) -> None:
        """Forget what has excluded some rows: the next issue that excludes them gives their status."""
        self.status[rows] = NOT_SENT

    def absorb(self, block: "IssueCollector", start: int) -> None:
        """Add the issues of some consecutive rows, the first of which is at `start` in this table."""
        self.status[start : start + len(block.status)] = block.status
        self._said[start : start + len(block.status)] = block._said
        self._groups += [group._replace(rows=group.rows + start) for group in block._groups]

    def copy(self, of_table: "IssueCollector | None" = None) -> "IssueCollector":
        """A collector of its own with the same issues, behind those about no single row, if any are given."""
        copied = IssueCollector(len(self.status))
        copied._groups += of_table._groups if of_table else []
        copied.absorb(self, 0)
        return copied

    def table(self) -> pa.Table:
        """The issues as a table for `of_table`: a line for each group, with lists of rows and texts."""
        fields: dict[str, Any] = {
            name: [getattr(group, name) for group in self._groups] for name in _IssueGroup._fields
        }
        texts: dict[str, Any] = {name: concat_arrays(fields[name]) for name in ("values", "details")}
        for name, joined in {"rows": pa.array(_concat(fields["rows"])), **texts}.items():
            ends = np.cumsum([0, *map(len, fields[name])])
            fields[name] = pa.LargeListArray.from_arrays(pa.array(ends), joined)
        return pa.table(fields)

    @classmethod
    def of_table(cls, status: npt.NDArray[np.int8], issues: pa.Table) -> "IssueCollector":
        """The collector that `table` was asked of, with the status of its rows."""
        collector = cls(len(status))
        collector.status = status
        lines: Any = zip(*(issues.column(name) for name in _IssueGroup._fields), strict=True)
        for rows, column, values, code, severity, details, its_status in lines:
            group = _IssueGroup(
                rows.values.to_numpy(), str(column), values.values, str(code), str(severity),
                details.values, its_status.as_py(),
            )  # fmt: skip
            collector._groups.append(group)
            collector._said[group.rows] |= group.code in _SAYS_ALL
        return collector

    def add_for_table(self, column: str, value: str, code: str, severity: str, detail: str) -> None:
        """Add an issue about the table as a whole, or about a list beside it."""
        cells, details = text_array([value]), text_array([detail])
        rows = np.full(1, WHOLE_TABLE)
        self._groups.append(_IssueGroup(rows, column, cells, code, severity, details, NOT_SENT))

    def frame(self, labels: Ints) -> pd.DataFrame:
        """All issues, those of the whole table first, then by row, in the order in which they were added.

        An error in a row of somebody who opted out is for information only: nobody is to correct that row.
        """
        rows = _concat([group.rows for group in self._groups])
        order = np.argsort(rows, kind="stable")
        group_sizes = [len(group.rows) for group in self._groups]
        group_numbers = np.repeat(np.arange(len(self._groups)), group_sizes)[order]
        positions = rows[order]
        of_a_row = positions != WHOLE_TABLE
        numbers = pd.array(
            labels[np.where(of_a_row, positions, 0)] if len(labels) else positions, dtype="Int64"
        )
        numbers[~of_a_row] = pd.NA

        def per_issue(strings: list[str]) -> "pd.Series[str]":
            return array_to_series(text_array(strings).take(group_numbers))

        details, detail_numbers = self._details(self._groups)
        columns = {
            "row": pd.Series(numbers),
            "column": per_issue([group.column for group in self._groups]),
            "value": array_to_series(concat_arrays([group.values for group in self._groups]).take(order)),
            "code": per_issue([group.code for group in self._groups]),
            "severity": self._severities(positions, group_numbers),
            "detail": array_to_series(details.take(detail_numbers[order])),
        }
        return pd.DataFrame(columns)

    def _severities(self, positions: Ints, group_numbers: Ints) -> "pd.Series[str]":
        """The severity of each issue: no error in a row of somebody who opted out."""
        severities = [group.severity for group in self._groups]
        is_unwanted = np.append(self.status == OPTED_OUT, False)[positions]  # none at the end: WHOLE_TABLE
        is_error = np.array([severity == "error" for severity in severities], dtype=bool)[group_numbers]
        numbers = np.where(is_unwanted & is_error, len(severities), group_numbers)
        return array_to_series(text_array([*severities, "info"]).take(numbers))

    def why(self) -> TextArray:
        """For each row the code of the issue that decided its status; "" for rows that are not excluded."""
        excluding = [group for group in self._groups if group.status != NOT_SENT]
        codes = text_array(["", *(group.code for group in excluding)])
        deciding = np.zeros(len(self.status), np.int32)
        for number, group in reversed([*enumerate(excluding, 1)]):  # the first of a row is written last
            deciding[group.rows[self.status[group.rows] == group.status]] = number
        excluded = np.flatnonzero(deciding)
        return spread_texts(codes.take(deciding[excluded]), excluded, len(self.status))

    def reasons(self) -> TextArray:
        """For each row all reasons why it gets no message, in one text; "" for rows that are not excluded.

        Whoever opted out has only that reason: nothing else about the row is to be corrected.
        """
        excluding = [group for group in self._groups if group.status != NOT_SENT]
        details, detail_numbers = self._details(excluding)
        rows = _concat([group.rows for group in excluding])
        opted_out = np.repeat(
            [group.status == OPTED_OUT for group in excluding], [len(group.rows) for group in excluding]
        )
        if opted_out.any():
            chosen = opted_out | (self.status[rows] != OPTED_OUT)
            rows, detail_numbers = rows[chosen], detail_numbers[chosen]
        order = np.argsort(rows, kind="stable")
        rows, detail_numbers = rows[order], detail_numbers[order]
        starts = np.flatnonzero(np.diff(rows, prepend=-1))  # where the reasons of each excluded row begin
        counts = np.diff(starts, append=len(rows))
        has_several = counts > 1
        joined = join_runs(
            details.take(detail_numbers[np.repeat(has_several, counts)]), counts[has_several], " "
        )
        reason_numbers = detail_numbers[starts]
        reason_numbers[has_several] = len(details) + np.arange(len(joined))
        sentences = concat_arrays([details, joined]).take(reason_numbers)
        return spread_texts(sentences, rows[starts], len(self.status))

    @staticmethod
    def _details(groups: list[_IssueGroup]) -> tuple[TextArray, Ints]:
        """The sentences, shared ones only once, and for each issue the number of its sentence."""
        numbers, start = [], 0
        for group in groups:
            count = len(group.details)
            shared = count == 1
            numbers.append(np.full(len(group.rows), start) if shared else np.arange(start, start + count))
            start += count
        return concat_arrays([group.details for group in groups]), _concat(numbers)


def _concat(arrays: list[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)


_COUNTED_IN = "Issues are counted in all rows of the file, also in those that get no message."


def issue_summary(kinds: pd.DataFrame) -> str:
    """An HTML table of the kinds of issues (`issue_kinds`): how many, the first row, an example.

    The codes are those of the table of issues, so that what a person reads here finds its rows there.
    """
    if kinds.empty:
        return markup.paragraph("No issues were found.")
    kinds = kinds.assign(
        column=mask_texts(kinds["column"]),
        example=mask_texts(kinds["example"]),
    )
    table = markup.table(
        kinds.rename(columns={"first_row": "first row"}), of=("kind of issue", "kinds of issues")
    )
    return _about_errors(kinds) + markup.scroller(table, "Issues") + markup.paragraph(_COUNTED_IN, note=True)


def _about_errors(kinds: pd.DataFrame) -> str:
    """How the errors go together with the rows that are invalid, where some of them are of other rows."""
    errors = kinds[kinds["severity"] == "error"]
    is_sharing = errors["code"] == "shared_phone"
    sharing, others = (int(errors.loc[rows, "count"].sum()) for rows in (is_sharing, ~is_sharing))
    if not sharing or not others:
        return ""
    invalid = f"{others:,} in rows that are invalid (a row can have several)"
    return markup.paragraph(f"Errors: {invalid}, {sharing:,} in duplicates who share a phone.", note=True)


def issue_kinds(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """How often each kind of issue was found in each column, in parts of the table of issues, the most severe
    first.

    Columns: severity, code, column, count, first_row and example, which is the sentence of the first.
    """
    names = ["severity", "code", "column"]
    counted = [
        pd.DataFrame(
            {"count": groups.size(), "first_row": groups["row"].first(), "example": groups["detail"].first()}
        ).reset_index()
        for groups in (issues.groupby(names, sort=False) for issues in parts)
    ]
    groups = pd.concat(counted).groupby(names, sort=False)
    kinds = groups.agg({"count": "sum", "first_row": "first", "example": "first"}).reset_index()
    ranks = {severity: rank for rank, severity in enumerate(SEVERITIES)}
    ranked = kinds.assign(rank=kinds["severity"].map(ranks), descending=-kinds["count"])
    return kinds.loc[ranked.sort_values(["rank", "descending"]).index]
