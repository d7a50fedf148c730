"""The table of issues: what is wrong or worth knowing about single cells, collected column-wise."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

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
from campaign.contract import STATUSES
from campaign.errors import FolderError
from campaign.masking import mask_texts
from campaign.words.catalogue import Catalogue
from campaign.words.columns import facts_as_json, per_row, texts_of
from campaign.words.finding import SEVERITIES, Finding
from campaign.words.python import PYTHON
from campaign.words.stored import from_json

# Why a row with nothing wrong in it gets no message; the other reasons are errors.
LEFT_OUT = (
    "blank_row", "line_of_totals", "remark", "same_text", "shared_phone", "opted_out", "other_campaign",
)  # fmt: skip

Part = Literal["headline", "remedy", "text"]
NOT_SENT, BLANK, DUPLICATE, OPTED_OUT = map(STATUSES.index, ("not_sent", "blank", "duplicate", "opted_out"))
WHOLE_TABLE = -1  # the position of an issue that is about no single row


class _IssueGroup(NamedTuple):
    """Issues of one code in one column, for many rows."""

    rows: Ints
    column: str
    values: TextArray
    code: str
    severity: str
    details: TextArray  # in the words of Python: one for all rows, or one for each
    facts: TextArray  # likewise, as JSON
    status: int  # that the rows get


# What else such a row lacks as a person would contradict that.
_SAYS_ALL = ("line_of_totals", "remark")


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
        *,
        status: str | None = None,
        **facts: Any,
    ) -> None:
        """Add one issue for each of the rows. `values` are the cells, `facts` what the code's sentence names:
        one value, or an Arrow array with one for each row.

        An error makes the rows invalid, unless a `status` says what they are. Rows that are blank already, or
        have an issue that says all, get no further ones.
        """
        filled = (self.status[rows] != BLANK) & ~self._said[rows]
        if not filled.all():
            mask = pa.array(filled)
            rows, values = rows[filled], values.filter(mask)
            facts = per_row(facts, lambda fact: fact.filter(mask))
        if not len(rows):
            return
        new_status = STATUSES.index(status or ("invalid" if severity == "error" else "not_sent"))
        self._groups.append(_group(rows, values, Finding(code, facts, severity, column=column), new_status))
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
        texts: dict[str, Any] = {name: concat_arrays(fields[name]) for name in ("values", "details", "facts")}
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
        for rows, column, values, code, severity, details, facts, its_status in lines:
            group = _IssueGroup(
                rows.values.to_numpy(), str(column), values.values, str(code), str(severity),
                details.values, facts.values, its_status.as_py(),
            )  # fmt: skip
            collector._groups.append(group)
            collector._said[group.rows] |= group.code in _SAYS_ALL
        return collector

    def add_for_table(self, finding: Finding) -> None:
        """Add an issue about the table as a whole, or about a list beside it; its fact `value` is a cell."""
        value = text_array([finding.facts.get("value", "")])
        self._groups.append(_group(np.full(1, WHOLE_TABLE), value, finding, NOT_SENT))

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

        def of_groups(field: str) -> "pd.Series[str]":
            texts, numbers = _shared(self._groups, field)
            return array_to_series(texts.take(numbers[order]))

        columns = {
            "row": pd.Series(numbers),
            "column": per_issue([group.column for group in self._groups]),
            "value": array_to_series(concat_arrays([group.values for group in self._groups]).take(order)),
            "code": per_issue([group.code for group in self._groups]),
            "severity": self._severities(positions, group_numbers),
            "detail": of_groups("details"),
            "facts": of_groups("facts"),
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
        details, detail_numbers = _shared(excluding, "details")
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


def _group(rows: Ints, values: TextArray, finding: Finding, status: int) -> _IssueGroup:
    facts: dict[str, Any] = {"column": finding.column or "", "value": values, **finding.facts}
    return _IssueGroup(
        rows, facts["column"], values, finding.code, finding.severity,
        texts_of(PYTHON, finding.code, facts), facts_as_json(finding.facts), status,
    )  # fmt: skip


def _shared(groups: list[_IssueGroup], field: str) -> tuple[TextArray, Ints]:
    """The details or facts of issues, those of all rows of a group only once, and for each issue the number
    of its own."""
    numbers, start = [], 0
    for group in groups:
        count = len(getattr(group, field))
        numbers.append(np.full(len(group.rows), start) if count == 1 else np.arange(start, start + count))
        start += count
    return concat_arrays([getattr(group, field) for group in groups]), _concat(numbers)


def findings_in(issues: pd.DataFrame) -> list[Finding]:
    """The lines of a table of issues as findings."""
    columns = (issues[name] for name in ("code", "column", "value", "severity", "facts"))
    return [
        Finding(code, {"column": column, "value": value, **from_json(facts)}, severity, column=column)
        for code, column, value, severity, facts in zip(*columns, strict=True)
    ]


def sentences(issues: pd.DataFrame, catalogue: Catalogue, part: Part = "text") -> "pd.Series[str]":
    """What a catalogue says of each line of a table of issues, whose `detail` is what Python's says.

    With `part`, only the headline or the remedy. It is made once for all lines that have the same facts.
    """
    try:
        return _sentences(issues, catalogue, part)
    except (LookupError, TypeError, ValueError) as error:  # read from a folder that somebody has changed
        raise FolderError("campaign_file_damaged", file="a table of issues") from error


def _sentences(issues: pd.DataFrame, catalogue: Catalogue, part: Part) -> "pd.Series[str]":
    naming_values = [code for code in issues["code"].unique() if "{value" in catalogue.template(code)]
    keys = ["code", "column", "facts", "value"]
    lines = issues.assign(value=issues["value"].where(issues["code"].isin(naming_values), ""))
    numbers = lines.groupby(keys, sort=False).ngroup().to_numpy()
    texts = map(getattr(catalogue, part), findings_in(lines.drop_duplicates(keys)))
    return array_to_series(text_array(texts).take(numbers), issues.index)


def reasons(issues: pd.DataFrame, catalogue: Catalogue) -> "pd.Series[str]":
    """Why rows get no message, by row number: what a catalogue says of the issues that exclude each."""
    is_reason = (issues["severity"] == "error") | issues["code"].isin(LEFT_OUT)
    excluding = issues[is_reason & issues["row"].notna()]
    texts = sentences(excluding, catalogue).set_axis(excluding["row"].astype("int64"))
    is_repeated = texts.index.duplicated(keep=False)
    joined = texts[is_repeated].groupby(level=0, sort=False).agg(" ".join)
    return pd.concat([texts[~is_repeated], joined])


def _concat(arrays: list[Ints]) -> Ints:
    return np.concatenate(arrays) if arrays else np.empty(0, dtype=np.int64)


def issue_summary(kinds: pd.DataFrame) -> str:
    """An HTML table of the kinds of issues (`issue_kinds`) in words, with the first row of each."""
    if kinds.empty:
        return ""
    findings = findings_in(kinds)
    table = pd.DataFrame(
        {
            "rows": kinds["count"].array,
            "first": kinds["first_row"].array,
            "column": mask_texts(kinds["column"]).array,
            "what": mask_texts(pd.Series(map(PYTHON.headline, findings))),
            "what to do": mask_texts(pd.Series(map(PYTHON.remedy, findings))),
        }
    )
    return markup.scroller(markup.table(table, of=("kind of issue", "kinds of issues")), "Issues")


def issue_kinds(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """How often each kind of issue was found in each column, in parts of the table of issues, the most severe
    first.

    Columns: severity, code, column, count, first_row, and of the first value, facts, and detail as example.
    """
    names = ["severity", "code", "column"]
    firsts = {"first_row": "row", "example": "detail", "value": "value", "facts": "facts"}
    counted = [
        pd.DataFrame(
            {"count": groups.size()} | {name: groups[column].first() for name, column in firsts.items()}
        ).reset_index()
        for groups in (issues.groupby(names, sort=False) for issues in parts)
    ]
    groups = pd.concat(counted).groupby(names, sort=False)
    kinds = groups.agg({"count": "sum"} | dict.fromkeys(firsts, "first")).reset_index()
    ranks = {severity: rank for rank, severity in enumerate(SEVERITIES)}
    ranked = kinds.assign(rank=kinds["severity"].map(ranks), descending=-kinds["count"])
    return kinds.loc[ranked.sort_values(["rank", "descending"]).index]
