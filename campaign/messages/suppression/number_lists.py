"""Lists of phone numbers beside a contact table: files, tables and lists of people who get no message."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from campaign.argument_checks import wrong
from campaign.arrow_text import Ints, TextArray, text_array
from campaign.cluster import is_dask_frame
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.columns import listed
from campaign.contacts.complete_list import check_cells, check_complete, list_in_words, quoted
from campaign.contacts.files.frames import as_frame
from campaign.contacts.files.sources import has_known_ending
from campaign.contacts.opt_out_marks import named_cell
from campaign.contacts.phone_numbers.cleaning import WORLD
from campaign.contacts.reading import read_contacts
from campaign.errors import UsageError
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import distinct
from campaign.messages.suppression.list_columns import (
    Audience,
    Entries,
    ListColumns,
    read_entries,
)
from campaign.messages.suppression.marked_rows import LOOK_AT_MARKS
from campaign.paths import is_file
from campaign.text import agreeing, capitalised, clean, counted, shorten

_WRITTEN_NUMBER = re.compile(r"\s*\+?[\d(][\d\s()./-]{4,}")
_SHOWN = 24  # characters of an entry
_EMPTY = f"{{}} has no entries, so it leaves out nobody. {LOOK_AT_MARKS}"


def lists_in(opt_outs: Any) -> list[Any]:
    """The lists that were given, whether one or several; numbers among several are one of their own."""
    if not isinstance(opt_outs, list | tuple):
        return [[opt_outs] if is_number(opt_outs) else as_frame(opt_outs)]
    entries, lists = list(map(as_frame, opt_outs)), []
    for entry in filter(_is_list, entries):
        lists += lists_in(entry) if isinstance(entry, list | tuple) else [entry]
    numbers = [entry for entry in entries if not _is_list(entry) and entry is not None]
    return [*lists, numbers] if numbers else lists


def _is_list(entry: Any) -> bool:
    """Whether an entry is a list itself: a table, or a file, also one that is named and not there."""
    if isinstance(entry, str):
        return has_known_ending(entry) or is_file(entry)
    kinds = (pd.DataFrame, pd.Series, Path, list, tuple, set, frozenset)
    return isinstance(entry, kinds) or is_dask_frame(entry)


def is_number(entry: Any) -> bool:
    """Whether a text is a number and not the path of a file."""
    return isinstance(entry, str) and not _is_list(entry) and bool(_WRITTEN_NUMBER.fullmatch(entry))


def read_list(
    source: Any, regions: Collection[str | None], issues: IssueCollector, argument: str, audience: Audience
) -> Ints:
    """The numbers in a list, read by the same rules as those of contacts, and by broader rules if those fail.

    It is better to exclude too many than too few. If each contact has its own region, a local number in the
    list could be from any of these regions, so it is read with all of them.

    Whoever is in the list and is not read would get a message, so it has to be read completely: see
    `check_complete`. Raises UsageError for entries that have digits and are no number, or several. Only what
    was taken from the contact table itself may lack what that lacks. An empty list becomes an issue, and so
    do entries without digits.
    """
    table = read_contacts(_as_table(source, argument), header="if any")
    named, is_of_table = list_in_words(source, argument), audience.is_of(table)
    if not is_of_table:
        check_complete(table, source, argument)
    columns = ListColumns(table, regions, (named, _in_python(source, argument)))
    names = columns.of_people(audience)
    if not names:
        raise UsageError(
            f"The {named} has no column that looks like phone numbers. Its columns are: "
            f"{listed(list(table.columns))}. If this is the right file, delete all columns but that of the "
            "numbers, or call that one phone."
        )
    entries = Entries.joined([columns.entries(name) for name in names])
    heads = read_entries(text_array(names), regions)  # the first line of a list may be taken for a header
    found = distinct(np.concatenate([heads.every, entries.every]))
    skipped = entries.texts.filter(pa.array(entries.are_unread))
    if len(skipped) and not len(found):
        raise UsageError(
            f"The {named} has no phone numbers{_of(regions)}, so it would leave out nobody. It begins with "
            f"{named_cell(skipped[0].as_py())}. {_remedy(source)}"
        )
    if not is_of_table:
        check_cells(table, [*names, *columns.likely], source, argument)
        _refuse_unread(np.tile(table.index, len(names)), entries, source, argument)
    _add_notices(issues, argument, named, skipped, columns.notice)
    if not len(found):
        issues.add_for_table(argument, "", "empty_list", "warning", _EMPTY.format(f"The {named}"))
    return found


def _refuse_unread(rows: Ints, entries: Entries, source: Any, argument: str) -> None:
    """Raise UsageError for entries that have digits and are no number: nobody knows who would be missed."""
    unread = entries.may_be_numbers
    if not unread.any():
        return
    lines = np.unique(rows[unread]).tolist()
    where = name_rows(lines)
    if not (isinstance(source, str | Path | pd.DataFrame) or getattr(source, "attrs", None)):
        where = name_rows([line - 1 for line in lines])  # entries of a list count from 1
        where = where.replace("Rows", "Entries").replace("Row", "Entry")
    first = entries.texts.filter(pa.array(unread))[0].as_py()
    are_no_numbers = agreeing(len(lines), "is not one phone number", "are not one phone number each")
    raise UsageError(
        f"{where} of the {list_in_words(source, argument)} {are_no_numbers}, so it is not certain who wants "
        f"no message; the first says {named_cell(first)}. Correct "
        f"{agreeing(len(lines), 'it', 'them')}, with one number in each entry, or delete what is no number."
    )


def _add_notices(
    issues: IssueCollector, argument: str, named: str, skipped: TextArray, about_columns: str
) -> None:
    """Say which column was read, where there was a choice, and which entries are no numbers."""
    if about_columns:
        issues.add_for_table(argument, "", "list_column", "info", f"The {named}: {about_columns}")
    if len(skipped):
        are = agreeing(len(skipped), "is no number and excludes", "are no numbers and exclude")
        more = " and others" if len(skipped) > 1 else ""
        entries, first = capitalised(counted(len(skipped), "entry", "entries")), skipped[0].as_py()
        detail = f"{entries} of the {named} {are} nobody: {named_cell(first)}{more}."
        issues.add_for_table(argument, first, "unreadable_entry", "warning", detail)


def _remedy(source: Any) -> str:
    """What to do about a list without numbers: it may be a column of the table that says who wants none."""
    if isinstance(source, pd.Series) and isinstance(source.name, str):
        name = shorten(clean(source.name), _SHOWN)
        return f'To leave out rows by what they say there, mark them: contacts["{name}"] == "…".'
    return "Give another list, or none."


def _of(regions: Collection[str | None]) -> str:
    """The only region whose numbers could be read, for people of another one; "" for none or for several."""
    only = next(iter(regions)) if len(regions) == 1 else None
    return "" if only in (None, WORLD) else f" of {only}, nor any with a country code"


def _as_table(source: Any, argument: str) -> Any:
    """A list as `read_contacts` takes it; a Series keeps what is known of the table that it is from."""
    if is_dask_frame(source):
        source = source.compute()
    if isinstance(source, pd.Series):
        return source.to_frame("number" if source.name is None else str(source.name))
    if isinstance(source, list | tuple | set | frozenset):
        return pd.DataFrame({"number": pd.Series([*source], dtype=object)})
    if not isinstance(source, str | Path | pd.DataFrame):
        raise wrong(
            source, subject=argument, needs="a file, a DataFrame, a Series or a list of numbers",
            write=f'{argument}="numbers.csv"',
        )  # fmt: skip
    return source


def _in_python(source: Any, argument: str) -> str:
    """How the table of a list is written in a line of Python, to take a column of it."""
    table = f"campaign.read_contacts({quoted(str(source))})" if isinstance(source, str | Path) else "table"
    return f"{argument}={table}"
