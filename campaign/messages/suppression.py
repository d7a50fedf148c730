"""Valid numbers that get no message: opt-outs, and numbers that an earlier campaign reached."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from msgspec import Struct

from campaign.argument_checks import wrong
from campaign.arrow_text import (
    Ints,
    array_to_series,
    integers_to_array,
    is_one_of,
    join_texts,
    series_to_array,
    strip_texts,
    substitute,
)
from campaign.cluster import is_dask_frame
from campaign.contacts.columns import listed
from campaign.contacts.contact_parts import ContactParts
from campaign.contacts.exports import find_export, likely_number_columns, standing_column
from campaign.contacts.files.sources import has_known_ending
from campaign.contacts.phone_numbers.cleaning import KINDS, WORLD, clean_numbers
from campaign.contacts.reading import read_contacts
from campaign.contract import STATUSES
from campaign.errors import UsageError
from campaign.messages.issues import IssueCollector
from campaign.messages.marked_rows import MarkedRows, are_marks
from campaign.messages.number_rules import NumberRules
from campaign.messages.recipients import Recipients, as_integers, is_on_list
from campaign.messages.totals import Totals
from campaign.paths import is_file
from campaign.remedies import in_curly_quotes
from campaign.text import clean, shorten
from campaign.values import replace

REACHED = ("accepted", "unknown")  # what may have arrived counts as reached
ON_OPT_OUT_LIST = "The number is on the opt-out list."
REACHED_EARLIER = "An earlier campaign reached this number, or may have (see not_again=)."


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
        sources = not_again if isinstance(not_again, list | tuple) else [not_again]
        lists = [source for source in _lists_in(opt_outs) if source is not None]
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
            raise UsageError(
                "opt_outs= marks rows, but here it needs the numbers of these people: "
                'opt_outs=contacts.loc[marks, "Phone"].'
            )
        return rules

    def read(self, regions: Collection[str | None]) -> "SuppressionLists":
        """Read the numbers of the lists, with each of the regions; entries that are not numbers become
        issues."""
        issues = IssueCollector(0)
        nobody = np.empty(0, dtype=np.int64)
        opted_out = [_read_list(source, regions, issues, "opt_outs") for source in self.opt_outs]
        reached = tuple(
            ReachedNumbers(
                source.environment if isinstance(source, EarlierCampaign) else "",
                _reached_numbers(source, regions, issues),
            )
            for source in self.not_again
        )
        return SuppressionLists(np.unique(np.concatenate([nobody, *opted_out])), reached, issues)

    def read_for(
        self, table: ContactParts, contacts: Any, numbers: NumberRules, regions: Collection[str | None]
    ) -> "SuppressionLists":
        """Read the lists, and which rows of a table are marked; it was opened from `contacts`."""
        marked = tuple(MarkedRows.of(marks, contacts, table, numbers) for marks in self.marks)
        return replace(self.read(regions), marked=marked)


class ReachedNumbers(Struct, frozen=True, eq=False):
    """The numbers that were reached in an environment, "" for a plain list, which counts in each."""

    environment: str
    numbers: Ints


class SuppressionLists(Struct, frozen=True, eq=False):
    """Numbers and rows that get no message, and what is wrong with the lists themselves."""

    opted_out: Ints
    reached: tuple[ReachedNumbers, ...]
    issues: IssueCollector  # about no single row
    marked: tuple[MarkedRows, ...] = ()

    def in_environment(self, environment: str) -> "SuppressionLists":
        """The lists that count in an environment: a rehearsal has reached nobody in any other."""
        reached = tuple(source for source in self.reached if source.environment in ("", environment))
        return replace(self, reached=reached)

    @property
    def already_reached(self) -> Ints:
        return np.concatenate([np.empty(0, dtype=np.int64), *(source.numbers for source in self.reached)])

    @property
    def opted_out_or_marked(self) -> Ints:
        """The numbers of everybody who wants no messages."""
        return np.concatenate([self.opted_out, *(rows.numbers for rows in self.marked)])

    def exclude_opted_out(
        self, issues: IssueCollector, contacts: pd.DataFrame, recipients: Recipients, start: int
    ) -> None:
        """Exclude the rows of people who want no messages, by a list, a mark or the tool that made the table.

        That is their status whatever else is wrong with them: nobody is to correct such a row. `start` is the
        position of the first row in the table.
        """
        _exclude_unwanted(issues, contacts)
        rows = np.flatnonzero(
            is_on_list(recipients.numbers, self.opted_out) & (issues.status != STATUSES.index("opted_out"))
        )
        issues.forget_status(rows)
        recipients.report(issues, contacts, rows, "opted_out", "info", ON_OPT_OUT_LIST, status="opted_out")
        for marked in self.marked:
            marked.exclude(issues, contacts, recipients, start)

    def exclude_reached(self, issues: IssueCollector, contacts: pd.DataFrame, recipients: Recipients) -> None:
        """Exclude the rows whose number an earlier campaign reached, of those that get something so far.

        Their status is `duplicate`: nothing is wrong with them and nobody opted out, but they would get a
        second message. The code distinguishes them from duplicates in the table.
        """
        rows = np.flatnonzero(is_on_list(recipients.numbers, self.already_reached) & issues.sendable)
        recipients.report(issues, contacts, rows, "already_sent", "info", REACHED_EARLIER, status="duplicate")


def _lists_in(opt_outs: Any) -> list[Any]:
    """The lists that were given, whether one or several; numbers among several are one of their own."""
    if not isinstance(opt_outs, list | tuple):
        return [opt_outs]
    lists = [entry for entry in opt_outs if _is_list(entry)]
    numbers = [entry for entry in opt_outs if not _is_list(entry) and entry is not None]
    return [*lists, numbers] if numbers or not lists else lists


def _is_list(entry: Any) -> bool:
    """Whether an entry is a list itself: a table, or a file, also one that is named and not there."""
    if isinstance(entry, str):
        return has_known_ending(entry) or is_file(entry)
    kinds = (pd.DataFrame, pd.Series, Path, list, tuple, set, frozenset)
    return isinstance(entry, kinds) or is_dask_frame(entry)


def leaves_out_most(totals: Totals) -> bool:
    """Whether opt-outs leave out more rows than get a message, or would get one if they were corrected: the
    list may be one of something else."""
    return totals["opted_out"] > totals["not_sent"] + totals["invalid"]


def _exclude_unwanted(issues: IssueCollector, contacts: pd.DataFrame) -> None:
    """Exclude the contacts of an export that were stopped or blocked in the tool."""
    export = find_export(contacts.columns)
    column = standing_column(contacts.columns, export)
    if export is None or not column:
        return
    cells = series_to_array(contacts[column])
    is_filled = issues.status != STATUSES.index("blank")
    rows = np.flatnonzero(is_one_of(strip_texts(cells), sorted(export.standing[1])) & is_filled)
    issues.forget_status(rows)
    detail = f'{export.tool} says that nothing is to be sent to this contact: see "{column}".'
    issues.add(rows, column, cells.take(rows), "opted_out", "info", detail, status="opted_out")


def _reached_numbers(source: Any, regions: Collection[str | None], issues: IssueCollector) -> Ints:
    """The numbers that an earlier campaign reached or may have reached, or those of a plain list."""
    if isinstance(source, EarlierCampaign):
        return as_integers(source.reached)
    if isinstance(source, str | Path) and not is_file(source):
        raise UsageError(
            f"not_again= names {shorten(clean(source), 80)!r}, which is not a file. Give a file or list of "
            "numbers, or the results of an earlier campaign: not_again=campaign.load_result(folder)."
        )
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
    return _read_list(source, regions, issues, "not_again")


def reached_numbers(messages: pd.DataFrame) -> "pd.Series[str]":
    """The numbers of a result's messages that were reached, or may have been."""
    numbers = messages.loc[messages["status"].astype("str").isin(REACHED), "number"].astype("str")
    return numbers[numbers.str.fullmatch("[0-9]{5,15}")]


