"""Valid numbers that get no message: opt-outs, and numbers that an earlier campaign reached."""

from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.argument_checks import wrong
from campaign.arrow_text import Bools, Ints, is_one_of, series_to_array, strip_texts
from campaign.contacts.consent import leaving_out, refusals
from campaign.contacts.contact_parts import ContactParts, parts_of
from campaign.contacts.continuation import is_follow_up
from campaign.contacts.exports import find_export, standing_column
from campaign.contacts.files.frames import as_frame
from campaign.contacts.totals_lines import blank_labels
from campaign.contract import STATUSES
from campaign.errors import UsageError
from campaign.messages.issues import BLANK, OPTED_OUT, IssueCollector
from campaign.messages.number_rules import NumberRules
from campaign.messages.recipients import Recipients, are_among, as_integers, distinct, find_numbers
from campaign.messages.suppression.list_columns import Audience
from campaign.messages.suppression.marked_rows import MarkedRows, are_marks
from campaign.messages.suppression.number_lists import lists_in, read_list
from campaign.paths import is_file
from campaign.text import clean, shorten
from campaign.values import replace
from campaign.words.finding import Finding

T = TypeVar("T")

_NOBODY = np.empty(0, dtype=np.int64)
REACHED = ("accepted", "unknown")  # what may have arrived counts as reached


class EarlierCampaign(Struct, frozen=True, eq=False):
    """A campaign whose recipients get no more messages: its folder, whom it reached, in which environment.

    With "" as its environment it counts in each.
    """

    place: str
    reached: "pd.Series[str]"
    environment: str = ""


class SuppressionRules(Struct, frozen=True, eq=False):
    """Which recipients are left out although their number is valid."""

    opt_outs: tuple[Any, ...]
    not_again: tuple[Any, ...]
    marks: "tuple[pd.Series[bool], ...]" = ()  # of the rows of a table

    @classmethod
    def of(cls, opt_outs: Any, not_again: Any) -> "SuppressionRules":
        """The arguments of `prepare`; the lists are read later."""
        sources = map(as_frame, not_again if isinstance(not_again, list | tuple) else [not_again])
        lists = [source for source in lists_in(opt_outs) if source is not None]
        return cls(
            tuple(source for source in lists if not are_marks(source)),
            tuple(source for source in sources if source is not None),
            tuple(filter(are_marks, lists)),
        )

    @classmethod
    def without_table(cls, opt_outs: Any) -> "SuppressionRules":
        """The opt-outs where there is no table whose rows could be marked."""
        rules = cls.of(opt_outs, None)
        if rules.marks:
            raise wrong(
                rules.marks[0], subject="opt_outs", needs="the numbers of these people",
                write='contacts.loc[marks, "Phone"]',
            )  # fmt: skip
        return rules

    def read(
        self,
        regions: Collection[str | None],
        audience: Audience = Audience(),  # noqa: B008 - frozen
    ) -> "SuppressionLists":
        """Read the numbers of the lists, with each of the regions; what is odd in them becomes issues."""
        issues = IssueCollector(0)
        opted_out = [read_list(source, regions, issues, "opt_outs", audience) for source in self.opt_outs]
        reached = tuple(
            ReachedNumbers(
                source.environment if isinstance(source, EarlierCampaign) else "",
                distinct(_reached_numbers(source, regions, issues, audience)),
            )
            for source in self.not_again
        )
        return SuppressionLists(distinct(np.concatenate([_NOBODY, *opted_out])), reached, issues)

    def read_for(
        self, table: ContactParts, contacts: Any, numbers: NumberRules, regions: Collection[str | None]
    ) -> "SuppressionLists":
        """Read the lists, and which rows of a table are marked; it was opened from `contacts`."""
        _check_no_column(self.opt_outs, table.columns)
        marked = tuple(MarkedRows.of(marks, contacts, table, numbers) for marks in self.marks)
        audience = Audience(partial(_numbers_in, table, numbers), table.reading)
        lists = replace(self.read(regions, audience), marked=marked)
        for rows in marked:
            if not is_follow_up(table.columns):  # whose rows wanted messages when it was written
                rows.report_none(lists.issues)
        if not self.opt_outs and not self.marks and not is_follow_up(table.columns):
            _note_unused_marks(table, numbers.closing_totals, lists.issues)
        return lists


def _numbers_in(table: ContactParts, rules: NumberRules) -> Ints:
    """The numbers of a table, 0 for rows without one."""
    numbers, start, rules = [_NOBODY], 0, replace(rules, several="first", closing_totals=())
    for part in parts_of(table):
        region = rules.region_of(part, start)
        numbers.append(find_numbers(part, rules, region, IssueCollector(len(part)))[0].numbers)
        start += len(part)
    return np.concatenate(numbers)


def _note_unused_marks(table: ContactParts, nobody: Collection[int], issues: IssueCollector) -> None:
    """Say of columns that tell, as it seems, who wants no messages, or who wants them, that nobody is left
    out by them. `nobody`: rows that are no people, and say nothing."""
    for column in table.columns:
        if refusals(column, _cells(table, column, nobody)):
            rows, _ = leaving_out(column, _cells(table, column, nobody))
            issues.add_for_table(Finding("unused_marks", {"rows": rows}, "warning", column=column))


