"""What a person has typed into a follow-up file is not lost when the file is written again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from campaign.contacts.cells.grid import name_rows
from campaign.contacts.continuation import Continuation
from campaign.contacts.reading import read_contacts
from campaign.contacts.reserved_columns import OUTCOME_COLUMNS, original_names
from campaign.contacts.table_version import row_digests
from campaign.errors import ContactsError, ReportError
from campaign.messages.plan_tables.plan_columns import labels_of_contacts, numbers_of_contacts
from campaign.results.cell_values import CellReader, rows_that_say_same
from campaign.results.replaced_file import check_own, free_name
from campaign.results.tables import Result
from campaign.text import agreeing


def reason_to_keep(path: Path, result: Result, rows: pd.DataFrame) -> str:
    """Why a follow-up file that is here stays although its corrections were all sent; "" if it may go.

    Either the own spreadsheet lacks some of them, or all of its rows are corrected and there are no `rows` to
    write in its place: a file without rows does not say which campaign it continues. Corrections are the
    rows that a person has corrected or added. Raises `ReportError` if the own spreadsheet lacks some that
    were not sent as they are now, and for other files that are no reports of ours.
    """
    if not path.is_file() or not path.stat().st_size:
        return ""
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
        return ""
    changed = table.drop(index=[*continues.untouched])
    corrected = result.corrected_rows.difference(rows.index)
    typed = _rows_of_a_person(changed, result, corrected)
    typed = typed.drop(_said_in_own_file(table, typed.index, continues, result, corrected))
    unsent = _not_among(typed, result.contacts_of_rounds()).index.tolist()
    if unsent:
        raise _loss_of(path, unsent, [continues.rows[row] for row in unsent if row in continues.rows])
    if len(typed):
        return "your own spreadsheet does not say the same"
    return "nothing is to correct now" if rows.empty and 0 < len(changed) == len(table) else ""


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


def _said_in_own_file(
    table: pd.DataFrame,
    typed: pd.Index[int],
    continues: Continuation,
    result: Result,
    corrected: pd.Index[int],
) -> list[int]:
    """Those of the typed rows that the own spreadsheet has in other words, such as a date that is a cell.

    Rows that are `corrected` are in the table of the result as they were sent, so they show nothing.
    """
    origins = {row: continues.rows[row] for row in typed if row in continues.rows}
    origins = {row: origin for row, origin in origins.items() if origin not in corrected}
    if not origins or result.is_erased:
        return []
    plan = result.plan
    frames = (part.contacts for part in plan.parts())
    own = pd.concat([frame[frame.index.isin([*origins.values()])] for frame in frames])
    own = _as_in_file(own)
    numbers = pd.Series(numbers_of_contacts(plan), index=labels_of_contacts(plan)).reindex(own.index)
    given = "" if result.reading is None else result.reading.dates
    of_numbers = original_names(plan.addressing.columns)
    readers = {
        name: CellReader.of(table[name], given, is_number=name in of_numbers) for name in table.columns
    }
    return rows_that_say_same(table, own, origins, numbers, readers)


def _as_in_file(contacts: pd.DataFrame) -> pd.DataFrame:
    """Contacts with the columns of their file, under their names there."""
    own = contacts.drop(columns=list(OUTCOME_COLUMNS), errors="ignore")
    return own.set_axis(original_names(own.columns), axis=1)


def _not_among(digests: pd.Series[int], tables: Iterable[pd.DataFrame]) -> pd.Series[int]:
    """The digests of rows that are in none of these tables of contacts, which are read only while needed."""
    for contacts in tables:
        if digests.empty:
            break
        digests = digests[~digests.isin(row_digests(_as_in_file(contacts)))]
    return digests
