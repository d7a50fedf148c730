"""What a person has typed into a follow-up file is not lost when the file is written again."""

from __future__ import annotations

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


def check_nothing_typed_is_lost(path: Path, result: Result, rows: pd.DataFrame) -> None:
    """Raise `ReportError` if a follow-up file is here with rows that would be in no other file of the user's.

    These are the rows that a person has corrected or added. Once they are sent, the result has them too, and
    still the own spreadsheet lacks them. `rows` are those that will be written in their place. Of all other
    files, only our own reports may be replaced.
    """
    if not path.is_file() or not path.stat().st_size:
        return
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
        return
    changed = table.drop(index=[*continues.untouched])
    typed = _rows_of_a_person(changed, result, result.corrected_rows.difference(rows.index))
    if len(typed):
        origins = [continues.rows[row] for row in typed if row in continues.rows]
        there = f" (there: {name_rows(origins).lower()})" if origins else ""
        raise ReportError(
            f"{path.name} has corrections, which would be lost: its {name_rows(typed).lower()} "
            f"{agreeing(len(typed), 'is', 'are')} not as in your own spreadsheet{there}. Read this file and "
            "send it if you have not yet, and put the corrections into your own spreadsheet too. To write "
            f"the rows again, give another name, such as {free_name(path).name}, or delete the file."
        )


def _rows_of_a_person(table: pd.DataFrame, result: Result, corrected: pd.Index[int]) -> list[int]:
    """The rows of a follow-up file whose cells are in no row of the result, or only in one of `corrected`."""
    digests = row_digests(table)
    for part in result.parts():
        contacts = part.contacts.drop(columns=list(OUTCOME_COLUMNS))
        contacts = contacts[~contacts.index.isin(corrected)]
        contacts = contacts.set_axis(original_names(contacts.columns), axis=1)
        digests = digests[~digests.isin(row_digests(contacts))]
    return digests.index.tolist()
