"""Lists of phone numbers beside a contact table: files, tables and lists of people who get no message."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from campaign.argument_checks import wrong
from campaign.arrow_text import (
    Ints,
    TextArray,
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
from campaign.contacts.exports import likely_number_columns
from campaign.contacts.files.frames import as_frame
from campaign.contacts.files.sources import has_known_ending
from campaign.contacts.phone_numbers.cleaning import KINDS, WORLD, clean_numbers
from campaign.contacts.reading import read_contacts
from campaign.errors import UsageError
from campaign.masking import mask_text
from campaign.messages.issues import IssueCollector
from campaign.messages.recipients import as_integers
from campaign.paths import is_file
from campaign.remedies import in_curly_quotes
from campaign.text import clean, shorten

_WRITTEN_NUMBER = re.compile(r"\s*\+?[\d(][\d\s()./-]{4,}")
_SHOWN = 24  # characters of an entry
_EMPTY = (
    "{} has no entries, so it leaves out nobody. If that is not meant, look at how it was made: texts are "
    "compared letter by letter, “yes” is not “Yes”."
)


def lists_in(opt_outs: Any) -> list[Any]:
    """The lists that were given, whether one or several; numbers among several are one of their own."""
    if not isinstance(opt_outs, list | tuple):
        return [[opt_outs] if is_number(opt_outs) else as_frame(opt_outs)]
    entries = list(map(as_frame, opt_outs))
    lists = [entry for entry in entries if _is_list(entry)]
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


def read_list(source: Any, regions: Collection[str | None], issues: IssueCollector, argument: str) -> Ints:
    """The numbers in a list, read by the same rules as those of contacts, and by broader rules if those fail.

    It is better to exclude too many than too few. If each contact has its own region, a local number in the
    list could be from any of these regions, so it is read with all of them. Plain digits are also read as if
    they began with a plus. What is no number becomes an issue, and so does an empty list.
    """
    cells = _number_cells(source, argument)
    texts = series_to_array(cells)
    unread = ~is_one_of(strip_texts(texts), [""])
    if not unread.any():
        detail = _EMPTY.format(_named(source, argument))
        issues.add_for_table(argument, "", "empty_list", "warning", detail)
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
    entries = texts.take(unreadable)
    if len(entries) and not len(found):
        raise UsageError(
            f"{_named(source, argument)} has no phone numbers{_of(regions)}, so it would leave out nobody. "
            f"{_begins_with(entries)} {_remedy(source)}"
        )
    rows = cells.index.to_numpy(dtype=np.int64)[unreadable]
    issues.add_for_table(
        argument, entries, "unreadable_entry", "warning", _unreadable(source, argument, rows)
    )
    return found


def _unreadable(source: Any, argument: str, rows: Ints) -> TextArray:
    """What is to be said of entries that are no numbers: rows of a file, or entries of a list from 1 on."""
    name, word, entries = clean(Path(source).name) if isinstance(source, str | Path) else "", "Row", rows
    if not name:
        name, word, entries = f"the list in {argument}=", "Entry", rows - 1
    return join_texts(
        f"{word} ",
        integers_to_array(entries),
        f" of {name} is not a phone number, so it excludes nobody. Correct it.",
    )


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


def _clean(cells: pd.Series[str], region: str | None) -> Ints:
    """Numbers of any kind in the service's form; 0 for cells without a number."""
    return as_integers(clean_numbers(cells, region=region, kinds=KINDS)["number"])


def _number_cells(source: Any, argument: str) -> pd.Series[str]:
    """The cells of a list: of all columns that look like numbers, or of the only column."""
    if is_dask_frame(source):
        source = source.compute()
    if isinstance(source, pd.Series):
        source = source.rename("number").to_frame()
    elif isinstance(source, list | tuple | set | frozenset):
        source = pd.DataFrame({"number": pd.Series([*source], dtype=object)})
    elif not isinstance(source, str | Path | pd.DataFrame):
        raise wrong(
            source, subject=argument, needs="a file, a DataFrame, a Series or a list of numbers",
            write=f'{argument}="numbers.csv"',
        )  # fmt: skip
    table = read_contacts(source, header="if any")
    likely = likely_number_columns(table.columns)
    if len(table.columns) > 1 and not likely:
        raise UsageError(
            f"{_named(source, argument)} has no column that looks like phone numbers. Its "
            f"columns are: {listed(list(table.columns))}. If this is the right file, delete all columns but "
            "that of the numbers, or call that one phone."
        )
    cells: pd.Series[str] = pd.concat([table[name] for name in likely or table.columns])
    return cells


def _named(source: Any, argument: str) -> str:
    """What a list is called at the beginning of a sentence: its argument, and the file if it is one."""
    is_path = isinstance(source, str | Path)
    return f"The list in {argument}={f' ({in_curly_quotes(clean(Path(source).name))})' if is_path else ''}"
