"""Lists of phone numbers beside a contact table: files, tables and lists of people who get no message."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from campaign.argument_checks import wrong
from campaign.arrow_text import Bools, Ints, TextArray, concat_arrays, is_one_of, strip_texts, text_array
from campaign.cluster import is_dask_frame
from campaign.contacts.cells.grid import name_rows
from campaign.contacts.columns import listed
from campaign.contacts.complete_list import list_in_words, quoted, read_complete, refuse_lost_cells
from campaign.contacts.files.sources import has_known_ending
from campaign.contacts.phone_numbers.cleaning import WORLD
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.messages.issues import IssueCollector
from campaign.messages.suppression.list_columns import ListColumns
from campaign.messages.suppression.list_entries import A_PHONE, read_entries, read_numbers
from campaign.paths import is_file
from campaign.text import agreeing, capitalised, clean, counted, shorten

_WRITTEN_NUMBER = re.compile(r"\s*\+?[\d(][\d\s()./-]{4,}")
_SHOWN = 24  # characters of an entry
_EMPTY = (
    "{} has no entries, so it leaves out nobody. If that is not meant, look at how it was made: texts are "
    "compared letter by letter, “yes” is not “Yes”."
)


def lists_in(opt_outs: Any) -> list[Any]:
    """The lists that were given, whether one or several; numbers among several are one of their own."""
    if not isinstance(opt_outs, list | tuple):
        return [[opt_outs] if is_number(opt_outs) else opt_outs]
    lists = []
    for entry in filter(_is_list, opt_outs):
        lists += lists_in(entry) if isinstance(entry, list | tuple) else [entry]
    numbers = [entry for entry in opt_outs if not _is_list(entry) and entry is not None]
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
    source: Any,
    regions: Collection[str | None],
    issues: IssueCollector,
    argument: str,
    in_table: Callable[[], Ints],
) -> Ints:
    """The numbers in a list, read by the same rules as those of contacts, and by broader rules if those fail.

    It is better to exclude too many than too few. If each contact has its own region, a local number in the
    list could be from any of these regions, so it is read with all of them. Whoever is in the list and not
    read would get a message, so it has to be read completely: see `read_complete`. `in_table` gives the
    numbers of the table, which show whose columns are meant in a log of messages.

    An empty list becomes an issue, and so do entries without digits. Raises UsageError for entries that have
    digits and are no number, or several.
    """
    table = read_complete(_as_table(source, argument), argument, partial(_are_numbers, regions), "if any")
    named = f"The {list_in_words(source, argument)}"
    columns = ListColumns(table, regions, (named.removeprefix("The "), _in_python(source, argument)))
    names = columns.of_people(in_table)
    if not names:
        raise UsageError(
            f"{named} has no column that looks like phone numbers. Its columns are: "
            f"{listed(list(table.columns))}. If this is the right file, delete all columns but that of the "
            "numbers, or call that one phone."
        )
    refuse_lost_cells(table, names, source, argument)
    entries = [columns.entries(name) for name in names]
    heads = read_entries(text_array(names), regions)  # the first line of a list may be taken for a header
    found = np.unique(np.concatenate([heads.every, *(one.every for one in entries)]))
    texts = concat_arrays([one.texts for one in entries])
    unread = np.concatenate([one.first == 0 for one in entries]) & ~is_one_of(strip_texts(texts), [""])
    if not len(texts) or not (unread | np.concatenate([one.first > 0 for one in entries])).any():
        issues.add_for_table(argument, "", "empty_list", "warning", _EMPTY.format(named))
    if unread.any() and not len(found):
        raise UsageError(
            f"{named} has no phone numbers{_of(regions)}, so it would leave out nobody. "
            f"{_begins_with(texts.filter(unread))} {_remedy(source)}"
        )
    have_digits = np.concatenate([one.have_digits for one in entries])
    _refuse_unread(np.tile(table.index, len(names)), texts, unread & have_digits, source, argument)
    _add_notices(issues, argument, named, texts.take(np.flatnonzero(unread)), columns.notice)
    return found


def _are_numbers(regions: Collection[str | None], cells: TextArray) -> Bools:
    return np.greater_equal(read_numbers(cells, regions)[0], A_PHONE)


def _refuse_unread(rows: Ints, texts: TextArray, unread: Bools, source: Any, argument: str) -> None:
    """Raise UsageError for entries that have digits and are no number: nobody knows who would be missed."""
    if not unread.any():
        return
    cell = shorten(mask_text(clean(texts.filter(unread)[0].as_py())), _SHOWN)
    lines = np.unique(rows[unread]).tolist()
    if isinstance(source, str | Path | pd.DataFrame) or getattr(source, "attrs", None):
        where = f"{name_rows(lines)} of the {list_in_words(source, argument)}"
    else:  # entries of a list count from 1
        where = name_rows([line - 1 for line in lines]).replace("Row", "Entry").replace("Entrys", "Entries")
        where += f" of the list in {argument}="
    is_number = agreeing(len(lines), "is not one phone number", "are not one phone number each")
    raise UsageError(
        f"{where} {is_number}, so it is not certain who wants no message; the first says “{cell}”. Correct "
        f"{agreeing(len(lines), 'it', 'them')}, with one number in each entry, or delete what is no number."
    )


def _add_notices(
    issues: IssueCollector, argument: str, named: str, skipped: TextArray, about_columns: str
) -> None:
    """Say which column was read, where there was a choice, and which entries have no digits."""
    if about_columns:
        issues.add_for_table(argument, "", "list_column", "info", f"{named}: {about_columns}")
    if len(skipped):
        have = agreeing(len(skipped), "has no digits and excludes", "have no digits and exclude")
        first = shorten(mask_text(clean(skipped[0].as_py())), _SHOWN)
        detail = f"{capitalised(counted(len(skipped), 'entry', 'entries'))} of {named[0].lower()}{named[1:]}"
        detail += f" {have} nobody: “{first}”{' and so on' if len(skipped) > 1 else ''}."
        issues.add_for_table(argument, first, "unreadable_entry", "warning", detail)


def _begins_with(entries: TextArray) -> str:
    """The first of some entries, for who looks which list is meant."""
    return f"It begins with “{shorten(mask_text(clean(entries[0].as_py())), _SHOWN)}”."


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
        return pd.DataFrame({"number": pd.Series([*source], dtype="object")})
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
