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
from campaign.arrow_text import Ints, text_array
from campaign.cluster import is_dask_frame
from campaign.contacts.complete_list import check_cells, check_complete, list_in_words
from campaign.contacts.files.frames import as_frame
from campaign.contacts.files.sources import has_known_ending
from campaign.contacts.phone_numbers.cleaning import WORLD
from campaign.contacts.reading import read_contacts
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import distinct
from campaign.messages.suppression.list_columns import (
    Audience,
    Entries,
    ListColumns,
    read_entries,
)
from campaign.paths import is_file
from campaign.text import clean, shorten
from campaign.values import replace
from campaign.words.finding import Finding

_WRITTEN_NUMBER = re.compile(r"\s*\+?[\d(][\d\s()./-]{4,}")
_SHOWN = 24  # characters of an entry


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
    columns = ListColumns(table, regions, named)
    names = columns.of_people(audience)
    if not names:
        raise UsageError("list_without_numbers", list=named, columns=[*table.columns])
    entries = Entries.joined([columns.entries(name) for name in names])
    heads = read_entries(text_array(names), regions)  # the first line of a list may be taken for a header
    found = distinct(np.concatenate([heads.every, entries.every]))
    skipped = entries.texts.filter(pa.array(entries.are_unread))
    if len(skipped) and not len(found):
        only = next(iter(regions)) if len(regions) == 1 else None
        region, first = "" if only in (None, WORLD) else only, _shown(skipped[0])
        raise UsageError("list_without_numbers", list=named, region=region, example=first)
    if not is_of_table:
        check_cells(table, [*names, *columns.likely], source, argument)
        _refuse_unread(np.tile(table.index, len(names)), entries, source, argument)
    findings = [columns.finding] if columns.finding else []
    if len(skipped):
        facts = {"list": named, "count": len(skipped), "example": _shown(skipped[0])}
        findings.append(Finding("unreadable_entry", facts | {"value": skipped[0].as_py()}, "warning"))
    if not len(found):
        findings.append(Finding("empty_list", {"list": named}, "warning"))
    for finding in findings:
        issues.add_for_table(replace(finding, column=argument))
    return found


def _refuse_unread(rows: Ints, entries: Entries, source: Any, argument: str) -> None:
    """Raise UsageError for entries that have digits and are no number: nobody knows who would be missed."""
    unread = entries.may_be_numbers
    if not unread.any():
        return
    lines = np.unique(rows[unread]).tolist()
    if not (isinstance(source, str | Path | pd.DataFrame) or getattr(source, "attrs", None)):
        lines = [line - 1 for line in lines]  # entries of a list count from 1
    raise UsageError(
        "entry_unreadable",
        list=list_in_words(source, argument),
        count=len(lines),
        rows=lines,
        example=_shown(entries.texts.filter(pa.array(unread))[0]),
    )


def _shown(entry: Any) -> str:
    """An entry in a sentence: masked and not too long."""
    return shorten(mask_text(clean(entry.as_py())), _SHOWN)


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