def _cells(table: ContactParts, column: str, nobody: Collection[int]) -> Iterator[str]:
    """The different cells of a column of each part, which are read only if somebody asks for them."""
    for part in table.map(partial(_cells_of_people, column, nobody)):
        yield from part


def _cells_of_people(column: str, nobody: Collection[int], part: pd.DataFrame) -> list[str]:
    others = blank_labels(part).union([*nobody])
    return [*map(str, part.loc[~part.index.isin(others), column].unique())]


def _check_no_column(sources: Collection[Any], columns: Collection[str]) -> None:
    """Raise `UsageError` for a list that is the name of a column: it does not say which rows are meant."""
    for source in sources:
        if isinstance(source, str) and source in columns and not is_file(source):
            raise UsageError("column_as_list", given=shorten(clean(source), 40))


class ReachedNumbers(Struct, frozen=True, eq=False):
    """The numbers that were reached in an environment, "" for a plain list, which counts in each."""

    environment: str
    numbers: Ints


def counting_in(environment: str, sources: tuple[T, ...]) -> tuple[T, ...]:
    """Those that count in an environment: a rehearsal has reached nobody in any other."""
    of_campaigns = (EarlierCampaign, ReachedNumbers)
    return tuple(
        source
        for source in sources
        if not isinstance(source, of_campaigns) or source.environment in ("", environment)
    )


class SuppressionLists(Struct, frozen=True, eq=False):
    """Numbers and rows that get no message, and what is wrong with the lists themselves."""

    opted_out: Ints
    reached: tuple[ReachedNumbers, ...]
    issues: IssueCollector  # about no single row
    marked: tuple[MarkedRows, ...] = ()

    def in_environment(self, environment: str) -> "SuppressionLists":
        """The lists that count in an environment."""
        return replace(self, reached=counting_in(environment, self.reached))

    def exclude_opted_out(
        self, issues: IssueCollector, contacts: pd.DataFrame, recipients: Recipients, start: int
    ) -> None:
        """Exclude the rows of people who want no messages, by a list, a mark or the tool that made the table.

        That is their status whatever else is wrong with them: nobody is to correct such a row. `start` is the
        position of the first row in the table.
        """
        _exclude_unwanted(issues, contacts)
        rows = np.flatnonzero(are_among(recipients.numbers, self.opted_out) & (issues.status != OPTED_OUT))
        recipients.report(issues, contacts, rows, "opted_out", "info", status="opted_out")
        for marked in self.marked:
            marked.exclude(issues, contacts, recipients, start)

    def are_reached(self, numbers: Ints) -> Bools:
        """Which numbers earlier campaigns have reached."""
        reached: Bools = np.zeros(len(numbers), dtype=bool)
        for source in self.reached:
            reached |= are_among(numbers, source.numbers)
        return reached

    def exclude_reached(self, issues: IssueCollector, contacts: pd.DataFrame, recipients: Recipients) -> None:
        """Exclude the rows whose number an earlier campaign reached, of those that get something so far.

        Their status is `duplicate`: nothing is wrong with them and nobody opted out, but they would get a
        second message. The code distinguishes them from duplicates in the table.
        """
        if self.reached:
            rows = np.flatnonzero(issues.sendable & self.are_reached(recipients.numbers))
            recipients.report(issues, contacts, rows, "other_campaign", "info", status="duplicate")


def _exclude_unwanted(issues: IssueCollector, contacts: pd.DataFrame) -> None:
    """Exclude the contacts of an export that were stopped or blocked in the tool."""
    export = find_export(contacts.columns)
    column = standing_column(contacts.columns, export)
    if not column:
        return
    cells = series_to_array(contacts[column])
    is_filled = issues.status != BLANK
    rows = np.flatnonzero(is_one_of(strip_texts(cells), sorted(export.standing[1])) & is_filled)
    facts = {"status": "opted_out", "mark": column}
    issues.add(rows, column, cells.take(rows), "opted_out", "info", **facts)


def _reached_numbers(
    source: Any, regions: Collection[str | None], issues: IssueCollector, audience: Audience
) -> Ints:
    """The numbers that an earlier campaign reached or may have reached, or those of a plain list."""
    if isinstance(source, EarlierCampaign):
        return as_integers(source.reached)
    if isinstance(source, str | Path) and not is_file(source):
        raise wrong(
            str(source), subject="not_again", needs="a file, a list of numbers or a result",
            write="not_again=campaign.load_result(folder)",
        )  # fmt: skip
    frame = source if isinstance(source, pd.DataFrame) else getattr(source, "messages", None)
    if isinstance(frame, pd.DataFrame) and {"number", "status"} <= set(frame.columns):
        status = frame["status"].astype("str")
        if status.isin(STATUSES).all():
            return as_integers(reached_numbers(frame))
    if frame is not None and frame is not source:
        raise wrong(
            source, subject="not_again", needs="results, folders or lists of numbers",
            write="not_again=result, with what send() or load_result() returned",
        )  # fmt: skip
    return read_list(source, regions, issues, "not_again", audience)


def reached_numbers(messages: pd.DataFrame) -> "pd.Series[str]":
    """The numbers of a result's messages that were reached, or may have been."""
    numbers = messages.loc[messages["status"].astype("str").isin(REACHED), "number"].astype("str")
    return numbers[numbers.str.fullmatch("[0-9]{5,15}")]