def _read_list(source: Any, regions: Collection[str | None], issues: IssueCollector, argument: str) -> Ints:
    """The numbers in a list, read by the same rules as those of contacts, and by broader rules if those fail.

    It is better to exclude too many than too few. If each contact has its own region, a local number in the
    list could be from any of these regions, so it is read with all of them. Plain digits are also read as if
    they began with a plus.
    """
    cells = _number_cells(source, argument)
    texts = series_to_array(cells)
    unread = ~is_one_of(strip_texts(texts), [""])
    numbers = [np.empty(0, dtype=np.int64)]
    for region in regions:
        cleaned = _clean(cells, region)
        numbers.append(cleaned[cleaned > 0])
        unread &= cleaned == 0
    unread_positions = np.flatnonzero(unread)
    digits = substitute(texts.take(unread_positions), "[^0-9]", "")
    international = _clean(array_to_series(join_texts("+", digits)), None)
    numbers.append(international[international > 0])
    unreadable = unread_positions[international == 0]
    found = np.unique(np.concatenate(numbers))
    if len(unreadable) and not len(found):
        raise UsageError(
            f"The list in {_named(source, argument)} has no phone numbers{_of(regions)}, so it would leave "
            "out nobody. Give another list, or none."
        )
    rows = integers_to_array(cells.index.to_numpy(dtype=np.int64)[unreadable])
    detail = join_texts(
        "Row ", rows, " of the list is not a phone number, so it excludes nobody. Correct it."
    )
    issues.add_for_table(argument, texts.take(unreadable), "unreadable_entry", "warning", detail)
    return found


def _of(regions: Collection[str | None]) -> str:
    """The only region whose numbers could be read, for people of another one; "" for none or for several."""
    only = next(iter(regions)) if len(regions) == 1 else None
    return "" if only in (None, WORLD) else f" of {only}, nor any with a country code"


def _clean(cells: "pd.Series[str]", region: str | None) -> Ints:
    """Numbers of any kind in the service's form; 0 for cells without a number."""
    return as_integers(clean_numbers(cells, region=region, kinds=KINDS)["number"])


def _number_cells(source: Any, argument: str) -> "pd.Series[str]":
    """The cells of a list: of all columns that look like numbers, or of the only column."""
    if is_dask_frame(source):
        source = source.compute()
    if isinstance(source, pd.Series):
        source = source.rename("number").to_frame()
    elif isinstance(source, list | tuple | set | frozenset):
        source = pd.DataFrame({"number": [str(number) for number in source]}, dtype="str")
    elif not isinstance(source, str | Path | pd.DataFrame):
        raise wrong(
            source, subject=argument, needs="a file, a DataFrame, a Series or a list of numbers",
            write=f'{argument}="numbers.csv"',
        )  # fmt: skip
    table = read_contacts(source, header="if any")
    likely = likely_number_columns(table.columns)
    if len(table.columns) > 1 and not likely:
        raise UsageError(
            f"The list in {_named(source, argument)} has no column that looks like phone numbers. Its "
            f"columns are: {listed(list(table.columns))}. If this is the right file, delete all columns but "
            "that of the numbers, or call that one phone."
        )
    cells: pd.Series[str] = pd.concat([table[name] for name in likely or table.columns])
    return cells


def _named(source: Any, argument: str) -> str:
    """What a list is called: its argument, and the file if it is one."""
    is_file = isinstance(source, str | Path)
    return f"{argument}={f' ({in_curly_quotes(clean(Path(source).name))})' if is_file else ''}"
