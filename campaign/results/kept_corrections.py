"""What a person has typed into a follow-up file is not lost when the file is written again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from campaign.contacts.cells.grid import name_rows
from campaign.contacts.reading import read_contacts
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.contacts.table_version import row_digests
from campaign.errors import ContactsError, ReportError
from campaign.results.replaced_file import check_own, free_name
from campaign.results.tables import Result
from campaign.text import agreeing


def has_sent_corrections(path: Path, result: Result, rows: pd.DataFrame) -> bool:
    """Whether a follow-up file is here with corrections that were all sent and are in no other file.

    These are the rows that a person has corrected or added and that the own spreadsheet lacks. `rows` are
    those that would be written in their place. Raises `ReportError` if some of them were not sent as they
    are now, and for other files that are no reports of ours.
    """
    if not path.is_file() or not path.stat().st_size:
        return False
    try:
        table = read_contacts(path)
    except ContactsError:
        raise ReportError(
            f"{path.name} exists and cannot be read as it is, so there is no telling whether somebody has "
            "typed corrections into it. Give another name, or delete the file."
        ) from None
    continues = table.attrs["reading"].continues
    if continues is None:
        if len(table):
            check_own(path)
        return False
    changed = table.drop(index=[*continues.untouched])
    typed = _rows_of_a_person(changed, result, result.corrected_rows.difference(rows.index))
    unsent = _not_among(typed, result.contacts_of_rounds()).index.tolist()
    if unsent:
        raise _loss_of(path, unsent, [continues.rows[row] for row in unsent if row in continues.rows])
    return len(typed) > 0


def _loss_of(path: Path, rows: list[int], origins: list[int]) -> ReportError:
    """The error for rows of a follow-up file that are nowhere else; `origins` are theirs in the own file."""
    there = f" (there: {name_rows(origins).lower()})" if origins else ""
    are, were = agreeing(len(rows), "is", "are"), agreeing(len(rows), "was", "were")
    they_are = agreeing(len(rows), "it is", "they are")
    return ReportError(
        f"{path.name} has corrections, which would be lost: its {name_rows(rows).lower()} {are} not as in "
        f"your own spreadsheet{there}, and {were} not sent as {they_are} now. Read this file and send it, or "
        "put the corrections into your own spreadsheet. To write the rows again, give another name, such as "
        f"{free_name(path).name}, or delete the file."
    )


def _rows_of_a_person(table: pd.DataFrame, result: Result, corrected: pd.Index[int]) -> pd.Series[int]:
    """The digests of the rows of a follow-up file that are in no row of the result but those `corrected`."""
    contacts = (part.contacts for part in result.parts())
    return _not_among(row_digests(table), (frame[~frame.index.isin(corrected)] for frame in contacts))


def _not_among(digests: pd.Series[int], tables: Iterable[pd.DataFrame]) -> pd.Series[int]:
    """The digests of rows that are in none of these tables of contacts, which are read only while needed."""
    for contacts in tables:
        if digests.empty:
            break
        own = contacts.drop(columns=list(OUTCOME_COLUMNS), errors="ignore")
        own = own.set_axis(original_names(own.columns), axis=1)
        digests = digests[~digests.isin(row_digests(own))]
    return digests
